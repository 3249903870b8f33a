package host

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed-fdf591db/bully/spec"
)

// one runs a test on a cluster of one node, whose host has started.
func one(t *testing.T, f func(t *testing.T, c *cluster, h *member)) {
	t.Helper()
	bubble(t, 1, func(t *testing.T, c *cluster) { f(t, c, c.start(1)) })
}

// lead calls Lead in a goroutine of its own, and returns where its outcome will be.
func lead(h *member, ctx context.Context, work func(context.Context, Reign) error) <-chan error {
	outcome := make(chan error, 1)
	go func() {
		defer close(outcome) // if a requirement fails in work, Lead does not return
		outcome <- h.Lead(ctx, work)
	}()
	return outcome
}

var errWork = errors.New("work is done")

// untilOver is work that runs until its context ends.
func untilOver(ctx context.Context, _ Reign) error {
	<-ctx.Done()
	return errWork
}

func TestLeadReturnsWhatWorkReturns(t *testing.T) {
	one(t, func(t *testing.T, c *cluster, h *member) {
		for i, want := range []error{errWork, nil} {
			var reign Reign
			err := h.Lead(c.t.Context(), func(ctx context.Context, r Reign) error {
				require.NoError(t, ctx.Err())
				require.True(t, r.Valid(), "the reign is valid when its work begins")
				require.EqualValues(t, i+1, r.Epoch())
				reign = r
				time.Sleep(time.Second)
				require.True(t, r.Valid(), "the reign is valid while its work runs")
				return want
			})
			require.Equal(t, want, err)
			require.False(t, reign.Valid(), "it has resigned before Lead returns")
			require.True(t, reign.Deadline().IsZero(), "a reign that is over has no deadline")
			require.EqualValues(t, i+1, reign.Epoch())
		}
	})
}

func TestLeadRunsWorkInEachReign(t *testing.T) {
	bubble(t, 3, func(t *testing.T, c *cluster) {
		c.startAll()
		var epochs []spec.Epoch
		var causes []error
		var running atomic.Int32
		ctx, cancel := context.WithCancel(c.t.Context())
		outcome := lead(c.host(3), ctx, func(ctx context.Context, r Reign) error {
			if running.Add(1) != 1 {
				c.broken("work of two reigns at once")
			}
			defer running.Add(-1)
			epochs = append(epochs, r.Epoch())
			<-ctx.Done()
			causes = append(causes, context.Cause(ctx))
			time.Sleep(10 * ms) // it cleans up
			return errWork      // and this is dropped: the reign is over
		})
		c.awaitLeader(time.Second, 3)
		for range 3 {
			c.divide([]int{3}, []int{1, 2})
			c.awaitNot(time.Second, 3)
			c.unite()
			c.awaitLeader(4*time.Second, 3)
		}
		time.Sleep(20 * ms) // work of the reign before may still have cleaned up
		cancel()
		require.Equal(t, context.Canceled, <-outcome)
		require.Len(t, epochs, 4)
		require.Equal(t, []error{ErrNotLeader, ErrNotLeader, ErrNotLeader, context.Canceled}, causes)
	})
}

// awaitNot waits until node i does not lead.
func (c *cluster) awaitNot(most time.Duration, i int) {
	c.t.Helper()
	c.await(most, "it does not lead", func() bool { return !c.host(i).Status().Leading })
}

func TestLeadEndsWithItsContext(t *testing.T) {
	one(t, func(t *testing.T, c *cluster, h *member) {
		ctx, cancel := context.WithTimeout(c.t.Context(), time.Second)
		defer cancel()
		var ended time.Time
		began := time.Now()
		err := h.Lead(ctx, func(ctx context.Context, _ Reign) error {
			<-ctx.Done()
			time.Sleep(time.Second)
			ended = time.Now()
			return errWork
		})
		require.Equal(t, context.DeadlineExceeded, err)
		require.Equal(t, 2*time.Second, ended.Sub(began).Round(ms), "it has waited for work")
		require.True(t, h.Status().Leading, "the node leads on")
		require.Equal(t, context.DeadlineExceeded, h.Lead(ctx, func(context.Context, Reign) error {
			c.broken("work was begun")
			return nil
		}), "at once")
	})
}

