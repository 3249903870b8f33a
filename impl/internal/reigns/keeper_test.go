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

	"github.com/seed-fdf591db/bully/impl/internal/bubbletest"
)

var (
	errOver    = errors.New("over")
	errStalled = errors.New("stalled")
)

// TestKeeperKeepsManyDeadlines: each of many reigns ends for its work by its own deadline, though no loop runs; of work that has not returned by then somebody is
// told, once; the keeper runs only while there is work.
func TestKeeperKeepsManyDeadlines(t *testing.T) {
	bubbletest.Run(t, func(t *testing.T) {
		const n = 20
		k, began, done := keeperOf(time.Now), time.Now(), make(chan struct{})
		var overran sync.Map
		k.Overrun = func(w *Work) {
			_, twice := overran.LoadOrStore(w.Reign, true)
			require.False(t, twice, "the overrun of a reign must be reported once")
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
			require.True(t, all[i].Valid(), "reign %d must be valid until its deadline", i)
			time.Sleep(time.Nanosecond)
			synctest.Wait()
			require.False(t, all[i].Valid(), "reign %d must be over at its deadline", i)
			require.True(t, all[i].Rests().Expired, "reign %d must be expired at its deadline", i)
			_, told := overran.Load(all[i])
			require.True(t, told, "the overrun of reign %d must be reported at its deadline", i)
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
			bubbletest.Run(t, func(t *testing.T) {
				open := make(chan struct{})
				k := keeperOf(func() time.Time { <-open; return time.Now() })
				k.kick = make(chan struct{}, 1) // as though it ran
				r := k.New(1, func() {})
				go asks(k, r)
				synctest.Wait()
				defer close(open)
				require.True(t, k.mu.TryLock(), "the keeper must not hold its lock while it asks the clock")
				defer k.mu.Unlock()
				require.True(t, r.mu.TryLock(), "the reign must not hold its lock while it asks the clock")
				r.mu.Unlock()
			})
		})
	}
}

// TestWorkAfterTheEnd: of work that goes on after its reign was ended somebody is told at what was the deadline.
func TestWorkAfterTheEnd(t *testing.T) {
	bubbletest.Run(t, func(t *testing.T) {
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
	bubbletest.Run(t, func(t *testing.T) {
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
		require.False(t, r.Rests().Hangs, "work must not count as hanging before the deadline")
		time.Sleep(time.Until(deadline))
		synctest.Wait()
		require.True(t, r.Rests().Hangs, "work must count as hanging at the deadline")
		close(returns)
		synctest.Wait()
		require.True(t, r.Rests().Idle, "a reign is idle when its work has returned")
	})
}

// TestHangs: work that had reported no progress hangs if it has not returned by the deadline, nor while whoever is to know is told.
func TestHangs(t *testing.T) {
	for name, c := range map[string]struct {
		progress       time.Duration
		returns, hangs bool
		told           int64 // of the silence, of the deadline, and of what came of it
	}{
		"it goes on":                  {time.Second, false, true, 3},
		"it returns meanwhile":        {time.Second, true, false, 4},
		"it need not report anything": {0, false, false, 1},
	} {
		t.Run(name, func(t *testing.T) {
			bubbletest.Run(t, func(t *testing.T) {
				k, returns, told := keeperOf(time.Now), make(chan struct{}), make(chan struct{})
				k.Progress = c.progress
				k.Overrun = func(*Work) { <-told }
				var loop atomic.Int64
				r := k.New(1, func() { loop.Add(1) })
				r.renew(time.Now().Add(time.Minute))
				ctx, w := r.join(t.Context())
				go func() { _, _ = w.run(ctx, func(context.Context, *Work) error { <-returns; return nil }) }()
				time.Sleep(2 * time.Minute)
				synctest.Wait()
				require.False(t, r.Rests().Hangs, "it is not told yet")
				if c.returns {
					close(returns)
					synctest.Wait()
				}
				close(told)
				synctest.Wait()
				require.Equal(t, c.hangs, r.Rests().Hangs)
				require.True(t, r.Rests().Over(), "a reign is over after its deadline")
				require.Equal(t, c.told, loop.Load())
				if !c.returns {
					close(returns)
				}
			})
		})
	}
}

// closing is a timer that has something to close.
type closing struct {
	systemTimer
	stopped, closed *int
}

func (c closing) Stop() bool   { *c.stopped++; return c.systemTimer.Stop() }
func (c closing) Close() error { *c.closed++; return nil }

// TestKeeperEndsWithItsWork: it ends as soon as no work runs, however far the deadline is, and leaves no timer behind; it begins again.
func TestKeeperEndsWithItsWork(t *testing.T) {
	bubbletest.Run(t, func(t *testing.T) {
		k, begun, stopped, closed, told := keeperOf(time.Now), 0, 0, 0, 0
		k.NewTimer = func(time.Duration) Timer {
			begun++
			return closing{systemTimer{time.NewTimer(time.Hour)}, &stopped, &closed}
		}
		r := k.New(1, func() { told++ })
		r.renew(time.Now().Add(time.Hour))
		for ends := 1; ends <= 2; ends++ {
			ctx, w := r.join(t.Context())
			over, err := w.run(ctx, func(context.Context, *Work) error {
				other, beside := r.join(t.Context())
				over, err := beside.run(other, func(context.Context, *Work) error { synctest.Wait(); return nil })
				require.NotNil(t, k.kick, "one still runs")
				require.False(t, over, "the reign must not be over when one of two works returns")
				return err
			})
			require.NoError(t, err)
			require.False(t, over, "the reign must not be over when its last work returns")
			synctest.Wait()
			require.Nil(t, k.kick)
			require.Equal(t, []int{ends, ends, ends}, []int{begun, stopped, closed})
		}
		require.Zero(t, told)
	})
}

// TestProgressBesideAnEnd: while work of a reign that has ended is waited for until its deadline, other work is still to report progress in time.
func TestProgressBesideAnEnd(t *testing.T) {
	bubbletest.Run(t, func(t *testing.T) {
		k, returns := keeperOf(time.Now), make(chan struct{})
		k.Progress = time.Second
		begin := func() (*Reign, context.Context) {
			r := k.New(1, func() {})
			r.renew(time.Now().Add(time.Hour))
			ctx, w := r.join(t.Context())
			go func() { _, _ = w.run(ctx, func(context.Context, *Work) error { <-returns; return nil }) }()
			synctest.Wait()
			return r, ctx
		}
		ended, _ := begin()
		ended.End(errOver)
		time.Sleep(time.Minute)
		_, other := begin()
		time.Sleep(time.Second)
		synctest.Wait()
		require.Equal(t, errStalled, context.Cause(other))
		close(returns)
	})
}
