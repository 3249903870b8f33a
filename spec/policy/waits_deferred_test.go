package policy

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed-fdf591db/bully/spec"
)

// election is an ELECTION of a node that keeps no lease.
var election = spec.Message{Type: spec.Election, From: spec.IntegerID(4)}

// TestDefers: what is deferred, and what is not.
func TestDefers(t *testing.T) {
	for name, test := range map[string]struct {
		change func(p *Policy, m *spec.Message)
		want   bool
	}{
		"a lease is kept of which the sender is free": {nil, true},
		"none is kept":                       {func(p *Policy, _ *spec.Message) { p.leader = None }, false},
		"that of a non-member":               {func(p *Policy, _ *spec.Message) { p.leader = NonMember }, false},
		"it leads itself":                    {func(p *Policy, _ *spec.Message) { p.leader = 1 }, false},
		"its holder is known to be dead":     {func(p *Policy, _ *spec.Message) { p.peers.Dead = 0b1000 }, false},
		"another is dead":                    {func(p *Policy, _ *spec.Message) { p.peers.Dead = 0b0100 }, true},
		"the sender keeps one too":           {func(_ *Policy, m *spec.Message) { m.Keeps = spec.IntegerID(1) }, false},
		"the leader is about to be given up": {func(p *Policy, _ *spec.Message) { p.Due[PatienceTimer] = start.Add(LAN().Delay) }, false},
		"it has been heard since":            {func(p *Policy, _ *spec.Message) { p.Due[PatienceTimer] = start.Add(LAN().Delay + 1) }, true},
		"who was granted is given up":        {func(p *Policy, _ *spec.Message) { p.Due[CoordinatorTimer] = start.Add(LAN().Delay) }, false},
		"a CLAIM":                            {func(_ *Policy, m *spec.Message) { m.Type = spec.Claim }, false},
		"one is deferred already": {func(p *Policy, _ *spec.Message) {
			p.Defers(&spec.Message{Type: spec.Election, From: spec.IntegerID(2)}, start)
		}, false},
	} {
		p, m := waiting(LAN()), election
		p.role, p.leader = spec.Follower, 3
		if test.change != nil {
			test.change(&p, &m)
		}
		require.Equal(t, test.want, p.Defers(&m, start), name)
	}
}

// TestDeferred: until when.
func TestDeferred(t *testing.T) {
	nobody, after := spec.NodeID{}, start.Add(LAN().Defer)
	for name, test := range map[string]struct {
		change func(p *Policy)
		from   spec.NodeID
		at     Instant
		want   bool
	}{
		"nothing has happened":               {nil, nobody, after - 1, false},
		"something comes from another":       {nil, spec.IntegerID(3), start, false},
		"it has waited long enough":          {nil, nobody, after, true},
		"something else comes of its sender": {nil, election.From, start, true},
		"the holder is proved dead":          {func(p *Policy) { p.Proved(3) }, nobody, start, true},
		"the lease is released":              {func(p *Policy) { p.leader = None }, nobody, start, true},
	} {
		p := waiting(LAN())
		p.role, p.leader = spec.Follower, 3
		require.Equal(t, Never, p.DeferredUntil(), name)
		require.True(t, p.Defers(&election, start), name)
		require.Equal(t, after, p.DeferredUntil(), name)
		if test.change != nil {
			test.change(&p)
		}
		m, ok := p.Deferred(test.from, test.at)
		require.Equal(t, test.want, ok, name)
		if !ok {
			continue
		}
		require.Equal(t, election, m, name)
		require.Equal(t, Never, p.DeferredUntil(), name)
		_, again := p.Deferred(test.from, test.at.Add(time.Hour))
		require.False(t, again, name)
	}
}
