package textbook_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed-fdf591db/bully/impl/baselines/textbook"
)

func TestImmediate(t *testing.T) {
	n := made(t, textbook.Config{ID: 3, Nodes: 5})
	does(t, n.Step(textbook.Restart()), set{textbook.Telec}, to(textbook.Election, 0, 4, 5))
	is(t, n, textbook.Candidate, 0)
}

// A node that cools down follows whom it hears of, and still takes over from a lower one when it has waited.
func TestCoolDown(t *testing.T) {
	cool := textbook.Config{Return: textbook.CoolDown}
	does(t, made(t, textbook.Config{ID: 3, Nodes: 5, Return: textbook.CoolDown}).Step(textbook.Restart()),
		set{textbook.Patience, textbook.Return}, nil)
	for _, c := range []struct {
		leader int
		asks   bool
	}{{0, true}, {1, true}, {2, true}, {4, false}, {5, false}} {
		n := after(t, cool, textbook.Restart())
		if c.leader > 0 {
			does(t, n.Step(from(c.leader, textbook.Heartbeat)), set{textbook.Patience}, nil)
		}
		out := n.Step(textbook.Timeout(textbook.Return))
		if !c.asks {
			does(t, out, nil, nil)
			is(t, n, textbook.Follower, c.leader)
			continue
		}
		does(t, out, set{textbook.Telec}, to(textbook.Election, 0, 4, 5))
		is(t, n, textbook.Candidate, 0)
	}
}

// An election, or the end of patience, ends a cool-down.
func TestCoolDownEnds(t *testing.T) {
	for _, in := range []textbook.Input{from(1, textbook.Election), textbook.Timeout(textbook.Patience)} {
		n := after(t, textbook.Config{Return: textbook.CoolDown}, textbook.Restart())
		require.Contains(t, n.Step(in).Stop, textbook.Return)
		require.Equal(t, textbook.TimerNotRunning, n.Step(textbook.Timeout(textbook.Return)).Ignored)
	}
}

// A node that asks who leads follows who answers, even a lower one; with nobody answering it holds an election after all.
func TestSuppressed(t *testing.T) {
	suppressed := textbook.Config{Return: textbook.Suppressed}
	does(t, made(t, textbook.Config{ID: 3, Nodes: 5, Return: textbook.Suppressed}).Step(textbook.Restart()),
		set{textbook.Return}, to(textbook.ImBack, 0, 1, 2, 4, 5))
	for _, kind := range []textbook.MessageType{textbook.Coordinator, textbook.Heartbeat} {
		n := after(t, suppressed, textbook.Restart(), from(1, kind))
		does(t, n.Step(textbook.Timeout(textbook.Return)), nil, nil)
		is(t, n, textbook.Follower, 1)
	}
	n := after(t, suppressed, textbook.Restart())
	does(t, n.Step(textbook.Timeout(textbook.Return)), set{textbook.Telec}, to(textbook.Election, 0, 4, 5))
	is(t, n, textbook.Candidate, 0)
}

// Only who leads answers IM_BACK, and only to who has asked.
func TestImBack(t *testing.T) {
	n := after(t, textbook.Config{}, leads...)
	does(t, n.Step(from(5, textbook.ImBack)), nil, to(textbook.Coordinator, 0, 5))
	is(t, n, textbook.Leader, 3)
	for _, inputs := range [][]textbook.Input{unled, led, candidate, electing} {
		does(t, after(t, textbook.Config{}, inputs...).Step(from(4, textbook.ImBack)), nil, nil)
	}
}

// With Shortcut the highest leads without T_elec, and says so again to whoever asks.
func TestShortcut(t *testing.T) {
	n := made(t, textbook.Config{ID: 3, Nodes: 3, Shortcut: true})
	require.Empty(t, n.Step(textbook.Start()).Ignored)
	does(t, n.Step(textbook.Timeout(textbook.Patience)), set{textbook.Interval}, to(textbook.Coordinator, 0, 1, 2))
	is(t, n, textbook.Leader, 3)
	does(t, n.Step(from(1, textbook.Election)), set{textbook.Interval}, append(to(textbook.OK, 0, 1), to(textbook.Coordinator, 0, 1, 2)...))
	is(t, n, textbook.Leader, 3)

	lower := after(t, textbook.Config{Shortcut: true}, textbook.Start())
	does(t, lower.Step(textbook.Suspect()), set{textbook.Telec}, to(textbook.Election, 0, 4, 5))
}

// A leader picks the highest stamp that it has heard of and one more; nobody refuses an old one.
func TestStamp(t *testing.T) {
	n := after(t, textbook.Config{Stamp: true}, textbook.Start(), stamped(5, textbook.Coordinator, 7))
	require.EqualValues(t, 7, n.Stamp())
	n.Step(stamped(4, textbook.Coordinator, 2))
	is(t, n, textbook.Follower, 4)
	require.EqualValues(t, 2, n.Stamp())
	n.Step(stamped(4, textbook.Heartbeat, 3))
	require.EqualValues(t, 3, n.Stamp())
	does(t, n.Step(from(1, textbook.Election)), set{textbook.Telec}, append(to(textbook.OK, 0, 1), to(textbook.Election, 0, 4, 5)...))
	require.Zero(t, n.Stamp())
	does(t, n.Step(textbook.Timeout(textbook.Telec)), set{textbook.Interval}, to(textbook.Coordinator, 8, 1, 2, 4, 5))
	require.EqualValues(t, 8, n.Stamp())
	does(t, n.Step(textbook.Timeout(textbook.Interval)), set{textbook.Interval}, to(textbook.Heartbeat, 8, 1, 2, 4, 5))
	does(t, n.Step(from(5, textbook.ImBack)), nil, to(textbook.Coordinator, 8, 5))
	require.Empty(t, n.Step(from(1, textbook.Election)).Send[0].Stamp)

	for _, input := range []textbook.Input{stamped(5, textbook.Coordinator, 1), textbook.Suspect(), textbook.Timeout(textbook.Telec)} {
		n.Step(input)
	}
	require.EqualValues(t, 9, n.Stamp(), "its own counts among those that it has heard of")
}

// Two nodes that have heard the same pick the same stamp, and each takes that of the other.
func TestSameStamp(t *testing.T) {
	one := after(t, textbook.Config{Stamp: true}, textbook.Start(), stamped(5, textbook.Coordinator, 1), textbook.Suspect(), textbook.Timeout(textbook.Telec))
	two := made(t, textbook.Config{ID: 4, Nodes: 5, Stamp: true})
	for _, in := range []textbook.Input{textbook.Start(), textbook.Receive(textbook.Message{Type: textbook.Coordinator, From: 5, To: 4, Stamp: 1}),
		textbook.Suspect(), textbook.Timeout(textbook.Telec)} {
		require.Empty(t, two.Step(in).Ignored)
	}
	is(t, one, textbook.Leader, 3)
	is(t, two, textbook.Leader, 4)
	require.Equal(t, one.Stamp(), two.Stamp())
}

// Without Stamp nobody bears or keeps one.
func TestNoStamp(t *testing.T) {
	n := after(t, textbook.Config{}, textbook.Start(), stamped(5, textbook.Coordinator, 7))
	require.Zero(t, n.Stamp())
	n.Step(textbook.Suspect())
	does(t, n.Step(textbook.Timeout(textbook.Telec)), set{textbook.Interval}, to(textbook.Coordinator, 0, 1, 2, 4, 5))
	require.Zero(t, n.Stamp())
}
