package host

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed-fdf591db/bully/impl/bully"
	"github.com/seed-fdf591db/bully/spec"
)

// TestRestartTogether: nodes that restart at the same moment hear of each other that they are back, or do not, and have a leader soon. A
// node hears nothing before its first step.
func TestRestartTogether(t *testing.T) {
	bubble(t, 5, func(t *testing.T, c *cluster) {
		c.startAll()
		c.awaitLeader(time.Second, 5)
		for _, i := range ids(1, 5) {
			c.kill(i)
		}
		var all []*member
		for _, i := range ids(1, 5) {
			all = append(all, c.start(i))
		}
		c.awaitLeader(3*time.Second, 5)
		backs := map[*member]uint64{}
		for _, m := range all {
			require.Positive(t, m.Status().Counters.Sent[spec.ImBack])
			require.Zero(t, m.Status().Counters.Ignored[bully.NotStarted], "at node %s", m.id)
			backs[m] = m.Status().Counters.Received[spec.ImBack]
		}
		// One that restarts alone is heard by all others.
		c.kill(1)
		time.Sleep(100 * ms)
		c.start(1)
		time.Sleep(100 * ms)
		for _, m := range all[1:] {
			require.Equal(t, backs[m]+1, m.Status().Counters.Received[spec.ImBack], "at node %s", m.id)
		}
	})
}

// TestRestartDuringSave: a node grants a claim, and has a slow disk. When the promise is saved the claimant has ended and
// started again. The grant comes to it all the same, and counts for nothing: it answers a question of the life before (R50).
func TestRestartDuringSave(t *testing.T) {
	bubble(t, 3, func(t *testing.T, c *cluster) {
		c.startAll()
		c.awaitLeader(time.Second, 3)
		c.wear(1, 80*ms, false)
		c.kill(3)
		c.await(time.Second, "2 claims", func() bool { return c.host(2).Status().Role == spec.Claimant })
		time.Sleep(5 * ms)
		c.kill(2)
		two := c.start(2)
		granted := c.host(1).Status().Counters.Sent[spec.Grant]
		time.Sleep(60 * ms)
		require.NotEmpty(t, two.Status().Role, "it has started, and is connected")
		require.Equal(t, granted, c.host(1).Status().Counters.Sent[spec.Grant], "the promise is not saved yet")
		c.await(time.Second, "the promise is saved", func() bool { return c.host(1).Status().Grantee == id(2) })
		time.Sleep(10 * ms)
		require.Equal(t, uint64(1), two.Status().Counters.Received[spec.Grant])
		require.Equal(t, spec.Electing, two.Status().Role)
	})
}