func TestLeadWhileAnotherLeads(t *testing.T) {
	bubble(t, 3, func(t *testing.T, c *cluster) {
		c.startAll()
		c.awaitLeader(time.Second, 3)
		ctx, cancel := context.WithTimeout(c.t.Context(), time.Second)
		defer cancel()
		require.Equal(t, context.DeadlineExceeded, c.host(1).Lead(ctx, func(context.Context, Reign) error {
			c.broken("work of a node that does not lead")
			return nil
		}))
	})
}

func TestSeveralLeadAtOnce(t *testing.T) {
	one(t, func(t *testing.T, c *cluster, h *member) {
		var running atomic.Int32
		long := lead(h, c.t.Context(), func(ctx context.Context, r Reign) error {
			running.Add(1)
			defer running.Add(-1)
			if r.Epoch() > 1 {
				return nil
			}
			<-ctx.Done()
			time.Sleep(time.Second)
			if !r.Valid() {
				c.broken("the reign has ended before all work has returned")
			}
			return errWork
		})
		began := time.Now()
		err := h.Lead(c.t.Context(), func(context.Context, Reign) error {
			time.Sleep(time.Second)
			require.EqualValues(t, 1, running.Load())
			return errWork
		})
		require.Equal(t, errWork, err)
		require.GreaterOrEqual(t, time.Since(began), 2*time.Second, "it has waited for the other's work")
		require.NoError(t, <-long, "it has worked again in the next reign")
	})
}

func TestWorkPanics(t *testing.T) {
	one(t, func(t *testing.T, c *cluster, h *member) {
		require.PanicsWithValue(t, "work", func() {
			_ = h.Lead(c.t.Context(), func(context.Context, Reign) error { panic("work") })
		})
		require.NoError(t, h.Resign(c.t.Context()), "nothing is left that it would wait for")
	})
}

// TestRunWaitsForWork: who stops in good order leads, sends heartbeats and is followed until its work has returned.
func TestRunWaitsForWork(t *testing.T) {
	bubble(t, 3, func(t *testing.T, c *cluster) {
		c.startAll()
		var returned time.Time
		var cause error
		outcome := lead(c.host(3), context.Background(), func(ctx context.Context, r Reign) error {
			<-ctx.Done()
			cause = context.Cause(ctx)
			for range 100 {
				if !r.Valid() {
					c.broken("the reign has ended before work has")
				}
				time.Sleep(50 * ms)
			}
			returned = time.Now()
			return errWork
		})
		c.awaitLeader(time.Second, 3)
		three := c.host(3)
		three.cancel()
		time.Sleep(4 * time.Second)
		require.True(t, c.follow(3), "it still leads")
		require.NoError(t, <-three.ended)
		require.Equal(t, returned, time.Now(), "Run returns when work has")
		require.Equal(t, ErrClosed, <-outcome)
		require.Equal(t, ErrClosed, cause)
		require.Equal(t, 2, c.count(spec.Resign))
		c.remove(three)
		took := c.awaitLeader(time.Second, 2)
		require.Less(t, took, 5*ms, "the RESIGN has come before the end")
		require.Equal(t, ErrClosed, three.Lead(context.Background(), untilOver))
		require.Equal(t, ErrClosed, three.Resign(context.Background()))
		require.Equal(t, ErrClosed, three.Check(context.Background()))
		require.Equal(t, ErrClosed, three.Run(context.Background()))
	})
}

