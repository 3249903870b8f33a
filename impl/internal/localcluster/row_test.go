package localcluster

import (
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// TestStartTogether starts five nodes at once, again and again. One leads each time, and hardly ever is a second
// epoch needed, if the machine runs all of them on time: starts at which it did not count for nothing more.
func TestStartTogether(t *testing.T) {
	n := rounds(100)
	counted, single, leaders := 0, 0, map[int]int{}
	var times []time.Duration
	for range n {
		c, err := New(Config{Nodes: 5, Command: steadyCommand()})
		require.NoError(t, err)
		t.Cleanup(func() { require.NoError(t, c.Close()) })
		begin := time.Now()
		require.NoError(t, c.Start())
		reign, err := c.Agree(within(t, patience), 0, c.IDs()...)
		if err != nil {
			explain(t, c)
		}
		require.NoError(t, err)
		all, err := c.counted(t.Context(), c.IDs())
		require.NoError(t, err)
		times = append(times, reign.At.Sub(begin))
		leaders[reign.Leader]++
		events := c.Events(0)
		require.NoError(t, onePerEpoch(events))
		epochs := epochsSince(events)
		switch {
		case len(epochs) == 1 && reign.Epoch == 1:
			counted++
			single++
		case all.HeldUp == 0:
			counted++
			fallthrough
		default:
			t.Logf("epochs %v; agreed on %d in epoch %d; nodes were held up %d times", epochs, reign.Leader, reign.Epoch, all.HeldUp)
		}
		require.NoError(t, c.Close())
	}
	t.Logf("%d starts of five, of which %d count: %d with a single epoch; who led how often: %v; from the first start until all agreed: median %s, max %s",
		n, counted, single, leaders, Median(times), slices.Max(times))
	require.GreaterOrEqual(t, 100*single, 95*counted, "with a single epoch, of %d", counted)
}

// TestKillLeader kills the leader again and again. The next is the highest node that lives, if the machine runs all of them on time.
func TestKillLeader(t *testing.T) {
	n := rounds(30)
	all, err := Failovers{Config: Config{Nodes: 5, Command: steadyCommand("-preempt", "never")}, Fault: FaultKill, Rounds: n,
		Patience: patience}.Measure(t.Context())
	require.NoError(t, err)
	require.Len(t, all, n)
	var times []time.Duration
	for i, one := range all {
		if highest := slices.Max(without(ids(1, 5), one.Old.Leader)); one.HeldUp == 0 {
			require.Equal(t, highest, one.New.Leader, "round %d", i+1)
		}
		require.Positive(t, one.Took)
		require.Positive(t, one.Sent())
		require.Positive(t, one.Saves)
		times = append(times, one.Took)
	}
	t.Logf("%d leaders killed: until all survivors name the highest of them: median %s, max %s; %d messages the first time",
		n, Median(times), slices.Max(times), all[0].Sent())
}

// TestThreeKilled kills three of five: the others are no quorum, and have no leader until two come back.
func TestThreeKilled(t *testing.T) {
	t.Parallel()
	c := bullies(t, Config{Nodes: 5, Command: runCommand("-preempt", "never"), Traces: true})
	require.NoError(t, c.Start())
	for range rounds(3) {
		before := agree(t, c, 0, c.IDs()...)
		dead := []int{before.Leader}
		for len(dead) < 3 {
			if id := 1 + rand.IntN(5); !slices.Contains(dead, id) {
				dead = append(dead, id)
			}
		}
		_, err := c.Kill(dead...)
		require.NoError(t, err)
		left := c.IDs(dead...)
		leaderless(t, c, left...)
		heard := len(c.Events(0))
		// Longer than two of them need to come to lead, if they could.
		require.NoError(t, sleep(t.Context(), 1500*time.Millisecond))
		for _, e := range c.Events(heard) {
			require.Zero(t, e.Leader, "two of five elected: %s", e)
		}
		require.NoError(t, c.Start(dead[:2]...))
		agree(t, c, before.Epoch, c.IDs(dead[2])...)
		require.NoError(t, c.Start(dead[2]))
		agree(t, c, before.Epoch, c.IDs()...)
	}
}

// TestKilledAtRandom kills nodes at random moments, and starts them again. Of what they have recorded no epoch may go
// back, and none may have two leaders.
func TestKilledAtRandom(t *testing.T) {
	n := rounds(200)
	seed := rand.Uint64()
	r := rand.New(rand.NewPCG(seed, 0))
	t.Logf("seed %d", seed)
	c := bullies(t, Config{Nodes: 5, Command: runCommand("-preempt", "now"), Traces: true})
	require.NoError(t, c.Start())
	agree(t, c, 0, c.IDs()...)
	kills, agreed := 0, 0
	for round := range n {
		if round%10 == 9 { // nodes that die so often may never come to agree
			require.NoError(t, c.Start())
			agree(t, c, 0, c.IDs()...)
		}
		// Half of the time the leader, if there is one: that is where it hurts.
		victim := 1 + r.IntN(5)
		if reign, ok := c.View().Agreed(); ok {
			agreed++
			if r.IntN(2) == 0 {
				victim = reign.Leader
			}
		}
		if !c.View().Nodes[victim-1].Running {
			require.NoError(t, c.Start(victim))
		}
		require.NoError(t, sleep(t.Context(), time.Duration(r.Int64N(int64(60*time.Millisecond)))))
		_, err := c.Kill(victim)
		require.NoError(t, err)
		kills++
		require.NoError(t, sleep(t.Context(), time.Duration(r.Int64N(int64(40*time.Millisecond)))))
		// Now and then one stays down for a while, and a second one is killed meanwhile.
		if r.IntN(4) > 0 {
			require.NoError(t, c.Start())
		}
		require.NoError(t, sleep(t.Context(), time.Duration(r.Int64N(int64(60*time.Millisecond)))))
	}
	require.NoError(t, c.Start())
	reign := agree(t, c, 0, c.IDs()...)
	t.Logf("%d kills at random moments, in %d rounds all agreed; in the end %d leads epoch %d", kills, agreed, reign.Leader, reign.Epoch)
	require.Equal(t, n, kills)
	require.Positive(t, agreed)
}

// TestIdle sees what five nodes cost that have nothing to do.
func TestIdle(t *testing.T) {
	t.Parallel()
	d := 2 * time.Second
	all, err := MeasureIdle(within(t, patience), Config{Nodes: 5, Command: runCommand()}, d)
	require.NoError(t, err)
	require.Len(t, all, 5)
	for _, one := range all {
		t.Logf("node %d, leading %v: %.2f %% of a core, %.1f MiB, %.1f messages/s", one.Node, one.Leading, 100*one.CPU,
			float64(one.Resident)/(1<<20), one.Sent)
		require.Less(t, one.Resident, int64(20<<20), "bytes of node %d", one.Node)
		require.Positive(t, one.Resident)
		require.Positive(t, one.Sent)
	}
}
