package host

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed-fdf591db/bully/impl/bully"
	"github.com/seed-fdf591db/bully/impl/transport"
	"github.com/seed-fdf591db/bully/spec"
)

var errDisk = errors.New("no space left on device")

// TestDiskFails: whoever cannot save stops for good, says why, and sends nothing of that step; the others go on (R4).
func TestDiskFails(t *testing.T) {
	t.Run("a follower, while it grants", func(t *testing.T) {
		bubble(t, 5, func(t *testing.T, c *cluster) {
			c.startAll()
			c.awaitLeader(time.Second, 5)
			one := c.host(1)
			watch := one.Watch(c.t.Context())
			c.disks[id(1)].Before(func(spec.Durable) error { return errDisk })
			sent := one.Status().Counters.Sent[spec.Grant]
			c.remove(one)
			c.kill(5)
			c.awaitLeader(10*ms, 4)
			c.await(ms, "it has stopped", func() bool { return one.Status().Stopped })
			err := <-one.ended
			require.ErrorIs(t, err, ErrStopped)
			require.ErrorIs(t, err, errDisk)
			require.EqualError(t, err, "host: stopped for good: saving the promise: storage: could not save epoch 2, grantee 4, numbers to 1048576: no space left on device; this node must stop (R4)")
			s := one.Status()
			require.True(t, s.Stopped, "node 1 must stop when its disk fails")
			require.Equal(t, err.Error(), s.Error)
			require.Equal(t, sent, s.Counters.Sent[spec.Grant])
			require.Equal(t, err, one.Check(c.t.Context()))
			require.Equal(t, err, one.Resign(c.t.Context()))
			require.Equal(t, err, one.Lead(c.t.Context(), untilOver))
			last := Leadership{Leader: id(9)}
			for last = range watch {
			}
			require.True(t, last.Leader.IsNone(), "the last value of a watch names no leader")
			require.True(t, c.host(2).Status().Links[0].Dead, "its transport is closed")
			require.NoError(t, one.Close())
			time.Sleep(time.Second)
			require.True(t, c.follow(4), "node 4 must lead on while node 1 has stopped")
		})
	})
	t.Run("a claimant, while it wins", func(t *testing.T) {
		bubble(t, 5, func(t *testing.T, c *cluster) {
			c.startAll()
			c.awaitLeader(time.Second, 5)
			four := c.host(4)
			c.disks[id(4)].After(func(spec.Durable) error { return errDisk })
			c.remove(four)
			c.kill(5)
			took := c.awaitLeader(time.Second, 3)
			t.Logf("another leads after %v", took)
			require.ErrorIs(t, <-four.ended, errDisk)
			require.False(t, four.Status().Leading, "node 4 must not lead when its disk has failed")
			require.Zero(t, four.Status().Counters.Sent[spec.Coordinator], "it has told nobody")
		})
	})
	t.Run("a leader, while it hands over", func(t *testing.T) {
		bubble(t, 5, func(t *testing.T, c *cluster) {
			c.startAll()
			c.awaitLeader(time.Second, 5)
			c.kill(5)
			c.awaitLeader(time.Second, 4)
			four := c.host(4)
			before := four.Status().Counters.Sent
			c.disks[id(4)].Before(func(spec.Durable) error { return errDisk })
			var over atomic.Bool
			outcome := lead(four, context.Background(), func(ctx context.Context, r Reign) error {
				<-ctx.Done()
				over.Store(r.Valid() && errors.Is(context.Cause(ctx), ErrNotLeader))
				for r.Valid() {
					time.Sleep(ms)
				}
				return nil
			})
			c.remove(four)
			c.start(5)
			c.awaitLeader(5*time.Second, 5)
			require.ErrorIs(t, <-outcome, ErrStopped)
			require.True(t, over.Load(), "work must have ended before Lead returns")
			after := four.Status().Counters.Sent
			require.Equal(t, before[spec.Grant]+before[spec.Resign], after[spec.Grant]+after[spec.Resign])
		})
	})
	t.Run("at the first start", func(t *testing.T) {
		bubble(t, 1, func(t *testing.T, c *cluster) {
			config := c.config(id(1))
			c.disks[id(1)].Before(func(spec.Durable) error { return errDisk })
			h := c.startWith(config)
			require.ErrorIs(t, <-h.ended, errDisk)
			require.Zero(t, h.Status().Counters.Steps)
		})
	})
}

