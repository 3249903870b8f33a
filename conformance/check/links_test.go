package check

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed-fdf591db/bully/model"
	"github.com/seed-fdf591db/bully/spec"
)

// sends sends messages of these types from 1 to 2.
func (l *links) sends(e spec.Epoch, kinds ...model.MessageType) {
	for _, kind := range kinds {
		l.send(&model.Message{Type: kind, From: 1, To: 2, Epoch: e})
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
	var l links
	l.sends(4, model.Heartbeat, model.Election, model.Heartbeat, model.Heartbeat, model.OK)
	require.False(t, l.take(1, 2, model.Ack, 4), "never sent")
	require.False(t, l.take(1, 2, model.OK, 5), "never sent in that epoch")
	require.False(t, l.take(2, 1, model.OK, 4), "sent the other way")
	require.Equal(t, 5, l.underWay(), "what is not there takes nothing with it")
	require.True(t, l.take(1, 2, model.Election, 4))
	require.Equal(t, uint64(1), l.lost, "the first HEARTBEAT")
	require.False(t, l.take(1, 2, model.Election, 4), "received before")
	require.True(t, l.lose(1, 2, model.OK, 4))
	require.False(t, l.take(1, 2, model.OK, 4), "lost")
	require.True(t, l.take(1, 2, model.Heartbeat, 4), "what lay before a loss was not lost with it")
	require.True(t, l.take(1, 2, model.Heartbeat, 4))
	require.False(t, l.take(1, 2, model.Heartbeat, 4))
	require.False(t, l.lose(1, 2, model.Heartbeat, 4))
	require.Equal(t, uint64(1), l.lost)

	l.sends(4, model.OK)
	l.clear(2)
	require.False(t, l.take(1, 2, model.OK, 4), "the receiver has crashed")
	l.sends(4, model.OK)
	cut := [model.MaxNodes + 1]model.Set{1: model.SetOf(2)}
	require.True(t, l.change(&cut))
	require.False(t, l.take(1, 2, model.OK, 4), "the link was cut")
	l.sends(4, model.OK)
	require.Zero(t, l.underWay(), "over a cut link")
	require.False(t, l.change(&cut), "no change")
	require.True(t, l.change(new([model.MaxNodes + 1]model.Set)))
	require.Zero(t, l.underWay(), "what was lost does not come back")
}

// TestLinksMemory sends for ever over a link that has been silent from the beginning.
func TestLinksMemory(t *testing.T) {
	var l links
	for range 1_000_000 {
		l.sends(4, model.Heartbeat)
	}
	require.Len(t, l.under[1][2].runs, 1, "the same message over and over")
	require.True(t, l.take(1, 2, model.Heartbeat, 4))
	require.Equal(t, 999_999, l.underWay())
	for e := range spec.Epoch(100_000) {
		l.sends(e, model.Election, model.Claim)
	}
	q := &l.under[1][2]
	require.Less(t, cap(q.runs), 4*maxRuns)
	require.LessOrEqual(t, len(q.runs), 2*maxRuns)
	require.True(t, q.exceeded)
	require.False(t, l.take(1, 2, model.Claim, 0), "the oldest are taken for lost")
	require.True(t, l.take(1, 2, model.Claim, 99_000))

	// Traffic that arrives needs no more than what is under way at once.
	l = links{}
	for e := range spec.Epoch(100_000) {
		l.sends(e, model.Election, model.Claim, model.Heartbeat)
		for _, kind := range []model.MessageType{model.Election, model.Claim, model.Heartbeat} {
			require.True(t, l.take(1, 2, kind, e))
		}
		l.sends(e, model.Ack) // never arrives
	}
	require.LessOrEqual(t, cap(l.under[1][2].runs), 16)
}

// TestLeadersMemory lets epochs be led for ever, while one member stays behind, and while none does.
func TestLeadersMemory(t *testing.T) {
	for _, lowest := range []spec.Epoch{0, 1 << 40} {
		l := leaders{of: map[spec.Epoch]model.ID{}}
		for e := range spec.Epoch(3 * maxReigns) {
			i := model.ID(1 + e%3)
			l.lead(i, e)
			same, other := l.other(i, e), l.other(4, e)
			l.forget(lowest)
			if same != model.None || other != i || len(l.of) > maxReigns {
				t.Fatalf("epoch %d: %d, %d; %d are remembered", e, same, other, len(l.of))
			}
		}
		require.Equal(t, uint64(3*maxReigns), l.reigns)
	}
}
