package policy

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed-fdf591db/bully/spec"
)

// TestPeers: who is who for a node at a place.
func TestPeers(t *testing.T) {
	require.Equal(t, Set(1), One(0))
	require.Equal(t, Set(0b100), One(2))
	require.Zero(t, One(None))
	require.Zero(t, One(NonMember))
	require.Equal(t, Peers{Me: 1, Others: 0b1101, Electors: 0b0111, Higher: 0b0100, Stands: true}, NewPeers(1, 0b1111, 0b0111, 0b0111, nil))
	require.Equal(t, Peers{Me: 1, Others: 0b1101, Electors: 0b0111, Higher: 0b1101}, NewPeers(1, 0b1111, 0b0111, 0b1101, nil), "all who may lead")
	lower := func(i, j int) bool { return i < j }
	require.Equal(t, Set(0b0001), NewPeers(1, 0b1111, 0b0111, 0b0111, lower).Higher)
	require.Equal(t, Set(0b0111), NewPeers(3, 0b1111, 0b1111, 0b1111, lower).Higher, "the last of all ranks lowest")
	require.Zero(t, NewPeers(0, 0b0001, 0b0001, 0b0001, lower).Higher, "alone")
	p := NewPeers(1, 0b1111, 0b0111, 0b0111, nil)
	require.Equal(t, Set(0b0101), p.Asked())
}

// TestLinks: what is known of links and of deaths.
func TestLinks(t *testing.T) {
	p := waiting(LAN())
	of := func() [2]Set { return [2]Set{p.Peers().Up, p.Peers().Dead} }
	p.Connected(2, start)
	require.Equal(t, [2]Set{0b100, 0}, of())
	p.Proved(2)
	require.Equal(t, [2]Set{0, 0b100}, of())
	p.Heard(2)
	require.Equal(t, [2]Set{0, 0}, of())
	p.Proved(3)
	p.Connected(3, start)
	require.Equal(t, [2]Set{0b1000, 0}, of())
	p.Broken(3)
	require.Equal(t, [2]Set{0, 0}, of())
}

// TestElectionOver: when a candidate need not wait any longer for answers. It is node 1 of 0 to 3.
func TestElectionOver(t *testing.T) {
	for _, test := range []struct {
		role           spec.Role
		answered, dead Set
		backed, want   bool
	}{
		{spec.Candidate, 0b0000, 0b0000, false, false},
		{spec.Candidate, 0b1101, 0b0000, false, true},
		{spec.Candidate, 0b1100, 0b0001, false, true},
		{spec.Candidate, 0b1100, 0b0000, true, false},
		{spec.Candidate, 0b1100, 0b0000, false, false},
		{spec.Candidate, 0b0001, 0b1100, true, true},
		{spec.Candidate, 0b0000, 0b1100, true, true},
		{spec.Candidate, 0b0000, 0b1100, false, false},
		{spec.Candidate, 0b0001, 0b0100, true, false},
		{spec.Claimant, 0b1101, 0b0000, true, false},
		{spec.Follower, 0b0000, 0b1100, true, false},
	} {
		p := waiting(LAN())
		p.role, p.answered, p.peers.Dead = test.role, test.answered, test.dead
		require.Equal(t, test.want, p.ElectionOver(test.backed), "%+v", test)
	}
}

// rested returns the policy of a follower without a lease whose patience ends in an hour, and that of the first of all somewhat sooner.
func rested() Policy {
	p := waiting(LAN())
	p.role, p.rest = spec.Follower, start.Add(59*time.Minute)
	p.Due[PatienceTimer], p.Due[PreemptTimer] = start.Add(time.Hour), start.Add(time.Hour)
	return p
}

