package localcluster

import (
	"math/rand/v2"
	"slices"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// TestStartTogether starts five nodes at once, again and again. One leads each time, and hardly ever is a second
// epoch needed, if the machine runs all of them on time: starts at which it did not count for nothing more.
func TestStartTogether(t *testing.T) {
	t.Parallel()
	const atOnce = 5
	var s starts
	for n := rounds(100) / 2; len(s.times) < n; {
		began := len(s.times)
		together(t, ids(began+1, min(began+atOnce, n)), strconv.Itoa, func(t *testing.T, _ int) { s.one(t) })
		if len(s.times) < began+atOnce && len(s.times) < n {
			return // one has failed, and has said so
		}
	}
	t.Logf("%d starts of five, of which %d count: %d with a single epoch; who led how often: %v; from the first start until all agreed: median %s, max %s",
		len(s.times), s.counted, s.single, s.leaders, Median(s.times), slices.Max(s.times))
	require.GreaterOrEqual(t, 100*s.single, 95*s.counted, "with a single epoch, of %d", s.counted)
}

// starts is what came of starting five nodes together.
type starts struct {
	mu              sync.Mutex
	times           []time.Duration // until all agreed
	counted, single int             // starts at which the machine ran all nodes on time; those with a single epoch
	leaders         [6]int          // how often each node led
}

// one starts five nodes together.
func (s *starts) one(t *testing.T) {
	c := bullies(t, Config{Nodes: 5, Command: steadyCommand(t)})
	begin := time.Now()
	require.NoError(t, c.Start())
	reign := agree(t, c, 0, c.IDs()...)
	all, err := c.counted(t.Context(), c.IDs())
	require.NoError(t, err)
	epochs := epochsSince(c.Events(0))
	single := len(epochs) == 1 && reign.Epoch == 1
	if !single {
		t.Logf("epochs %v; agreed on %d in epoch %d; nodes were held up %d times", epochs, reign.Leader, reign.Epoch, all.HeldUp)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.times = append(s.times, reign.At.Sub(begin))
	s.leaders[reign.Leader]++
	if single {
		s.single++
	}
	if single || all.HeldUp == 0 {
		s.counted++
	}
}

// TestKillLeader kills the leader again and again. The next is the highest node that lives, if the machine runs all of them on time.
func TestKillLeader(t *testing.T) {
	t.Parallel()
	n := rounds(30)
	all, err := Failovers{Config: Config{Nodes: 5, Command: steadyCommand(t, "-preempt", "never")}, Fault: FaultKill, Rounds: n,
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
	c := bullies(t, Config{Nodes: 5, Command: steadyCommand(t, "-preempt", "never"), Traces: true})
	require.NoError(t, c.Start())
	for range rounds(3) {
		before := agree(t, c, 0, c.IDs()...)
		followers := c.IDs(before.Leader)
		rand.Shuffle(len(followers), func(i, j int) { followers[i], followers[j] = followers[j], followers[i] })
		dead := append(followers[:2:2], before.Leader) // last: the others need only a few ms to elect, if three of them live
		_, err := c.Kill(dead...)
		require.NoError(t, err)
		left := c.IDs(dead...)
		leaderless(t, c, left...)
		heard := len(c.Events(0))
		require.NoError(t, sleep(t.Context(), still), "longer than two of them need to come to lead, if they could")
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
	t.Parallel()
	n := rounds(200)
	nap := func(r *rand.Rand, most time.Duration) {
		require.NoError(t, sleep(t.Context(), time.Duration(r.Int64N(int64(most)))))
	}
	seed := rand.Uint64()
	r := rand.New(rand.NewPCG(seed, 0))
	t.Logf("seed %d", seed)
	c := bullies(t, Config{Nodes: 5, Command: quickCommand(t, "-preempt", "now"), Traces: true})
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
		nap(r, 240*time.Millisecond)
		_, err := c.Kill(victim)
		require.NoError(t, err)
		kills++
		nap(r, 160*time.Millisecond)
		// Now and then one stays down for a while, and a second one is killed meanwhile.
		if r.IntN(4) > 0 {
			require.NoError(t, c.Start())
		}
		nap(r, 240*time.Millisecond)
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
	for _, one := range idle(t, Config{Nodes: 5, Command: steadyCommand(t)}, 2*time.Second) {
		t.Logf("node %d, leading %v: %.2f %% of a core, %.1f MiB, %.1f messages/s", one.Node, one.Leading, 100*one.CPU,
			float64(one.Resident)/(1<<20), one.Sent)
		require.Less(t, one.Resident, int64(20<<20), "bytes of node %d", one.Node)
		require.Positive(t, one.Resident, "bytes of node %d", one.Node)
	}
}

// idle measures a cluster at rest, for longer each time, until the machine has run each node long enough to send something.
func idle(t *testing.T, config Config, d time.Duration) []Idle {
	t.Helper()
	for ; ; d *= 2 {
		all, err := MeasureIdle(within(t, 2*patience), config, d)
		require.NoError(t, err)
		require.Len(t, all, config.Nodes)
		if !slices.ContainsFunc(all, func(one Idle) bool { return one.Sent == 0 }) {
			return all
		}
		require.Less(t, d, patience, "a node has sent nothing: %+v", all)
	}
}
