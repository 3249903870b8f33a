package resourcelock

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"k8s.io/client-go/tools/leaderelection"
	"k8s.io/client-go/tools/leaderelection/resourcelock"
	"k8s.io/klog/v2"
)

// An api is a lock that counts what an elector asks of it, and can be told to fail, as the tests of client-go have an API server do.
type api struct {
	*Lock
	mu   sync.Mutex
	asks []string
	fail func(ask string) error // of the next one, or nil
}

func (a *api) ask(what string) error {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.asks = append(a.asks, what)
	if a.fail == nil {
		return nil
	}
	return a.fail(what)
}

func (a *api) asked() []string {
	a.mu.Lock()
	defer a.mu.Unlock()
	return slices.Clone(a.asks)
}

func (a *api) Get(ctx context.Context) (*resourcelock.LeaderElectionRecord, []byte, error) {
	if err := a.ask("get"); err != nil {
		return nil, nil, err
	}
	return a.Lock.Get(ctx)
}

func (a *api) Create(ctx context.Context, r resourcelock.LeaderElectionRecord) error {
	if err := a.ask("create"); err != nil {
		return err
	}
	return a.Lock.Create(ctx, r)
}

func (a *api) Update(ctx context.Context, r resourcelock.LeaderElectionRecord) error {
	if err := a.ask("update"); err != nil {
		return err
	}
	return a.Lock.Update(ctx, r)
}

// elector runs an elector over a lock of node 3, which leads, until a condition holds; then it ends, and releases.
func elector(t *testing.T, a *api, until func(*leaderelection.LeaderElector) bool) *leaderelection.LeaderElector {
	config := a.Elector(leaderelection.LeaderCallbacks{OnStartedLeading: func(context.Context) {}, OnStoppedLeading: func() {}})
	config.Lock = a
	e, err := leaderelection.NewLeaderElector(config)
	require.NoError(t, err)
	ctx, stop := context.WithCancel(klog.NewContext(t.Context(), klog.Logger{}))
	ended := make(chan struct{})
	go func() {
		e.Run(ctx)
		close(ended)
	}()
	for began := time.Now(); !until(e); time.Sleep(ms) {
		require.Less(t, time.Since(began), 5*time.Second, "%v", a.asked())
	}
	stop()
	<-ended
	return e
}

// The scenarios of client-go v0.37's leaderelection_test.go, by their names there, as far as a lock has a say in them: what it calls an object is
// what Get returns, which is always there here. Those that set fields of an elector (its clock, its last record) are played to that state.
func TestScenariosOfClientGo(t *testing.T) {
	var errAPI = fmt.Errorf("no answer")
	type scenario struct {
		name string
		fail func(a *api) func(string) error
		asks []string // the first ones
	}
	after := func(n int, what string) func(a *api) func(string) error {
		return func(a *api) func(string) error {
			return func(string) error { // counts, with this one
				count := 0
				for _, ask := range a.asks {
					if ask == what {
						count++
					}
				}
				if count == n && a.asks[len(a.asks)-1] == what {
					return errAPI
				}
				return nil
			}
		}
	}
	for _, s := range []scenario{
		{name: "acquire from unled object", asks: []string{"get", "update", "update", "update"}},
		{name: "Exercise fast path after lock acquired", asks: []string{"get", "update", "update", "update", "update"}},
		{name: "Fallback to slow path after fast path fails", fail: after(3, "update"), asks: []string{"get", "update", "update", "update", "get", "update", "update"}},
		{name: "acquire after no answer to get", fail: after(1, "get"), asks: []string{"get", "get", "update", "update"}},
		{name: "acquire after no answer to update", fail: after(1, "update"), asks: []string{"get", "update", "get", "update", "update"}},
	} {
		t.Run(s.name, func(t *testing.T) {
			bubble(t, 3, func(t *testing.T, c *cluster) {
				a := c.leaderAlone()
				if s.fail != nil {
					a.fail = s.fail(a)
				}
				e := elector(t, a, func(*leaderelection.LeaderElector) bool { return len(a.asked()) >= len(s.asks) })
				require.Equal(t, s.asks, a.asked()[:len(s.asks)])
				require.False(t, e.IsLeader(), "it has released")
				require.Equal(t, []string{"get", "update"}, a.asked()[len(a.asked())-2:], "release method calls Get")
			})
		})
	}
}

