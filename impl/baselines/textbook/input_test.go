package textbook_test

import (
	"math"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/seed-fdf591db/bully/impl/baselines/textbook"
)

func TestNewRefuses(t *testing.T) {
	for want, c := range map[string]textbook.Config{
		"Config.Nodes is 0: give":                      {ID: 1},
		"Config.Nodes is -1: give":                     {ID: 1, Nodes: -1},
		"Config.ID is 0: give an id from 1 to 5":       {Nodes: 5},
		"Config.ID is 6: give an id from 1 to 5":       {ID: 6, Nodes: 5},
		"Config.Return is 3: give Immediate, CoolDown": {ID: 1, Nodes: 1, Return: 3},
	} {
		_, err := textbook.New(c)
		require.ErrorContains(t, err, want)
	}
}

// TestIgnored gives every kind of bad input to a node in every state: it says why, and changes nothing.
func TestIgnored(t *testing.T) {
	message := func(kind textbook.MessageType, from, to int) textbook.Input {
		return textbook.Receive(textbook.Message{Type: kind, From: from, To: to, Stamp: math.MaxUint64})
	}
	for _, c := range []struct {
		in   textbook.Input
		want textbook.Cause
	}{
		{textbook.Input{}, textbook.Malformed},
		{textbook.Start(), textbook.StartedTwice},
		{textbook.Restart(), textbook.StartedTwice},
		{message(textbook.Election, 3, 3), textbook.NonMember},
		{message(textbook.Coordinator, 0, 3), textbook.NonMember},
		{message(textbook.Coordinator, -1, 3), textbook.NonMember},
		{message(textbook.Coordinator, 6, 3), textbook.NonMember},
		{message(textbook.Coordinator, math.MaxInt, 3), textbook.NonMember},
		{message(textbook.Coordinator, 4, 2), textbook.Misaddressed},
		{message(textbook.Coordinator, 4, 0), textbook.Misaddressed},
		{message(textbook.Coordinator, 4, 9), textbook.Misaddressed},
		{message("", 4, 3), textbook.UnknownType},
		{message("VICTORY", 4, 3), textbook.UnknownType},
		{message("election", 1, 3), textbook.UnknownType},
		{message(textbook.Election, 4, 3), textbook.WrongWay},
		{message(textbook.OK, 2, 3), textbook.WrongWay},
		{textbook.Timeout(textbook.Return), textbook.TimerNotRunning},
		{textbook.Timeout(5), textbook.TimerNotRunning},
		{textbook.Timeout(255), textbook.TimerNotRunning},
	} {
		for _, inputs := range [][]textbook.Input{unled, led, candidate, electing, leads} {
			n := after(t, textbook.Config{Stamp: true}, inputs...)
			before := *n
			out := n.Step(c.in)
			require.Equal(t, c.want, out.Ignored)
			require.Equal(t, textbook.Output{Ignored: c.want, Stop: set{}, Set: set{}, Send: []textbook.Message{}}, noNil(out))
			require.Equal(t, []any{before.Role(), before.Leader(), before.Stamp()}, []any{n.Role(), n.Leader(), n.Stamp()})
		}
	}
}

func TestNotStarted(t *testing.T) {
	n := made(t, textbook.Config{ID: 3, Nodes: 5})
	for _, in := range []textbook.Input{from(5, textbook.Coordinator), textbook.Timeout(textbook.Telec), textbook.Suspect()} {
		require.Equal(t, textbook.NotStarted, n.Step(in).Ignored)
	}
	is(t, n, textbook.Follower, 0)
}

// TestTimersNamed holds every timer to have a name, and what is none to say so.
func TestTimersNamed(t *testing.T) {
	require.Equal(t, "T_elec T_coord patience heartbeat return", textbook.Telec.String()+" "+textbook.Tcoord.String()+" "+
		textbook.Patience.String()+" "+textbook.Interval.String()+" "+textbook.Return.String())
	require.Equal(t, "no timer", textbook.Timer(5).String())
	require.Equal(t, "no timer", textbook.Timer(255).String())
}

// TestAnyInputs gives nodes of every form any inputs, good and bad. None makes them panic; the timers that run, as a host
// keeps them, are those whose ends are not ignored; and a role goes with its timer and its leader.
func TestAnyInputs(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := textbook.Config{ID: rapid.IntRange(1, 4).Draw(t, "id"), Nodes: 4, NoTcoord: rapid.Bool().Draw(t, "no T_coord"),
			Return: textbook.Policy(rapid.IntRange(0, 2).Draw(t, "return")), Shortcut: rapid.Bool().Draw(t, "shortcut"), Stamp: rapid.Bool().Draw(t, "stamp")}
		n, err := textbook.New(c)
		require.NoError(t, err)
		runs := map[textbook.Timer]bool{}
		for _, in := range rapid.SliceOfN(rapid.Custom(anyInput), 1, 60).Draw(t, "inputs") {
			out := n.Step(in.input)
			if in.timer != nil && out.Ignored != textbook.NotStarted {
				require.Equal(t, !runs[*in.timer], out.Ignored == textbook.TimerNotRunning)
				delete(runs, *in.timer)
			}
			for _, timer := range out.Stop {
				require.True(t, runs[timer], "stops %s, which does not run", timer)
				delete(runs, timer)
			}
			for _, timer := range out.Set {
				runs[timer] = true
			}
			for _, m := range out.Send {
				require.True(t, m.From == c.ID && m.To >= 1 && m.To <= 4 && m.To != c.ID, "message %+v must be from this node to another member", m)
			}
			require.Equal(t, n.Role() == textbook.Leader, n.Leader() == c.ID)
			require.Equal(t, n.Role() == textbook.Leader, runs[textbook.Interval])
			require.Equal(t, n.Role() == textbook.Candidate, runs[textbook.Telec])
			require.Equal(t, n.Role() == textbook.Electing && !c.NoTcoord, runs[textbook.Tcoord])
			if started := out.Ignored != textbook.NotStarted && out.Ignored != textbook.Malformed; started && n.Role() == textbook.Follower {
				require.True(t, runs[textbook.Patience] || runs[textbook.Return], "a follower that waits for nothing")
			}
		}
	})
}

// drawn is an input, and the timer that it ends, if it ends one.
type drawn struct {
	input textbook.Input
	timer *textbook.Timer
}

func anyInput(t *rapid.T) drawn {
	types := []textbook.MessageType{textbook.Election, textbook.OK, textbook.Coordinator, textbook.Heartbeat, textbook.ImBack}
	switch rapid.IntRange(0, 7).Draw(t, "kind") {
	case 0:
		return drawn{input: textbook.Start()}
	case 1:
		return drawn{input: textbook.Restart()}
	case 2:
		return drawn{input: textbook.Suspect()}
	case 3:
		return drawn{}
	case 4, 5:
		timer := textbook.Timer(rapid.Uint8Range(0, 6).Draw(t, "timer"))
		return drawn{textbook.Timeout(timer), &timer}
	}
	return drawn{input: textbook.Receive(textbook.Message{
		Type: rapid.SampledFrom(append(slices.Clone(types), "", "VICTORY")).Draw(t, "type"), From: rapid.IntRange(-1, 6).Draw(t, "from"),
		To: rapid.IntRange(0, 5).Draw(t, "to"), Stamp: rapid.Uint64().Draw(t, "stamp"),
	})}
}
