package algorithms_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed-fdf591db/bully/conformance"
	"github.com/seed-fdf591db/bully/conformance/compare"
	"github.com/seed-fdf591db/bully/conformance/sim/simnet"
	"github.com/seed-fdf591db/bully/impl/baselines/raft"
	"github.com/seed-fdf591db/bully/impl/internal/algorithms"
	"github.com/seed-fdf591db/bully/impl/internal/narrate"
)

// TestTellers has every node of every algorithm tell what it is and what it does, whatever happens to it: a role, and of each
// step what happened or what came of it.
func TestTellers(t *testing.T) {
	const ms = time.Millisecond
	s := &compare.Scenario{Name: "tell", Nodes: 5, Length: 20 * time.Second, Timing: compare.LAN(), Delay: compare.Range{Min: ms, Max: 9 * ms}, Loss: 0.05,
		Disk: compare.Range{Max: ms}, Faults: []compare.Fault{
			{Kind: compare.Crash, Node: compare.Leader, At: 2 * time.Second, For: 2 * time.Second},
			{Kind: compare.Pause, Node: compare.Leader, At: 6 * time.Second, For: time.Second},
			{Kind: compare.Suspect, Node: 1, At: 9 * time.Second}, {Kind: compare.Suspect, Node: compare.Leader, At: 9 * time.Second},
			{Kind: compare.Cut, Aside: 1, At: 11 * time.Second, For: 2 * time.Second},
		}}
	for _, a := range algorithms.All() {
		steps, roles, kept := 0, map[string]bool{}, map[string]bool{}
		var p *compare.Play
		watch := func(m *compare.Moment) {
			if m.Out == nil {
				return
			}
			v := p.View(m.Node)
			node, ok := v.Node.(algorithms.Teller)
			require.True(t, ok, a.Name)
			telling, step := node.Tell(), node.Did()
			roles[telling.Role], kept[node.Kept(v.Saved)] = true, true
			require.NotEmpty(t, telling.Role, a.Name)
			for _, f := range telling.Fields {
				require.True(t, f.Name != "" && f.Value != "", "%s: %v", a.Name, f)
			}
			if ours, ok := node.(interface{ Case() conformance.Case }); ok {
				c := ours.Case()
				require.True(t, c.Want.Ignored || step.Action != "" && step.Rule != "", "%+v", step)
				step.Text, step.Note, _ = narrate.Words(&c)
			}
			quiet := m.What == compare.Started || m.What == compare.Restarted || m.What == compare.Called // for these anybody knows what to say
			require.True(t, quiet || step.Text != "" || step.Note != "", "%s: %+v of %s", a.Name, m, m.Message.Kind)
			require.True(t, m.What != compare.Ended || step.Text != "", "%s: the end of %s", a.Name, a.Timers[m.Timer])
			steps++
		}
		p, err := compare.Begin(s, a, 1, compare.Options{Watch: watch})
		require.NoError(t, err)
		for p.Next(s.Length) {
		}
		_, err = p.Finish()
		require.NoError(t, err)
		require.Greater(t, steps, 500, a.Name)
		require.GreaterOrEqual(t, len(roles), 3, "%s: %v", a.Name, roles)
		require.True(t, len(kept) > 2 || len(kept) == 1 && kept[""], "%s: %v", a.Name, kept)
	}
}

// TestRaftVotesAreCounted has a candidate answer another one, which costs it no vote that it has, and hear a vote of an earlier
// term, which gives it none.
func TestRaftVotesAreCounted(t *testing.T) {
	random := simnet.NewRandom(1, 1)
	node := algorithm(t, "raft-plain").New(compare.Config{ID: 1, Nodes: 5, Order: []int{1, 2, 3, 4, 5}, Timing: compare.LAN(), Random: &random}).(algorithms.Teller)
	take := func(from int, kind raft.MessageType, term uint64) algorithms.Step {
		node.Receive(from, compare.Message{Kind: string(kind), Body: raft.Message{Type: kind, From: from, To: 1, Term: term}}, &compare.Output{})
		return node.Did()
	}
	votes := func() string {
		fields := node.Tell().Fields
		require.Equal(t, "votes", fields[len(fields)-1].Name)
		return fields[len(fields)-1].Value
	}
	node.Start(&compare.Output{})
	node.Suspect(&compare.Output{})
	require.Equal(t, "itself", votes())
	require.Equal(t, "2 votes for it: that makes 2 of the 3 that it needs", take(2, raft.Vote, 1).Note)
	require.Contains(t, take(3, raft.RequestVote, 1).Note, "says no")
	require.Equal(t, "2 and itself", votes())
	node.Suspect(&compare.Output{})
	require.Equal(t, "itself", votes())
	require.Equal(t, "comes too late to change anything", take(2, raft.Vote, 1).Note)
	require.Equal(t, "itself", votes())
}

// TestRaftSaysWhomItVotedFor has a node refuse its vote, as it has given it to the node of the lowest number.
func TestRaftSaysWhomItVotedFor(t *testing.T) {
	random := simnet.NewRandom(1, 1)
	node := algorithm(t, "raft-plain").New(compare.Config{ID: 2, Nodes: 5, Order: []int{1, 2, 3, 4, 5}, Timing: compare.LAN(), Random: &random}).(algorithms.Teller)
	node.Start(&compare.Output{})
	asked := func(from int) string {
		node.Receive(from, compare.Message{Body: raft.Message{Type: raft.RequestVote, From: from, To: 2, Term: 1}}, &compare.Output{})
		return node.Did().Note
	}
	require.Equal(t, "votes for 1 in term 1, and for nobody else", asked(1))
	require.Equal(t, "has voted for 1 in term 1 already: says no", asked(3))
}

// TestRestartWithoutRecord restarts a node whose first start was never saved: it starts for the first time (R32).
func TestRestartWithoutRecord(t *testing.T) {
	random := simnet.NewRandom(1, 1)
	node := algorithms.Bully().New(compare.Config{ID: 1, Nodes: 3, Order: []int{1, 2, 3}, Timing: compare.LAN(), Random: &random,
		Clock: func() time.Duration { return 0 }})
	node.Restart(nil, &compare.Output{})
	require.Equal(t, "Start", node.(algorithms.Teller).Did().Action)
}
