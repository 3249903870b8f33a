package host

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed-fdf591db/bully/impl/transport"
	"github.com/seed-fdf591db/bully/spec"
)

// TestFloodHoldsUpNoTimer: a peer that always has more to say does not keep the timers of a node from ending, though those that wait for messages come after them (decision 0058).
func TestFloodHoldsUpNoTimer(t *testing.T) {
	play(t, 1, 3, false, func(t *testing.T, p *fakeHost) {
		flood := make([]transport.Event, 100_000)
		for i := range flood {
			m := p.says(spec.Ack, 2, 1)
			m.Question = 1 // nobody has asked that
			flood[i] = transport.Event{Kind: transport.Received, Node: m.From, Message: m}
		}
		const each = 20 * time.Microsecond
		p.links.waits(each)
		p.links.give(flood...)
		took := p.until(spec.Election, time.Minute)
		require.Less(t, took, time.Second, "patience has ended, and the flood lasts for %v", time.Duration(len(flood))*each)
	})
}