// TestCloseDoesNotWait: Close ends the reign and resigns, whatever work does.
func TestCloseDoesNotWait(t *testing.T) {
	bubble(t, 3, func(t *testing.T, c *cluster) {
		c.startAll()
		var reign Reign
		var cause error
		release := make(chan struct{})
		outcome := lead(c.host(3), context.Background(), func(ctx context.Context, r Reign) error {
			reign = r
			<-release
			cause = context.Cause(ctx)
			return errWork
		})
		c.awaitLeader(time.Second, 3)
		three := c.host(3)
		require.NoError(t, three.Close())
		require.NoError(t, three.Close(), "twice")
		require.NoError(t, <-three.ended)
		c.remove(three)
		synctest.Wait()
		require.False(t, reign.Valid(), "the reign ends with Close, though its work runs")
		c.awaitLeader(5*ms, 2)
		close(release)
		require.Equal(t, ErrClosed, <-outcome)
		require.Equal(t, ErrClosed, cause)
		require.True(t, three.Status().Stopped, "the status says that the node has stopped")
		require.Empty(t, three.Status().Error)
	})
}

func TestCloseBeforeRun(t *testing.T) {
	bubble(t, 1, func(t *testing.T, c *cluster) {
		h, err := New(c.config(id(1)))
		require.NoError(t, err)
		require.True(t, h.Status().Stopped, "a node that has not run yet counts as stopped")
		watch := h.Watch(c.t.Context())
		require.Zero(t, <-watch)
		require.NoError(t, h.Close())
		_, open := <-watch
		require.False(t, open, "Close closes the channel of a watch")
		require.Equal(t, ErrClosed, h.Run(c.t.Context()))
		require.NoError(t, h.Close())
	})
}

func TestCloseByWork(t *testing.T) {
	one(t, func(t *testing.T, c *cluster, h *member) {
		require.Equal(t, ErrClosed, h.Lead(c.t.Context(), func(context.Context, Reign) error { return h.Close() }))
		require.NoError(t, <-h.ended)
	})
}

func TestRunTwice(t *testing.T) {
	one(t, func(t *testing.T, c *cluster, h *member) {
		synctest.Wait()
		require.ErrorContains(t, h.Run(c.t.Context()), "it runs already")
	})
}

func TestResignWaitsForWork(t *testing.T) {
	bubble(t, 3, func(t *testing.T, c *cluster) {
		c.startAll()
		var ended time.Time
		lead(c.host(3), c.t.Context(), func(ctx context.Context, r Reign) error {
			if r.Epoch() > 1 {
				return untilOver(ctx, r)
			}
			<-ctx.Done()
			time.Sleep(time.Second)
			ended = time.Now()
			return errWork
		})
		c.awaitLeader(time.Second, 3)
		short, cancel := context.WithTimeout(c.t.Context(), 100*ms)
		defer cancel()
		require.Equal(t, context.DeadlineExceeded, c.host(3).Resign(short))
		require.True(t, c.follow(3), "node 3 must lead until its work has returned")
		require.NoError(t, c.host(3).Resign(c.t.Context()))
		require.Equal(t, ended, time.Now())
		c.quit(3)
	})
}

// TestPreemptionWaitsForWork: a leader that is to hand over to a higher node ends its work first, and waits for that until the deadline: work may be in another
// process, which acts until then.
func TestPreemptionWaitsForWork(t *testing.T) {
	for name, slow := range map[string]time.Duration{"soon": 3 * ms, "not by the deadline": time.Second} {
		t.Run(name, func(t *testing.T) {
			bubble(t, 5, func(t *testing.T, c *cluster) {
				c.startAll()
				c.kill(5)
				c.awaitLeader(time.Second, 4)
				four := c.host(4)
				began := time.Now()
				var told, acts, leads atomic.Int64 // when work was told to end, when it has acted last, and when 5 leads, in ns
				lead(four, t.Context(), func(ctx context.Context, r Reign) error {
					<-ctx.Done()
					require.Equal(t, ErrNotLeader, context.Cause(ctx))
					require.True(t, r.Valid(), "it leads until its work has returned")
					at, deadline := time.Now(), r.Deadline()
					told.Store(int64(at.Sub(began)))
					for now := at; now.Before(deadline) && now.Sub(at) < slow; now = time.Now() {
						acts.Store(int64(now.Sub(began)))
						time.Sleep(time.Millisecond / 10)
						require.True(t, !r.Valid() || r.Deadline().Equal(deadline), "the deadline of node 4 must not move while node 5 waits")
					}
					time.Sleep(slow - time.Since(at))
					return nil
				})
				five := c.start(5)
				go func() {
					for l := range five.Watch(t.Context()) {
						if l.Leading {
							leads.CompareAndSwap(0, int64(time.Since(began)))
						}
					}
				}()
				took := c.awaitLeader(time.Minute, 5)
				waited := time.Duration(leads.Load() - acts.Load())
				require.NotZero(t, told.Load())
				require.Positive(t, waited, "OneActing: node 5 must not lead while node 4 acts")
				require.Less(t, waited, c.timing.Patience/4, "node 5 must lead soon after node 4 has ended its work, or its deadline has passed")
				acted := time.Duration(acts.Load() - told.Load())
				require.LessOrEqual(t, acted, min(slow, c.timing.Reign), "node 4 must not act beyond its deadline")
				t.Logf("5 leads %v after it was started, and %v after work was told", took, acted+waited)
				time.Sleep(slow) // until work has returned
			})
		})
	}
}

