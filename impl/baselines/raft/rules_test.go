package raft

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"
)

// all are the combinations of the options.
var all = []Config{{}, {PreVote: true}, {CheckQuorum: true}, {PreVote: true, CheckQuorum: true}}

// eachConfig runs a test with each combination of the options.
func eachConfig(t *testing.T, test func(t *testing.T, c Config)) {
	for _, c := range all {
		t.Run(fmt.Sprintf("prevote=%t,checkquorum=%t", c.PreVote, c.CheckQuorum), func(t *testing.T) { test(t, c) })
	}
}

// started returns a node that has started with what is on its disk.
func started(t *testing.T, c Config, id, nodes int, s Saved) *Node {
	t.Helper()
	c.ID, c.Nodes = id, nodes
	n, err := New(c)
	require.NoError(t, err)
	require.Equal(t, Output{Set: []Timer{Election}}, tidy(n.Step(Start(s))))
	return n
}

// take lets a node take steps that it must not ignore, and returns what came of the last one.
func take(t *testing.T, n *Node, inputs ...Input) (out Output) {
	t.Helper()
	for _, in := range inputs {
		out = tidy(n.Step(in))
		require.Empty(t, out.Ignored, "%v", in)
	}
	return out
}

// tidy makes slices of nothing nil, so that outputs can be compared.
func tidy(out Output) Output {
	if len(out.Stop) == 0 {
		out.Stop = nil
	}
	if len(out.Set) == 0 {
		out.Set = nil
	}
	if len(out.Send) == 0 {
		out.Send = nil
	}
	return out
}

// led returns a node 1 that leads its first term, of so many nodes.
func led(t *testing.T, c Config, nodes int) *Node {
	t.Helper()
	n := started(t, c, 1, nodes, Saved{})
	take(t, n, Election)
	for _, answer := range []MessageType{PreVote, Vote} {
		for from := 2; from <= nodes; from++ {
			take(t, n, Message{answer, from, 1, 1})
		}
	}
	require.Equal(t, Leader, n.Role())
	return n
}

// The election timeout makes a candidate of the next term, which votes for itself, durably, and asks all (§5.2).
func TestStand(t *testing.T) {
	n := started(t, Config{}, 2, 3, Saved{Term: 4, Vote: 3})
	out := take(t, n, Election)
	require.Equal(t, Output{Save: true, Saved: Saved{Term: 5, Vote: 2}, Set: []Timer{Election}, Note: "stands for term 5",
		Send: []Message{{RequestVote, 2, 1, 5}, {RequestVote, 2, 3, 5}}}, out)
	require.Equal(t, Candidate, n.Role())
	require.Zero(t, n.Leader())
	require.Equal(t, uint64(6), take(t, n, Election).Saved.Term, "an election without a winner is held anew")
}

// Who asks before it stands keeps its term and its vote, until a quorum would elect it (D 9.6).
func TestAsk(t *testing.T) {
	n := started(t, Config{PreVote: true}, 2, 4, Saved{Term: 4, Vote: 3})
	out := take(t, n, Election)
	require.False(t, out.Save, "a node that asks for a pre-vote must save nothing")
	require.Equal(t, []Message{{RequestPreVote, 2, 1, 5}, {RequestPreVote, 2, 3, 5}, {RequestPreVote, 2, 4, 5}}, out.Send)
	require.Equal(t, PreCandidate, n.Role())
	for _, no := range []Message{
		{PreVote, 1, 2, 5}, {PreVote, 1, 2, 5}, {PreVote, 3, 2, 4}, {PreVote, 3, 2, 6}, {NoPreVote, 3, 2, 4}, {Vote, 3, 2, 4},
	} {
		take(t, n, no)
		require.Equal(t, PreCandidate, n.Role(), "%v makes no quorum of four", no)
	}
	out = take(t, n, Message{PreVote, 4, 2, 5})
	require.Equal(t, Saved{Term: 5, Vote: 2}, out.Saved)
	require.Equal(t, Candidate, n.Role())
	take(t, n, Message{PreVote, 1, 2, 5}, Message{PreVote, 3, 2, 5})
	require.Equal(t, Candidate, n.Role(), "pre-votes are no votes (canonical/raft#196)")
}