// leaderAlone starts all nodes, and ends the elector of node 3, which leads; its lock is for a test to use.
func (c *cluster) leaderAlone() *api {
	c.start(1, 2, 3)
	c.awaitActs(2*time.Second, 3)
	three := c.running[3]
	three.stop()
	<-three.electorEnded
	c.await(3*time.Second, "node 3 leads", func() bool { return three.Status().Leading && three.Status().Epoch == 2 })
	return &api{Lock: three.lock}
}

// held is a record by which node i acquires or renews.
func heldBy(i int, seconds int) resourcelock.LeaderElectionRecord {
	return resourcelock.LeaderElectionRecord{HolderIdentity: id(i).String(), LeaseDurationSeconds: seconds}
}

// TestRefused: what an elector may not do, each with what to do about it. "don't acquire from led, acked object", and more.
func TestRefused(t *testing.T) {
	bubble(t, 3, func(t *testing.T, c *cluster) {
		c.start(1, 2)
		lonely := c.running[1].lock
		require.ErrorContains(t, lonely.Update(t.Context(), heldBy(1, 1)), "resourcelock: node 1 does not lead: the leader is none")
		record, _, err := lonely.Get(t.Context())
		require.NoError(t, err)
		require.Empty(t, record.HolderIdentity)
		c.start(3)
		c.awaitActs(5*time.Second, 3)
		one, three := c.running[1].lock, c.running[3].lock
		require.ErrorContains(t, one.Update(t.Context(), heldBy(1, 1)), "resourcelock: node 1 does not lead: the leader is 3")
		require.ErrorContains(t, one.Create(t.Context(), heldBy(1, 1)), "resourcelock: node 1 does not lead: the leader is 3")
		require.ErrorContains(t, three.Update(t.Context(), heldBy(1, 1)), `this is the lock of node 3, and "1" cannot hold it`)
		require.ErrorContains(t, three.Update(t.Context(), heldBy(3, 15)), "the elector has a LeaseDuration of 15 s, and the lock one of 1s: give both the same, see Lock.Elector")
		require.NoError(t, one.Update(t.Context(), resourcelock.LeaderElectionRecord{LeaseDurationSeconds: 1}), "who holds nothing lets go of nothing")
		require.Equal(t, 3, c.whoActs())
		ended, cancel := context.WithCancel(t.Context())
		cancel()
		require.ErrorIs(t, three.Update(ended, heldBy(3, 1)), context.Canceled)
		_, _, err = three.Get(ended)
		require.ErrorIs(t, err, context.Canceled)
	})
}

// TestAcquireWaits: an Update that acquires returns when the lock is held, or its context ends, or the reign.
func TestAcquireWaits(t *testing.T) {
	bubble(t, 3, func(t *testing.T, c *cluster) {
		a := c.leaderAlone()
		short, cancel := context.WithTimeout(t.Context(), 100*ms)
		defer cancel()
		began := time.Now()
		require.ErrorIs(t, a.Lock.Update(short, heldBy(3, 1)), context.DeadlineExceeded)
		require.Equal(t, 100*ms, time.Since(began))
		require.NoError(t, a.Lock.Update(t.Context(), heldBy(3, 1)))
		require.InDelta(t, time.Second, time.Since(began), float64(10*ms))
		require.EqualValues(t, 2, a.Reign().Epoch())
		require.True(t, a.Reign().Valid(), "the lock is held in the second reign")
		record, first, err := a.Lock.Get(t.Context())
		require.NoError(t, err)
		require.Equal(t, "3", record.HolderIdentity)
		_, second, err := a.Lock.Get(t.Context())
		require.NoError(t, err)
		require.Equal(t, first, second, "nothing is fresh")

		c.divide(3)
		c.await(time.Second, "the reign is over", func() bool { return !a.Reign().Valid() })
		require.ErrorContains(t, a.Lock.Update(t.Context(), heldBy(3, 1)), "node 3 does not lead")
		time.Sleep(time.Second) // too long to go on
		c.unite()
		c.await(5*time.Second, "it leads", func() bool { return c.running[3].Status().Leading })
		outcome := make(chan error, 1)
		began = time.Now()
		go func() { outcome <- a.Lock.Update(t.Context(), heldBy(3, 1)) }()
		time.Sleep(300 * ms)
		c.divide(3)
		require.ErrorContains(t, <-outcome, "node 3 does not lead")
		require.Less(t, time.Since(began), time.Second)
	})
}