// TestHigherEpochWaitsForWork: a leader that hears of a higher epoch, from who has granted it, leads until its work has returned. Else it would be free to grant that
// epoch, too. Whichever comes first, it is the claim that it then takes.
func TestHigherEpochWaitsForWork(t *testing.T) {
	for _, order := range [][]spec.MessageType{{spec.Refuse, spec.Claim}, {spec.Claim, spec.Refuse}} {
		bubble(t, 4, func(t *testing.T, c *cluster) {
			for i := 1; i <= 3; i++ {
				c.start(i)
			}
			c.awaitLeader(time.Second, 3)
			var returned atomic.Bool
			lead(c.host(3), t.Context(), func(ctx context.Context, r Reign) error {
				<-ctx.Done()
				time.Sleep(3 * ms)
				require.True(t, r.Valid(), "it leads until its work has returned")
				returned.Store(true)
				return nil
			})
			synctest.Wait()
			four := c.network.Join(id(4))
			hears := func(kind spec.MessageType) {
				c.await(time.Second, "4 hears "+string(kind), func() (heard bool) {
					for event, ok := four.Next(); ok; event, ok = four.Next() {
						require.NotEqual(t, spec.Refuse, event.Message.Type, "%v", order)
						heard = heard || event.Message.Type == kind
					}
					return heard
				})
			}
			hears(spec.Heartbeat)
			for _, kind := range order {
				four.Send(spec.Message{Type: kind, From: id(4), To: id(3), Epoch: c.epoch() + 1, Question: 1})
				time.Sleep(ms)
			}
			hears(spec.Grant)
			require.True(t, returned.Load(), "%v", order)
			require.NoError(t, four.Close())
		})
	}
}

// TestReignThatEndsEarly: who sets the wall clock forward ends a reign before its deadline. Work in another process was told that, by a clock that nobody sets, and acts
// until then: so long the node, which leads no more, grants nothing.
func TestReignThatEndsEarly(t *testing.T) {
	bubble(t, 4, func(t *testing.T, c *cluster) {
		clock, config := &wall{}, c.config(id(3))
		config.Clock = clock
		three := c.startWith(config)
		three.clock = &gate{}
		c.start(1)
		c.start(2)
		c.awaitLeader(time.Second, 3)
		var acts atomic.Bool
		lead(three, t.Context(), func(ctx context.Context, r Reign) error {
			acts.Store(true)
			told := r.Deadline()
			for ; ctx.Err() == nil; time.Sleep(ms / 10) {
				told = latest(told, r.Deadline())
			}
			time.Sleep(told.Sub(clock.Now()))
			acts.Store(false)
			return nil
		})
		synctest.Wait()
		four := c.network.Join(id(4))
		beside := false
		clock.ahead.Store(int64(time.Second))
		took := c.await(time.Second, "4 is granted its claim", func() (granted bool) {
			for event, ok := four.Next(); ok; event, ok = four.Next() {
				granted = granted || event.Message.Type == spec.Grant
			}
			beside = beside || granted && acts.Load()
			four.Send(spec.Message{Type: spec.Claim, From: id(4), To: id(3), Epoch: c.epoch() + 1, Question: 1})
			return granted
		})
		require.False(t, beside, "OneActing: node 3 still acts in epoch %d, and has granted epoch %d to node 4", c.epoch(), c.epoch()+1)
		require.Less(t, took, 2*c.timing.Reign, "node 4 must be granted its claim once node 3 has ended its work")
		require.NoError(t, four.Close())
	})
}

