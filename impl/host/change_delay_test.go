package host

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed-fdf591db/bully/impl/storage"
	"github.com/seed-fdf591db/bully/spec"
)

// slowly runs a test on five nodes of which the highest leads, on disks and a network that take their time. Nobody pre-empts:
// who leads no more has lost its quorum, or has been replaced.
func slowly(t *testing.T, disk, message time.Duration, f func(t *testing.T, c *cluster)) {
	t.Helper()
	roam(t, 10, 5, func(t *testing.T, c *cluster) {
		c.timing.Preempt = -1
		c.startSome(ids(1, 5)...)
		time.Sleep(time.Second)
		c.setSave(disk)
		c.setDelay(message, 0)
		f(t, c)
	})
}

// TestChangesCostNoReign: as long as messages and disks keep to Timing.Delay, a leader leads on through all changes but its
// own, at whatever moment of a reign they are made.
func TestChangesCostNoReign(t *testing.T) {
	for moment := range LAN().Reign / (20 * ms) {
		replaceAll(t, moment*20*ms)
	}
}

func replaceAll(t *testing.T, moment time.Duration) {
	t.Helper()
	// 12 ms from a step to the next: the disk of the one, the message, and what the disk of the other is at.
	slowly(t, 4*ms, 3900*time.Microsecond, func(t *testing.T, c *cluster) {
		for i := 1; i <= 5; i++ {
			c.start(i + 5)
			time.Sleep(moment)
			_, err := c.host(5).ReplaceMember(c.soon(), id(i), at(i+5, spec.Voter), 0)
			if i == 5 {
				require.ErrorIs(t, err, ErrHandedOver)
				break
			}
			require.NoError(t, err, "node %d", i)
			require.EqualValues(t, 1, c.epoch())
			c.gone(i)
		}
		c.drop(5)
		c.awaitLeader(time.Second, 10)
		require.EqualValues(t, 2, c.epoch())
	})
}

// TestSlowDisksLoseAChange: in a reign nothing is written, but a change is, by each node before it acknowledges it. Where that
// takes a quorum longer than its leader waits for one, the leader steps down in the midst of it; the next finishes it.
func TestSlowDisksLoseAChange(t *testing.T) {
	slowly(t, LAN().Reign, 100*time.Microsecond, func(t *testing.T, c *cluster) {
		time.Sleep(10 * time.Second)
		require.True(t, c.follow(5), "until something is written, slow disks cost nothing")
		require.Zero(t, c.host(5).Status().Counters.SlowSaves)
		c.start(6)
		_, err := c.host(5).AddMember(c.soon(), at(6, spec.Voter), 0)
		require.ErrorIs(t, err, ErrOutcomeUnknown)
		require.False(t, c.host(5).Status().Leading, "node 5 must step down: no quorum has saved the change in time")
		require.EqualValues(t, 1, c.host(5).Status().Counters.SlowSaves, "its operator can see why")
		c.setSave(ms)
		c.add(6, spec.Voter)
	})
}

// TestChangeIsAskedBeforeTheDisk: a reign that a change dates anew runs from before the change was written, however slow the disk.
func TestChangeIsAskedBeforeTheDisk(t *testing.T) {
	playChanging(t, 3, voters(0, 1, 1, 2, 3), func(t *testing.T, p *fakeHost) {
		leads(t, p)
		p.config.Storage.(*storage.Memory).Before(func(spec.Durable) error {
			time.Sleep(30 * ms)
			return nil
		})
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		go func() { _, _ = p.AddMember(ctx, at(4, spec.Observer), 0) }()
		synctest.Wait()
		p.first = p.Members()
		asked := time.Now()
		p.hear(spec.Ack, 1, 1) // what it has is settled, and so it is changed
		time.Sleep(30 * ms)
		synctest.Wait()
		require.True(t, p.links.has(spec.Heartbeat), "node 3 must send the heartbeat of the change")
		require.Equal(t, 4, p.Members().Len())
		p.first = p.Members()
		p.hear(spec.Ack, 1, 1)
		require.Equal(t, asked.Add(LAN().Reign), p.Status().Deadline)
	})
}
