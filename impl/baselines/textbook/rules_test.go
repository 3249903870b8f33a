package textbook_test

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed-fdf591db/bully/impl/baselines/textbook"
)

// made returns a node that has not started.
func made(t *testing.T, c textbook.Config) *textbook.Node {
	t.Helper()
	n, err := textbook.New(c)
	require.NoError(t, err)
	return n
}

// after returns node 3 of five, of the form that c says, after some inputs.
func after(t *testing.T, c textbook.Config, inputs ...textbook.Input) *textbook.Node {
	t.Helper()
	c.ID, c.Nodes = 3, 5
	n := made(t, c)
	for _, in := range inputs {
		require.Empty(t, n.Step(in).Ignored)
	}
	return n
}

// from is a message to node 3.
func from(id int, kind textbook.MessageType) textbook.Input {
	return textbook.Receive(textbook.Message{Type: kind, From: id, To: 3})
}

// stamped is from, with a stamp.
func stamped(id int, kind textbook.MessageType, stamp uint64) textbook.Input {
	return textbook.Receive(textbook.Message{Type: kind, From: id, To: 3, Stamp: stamp})
}

// to are messages of one type and stamp from node 3.
func to(kind textbook.MessageType, stamp uint64, ids ...int) (list []textbook.Message) {
	for _, id := range ids {
		list = append(list, textbook.Message{Type: kind, From: 3, To: id, Stamp: stamp})
	}
	return list
}

// is holds a node to be of a role, with a leader.
func is(t *testing.T, n *textbook.Node, role textbook.Role, leader int) {
	t.Helper()
	require.Equal(t, role, n.Role())
	require.Equal(t, leader, n.Leader())
}

// does holds an output to set one timer, or none, and to send some messages.
func does(t *testing.T, out textbook.Output, set []textbook.Timer, send []textbook.Message) {
	t.Helper()
	require.Empty(t, out.Ignored)
	require.ElementsMatch(t, set, out.Set)
	require.ElementsMatch(t, send, out.Send)
}

type set = []textbook.Timer

// The states of node 3 that tests begin in, by the inputs that lead to them.
var (
	unled     = []textbook.Input{textbook.Start()}
	led       = slices.Concat(unled, []textbook.Input{from(5, textbook.Coordinator)})
	candidate = slices.Concat(led, []textbook.Input{textbook.Timeout(textbook.Patience)})
	electing  = slices.Concat(candidate, []textbook.Input{from(4, textbook.OK)})
	leads     = slices.Concat(candidate, []textbook.Input{textbook.Timeout(textbook.Telec)})
)

func TestStates(t *testing.T) {
	is(t, after(t, textbook.Config{}, unled...), textbook.Follower, 0)
	is(t, after(t, textbook.Config{}, led...), textbook.Follower, 5)
	is(t, after(t, textbook.Config{}, candidate...), textbook.Candidate, 0)
	is(t, after(t, textbook.Config{}, electing...), textbook.Electing, 0)
	is(t, after(t, textbook.Config{}, leads...), textbook.Leader, 3)
}

// Probes, Asked: a follower whose patience ends asks all higher nodes, and only those.
func TestProbesAndAsked(t *testing.T) {
	for _, end := range []textbook.Input{textbook.Timeout(textbook.Patience), textbook.Suspect()} {
		n := after(t, textbook.Config{}, led...)
		out := n.Step(end)
		does(t, out, set{textbook.Telec}, to(textbook.Election, 0, 4, 5))
		require.Equal(t, "takes 5 for dead", out.Note)
		is(t, n, textbook.Candidate, 0)
	}
	out := after(t, textbook.Config{}, unled...).Step(textbook.Timeout(textbook.Patience))
	require.Equal(t, "knows of no leader", out.Note)
}

// A suspicion stops the timer that it comes before, and concerns nobody but followers.
func TestSuspectOnlyFollowers(t *testing.T) {
	require.Equal(t, set{textbook.Patience}, after(t, textbook.Config{}, led...).Step(textbook.Suspect()).Stop)
	for _, inputs := range [][]textbook.Input{candidate, electing, leads} {
		require.Equal(t, textbook.Output{Stop: set{}, Set: set{}, Send: []textbook.Message{}},
			noNil(after(t, textbook.Config{}, inputs...).Step(textbook.Suspect())))
	}
}

// noNil makes what is empty in an output the same, whatever memory it has.
func noNil(out textbook.Output) textbook.Output {
	out.Stop, out.Set, out.Send = append(set{}, out.Stop...), append(set{}, out.Set...), append([]textbook.Message{}, out.Send...)
	return out
}