// latest returns the later of two times.
func latest(a, b time.Time) time.Time {
	if b.After(a) {
		return b
	}
	return a
}

// TestResignByWork: work that resigns with its own context and returns has resigned.
func TestResignByWork(t *testing.T) {
	one(t, func(t *testing.T, c *cluster, h *member) {
		var epochs []spec.Epoch
		err := h.Lead(c.t.Context(), func(ctx context.Context, r Reign) error {
			epochs = append(epochs, r.Epoch())
			if len(epochs) == 3 {
				return errWork
			}
			require.Equal(t, context.Canceled, h.Resign(ctx))
			return nil
		})
		require.Equal(t, errWork, err)
		require.Equal(t, []spec.Epoch{1, 2, 3}, epochs)
	})
}

// TestDeadline: it lies ahead at every moment of a reign, by no more than Quorum, and does not waver.
func TestDeadline(t *testing.T) {
	for _, n := range []int{1, 3, 5} {
		bubble(t, n, func(t *testing.T, c *cluster) {
			c.startAll()
			c.awaitLeader(time.Second, n)
			reign := Reign{r: c.host(n).seen.Load().reign}
			time.Sleep(2 * ms)
			last, least := time.Time{}, time.Hour
			for range 20_000 {
				time.Sleep(100 * time.Microsecond)
				require.True(t, reign.Valid(), "the reign is valid while its leader hears a quorum")
				d := reign.Deadline()
				require.False(t, d.Before(last), "a deadline never goes back")
				require.LessOrEqual(t, time.Until(d), c.timing.Reign)
				last, least = d, min(least, time.Until(d))
			}
			t.Logf("%d nodes: never less than %v ahead", n, least)
			require.Greater(t, least, c.timing.Reign-c.timing.Heartbeat-c.timing.Delay, "a HEARTBEAT, there and back")
			require.Equal(t, c.host(n).Status().Deadline, reign.Deadline())
		})
	}
}

// TestDeadlineHolds: a leader that is cut off, or whose loop hangs in a disk, is over for its work by the deadline. That no
// other leads before is watched in all tests.
func TestDeadlineHolds(t *testing.T) {
	for _, hang := range []bool{true, false} {
		bubble(t, 5, func(t *testing.T, c *cluster) {
			c.startAll()
			var overrun []Reign
			var ctxEnded, deadline time.Time
			c.awaitLeader(time.Second, 5)
			five := c.host(5)
			five.config.Overrun = func(r Reign) { overrun = append(overrun, r) }
			outcome := lead(five, context.Background(), func(ctx context.Context, r Reign) error {
				for r.Deadline().After(time.Now()) {
					deadline = r.Deadline()
					time.Sleep(100 * time.Microsecond)
				}
				<-ctx.Done()
				ctxEnded = time.Now()
				time.Sleep(time.Second)
				return nil
			})
			time.Sleep(time.Second)
			if hang {
				c.stuck(5, true)
			} else {
				c.divide([]int{5}, ids(1, 4))
			}
			time.Sleep(2 * time.Second)
			synctest.Wait()
			require.WithinDuration(t, deadline, ctxEnded, ms, "the context ends by the deadline, even if the loop hangs")
			require.Len(t, overrun, 1, "work has not returned by the deadline")
			require.EqualValues(t, 1, overrun[0].Epoch())
			c.stuck(5, false)
			require.NoError(t, five.Close())
			c.remove(five)
			require.Equal(t, ErrClosed, <-outcome)
		})
	}
}

func TestZeroReign(t *testing.T) {
	var r Reign
	require.False(t, r.Valid(), "the zero Reign is over")
	require.Zero(t, r.Epoch())
	require.True(t, r.Deadline().IsZero(), "the zero Reign has no deadline")
}
