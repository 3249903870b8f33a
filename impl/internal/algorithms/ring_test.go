package algorithms_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed-fdf591db/bully/conformance/compare"
	"github.com/seed-fdf591db/bully/conformance/compare/scenarios"
)

// TestRingFlaws measures what each scenario says goes wrong, and how much of it there is.
func TestRingFlaws(t *testing.T) {
	const ms = time.Millisecond
	for _, c := range []struct {
		name     string
		flaw     scenarios.Flaw
		two      time.Duration // that more than one led
		stale    int
		agreed   bool
		reigns   int
		messages int // of elections
	}{
		// The first election of n nodes takes 2n messages, and so does each further list, dead nodes or not.
		{"ring-two-starters", scenarios.NoFlaw, 0, 0, true, 2, 16 + 2*16},
		{"ring-herd", scenarios.Herd, 0, 0, true, 2, 14 + 6*14},
		{"ring-partition", scenarios.TwoLeaders, 1722 * ms, 0, true, 2, 10 + 3*10},
		// The second list goes round without the skipped node: one hop less of ELECTION. The rest is as ever.
		{"ring-lost-ack", scenarios.TwoLeaders, 10 * ms, 0, true, 2, 10 + 1 + 5},
		{"ring-lost-list", scenarios.NoLeader, 0, 0, false, 1, 10 + 4},
		{"ring-return", scenarios.TwoLeaders, 40 * ms, 0, true, 3, 10 + 4*10 + 10},
		{"ring-stale-return", scenarios.StaleWrite, 0, 1, true, 3, 30},
	} {
		s := named(t, c.name)
		result := play(t, s, algorithm(t, s.Shows))
		require.Equal(t, c.flaw, s.Flaw, c.name)
		require.Equal(t, c.two, result.Two, c.name)
		require.Equal(t, c.stale, result.Stale, c.name)
		require.Equal(t, c.agreed, result.Agreed, c.name)
		require.Len(t, result.Reigns, c.reigns, c.name)
		require.Equal(t, c.messages, result.Election, c.name)
	}
}

// TestRingLostListHeals is the same as ring-lost-list with a timer for the end of an election: those who wait begin another.
func TestRingLostListHeals(t *testing.T) {
	s := named(t, "ring-lost-list")
	result := play(t, s, algorithm(t, "ring"))
	require.True(t, result.Agreed, "the timer must heal a ring that has lost its list")
	require.Len(t, result.Reigns, 2)
	require.Equal(t, 3, result.Reigns[1].Leader)
	wait := 3*5*s.Timing.Delay + s.Timing.Patience
	require.Greater(t, result.Reigns[1].Begin, 1050*time.Millisecond+wait)
	require.Less(t, result.Reigns[1].Begin, 1050*time.Millisecond+wait+5*2*s.Timing.Delay)
}

// TestRingOrphanIsForEver runs ring-orphan for a minute. ELECTED still goes round: so often as a round, with a place to skip,
// fits in.
func TestRingOrphanIsForEver(t *testing.T) {
	s := named(t, "ring-orphan")
	require.Equal(t, scenarios.NoLeader, s.Flaw)
	s.Length = time.Minute
	result, err := compare.Run(&s.Scenario, algorithm(t, "ring-chang-roberts"), s.Seed, compare.Options{})
	require.NoError(t, err)
	require.False(t, result.Agreed, "an orphan of Chang and Roberts circles for ever, and nobody may lead")
	require.Len(t, result.Reigns, 1, "nobody leads after the one that died")
	round := 4*time.Millisecond + 2*s.Timing.Delay + time.Millisecond
	require.InDelta(t, 5*int(time.Minute/round), result.Messages["ELECTED"], 5)
	require.Equal(t, 5, result.Messages["ELECTION"])
	lists := play(t, named(t, "ring-orphan"), algorithm(t, "ring"))
	require.True(t, lists.Agreed, "a list is taken out by the next node that it names")
}

// TestRingElectsTheHighestAlive crashes the leader, in weather in which no message takes longer than nodes are told.
func TestRingElectsTheHighestAlive(t *testing.T) {
	runs := 0
	for _, a := range family(t, "ring") {
		for seed := range uint64(20) {
			s := &compare.Scenario{Name: "crash", Nodes: 5, Length: 3 * time.Second, Timing: compare.LAN(), Order: []int{3, 1, 5, 2, 4}}
			s.Delay.Max = s.Timing.Delay
			s.Faults = []compare.Fault{{Kind: compare.Crash, Node: compare.Leader, At: time.Second}}
			result, err := compare.Run(s, a, seed, compare.Options{})
			require.NoError(t, err)
			require.True(t, result.Agreed, "%s, seed %d", a.Name, seed)
			require.Equal(t, 5, result.Faults[0].Node)
			require.Equal(t, 4, result.Reigns[len(result.Reigns)-1].Leader)
			runs++
		}
	}
	require.Equal(t, 60, runs)
}

// TestRingIgnoresOtherBodies gives a node a message that no ring has sent.
func TestRingIgnoresOtherBodies(t *testing.T) {
	for _, a := range family(t, "ring") {
		node := a.New(compare.Config{ID: 2, Nodes: 3, Order: []int{1, 2, 3}, Timing: compare.LAN()})
		var out compare.Output
		node.Receive(1, compare.Message{Kind: "ELECTION", Body: "none"}, &out)
		require.Equal(t, compare.Output{}, out)
		require.Equal(t, compare.Status{}, node.Status())
	}
}

// TestRingCopiesEnd has messages take longer than the nodes are told, so that ACKs come too late and most are sent twice.
// Copies of copies must not grow without end: without a rule against it, this test does not either.
func TestRingCopiesEnd(t *testing.T) {
	for _, a := range family(t, "ring") {
		s := &compare.Scenario{Name: "late", Nodes: 5, Length: 10 * time.Second, Timing: compare.LAN(),
			Delay: compare.Range{Min: 10 * time.Millisecond, Max: 30 * time.Millisecond}}
		s.Faults = []compare.Fault{{Kind: compare.Crash, Node: compare.Leader, At: 3 * time.Second}}
		result, err := compare.Run(s, a, 0, compare.Options{})
		require.NoError(t, err)
		require.Less(t, result.Election, 20_000, a.Name)
		t.Logf("%s: %d messages of elections", a.Name, result.Election)
	}
}