// A node votes once in a term, for who comes first, and has that on its disk before the answer leaves (§5.2).
func TestOneVote(t *testing.T) {
	eachConfig(t, func(t *testing.T, c Config) {
		n := started(t, c, 1, 3, Saved{Term: 2, Vote: 1})
		out := take(t, n, Message{RequestVote, 3, 1, 3})
		require.Equal(t, Output{Save: true, Saved: Saved{Term: 3, Vote: 3}, Set: []Timer{Election}, Send: []Message{{Vote, 1, 3, 3}}}, out)
		require.Equal(t, Output{Send: []Message{{NoVote, 1, 2, 3}}}, take(t, n, Message{RequestVote, 2, 1, 3}))
		again := take(t, n, Message{RequestVote, 3, 1, 3})
		require.False(t, again.Save, "a vote that is repeated must not be saved again")
		require.Equal(t, []Message{{Vote, 1, 3, 3}}, again.Send, "the first answer may be lost")
		require.Equal(t, []Message{{NoVote, 1, 2, 3}}, take(t, n, Message{RequestVote, 2, 1, 2}).Send, "who is behind learns the term (§5.1)")

		n = started(t, c, 1, 3, Saved{Term: 3})
		require.Equal(t, Saved{Term: 3, Vote: 2}, take(t, n, Message{RequestVote, 2, 1, 3}).Saved, "in a term that it has heard of before")
		n = started(t, c, 1, 3, Saved{Term: 3, Vote: 3})
		require.Equal(t, []Message{{NoVote, 1, 2, 3}}, take(t, n, Message{RequestVote, 2, 1, 3}).Send, "after a crash too")
	})
}

// A candidate leads when more than half of all nodes have voted for it in its term, each counted once (§5.2).
func TestLead(t *testing.T) {
	eachConfig(t, func(t *testing.T, c Config) {
		n := started(t, c, 1, 4, Saved{})
		take(t, n, Election)
		if c.PreVote {
			take(t, n, Message{PreVote, 2, 1, 1}, Message{PreVote, 3, 1, 1})
		}
		for _, no := range []Message{{Vote, 2, 1, 1}, {Vote, 2, 1, 1}, {NoVote, 3, 1, 1}, {Appended, 3, 1, 1}} {
			take(t, n, no)
			require.Equal(t, Candidate, n.Role(), "%v makes no quorum of four", no)
		}
		out := take(t, n, Message{Vote, 4, 1, 1})
		require.Equal(t, Leader, n.Role())
		require.Equal(t, 1, n.Leader())
		require.Equal(t, []Timer{Election}, out.Stop)
		require.Contains(t, out.Set, Heartbeat)
		require.Equal(t, c.CheckQuorum, len(out.Set) == 2 && out.Set[0] == Quorum)
		heartbeat := []Message{{AppendEntries, 1, 2, 1}, {AppendEntries, 1, 3, 1}, {AppendEntries, 1, 4, 1}}
		require.Equal(t, heartbeat, out.Send, "it tells all at once")
		require.Equal(t, Output{Set: []Timer{Heartbeat}, Send: heartbeat}, take(t, n, Heartbeat))
	})
}

// Votes of an earlier term do not count in a later one (§5.2).
func TestOldVotes(t *testing.T) {
	n := started(t, Config{}, 1, 3, Saved{})
	take(t, n, Election, Election, Message{Vote, 2, 1, 1})
	require.Equal(t, Candidate, n.Role())
	take(t, n, Message{Vote, 2, 1, 2})
	require.Equal(t, Leader, n.Role())
}

