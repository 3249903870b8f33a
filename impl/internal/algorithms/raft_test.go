package algorithms_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed-fdf591db/bully/conformance/compare"
	"github.com/seed-fdf591db/bully/conformance/sim/simnet"
)

// raftRun runs a scenario.
func raftRun(t *testing.T, s *compare.Scenario, a compare.Algorithm, seed uint64) compare.Result {
	t.Helper()
	result, err := compare.Run(s, a, seed, compare.Options{})
	require.NoError(t, err)
	return result
}

// raftSeeds is with how many seeds each variant runs each scenario.
const raftSeeds = 20

// TestRaftFlaws measures in which variants each scenario goes wrong, with every seed, and in which with none. What they all
// have in common is that no term has two leaders, the resource accepts no stale write, and all agree in the end.
func TestRaftFlaws(t *testing.T) {
	const ms = time.Millisecond
	deposed := func(before time.Duration) func(r *compare.Result) bool {
		return func(r *compare.Result) bool { return r.Reigns[0].End < before }
	}
	stuck := func(r *compare.Result) bool { return r.Reigns[0].End >= 4000*ms && r.Two == 0 }
	twoLead := func(r *compare.Result) bool { return r.Two > 0 && r.AtOnce == 2 && r.Refused > 0 }
	for _, c := range []struct {
		name string
		what string
		is   func(r *compare.Result) bool
		in   []string
	}{
		// Without pre-vote, check-quorum delays what comes to pass: the term of the node that comes back must be caught up with.
		{"raft-rejoin", "deposed for nothing", deposed(4000 * ms), []string{"raft-plain", "raft-checkquorum"}},
		{"raft-partial", "deposed while the links are cut", deposed(3000 * ms), []string{"raft-plain"}},
		{"raft-one-way", "two lead", twoLead, []string{"raft-plain"}},
		{"raft-one-way", "hears nobody, and nothing can be done about it", stuck, []string{"raft-prevote"}},
		{"raft-minority-leader", "two lead", twoLead, []string{"raft-plain", "raft-prevote"}},
	} {
		s := named(t, c.name)
		for _, a := range family(t, "raft") {
			for seed := range uint64(raftSeeds) {
				r := raftRun(t, &s.Scenario, a, seed)
				require.Equal(t, slices.Contains(c.in, a.Name), c.is(&r), "%s, %s, seed %d: %s", c.name, a.Name, seed, c.what)
				require.Equal(t, 1, r.SameEpoch)
				require.Zero(t, r.Stale)
				require.True(t, r.Agreed, "all nodes must agree on the leader at the end (%s, seed %d)", a.Name, seed)
			}
		}
	}
}

// TestRaftSplitVote holds the rounds without a winner to what they cost: 6 REQUESTVOTE, of which two go to the dead, and 4
// answers; and how rare they are. Pre-vote does not keep them away.
func TestRaftSplitVote(t *testing.T) {
	s := named(t, "raft-split-vote")
	r := raftRun(t, &s.Scenario, algorithm(t, "raft-plain"), s.Seed)
	require.Equal(t, []uint64{1, 4}, []uint64{r.Reigns[0].Epoch, r.Reigns[1].Epoch})
	require.Greater(t, r.None, 3*s.Timing.Patience)
	require.Equal(t, (3+3+3+3)+(3+2+3+2)+2*(6+4), r.Election)

	const runs = 500
	for name, a := range map[string]compare.Algorithm{"raft-plain": algorithm(t, "raft-plain"), "raft": algorithm(t, "raft")} {
		split := 0
		for seed := range uint64(runs) {
			r := raftRun(t, &s.Scenario, a, seed)
			require.True(t, r.Agreed, "all nodes must agree on the leader at the end (%s, seed %d)", name, seed)
			if r.Reigns[1].Epoch > 2 {
				split++
			}
		}
		require.Equal(t, 4, split, "of %d, %s", runs, name) // 1−(1−1/325)³ of them, by the odds: 4.6
	}
}

// TestRaftNoFence takes the fence away: then each write of the old leader that was refused is accepted, and stale.
func TestRaftNoFence(t *testing.T) {
	s := named(t, "raft-minority-leader")
	for seed := range uint64(raftSeeds) {
		bare := algorithm(t, "raft-plain")
		bare.Fences = false
		with, without := raftRun(t, &s.Scenario, algorithm(t, "raft-plain"), seed), raftRun(t, &s.Scenario, bare, seed)
		require.Positive(t, with.Refused)
		require.Zero(t, with.Stale)
		require.Zero(t, without.Refused)
		require.Equal(t, with.Refused, without.Stale)
	}
}