// Answers, Stands: OK always, and an election unless it is in one. Who leads stands too, and leads no longer.
func TestAnswersAndStands(t *testing.T) {
	for name, c := range map[string]struct {
		inputs []textbook.Input
		set    set
		asks   []int
		role   textbook.Role
		note   string
	}{
		"follower":  {led, set{textbook.Telec}, []int{4, 5}, textbook.Candidate, "hears that 1 holds an election"},
		"candidate": {candidate, nil, nil, textbook.Candidate, ""},
		"electing":  {electing, nil, nil, textbook.Electing, ""},
		"leader":    {leads, set{textbook.Telec}, []int{4, 5}, textbook.Candidate, "leads, but hears that 1 holds an election"},
	} {
		n := after(t, textbook.Config{}, c.inputs...)
		out := n.Step(from(1, textbook.Election))
		does(t, out, c.set, append(to(textbook.OK, 0, 1), to(textbook.Election, 0, c.asks...)...))
		require.Equal(t, textbook.OK, out.Send[0].Type, name)
		require.Equal(t, c.note, out.Note, name)
		is(t, n, c.role, 0)
	}
}

// GivesWay: a candidate that hears OK waits T_coord; a second OK, and one that comes too late, change nothing.
func TestGivesWay(t *testing.T) {
	n := after(t, textbook.Config{}, candidate...)
	out := n.Step(from(4, textbook.OK))
	does(t, out, set{textbook.Tcoord}, nil)
	require.Equal(t, set{textbook.Telec}, out.Stop)
	require.Equal(t, "gives way to 4", out.Note)
	is(t, n, textbook.Electing, 0)
	for _, inputs := range [][]textbook.Input{electing, led, leads} {
		n := after(t, textbook.Config{}, inputs...)
		role, leader := n.Role(), n.Leader()
		does(t, n.Step(from(5, textbook.OK)), nil, nil)
		is(t, n, role, leader)
	}
}

// Without T_coord who is told OK waits for ever: no timer runs.
func TestNoTcoord(t *testing.T) {
	n := after(t, textbook.Config{NoTcoord: true}, candidate...)
	does(t, n.Step(from(4, textbook.OK)), nil, nil)
	for timer := range textbook.Timer(8) {
		require.Equal(t, textbook.TimerNotRunning, n.Step(textbook.Timeout(timer)).Ignored)
	}
	does(t, n.Step(textbook.Suspect()), nil, nil)
	does(t, n.Step(from(5, textbook.Heartbeat)), nil, nil)
	is(t, n, textbook.Electing, 0)
}

// Declares, Told: nobody answered within T_elec, so it leads, and tells all others.
func TestDeclaresAndTold(t *testing.T) {
	n := after(t, textbook.Config{}, candidate...)
	out := n.Step(textbook.Timeout(textbook.Telec))
	does(t, out, set{textbook.Interval}, to(textbook.Coordinator, 0, 1, 2, 4, 5))
	require.Equal(t, "is answered by nobody", out.Note)
	is(t, n, textbook.Leader, 3)
}

// Retries: T_coord ends, so it asks all higher nodes again.
func TestRetries(t *testing.T) {
	n := after(t, textbook.Config{}, electing...)
	out := n.Step(textbook.Timeout(textbook.Tcoord))
	does(t, out, set{textbook.Telec}, to(textbook.Election, 0, 4, 5))
	require.Equal(t, "waits for COORDINATOR in vain", out.Note)
	is(t, n, textbook.Candidate, 0)
}

// Accepts: whoever hears COORDINATOR follows its sender, whatever it was and whoever that is.
func TestAccepts(t *testing.T) {
	for _, inputs := range [][]textbook.Input{unled, led, candidate, electing, leads} {
		for _, sender := range []int{1, 5} {
			n := after(t, textbook.Config{}, inputs...)
			led := n.Role() == textbook.Leader
			out := n.Step(from(sender, textbook.Coordinator))
			does(t, out, set{textbook.Patience}, nil)
			require.Equal(t, led, out.Note != "")
			is(t, n, textbook.Follower, sender)
		}
	}
}

// A leader says HEARTBEAT for ever, which bears no news to those who do not wait for it.
func TestHeartbeats(t *testing.T) {
	does(t, after(t, textbook.Config{}, leads...).Step(textbook.Timeout(textbook.Interval)), set{textbook.Interval}, to(textbook.Heartbeat, 0, 1, 2, 4, 5))
	for _, c := range []struct {
		inputs []textbook.Input
		sender int
		set    set
		role   textbook.Role
		leader int
	}{
		{led, 5, set{textbook.Patience}, textbook.Follower, 5},
		{led, 4, nil, textbook.Follower, 5},
		{unled, 1, set{textbook.Patience}, textbook.Follower, 1},
		{candidate, 5, nil, textbook.Candidate, 0},
		{electing, 5, nil, textbook.Electing, 0},
		{leads, 5, nil, textbook.Leader, 3},
	} {
		n := after(t, textbook.Config{}, c.inputs...)
		does(t, n.Step(from(c.sender, textbook.Heartbeat)), c.set, nil)
		is(t, n, c.role, c.leader)
	}
}

// A node that starts for the first time listens, whatever its policy.
func TestStart(t *testing.T) {
	for _, p := range []textbook.Policy{textbook.Immediate, textbook.CoolDown, textbook.Suppressed} {
		n := made(t, textbook.Config{ID: 3, Nodes: 5, Return: p})
		does(t, n.Step(textbook.Start()), set{textbook.Patience}, nil)
		is(t, n, textbook.Follower, 0)
	}
}