// Any message of a higher term makes a follower of that term (§5.1), but for those that carry a term that nobody is in.
func TestHigherTerm(t *testing.T) {
	eachConfig(t, func(t *testing.T, c Config) {
		for _, kind := range []MessageType{NoPreVote, NoVote, Vote, AppendEntries, Appended, NotAppended} {
			n := led(t, c, 3)
			out := take(t, n, Message{kind, 2, 1, 9})
			require.Equal(t, Follower, n.Role(), kind)
			require.Equal(t, Saved{Term: 9}, out.Saved, kind)
			require.Contains(t, out.Stop, Heartbeat, kind)
			require.Contains(t, out.Set, Election, kind)
			require.Equal(t, "steps down: there is term 9", out.Note)
		}
		for _, kind := range []MessageType{RequestPreVote, PreVote} {
			n := led(t, c, 3)
			require.False(t, take(t, n, Message{kind, 2, 1, 9}).Save, kind)
			require.Equal(t, Leader, n.Role(), kind)
		}
	})
}

// Who hears a leader of its term follows it, also as a candidate (§5.2). A leader of a lower term is told (§5.1).
func TestFollow(t *testing.T) {
	eachConfig(t, func(t *testing.T, c Config) {
		n := started(t, c, 1, 3, Saved{Term: 2})
		out := take(t, n, Election, Message{AppendEntries, 3, 1, 3})
		require.Equal(t, Follower, n.Role())
		require.Equal(t, 3, n.Leader())
		require.Equal(t, []Message{{Appended, 1, 3, 3}}, out.Send)
		require.Contains(t, out.Set, Election)
		require.Equal(t, c.PreVote || c.CheckQuorum, len(out.Set) == 2 && out.Set[1] == Lease)
		require.Equal(t, out.Set, take(t, n, Message{AppendEntries, 3, 1, 3}).Set, "with each heartbeat its patience begins anew")
		out = take(t, n, Message{AppendEntries, 2, 1, 2})
		require.Equal(t, Output{Send: []Message{{NotAppended, 1, 2, 3}}}, out)
		require.Equal(t, 3, n.Leader())
	})
}

// A voter that is behind says yes with the term that it was asked for, so that the one who asked counts it. One that is
// ahead says no with its own term, so that the one who asked catches up. Else nobody is elected any more.
func TestPreVoteTerms(t *testing.T) {
	c := Config{PreVote: true}
	ahead, behind := started(t, c, 1, 3, Saved{Term: 5}), started(t, c, 2, 3, Saved{Term: 2})
	ask := take(t, ahead, Election).Send[0]
	yes := take(t, behind, ask)
	require.Equal(t, []Message{{PreVote, 2, 1, 6}}, yes.Send)
	require.False(t, yes.Save, "a pre-vote changes nothing")
	take(t, ahead, yes.Send[0])
	require.Equal(t, Candidate, ahead.Role())

	ahead, behind = started(t, c, 1, 3, Saved{Term: 5}), started(t, c, 2, 3, Saved{Term: 2})
	ask = take(t, behind, Election).Send[0]
	no := take(t, ahead, ask).Send
	require.Equal(t, []Message{{NoPreVote, 1, 2, 5}}, no)
	require.Equal(t, Saved{Term: 5}, take(t, behind, no[0]).Saved)
	require.Equal(t, Follower, behind.Role())
	require.Equal(t, uint64(6), take(t, behind, Election).Send[0].Term)
}