// TestDied: who is dead is not waited for.
func TestDied(t *testing.T) {
	lan, hour := LAN(), start.Add(time.Hour)
	for name, test := range map[string]struct {
		change func(p *Policy)
		want   Instant
	}{
		"one of those that are waited for":  {func(p *Policy) { p.peers.Dead = 0b1000 }, start.Add(59*time.Minute + lan.Stagger)},
		"and one is left":                   {func(p *Policy) { p.rest, p.peers.Dead = start, 0b1000 }, start.Add(lan.Stagger)},
		"nobody is left to be waited for":   {func(p *Policy) { p.rest, p.peers.Dead = start-1, 0b1100 }, start},
		"it is due before":                  {func(p *Policy) { p.Due[PatienceTimer] = start }, start},
		"a leader is heard":                 {func(p *Policy) { p.leader = 2 }, hour},
		"it has started for the first time": {func(p *Policy) { p.fresh = true }, hour},
		"it may not lead":                   {func(p *Policy) { p.peers.Stands = false }, hour},
		"it is electing, and waits on":      {func(p *Policy) { p.role = spec.Electing }, hour},
		"patience does not run":             {func(p *Policy) { p.Due[PatienceTimer] = Never }, Never},
	} {
		p := rested()
		test.change(&p)
		p.Died(start)
		require.Equal(t, test.want, p.Due[PatienceTimer], name)
	}
}

// TestConnected: what a new connection shortens, and whom it does not.
func TestConnected(t *testing.T) {
	lan, hour, stagger := LAN(), start.Add(time.Hour), 2*LAN().Stagger
	for name, test := range map[string]struct {
		change            func(p *Policy)
		patience, preempt Instant
		preempts          int // after it
	}{
		"nothing has been in vain":          {func(p *Policy) {}, hour, hour, 0},
		"at a first start, all are there":   {func(p *Policy) { p.fresh, p.peers.Up = true, 0b1001 }, start.Add(lan.heard() + stagger), hour, 0},
		"at a first start, not all":         {func(p *Policy) { p.fresh, p.peers.Up = true, 0b1000 }, hour, hour, 0},
		"at a first start, after attempts":  {func(p *Policy) { p.fresh, p.attempts = true, 3 }, hour, hour, 0},
		"all are there, at no first start":  {func(p *Policy) { p.peers.Up = 0b1001 }, hour, hour, 0},
		"at a first start, it waits less":   {func(p *Policy) { p.fresh, p.peers.Up, p.rest = true, 0b1001, start }, start.Add(stagger), hour, 0},
		"after an attempt":                  {func(p *Policy) { p.attempts = 1 }, start.Add(3*lan.Heartbeat + stagger - 1), hour, 0},
		"after two":                         {func(p *Policy) { p.attempts = 2 }, start.Add(5*lan.Heartbeat + stagger - 1), hour, 0},
		"after an attempt, it waits less":   {func(p *Policy) { p.attempts, p.rest = 1, start }, start.Add(stagger), hour, 0},
		"it follows":                        {func(p *Policy) { p.leader, p.attempts = 0, 3 }, hour, hour, 0},
		"it follows, and pre-empts in vain": {func(p *Policy) { p.leader, p.preempts = 0, 1 }, hour, start.Add(lan.Preempt), 0},
		"it may not lead":                   {func(p *Policy) { p.attempts, p.peers.Stands = 1, false }, hour, hour, 0},
		"it pre-empts, and may not lead":    {func(p *Policy) { p.leader, p.preempts, p.peers.Stands = 0, 1, false }, hour, hour, 1},
		"it is no follower":                 {func(p *Policy) { p.role, p.attempts = spec.Candidate, 1 }, hour, hour, 0},
		"patience does not run":             {func(p *Policy) { p.attempts, p.Due[PatienceTimer] = 1, Never }, Never, hour, 0},
	} {
		p := rested()
		test.change(&p)
		p.Connected(2, start)
		require.Equal(t, test.patience, p.Due[PatienceTimer], name)
		require.Equal(t, test.preempt, p.Due[PreemptTimer], name)
		require.Equal(t, test.preempts, p.preempts, name)
	}
}