// TestDiskFailsBesideAProgram: a leader whose disk fails refuses no connection, which would prove that it acts no more, while a program of another process may.
func TestDiskFailsBesideAProgram(t *testing.T) {
	roam(t, 4, 3, func(t *testing.T, c *cluster) {
		c.startSome(1, 2, 3)
		three := c.host(3)
		outcome := lead(three, t.Context(), three.program(10*time.Second)) // it asks nobody, and acts until the deadline that it was told
		causes := make(chan error, 1)
		other := lead(three, t.Context(), func(ctx context.Context, _ Reign) error {
			<-ctx.Done()
			causes <- context.Cause(ctx)
			return nil
		})
		c.await(time.Second, "it acts", func() bool { return !three.lease.until().IsZero() })
		c.disks[id(3)].Before(func(spec.Durable) error { return errDisk })
		c.start(4)
		_, err := three.AddMember(t.Context(), at(4, spec.Voter), 0)
		require.ErrorIs(t, err, errDisk)
		require.ErrorIs(t, <-causes, errDisk, "work is told at once, and why")
		require.ErrorIs(t, <-three.ended, errDisk)
		require.False(t, time.Now().Before(three.lease.until()), "its address refuses when the program acts no more")
		c.await(5*ms, "2 leads", func() bool { return c.host(2).Status().Leading })
		time.Sleep(10 * time.Second)
		require.ErrorIs(t, <-outcome, ErrStopped)
		require.ErrorIs(t, <-other, ErrStopped)
	})
}

type badDisk struct{ Storage }

func (badDisk) Load() (spec.Durable, bool, error) { return spec.Durable{}, false, errDisk }

// TestRecordIsBad: what cannot be read is no first start (R32); nor is a promise to a non-member.
func TestRecordIsBad(t *testing.T) {
	bubble(t, 3, func(t *testing.T, c *cluster) {
		config := c.config(id(1))
		config.Storage = badDisk{}
		h := c.startWith(config)
		require.EqualError(t, <-h.ended, "host: stopped for good: reading the promise: no space left on device")
		config = c.config(id(2))
		require.NoError(t, config.Storage.Save(spec.Durable{Epoch: 3, Grantee: id(9)}))
		h = c.startWith(config)
		err := <-h.ended
		require.ErrorIs(t, err, ErrStopped)
		require.ErrorContains(t, err, "another cluster")
	})
}

// TestSlowDisk: a disk that is slower than Delay makes failover slow, or impossible, and breaks no promise.
func TestSlowDisk(t *testing.T) {
	for _, save := range []time.Duration{5 * ms, 25 * ms, 40 * ms} {
		bubble(t, 5, func(t *testing.T, c *cluster) {
			c.save = save
			c.startAll()
			c.awaitLeader(5*time.Second, 5)
			c.kill(5)
			took := c.await(5*time.Second, "somebody leads", func() bool { return c.follow(4) || c.follow(3) })
			t.Logf("%v: a leader after %v, %d epochs", save, took, c.epoch())
		})
	}
	bubble(t, 5, func(t *testing.T, c *cluster) { // no GRANT comes within T_claim
		c.save = 200 * ms
		c.startAll()
		time.Sleep(20 * time.Second)
		require.True(t, c.none(), "nobody may lead while no save ends within the claim timeout")
		require.Less(t, c.epoch(), spec.Epoch(60))
	})
	bubble(t, 5, func(t *testing.T, c *cluster) { // which is what Delay is for
		c.save, c.timing = 200*ms, WAN()
		c.startAll()
		c.awaitLeader(10*time.Second, 5)
		require.Equal(t, spec.Epoch(1), c.epoch())
	})
	bubble(t, 5, func(t *testing.T, c *cluster) {
		c.startAll()
		c.awaitLeader(time.Second, 5)
		c.disks[id(4)].Before(func(spec.Durable) error { time.Sleep(2 * time.Second); return nil })
		c.kill(5)
		took := c.await(20*time.Second, "somebody leads", func() bool { return c.follows(3, 1, 2, 3) || c.follows(4, 1, 2, 3) })
		t.Logf("one slow disk: a leader after %v, %d epochs", took, c.epoch())
	})
}

type badTrace struct{ n atomic.Int32 }

func (b *badTrace) Record(*spec.Event) error {
	b.n.Add(1)
	return errDisk
}

// TestTraceFails: it costs events, which are counted, and is logged once.
func TestTraceFails(t *testing.T) {
	bubble(t, 1, func(t *testing.T, c *cluster) {
		var log bytes.Buffer
		config := c.config(id(1))
		trace := &badTrace{}
		config.Trace, config.Logger = trace, slog.New(slog.NewTextHandler(&log, nil))
		h := c.startWith(config)
		c.awaitLeader(time.Second, 1)
		time.Sleep(time.Second)
		synctest.Wait() // heartbeat ends in this very moment
		s := h.Status()
		require.Equal(t, s.Counters.Steps, s.Counters.TraceErrors)
		require.EqualValues(t, trace.n.Load(), s.Counters.TraceErrors)
		require.NoError(t, h.Close())
		require.Equal(t, 1, strings.Count(log.String(), "could not be recorded"))
	})
}

