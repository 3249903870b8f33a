package check

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed-fdf591db/bully/model/rules"
	"github.com/seed-fdf591db/bully/spec"
)

// says puts messages of these types, of question 7, on the link from 1 to 2.
func (l *links) says(e spec.Epoch, kinds ...spec.MessageType) {
	for _, kind := range kinds {
		l.send(1, 2, &spec.Message{Type: kind, Epoch: e, Question: 7}, nil)
	}
}

// TestLinks lets messages arrive in all the ways there are: late, before others, and again.
func TestLinks(t *testing.T) {
	l := newLinks(3)
	l.says(4, spec.Heartbeat, spec.OK)
	ok := spec.Message{Type: spec.OK, Epoch: 4, Question: 7}
	require.True(t, l.may(1, 2, &ok))
	require.True(t, l.may(1, 2, &ok), "again")
	require.True(t, l.may(1, 2, &spec.Message{Type: spec.Heartbeat, Epoch: 4, Question: 7}), "overtaken")
	for what, m := range map[string]spec.Message{
		"another type":     {Type: spec.Ack, Epoch: 4, Question: 7},
		"another epoch":    {Type: spec.OK, Epoch: 5, Question: 7},
		"another question": {Type: spec.OK, Epoch: 4, Question: 8},
		"another lease":    {Type: spec.OK, Epoch: 4, Question: 7, Keeps: spec.IntegerID(1)},
		"another claim":    {Type: spec.OK, Epoch: 4, Question: 7, Granted: spec.Granted{Epoch: 1}},
	} {
		require.False(t, l.may(1, 2, &m), "never sent: %s", what)
	}
	require.False(t, l.may(2, 1, &ok), "sent the other way")
	require.False(t, l.may(1, 3, &ok), "sent to another")

	cut := []rules.Set{1: rules.SetOf(2), 3: 0}
	require.True(t, l.change(cut))
	require.True(t, l.may(1, 2, &ok), "it was under way already")
	l.says(5, spec.OK)
	require.False(t, l.may(1, 2, &spec.Message{Type: spec.OK, Epoch: 5, Question: 7}), "over a cut link")
	require.False(t, l.change(cut), "no change")
	require.True(t, l.change(make([]rules.Set, 4)))
	require.False(t, l.may(1, 2, &spec.Message{Type: spec.OK, Epoch: 5, Question: 7}), "what was lost does not come back")
}

// TestLinksMemory sends for ever: heartbeats with a number each take no memory, and other messages no more than there is.
func TestLinksMemory(t *testing.T) {
	l := newLinks(3)
	for q := range spec.Question(1_000_000) {
		l.send(1, 2, &spec.Message{Type: spec.Heartbeat, Epoch: 4, Question: q + 1}, nil)
	}
	g := &l.said[1][2]
	require.Len(t, g.runs, 1)
	require.True(t, l.may(1, 2, &spec.Message{Type: spec.Heartbeat, Epoch: 4, Question: 500_000}))
	require.False(t, l.may(1, 2, &spec.Message{Type: spec.Heartbeat, Epoch: 4, Question: 1_000_001}))
	for e := range spec.Epoch(100_000) {
		l.says(e, spec.Election, spec.Claim)
	}
	require.LessOrEqual(t, len(g.runs), maxRuns)
	require.True(t, g.exceeded)
	require.False(t, l.may(1, 2, &spec.Message{Type: spec.Claim, Epoch: 0, Question: 7}), "the oldest are forgotten")
	require.True(t, l.may(1, 2, &spec.Message{Type: spec.Claim, Epoch: 99_000, Question: 7}))
}

// TestLinksOfConfigurations tells messages apart that differ in nothing but what they say of members.
func TestLinksOfConfigurations(t *testing.T) {
	l := newLinks(3)
	one, err := spec.NewConfiguration(4, 1, []spec.Member{{ID: spec.IntegerID(1), Kind: spec.Voter}})
	require.NoError(t, err)
	two := one.At(4, 2)
	l.send(1, 2, &spec.Message{Type: spec.Heartbeat, Epoch: 4, Question: 1, Configuration: one}, &one)
	require.False(t, l.may(1, 2, &spec.Message{Type: spec.Heartbeat, Epoch: 4, Question: 1, Configuration: two}))
	l.send(1, 2, &spec.Message{Type: spec.Heartbeat, Epoch: 4, Question: 2, Configuration: two}, &two)
	require.Len(t, l.said[1][2].runs, 2)
	require.True(t, l.may(1, 2, &spec.Message{Type: spec.Heartbeat, Epoch: 4, Question: 1, Configuration: one}))
	require.True(t, l.may(1, 2, &spec.Message{Type: spec.Heartbeat, Epoch: 4, Question: 2, Configuration: two}))
}
