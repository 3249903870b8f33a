package check

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed-fdf591db/bully/model/rules"
	"github.com/seed-fdf591db/bully/spec"
)

// sends sends messages of these types from 1 to 2.
func (l *links) sends(e spec.Epoch, kinds ...spec.MessageType) {
	for _, kind := range kinds {
		l.send(1, 2, &spec.Message{Type: kind, Epoch: e}, nil)
	}
}

func (l *links) underWay() (n int) {
	q := &l.under[1][2]
	for _, r := range q.runs[q.head:] {
		n += int(r.count)
	}
	return n
}

// TestLinks takes messages off a link in all the ways there are.
func TestLinks(t *testing.T) {
	l := newLinks(3)
	l.sends(4, spec.Heartbeat, spec.Election, spec.Heartbeat, spec.Heartbeat, spec.OK)
	require.False(t, l.take(1, 2, &spec.Message{Type: spec.Ack, Epoch: 4}), "never sent")
	require.False(t, l.take(1, 2, &spec.Message{Type: spec.OK, Epoch: 5}), "never sent in that epoch")
	require.False(t, l.take(2, 1, &spec.Message{Type: spec.OK, Epoch: 4}), "sent the other way")
	require.Equal(t, 5, l.underWay(), "what is not there takes nothing with it")
	require.True(t, l.take(1, 2, &spec.Message{Type: spec.Election, Epoch: 4}))
	require.Equal(t, uint64(1), l.lost, "the first HEARTBEAT")
	require.False(t, l.take(1, 2, &spec.Message{Type: spec.Election, Epoch: 4}), "received before")
	require.True(t, l.lose(1, 2, &spec.Message{Type: spec.OK, Epoch: 4}))
	require.False(t, l.take(1, 2, &spec.Message{Type: spec.OK, Epoch: 4}), "lost")
	require.True(t, l.take(1, 2, &spec.Message{Type: spec.Heartbeat, Epoch: 4}), "what lay before a loss was not lost with it")
	require.True(t, l.take(1, 2, &spec.Message{Type: spec.Heartbeat, Epoch: 4}))
	require.False(t, l.take(1, 2, &spec.Message{Type: spec.Heartbeat, Epoch: 4}))
	require.False(t, l.lose(1, 2, &spec.Message{Type: spec.Heartbeat, Epoch: 4}))
	require.Equal(t, uint64(1), l.lost)

	l.sends(4, spec.OK)
	l.clear(2)
	require.False(t, l.take(1, 2, &spec.Message{Type: spec.OK, Epoch: 4}), "the receiver has crashed")
	l.sends(4, spec.OK)
	cut := []rules.Set{1: rules.SetOf(2), 3: 0}
	require.True(t, l.change(cut))
	require.False(t, l.take(1, 2, &spec.Message{Type: spec.OK, Epoch: 4}), "the link was cut")
	l.sends(4, spec.OK)
	require.Zero(t, l.underWay(), "over a cut link")
	require.False(t, l.change(cut), "no change")
	require.True(t, l.change(make([]rules.Set, 4)))
	require.Zero(t, l.underWay(), "what was lost does not come back")
}

// TestLinksMemory sends for ever over a link that has been silent from the beginning.
func TestLinksMemory(t *testing.T) {
	l := newLinks(3)
	for range 1_000_000 {
		l.sends(4, spec.Heartbeat)
	}
	require.Len(t, l.under[1][2].runs, 1, "the same message over and over")
	require.True(t, l.take(1, 2, &spec.Message{Type: spec.Heartbeat, Epoch: 4}))
	require.Equal(t, 999_999, l.underWay())
	for e := range spec.Epoch(100_000) {
		l.sends(e, spec.Election, spec.Claim)
	}
	q := &l.under[1][2]
	require.Less(t, cap(q.runs), 4*maxRuns)
	require.LessOrEqual(t, len(q.runs), 2*maxRuns)
	require.True(t, q.exceeded)
	require.False(t, l.take(1, 2, &spec.Message{Type: spec.Claim, Epoch: 0}), "the oldest are taken for lost")
	require.True(t, l.take(1, 2, &spec.Message{Type: spec.Claim, Epoch: 99_000}))

	// Traffic that arrives needs no more than what is under way at once.
	l = newLinks(3)
	for e := range spec.Epoch(100_000) {
		l.sends(e, spec.Election, spec.Claim, spec.Heartbeat)
		for _, kind := range []spec.MessageType{spec.Election, spec.Claim, spec.Heartbeat} {
			require.True(t, l.take(1, 2, &spec.Message{Type: kind, Epoch: e}))
		}
		l.sends(e, spec.Ack) // never arrives
	}
	require.LessOrEqual(t, cap(l.under[1][2].runs), 16)
}

// TestLinksOfConfigurations tells messages apart that differ in nothing but what they say of members.
func TestLinksOfConfigurations(t *testing.T) {
	l := newLinks(3)
	one, err := spec.NewConfiguration(4, 1, []spec.Member{{ID: spec.IntegerID(1), Kind: spec.Voter}})
	require.NoError(t, err)
	two := one.At(4, 2)
	for _, c := range []*spec.Configuration{&one, &one, &two, &one} {
		l.send(1, 2, &spec.Message{Type: spec.Heartbeat, Epoch: 4, Configuration: *c}, c)
	}
	require.Len(t, l.under[1][2].runs, 3)
	require.True(t, l.take(1, 2, &spec.Message{Type: spec.Heartbeat, Epoch: 4, Configuration: two}))
	require.Equal(t, uint64(2), l.lost)
	require.False(t, l.take(1, 2, &spec.Message{Type: spec.Heartbeat, Epoch: 4, Configuration: two}))
	require.True(t, l.lose(1, 2, &spec.Message{Type: spec.Heartbeat, Epoch: 4, Configuration: one}))
	require.Zero(t, l.underWay())
}
