package reigns

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
)

var (
	errOver    = errors.New("over")
	errStalled = errors.New("stalled")
)

// TestKeeperKeepsManyDeadlines: each of many reigns ends for its work by its own deadline, though no loop runs; of work that has not returned by then somebody is
// told, once; the keeper runs only while there is work.
func TestKeeperKeepsManyDeadlines(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const n = 20
		k, began, done := keeperOf(time.Now), time.Now(), make(chan struct{})
		var overran sync.Map
		k.Overrun = func(w *Work) {
			_, twice := overran.LoadOrStore(w.Reign, true)
			require.False(t, twice)
		}
		reign := func(i int) *Reign { // the later ones end sooner: the keeper has to be told
			seat, r := &Seat{}, k.New(1, func() {})
			r.renew(began.Add(time.Duration(n-i) * time.Second))
			seat.Set(r)
			work := func(ctx context.Context, _ *Work) error {
				<-ctx.Done()
				require.Equal(t, errOver, context.Cause(ctx))
				time.Sleep(time.Duration(i%2) * time.Minute)
				return nil
			}
			go func() { _ = seat.Lead(context.Background(), work, nil, done, func() error { return nil }) }()
			synctest.Wait()
			return r
		}
		var all []*Reign
		for i := range n {
			all = append(all, reign(i))
		}
		for i := n - 1; i >= 0; i-- {
			time.Sleep(time.Until(began.Add(time.Duration(n-i)*time.Second)) - 1)
			synctest.Wait()
			require.True(t, all[i].Valid())
			time.Sleep(time.Nanosecond)
			synctest.Wait()
			require.False(t, all[i].Valid())
			require.True(t, all[i].Rests().Expired)
			_, told := overran.Load(all[i])
			require.True(t, told)
		}
		require.Nil(t, k.kick, "it has ended")
		close(done)
		time.Sleep(2 * time.Minute) // of the work
	})
}

// TestClockIsAskedWithoutALock: who stands still in the clock, as a process that is stopped does in a test, holds up nobody else.
func TestClockIsAskedWithoutALock(t *testing.T) {
	for name, asks := range map[string]func(k *Keeper, r *Reign){
		"looks": func(k *Keeper, _ *Reign) { k.look() },
		"keeps": func(k *Keeper, r *Reign) { k.keep(r) },
		"joins": func(_ *Keeper, r *Reign) { r.join(context.Background()) },
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				open := make(chan struct{})
				k := keeperOf(func() time.Time { <-open; return time.Now() })
				k.kick = make(chan struct{}, 1) // as though it ran
				r := k.New(1, func() {})
				go asks(k, r)
				synctest.Wait()
				defer close(open)
				require.True(t, k.mu.TryLock())
				defer k.mu.Unlock()
				require.True(t, r.mu.TryLock())
				r.mu.Unlock()
			})
		})
	}
}

// TestWorkAfterTheEnd: of work that goes on after its reign was ended somebody is told at what was the deadline.
func TestWorkAfterTheEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		k, overrun := keeperOf(time.Now), atomic.Int64{}
		k.Overrun = func(*Work) { overrun.Add(1) }
		r := k.New(1, func() {})
		r.renew(time.Now().Add(time.Second))
		ctx, w := r.join(t.Context())
		go func() { _, _ = w.run(ctx, func(context.Context, *Work) error { time.Sleep(time.Minute); return nil }) }()
		synctest.Wait()
		r.End(errOver)
		require.Error(t, ctx.Err())
		time.Sleep(time.Second - 1)
		synctest.Wait()
		require.Zero(t, overrun.Load())
		time.Sleep(time.Nanosecond)
		synctest.Wait()
		require.EqualValues(t, 1, overrun.Load())
		time.Sleep(time.Minute) // of the work
	})
}

// TestStalledWork: who reports keeps its reign; who does not loses it, is told why, and its deadline moves no more.
func TestStalledWork(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		k, stalled := keeperOf(time.Now), time.Duration(0)
		k.Progress = time.Second
		k.Quiet = func(_ *Reign, _ time.Time, long time.Duration) { stalled = long }
		r := k.New(1, func() {})
		r.renew(time.Now().Add(time.Hour))
		ctx, w := r.join(t.Context())
		returns := make(chan struct{})
		go func() { _, _ = w.run(ctx, func(context.Context, *Work) error { <-returns; return nil }) }()
		for range 10 {
			time.Sleep(time.Second - 1)
			synctest.Wait()
			require.NoError(t, ctx.Err())
			w.Progress()
		}
		time.Sleep(time.Second)
		synctest.Wait()
		require.Equal(t, errStalled, context.Cause(ctx))
		require.Equal(t, time.Second, stalled)
		deadline := r.Deadline()
		r.renew(deadline.Add(time.Hour))
		require.Equal(t, deadline, r.Deadline())
		require.False(t, r.Rests().Hangs)
		time.Sleep(time.Until(deadline))
		synctest.Wait()
		require.True(t, r.Rests().Hangs)
		close(returns)
		synctest.Wait()
		require.True(t, r.Rests().Idle)
	})
}