// TestRaftCheckQuorum bounds how long a leader without a quorum goes on, whenever it is cut off: an election timeout after a
// quorum last answered, so that no other is elected before, if clocks are right.
func TestRaftCheckQuorum(t *testing.T) {
	cuts, longest := 0, time.Duration(0)
	for at := time.Second; at < 1100*time.Millisecond; at += 500 * time.Microsecond {
		s := named(t, "raft-minority-leader")
		s.Faults = slices.Clone(s.Faults)
		s.Faults[1].At = at
		r := raftRun(t, &s.Scenario, algorithm(t, "raft"), uint64(cuts))
		require.Zero(t, r.Two, at)
		longest = max(longest, r.Reigns[0].End-at)
		cuts++
	}
	require.Equal(t, 200, cuts)
	require.LessOrEqual(t, longest, compare.LAN().Patience)
	require.Greater(t, longest, compare.LAN().Patience-2*time.Millisecond, "some cut comes right after an answer")
}

// TestRaftVotersBehind has those whose term is behind needed for a quorum: 1 and 2 were cut off while the others elected
// another, and two of these die when the links are back. They must come to agree, with pre-vote too (canonical/raft#279).
func TestRaftVotersBehind(t *testing.T) {
	const second = time.Second
	s := &compare.Scenario{Name: "voters-behind", Nodes: 5, Length: 6 * second, Timing: compare.LAN(), Faults: []compare.Fault{
		{Kind: compare.Suspect, Node: 1, At: second / 100},
		{Kind: compare.Cut, At: second, For: 2 * second, Links: compare.Isolate(5, 1, 2)},
		{Kind: compare.Crash, Node: 3, At: 3*second - 1},
		{Kind: compare.Crash, Node: 4, At: 3*second - 1},
	}}
	for _, a := range family(t, "raft") {
		for seed := range uint64(raftSeeds) {
			r := raftRun(t, s, a, seed)
			require.True(t, r.Agreed, "%s, seed %d", a.Name, seed)
			require.GreaterOrEqual(t, len(r.Reigns), 2)
			require.Equal(t, 1, r.SameEpoch)
		}
	}
}

// raftAmnesiac is a node that has lost its disk.
type raftAmnesiac struct{ compare.Node }

func (n raftAmnesiac) Restart(_ any, out *compare.Output) { n.Node.Restart(nil, out) }

// TestRaftVoteIsDurable lets a voter crash between two candidates of a term. If it forgets its vote, both lead the term.
func TestRaftVoteIsDurable(t *testing.T) {
	const ms = time.Millisecond
	s := &compare.Scenario{Name: "double-vote", Nodes: 3, Length: 100 * ms, Timing: compare.LAN(),
		Disk: compare.Range{Min: ms / 10, Max: ms / 10},
		Faults: []compare.Fault{
			{Kind: compare.Cut, Links: compare.Between(2, 3)},
			{Kind: compare.Suspect, Node: 3, At: 10 * ms},
			{Kind: compare.Crash, Node: 1, At: 25 * ms / 2, For: 3 * ms},
			{Kind: compare.Suspect, Node: 2, At: 20 * ms},
		}}
	for _, a := range family(t, "raft") {
		if strings.Contains(a.Title, "without pre-vote") {
			r := raftRun(t, s, a, 1)
			require.Equal(t, 1, r.SameEpoch)
			require.Equal(t, 1, r.AtOnce)
			sound := a.New
			a.New = func(c compare.Config) compare.Node { return raftAmnesiac{sound(c)} }
			r = raftRun(t, s, a, 1)
			require.Equal(t, 2, r.SameEpoch)
			require.Equal(t, 2, r.AtOnce)
		}
	}
}

// TestRaftMessages holds an undisturbed election to 2(n−1) messages for the votes, and as many for the announcement and its
// answers; pre-vote costs 2(n−1) more. A leader that has died is asked and told too, and answers nothing.
func TestRaftMessages(t *testing.T) {
	const ms = time.Millisecond
	sizes := 0
	for n := 3; n <= compare.MaxNodes; n++ {
		if n > 25 && n < 100 && n%10 != 0 {
			continue // of large sizes some will do
		}
		for k, a := range family(t, "raft") {
			s := &compare.Scenario{Name: "messages", Nodes: n, Length: 10 * time.Second, Timing: compare.LAN(), Quiet: true,
				Faults: []compare.Fault{{Kind: compare.Suspect, Node: 1 + (n-1)*k/3, At: ms}}}
			r := raftRun(t, s, a, uint64(n))
			want := map[string]int{"REQUESTVOTE": n - 1, "VOTE": n - 1, "ANNOUNCE": n - 1, "ACK of ANNOUNCE": n - 1}
			if a.Name == "raft" || a.Name == "raft-prevote" {
				want["REQUESTPREVOTE"], want["PREVOTE"] = n-1, n-1
			}
			require.Equal(t, want, r.Messages, "%s, %d nodes", a.Name, n)
			require.Equal(t, (n-1)*len(want), r.Election)
			sizes++
		}
		s := &compare.Scenario{Name: "messages", Nodes: n, Length: 10 * time.Second, Timing: compare.LAN(), Quiet: true,
			Faults: []compare.Fault{{Kind: compare.Suspect, Node: 1, At: ms}, {Kind: compare.Crash, Node: 1, At: 50 * ms},
				{Kind: compare.Suspect, Node: n, At: 60 * ms}}}
		r := raftRun(t, s, algorithm(t, "raft-plain"), uint64(n))
		both, answered := 2*(n-1), n-1+n-2
		require.Equal(t, map[string]int{"REQUESTVOTE": both, "VOTE": answered, "ANNOUNCE": both, "ACK of ANNOUNCE": answered}, r.Messages)
	}
	require.Equal(t, 4*(23+7+2), sizes)
}

