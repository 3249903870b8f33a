package host

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed-fdf591db/bully/impl/storage"
	"github.com/seed-fdf591db/bully/impl/transport"
	"github.com/seed-fdf591db/bully/spec"
)

// patient is how long work may report nothing, in these tests.
const patient = 3 * time.Second

// reporting starts three nodes whose work must report, and node 3 leads.
func reporting(c *cluster) (three *member) {
	for i := range c.members {
		config := c.config(id(i + 1))
		config.Progress = patient
		c.startWith(config)
	}
	c.awaitLeader(time.Second, 3)
	return c.host(3)
}

// TestProgressKeepsAReign: work that reports in time leads on, and so does a node without work.
func TestProgressKeepsAReign(t *testing.T) {
	bubble(t, 3, func(t *testing.T, c *cluster) {
		three := reporting(c)
		time.Sleep(4 * patient)
		outcome := lead(three, c.t.Context(), func(ctx context.Context, r Reign) error {
			for range 10 {
				time.Sleep(patient - 10*ms)
				require.NoError(t, ctx.Err())
				r.Progress()
			}
			return errWork
		})
		require.Equal(t, errWork, <-outcome)
		require.Nil(t, three.Status().Quiet)
		require.Zero(t, three.Status().Counters.Quiets)
	})
}

// TestQuietWorkResigns: work that reports nothing for too long loses its reign; if it returns, the node hands over at once, and runs on.
func TestQuietWorkResigns(t *testing.T) {
	bubble(t, 3, func(t *testing.T, c *cluster) {
		three := reporting(c)
		var began, ended time.Time
		ctx, cancel := context.WithCancel(c.t.Context())
		outcome := lead(three, ctx, func(ctx context.Context, r Reign) error {
			if r.Epoch() > 1 {
				return untilOver(ctx, r)
			}
			time.Sleep(time.Second)
			r.Progress()
			began = time.Now()
			<-ctx.Done()
			ended = time.Now()
			require.Equal(t, ErrNoProgress, context.Cause(ctx))
			require.ErrorIs(t, ErrNoProgress, ErrNotLeader)
			require.True(t, r.Valid(), "it has time to clean up")
			r.Progress() // too late
			return errWork
		})
		c.await(2*patient, "it resigns", func() bool { return three.Status().Quiet != nil && !three.Status().Leading })
		require.Equal(t, patient, ended.Sub(began))
		require.Less(t, time.Since(ended), c.timing.Delay, "at once")
		status := three.Status()
		require.Equal(t, QuietStatus{Epoch: 1, At: ended, For: patient}, *status.Quiet)
		require.EqualValues(t, 1, status.Counters.Quiets)
		c.awaitLeader(time.Minute, 3)
		cancel()
		require.Equal(t, context.Canceled, <-outcome)
	})
}

// TestHangingWorkResigns: work that does not even return keeps its node from leading on after the deadline, and Overrun is called before
// anybody hears of it. A node whose work hangs would lead for nobody, and ends instead.
func TestHangingWorkResigns(t *testing.T) {
	bubble(t, 3, func(t *testing.T, c *cluster) {
		three := reporting(c)
		deadline, overrun := make(chan time.Time, 1), make(chan time.Time, 1)
		three.config.Overrun = func(r Reign) {
			overrun <- time.Now()
			time.Sleep(100 * ms)
			require.True(t, three.Status().Leading, "nobody has heard of it")
		}
		released := make(chan struct{})
		outcome := lead(three, context.Background(), func(ctx context.Context, r Reign) error {
			<-ctx.Done()
			deadline <- r.Deadline()
			<-released
			return errWork
		})
		time.Sleep(patient + c.timing.Reign)
		require.Equal(t, <-deadline, <-overrun, "the deadline moves no more")
		require.ErrorIs(t, <-three.ended, ErrNoProgress, "it was to lead again, as the highest")
		require.False(t, three.Status().Leading, "node 3 must not lead: its work hangs")
		require.EqualValues(t, 2, three.Status().Counters.Changes, "nobody was told that it leads again")
		c.remove(three)
		c.awaitLeader(time.Second, 2)
		close(released)
		require.ErrorIs(t, <-outcome, ErrNoProgress)
		require.Contains(t, three.Status().Error, "has not returned")
	})
}

// TestHungWorkReturns: a node whose work has returned before it leads again does so.
func TestHungWorkReturns(t *testing.T) {
	bubble(t, 3, func(t *testing.T, c *cluster) {
		three := reporting(c)
		ctx, cancel := context.WithCancel(c.t.Context())
		outcome := lead(three, ctx, func(ctx context.Context, r Reign) error {
			<-ctx.Done()
			if r.Epoch() == 1 {
				time.Sleep(time.Until(r.Deadline()) + 100*time.Microsecond)
			}
			return errWork
		})
		c.await(2*patient, "it leads again", func() bool { return three.Status().Epoch > 1 && three.Status().Leading })
		cancel()
		require.Equal(t, context.Canceled, <-outcome)
	})
}

// TestEachWorkReports: one that reports does not make up for one that hangs.
func TestEachWorkReports(t *testing.T) {
	bubble(t, 3, func(t *testing.T, c *cluster) {
		three := reporting(c)
		ctx, cancel := context.WithCancel(c.t.Context())
		quiet := lead(three, ctx, untilOver)
		busy := lead(three, ctx, func(ctx context.Context, r Reign) error {
			for ctx.Err() == nil {
				time.Sleep(ms)
				r.Progress()
			}
			return errWork
		})
		c.await(2*patient, "it resigns", func() bool { return !three.Status().Leading })
		cancel()
		require.Equal(t, context.Canceled, <-quiet)
		require.Equal(t, context.Canceled, <-busy)
	})
}

// TestProgressIsALength: of which there are none below 0, or too long for a timer.
func TestProgressIsALength(t *testing.T) {
	for _, wrong := range []time.Duration{-1, 25 * time.Hour} {
		_, err := New(Config{ID: id(1), Members: []spec.NodeID{id(1)}, Storage: storage.NewMemory(), Transport: transport.NewNetwork(nil).Join(id(1)), Progress: wrong})
		require.ErrorContains(t, err, "Progress")
	}
	Reign{}.Progress()
}