// Who would not vote says no to a pre-vote: one that hears from a leader, one that leads, one that has voted (D 9.6).
func TestNoPreVote(t *testing.T) {
	for _, c := range all[1:] {
		n := started(t, c, 1, 3, Saved{})
		take(t, n, Message{AppendEntries, 3, 1, 1})
		require.Equal(t, []Message{{NoPreVote, 1, 2, 1}}, take(t, n, Message{RequestPreVote, 2, 1, 2}).Send, "it hears from a leader")
		take(t, n, Lease)
		require.Equal(t, []Message{{PreVote, 1, 2, 2}}, take(t, n, Message{RequestPreVote, 2, 1, 2}).Send, "it did")
		require.Equal(t, []Message{{NoPreVote, 1, 2, 1}}, take(t, led(t, c, 3), Message{RequestPreVote, 2, 1, 2}).Send, "it leads")
	}
	n := started(t, Config{PreVote: true}, 1, 3, Saved{})
	require.Equal(t, []Timer{Lease}, take(t, n, Message{AppendEntries, 3, 1, 1}, Election).Stop)
	require.Equal(t, []Message{{PreVote, 1, 2, 2}}, take(t, n, Message{RequestPreVote, 2, 1, 2}).Send, "it suspects the leader itself")
	n = started(t, Config{PreVote: true}, 1, 3, Saved{Term: 1, Vote: 3})
	require.Equal(t, []Message{{NoPreVote, 1, 2, 1}}, take(t, n, Message{RequestPreVote, 2, 1, 1}).Send, "it has voted for 3")
	require.Equal(t, []Message{{PreVote, 1, 3, 1}}, take(t, n, Message{RequestPreVote, 3, 1, 1}).Send, "for 3 it would vote again")
}

// Who votes while it asks for itself follows again, and begins its timeout anew (§5.2).
func TestVoteWhileAsking(t *testing.T) {
	n := started(t, Config{PreVote: true}, 1, 3, Saved{})
	out := take(t, n, Election, Message{RequestVote, 2, 1, 1})
	require.Equal(t, []Message{{Vote, 1, 2, 1}}, out.Send)
	require.Equal(t, []Timer{Election}, out.Set)
	require.Equal(t, Follower, n.Role())
}

// With check-quorum, who hears from a leader takes no notice of who wants its vote (D 4.2.3); without, it does.
func TestDisregard(t *testing.T) {
	eachConfig(t, func(t *testing.T, c Config) {
		for name, n := range map[string]*Node{"leader": led(t, c, 3), "follower": started(t, c, 1, 3, Saved{})} {
			if name == "follower" {
				take(t, n, Message{AppendEntries, 3, 1, 1})
			}
			require.NotEmpty(t, take(t, n, Message{RequestVote, 2, 1, 1}).Send, "in its own term it is refused in words")
			out := take(t, n, Message{RequestVote, 2, 1, 9})
			if c.CheckQuorum {
				require.Equal(t, Output{}, out, name)
				require.Equal(t, uint64(1), n.Term(), name)
			} else {
				require.Equal(t, []Message{{Vote, 1, 2, 9}}, out.Send, name)
			}
		}
		if c.CheckQuorum {
			n := started(t, c, 1, 3, Saved{})
			take(t, n, Message{AppendEntries, 3, 1, 4})
			require.Equal(t, []Message{{NoVote, 1, 2, 4}}, take(t, n, Message{RequestVote, 2, 1, 3}).Send, "who is behind learns the term")
			n = started(t, c, 1, 3, Saved{})
			take(t, n, Message{AppendEntries, 3, 1, 1}, Lease)
			require.Equal(t, []Message{{Vote, 1, 2, 9}}, take(t, n, Message{RequestVote, 2, 1, 9}).Send, "it has not heard for long")
			n = started(t, c, 1, 3, Saved{})
			out := take(t, n, Message{AppendEntries, 3, 1, 1}, Message{NoVote, 2, 1, 4})
			require.Contains(t, out.Stop, Lease, "a leader of a lower term leads no more")
		}
	})
}