// jumping is a clock without a monotonic reading, which a test can set forward: so does the time seem to pass while a
// machine is suspended.
type jumping struct {
	SystemClock
	ahead atomic.Int64
}

func (j *jumping) Now() time.Time { return time.Now().Round(0).Add(time.Duration(j.ahead.Load())) }

// TestSuspended: who wakes up with its machine does not act in its old reign, and does not suspect others at once.
func TestSuspended(t *testing.T) {
	bubble(t, 5, func(t *testing.T, c *cluster) {
		clocks := map[int]*jumping{}
		for i := 1; i <= 5; i++ {
			clocks[i] = &jumping{}
			config := c.config(id(i))
			config.Clock = clocks[i]
			c.startWith(config).clock = &gate{}
		}
		c.awaitLeader(time.Second, 5)
		time.Sleep(time.Second)
		five := c.host(5)
		reign := Reign{r: five.seen.Load().reign}
		require.True(t, reign.Valid(), "node 5 leads before the suspension")
		clocks[5].ahead.Add(int64(time.Hour))
		require.False(t, reign.Valid(), "at once, before the loop has noticed")
		time.Sleep(c.timing.Heartbeat + 10*ms)
		require.True(t, reign.Deadline().IsZero(), "the reign ends when the loop has noticed the suspension")
		require.EqualValues(t, 1, five.Status().Counters.Pauses)
		c.awaitLeader(2*time.Second, 5)
		require.Equal(t, spec.Epoch(2), c.epoch())
		for i := 1; i <= 4; i++ {
			clocks[i].ahead.Add(int64(time.Hour))
		}
		time.Sleep(time.Second)
		require.True(t, c.follow(5), "followers have heard of it again before they suspected it")
		clocks[5].ahead.Add(-int64(time.Hour))
		clocks[2].ahead.Add(-int64(time.Hour))
		time.Sleep(time.Second)
		require.True(t, c.follow(5), "set back")
		require.Equal(t, spec.Epoch(2), c.epoch())
	})
}

// TestCheck: it fails while the loop hangs.
func TestCheck(t *testing.T) {
	one(t, func(t *testing.T, c *cluster, h *member) {
		require.NoError(t, h.Check(c.t.Context()))
		c.stuck(1, true)
		time.Sleep(100 * ms)
		ctx, cancel := context.WithTimeout(c.t.Context(), time.Second)
		defer cancel()
		err := h.Check(ctx)
		require.ErrorIs(t, err, context.DeadlineExceeded)
		require.EqualError(t, err, "host: the loop has not answered: context deadline exceeded")
		s := h.Status()
		require.True(t, s.Deadline.Before(time.Now()), "Status does not wait")
		c.stuck(1, false)
		require.NoError(t, h.Check(c.t.Context()))
		require.NotZero(t, h.Status().Counters.Pauses)
	})
}

// TestBadInput: what a transport should have filtered is ignored and counted (R33, R34).
func TestBadInput(t *testing.T) {
	bubble(t, 3, func(t *testing.T, c *cluster) {
		c.startAll()
		c.awaitLeader(time.Second, 3)
		config := c.config(id(1))
		c.kill(1)
		links := &scripted{wake: make(chan struct{}, 1)}
		config.Transport = links
		h := c.startWith(config)
		time.Sleep(time.Second)
		before := h.Status()
		for _, m := range []spec.Message{
			{},
			{Type: spec.Claim, From: id(9), To: id(1), Epoch: 5, Question: 1},
			{Type: spec.Claim, From: id(1), To: id(2), Epoch: 5, Question: 1},
			{Type: spec.Claim, From: id(2), To: id(3), Epoch: 5, Question: 1},
			{Type: "VOTE", From: id(2), To: id(1), Epoch: 5, Question: 1},
			{Type: spec.Claim, From: id(2), To: id(1), Epoch: spec.MaxEpoch + 1, Question: 1},
		} {
			links.give(transport.Event{Kind: transport.Received, Node: m.From, Message: m})
		}
		for _, node := range []spec.NodeID{{}, id(1), id(9)} {
			for _, kind := range []transport.Kind{transport.Up, transport.Down, transport.Dead, 77} {
				links.give(transport.Event{Kind: kind, Node: node})
			}
		}
		time.Sleep(10 * ms)
		after := h.Status()
		require.Equal(t, before.Epoch, after.Epoch)
		want := map[bully.Cause]uint64{}
		for cause, n := range after.Counters.Ignored {
			if n -= before.Counters.Ignored[cause]; n > 0 {
				want[cause] = n
			}
		}
		require.Equal(t, map[bully.Cause]uint64{bully.Malformed: 1, bully.UnknownType: 2, bully.NonMember: 1, bully.Misaddressed: 2}, want)
	})
}