// TestRaftTimeouts holds election timeouts to be drawn evenly from Patience to twice that, anew each time.
func TestRaftTimeouts(t *testing.T) {
	const draws = 2000
	random := simnet.NewRandom(1, 1)
	patience := compare.LAN().Patience
	node := algorithm(t, "raft-plain").New(compare.Config{ID: 1, Nodes: 3, Timing: compare.LAN(), Random: &random})
	var sum, least, most time.Duration = 0, time.Hour, 0
	for range draws {
		var out compare.Output
		if sum == 0 {
			node.Start(&out)
		} else {
			node.End(0, &out)
		}
		require.Len(t, out.Set, 1)
		after := out.Set[0].After
		sum, least, most = sum+after, min(least, after), max(most, after)
	}
	require.GreaterOrEqual(t, least, patience)
	require.Less(t, most, 2*patience)
	require.Less(t, least, patience*101/100)
	require.Greater(t, most, patience*199/100)
	require.InDelta(t, 1.5, float64(sum)/draws/float64(patience), 0.02)
}

// TestRaftPaused has nodes go on after a pause: what they heard before is as old as their clocks say, whatever waits for them.
func TestRaftPaused(t *testing.T) {
	const ms = time.Millisecond
	for seed := range uint64(raftSeeds) {
		// 3 leads with 1 alone, and is paused while the answer to a heartbeat is on its way. It would count it a second later.
		s := &compare.Scenario{Name: "paused-leader", Nodes: 3, Length: 2100 * ms, Timing: compare.LAN(), Faults: []compare.Fault{
			{Kind: compare.Suspect, Node: 3, At: 10 * ms},
			{Kind: compare.Crash, Node: 2, At: 500 * ms},
			{Kind: compare.Pause, Node: 3, At: 1013*ms + ms/2, For: 1000 * ms},
		}}
		r := raftRun(t, s, algorithm(t, "raft-checkquorum"), seed)
		require.Equal(t, compare.Reign{Leader: 3, Epoch: 1, Begin: 12 * ms, End: 2013*ms + ms/2}, r.Reigns[0])

		// 1 is asked by 2 while it is paused, and has not heard from 3, which is dead, for long.
		s = &compare.Scenario{Name: "paused-voter", Nodes: 3, Length: 2000 * ms, Timing: compare.LAN(), Faults: []compare.Fault{
			{Kind: compare.Suspect, Node: 3, At: 10 * ms},
			{Kind: compare.Pause, Node: 1, At: 1000 * ms, For: 700 * ms},
			{Kind: compare.Crash, Node: 3, At: 1005 * ms},
		}}
		for _, a := range []compare.Algorithm{algorithm(t, "raft"), algorithm(t, "raft-prevote"), algorithm(t, "raft-checkquorum")} {
			r = raftRun(t, s, a, seed)
			require.Equal(t, 2, r.Reigns[1].Leader, "%s, seed %d", a.Name, seed)
			require.Less(t, r.Reigns[1].Begin, 1705*ms)
		}
	}
}

// TestRaftStatus has a node that asks or stands know of no leader, and so of no epoch.
func TestRaftStatus(t *testing.T) {
	random := simnet.NewRandom(1, 1)
	for _, a := range family(t, "raft") {
		node := a.New(compare.Config{ID: 1, Nodes: 1, Timing: compare.LAN(), Random: &random})
		require.Equal(t, compare.Status{}, node.Status())
		var out compare.Output
		node.Start(&out)
		node.Suspect(&out)
		require.Equal(t, compare.Status{Leader: 1, Leading: true, Epoch: 1}, node.Status())
		node.Receive(2, compare.Message{Kind: "HEARTBEAT", Body: "tea"}, &out)

		node = a.New(compare.Config{ID: 1, Nodes: 3, Timing: compare.LAN(), Random: &random})
		node.Start(&out)
		node.Suspect(&out)
		require.Equal(t, compare.Status{Standing: true}, node.Status())
		node.Receive(2, compare.Message{Kind: "HEARTBEAT"}, &out)
		require.Equal(t, compare.Status{Standing: true}, node.Status(), "a message of nobody")
	}
}