// With check-quorum, a leader steps down that has not heard from a quorum since Quorum was set (D 6.2).
func TestCheckQuorum(t *testing.T) {
	c := Config{CheckQuorum: true}
	n := led(t, c, 5)
	require.Empty(t, take(t, n, Message{Appended, 2, 1, 1}).Set)
	require.Empty(t, take(t, n, Message{Appended, 2, 1, 1}).Set, "it is one node, however often it answers")
	require.Empty(t, take(t, n, Message{NotAppended, 3, 1, 1}).Set)
	require.Equal(t, []Timer{Quorum}, take(t, n, Message{Appended, 3, 1, 1}).Set)
	out := take(t, n, Message{Appended, 4, 1, 1}, Quorum)
	require.Equal(t, Follower, n.Role())
	require.Zero(t, n.Leader())
	require.Equal(t, uint64(1), n.Term())
	require.False(t, out.Save, "a leader that steps down keeps its term, and must save nothing")
	require.Equal(t, []Timer{Quorum, Heartbeat}, out.Stop)
	require.Equal(t, []Timer{Election}, out.Set)
	require.Equal(t, "no such timer runs", led(t, Config{PreVote: true}, 5).Step(Quorum).Ignored)
}

// A node that is alone leads at once, and is a quorum.
func TestAlone(t *testing.T) {
	eachConfig(t, func(t *testing.T, c Config) {
		n := started(t, c, 1, 1, Saved{})
		out := take(t, n, Election)
		require.Equal(t, Leader, n.Role())
		require.Equal(t, Saved{Term: 1, Vote: 1}, out.Saved)
		require.Equal(t, []Timer{Election}, out.Stop)
		require.Empty(t, out.Send)
		if c.CheckQuorum {
			require.Equal(t, []Timer{Quorum}, take(t, n, Quorum).Set)
			require.Equal(t, Leader, n.Role())
		}
	})
}

func TestBadInput(t *testing.T) {
	for _, c := range []Config{{}, {ID: 1}, {Nodes: 1}, {ID: 4, Nodes: 3}, {ID: -1, Nodes: 3}, {ID: -2, Nodes: -1}} {
		_, err := New(c)
		require.ErrorContains(t, err, fmt.Sprintf("Config.ID is %d, and Config.Nodes %d", c.ID, c.Nodes))
	}
	fresh, err := New(Config{ID: 1, Nodes: 3})
	require.NoError(t, err)
	follower := started(t, Config{}, 1, 3, Saved{})
	take(t, follower, Message{AppendEntries, 3, 1, 1})
	cases := 0
	for want, inputs := range map[string][]Input{
		"not started":            {Message{Vote, 2, 1, 1}},
		"no node has saved this": {Start{Term: MaxTerm + 1}, Start{Vote: 1}, Start{Term: 1, Vote: 4}, Start{Term: 1, Vote: -1}},
		"no such timer runs":     {Election, Heartbeat, Timer("")},
		"no input":               {nil},
	} {
		for _, in := range inputs {
			cases++
			require.Equal(t, Output{Ignored: want}, fresh.Step(in), "%v", in)
			require.Empty(t, fresh.Running())
		}
	}
	for want, inputs := range map[string][]Input{
		"started twice":      {Start{}, Start{Term: 9}},
		"no such timer runs": {Lease, Quorum, Heartbeat, Timer("tea")},
		"no node sends this": {Message{}, Message{"TEA", 2, 1, 1}, Message{Vote, 2, 1, 0}, Message{RequestPreVote, 2, 1, 0},
			Message{Vote, 2, 1, MaxTerm + 1}},
		"not from another node to this one": {Message{Vote, 0, 1, 1}, Message{Vote, 1, 1, 1}, Message{Vote, 4, 1, 1}, Message{Vote, -1, 1, 1},
			Message{Vote, 2, 3, 9}},
		"another leads this term": {Message{AppendEntries, 2, 1, 1}},
	} {
		for _, in := range inputs {
			cases++
			require.Equal(t, Output{Ignored: want}, tidy(follower.Step(in)), "%v", in)
			require.Equal(t, uint64(1), follower.Term())
			require.Equal(t, 3, follower.Leader())
		}
	}
	require.Equal(t, 26, cases)
	last := started(t, Config{}, 1, 3, Saved{Term: MaxTerm, Vote: 2})
	require.Equal(t, "no node sends this", follower.Step(take(t, last, Election).Send[0]).Ignored, "no elections come so far")
}
