package policy

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed-fdf591db/bully/spec"
)

// longest is a Random whose every wait is as long as it can be, but for the nanosecond that is below.
type longest struct{}

func (longest) Int64N(n int64) int64 { return n - 1 }

// start is when the tests of waits begin: far from 0.
const start = Instant(time.Hour)

// waiting returns the policy of node 1 of four voters, 0 to 3, with random waits that are as long as they can be.
func waiting(t Timing) Policy { return New(t, longest{}, NewPeers(1, 0b1111, 0b1111, 0b1111, nil)) }

// unleased returns a step after which the node is a follower that keeps no lease, with patience armed.
func unleased(action spec.Action) *Step {
	return &Step{Began: start, Now: start, Action: action, From: None, Arm: 1 << PatienceTimer, Role: spec.Follower, Leader: None}
}

// TestRests: how long a follower waits that keeps no lease, by how it has come to be one.
func TestRests(t *testing.T) {
	lan := LAN()
	first := lan.FirstBackoff() - 1 // after one attempt in vain
	released := func(s *Step) { s.Action, s.From = spec.OnResign, 0 }
	for name, test := range map[string]struct {
		before func(p *Policy)
		step   func(s *Step)
		rest   time.Duration // until the first of all nodes should stand
		behind int           // for how many higher nodes this one waits
	}{
		"a leader is released":                          {func(p *Policy) { p.role, p.leader = spec.Follower, 0 }, released, 0, 2},
		"and is the one that was to stand":              {func(p *Policy) { p.role, p.leader = spec.Follower, 3 }, released, 0, 1},
		"a leader names who is to stand first":          {func(p *Policy) { p.role, p.leader = spec.Follower, 0 }, func(s *Step) { released(s); s.Names = true }, lan.Patience, 2},
		"or is dead":                                    {func(p *Policy) { p.leader, p.peers.Dead = 3, 0b0100 }, released, 0, 0},
		"whoever restarts is released from nobody":      {func(p *Policy) { p.leader = 3 }, func(s *Step) { s.Action = spec.RestartAction }, lan.Patience, 1},
		"who may not lead waits for those who may":      {func(p *Policy) { p.leader, p.peers.Stands = 3, false }, released, lan.Patience, 1},
		"its own lease is none of another":              {func(p *Policy) { p.role, p.leader = spec.Leader, 1 }, func(s *Step) { s.Action = spec.ReignTimeout }, lan.Patience, 2},
		"resigned: the others come first":               {func(p *Policy) { p.role, p.leader = spec.Leader, 1 }, func(s *Step) { s.Action = spec.ResignAction }, lan.Patience, 2},
		"resigned as a candidate":                       {func(p *Policy) { p.role = spec.Candidate }, func(s *Step) { s.Action = spec.ResignAction }, lan.Patience, 2},
		"a first start, nobody connected":               {nil, func(s *Step) { s.Action = spec.StartAction }, 2 * lan.Patience, 2},
		"a first start, some connected":                 {func(p *Policy) { p.peers.Up = 0b0101 }, func(s *Step) { s.Action = spec.StartAction }, 2 * lan.Patience, 2},
		"a first start, all connected":                  {func(p *Policy) { p.peers.Up = 0b1101 }, func(s *Step) { s.Action = spec.StartAction }, lan.heard(), 2},
		"a first start alone":                           {func(p *Policy) { p.peers = NewPeers(1, 0b10, 0b10, 0b10, nil) }, func(s *Step) { s.Action = spec.StartAction }, 0, 0},
		"a candidate gives up":                          {func(p *Policy) { p.role, p.attempts = spec.Candidate, 1 }, nil, first, 2},
		"a candidate gives up again":                    {func(p *Policy) { p.role, p.attempts = spec.Candidate, 2 }, nil, 2*lan.FirstBackoff() - 1, 2},
		"a claimant gives up that was no candidate yet": {func(p *Policy) { p.role = spec.Claimant }, nil, first, 2},
		"an electing node gives up":                     {func(p *Policy) { p.role = spec.Electing }, nil, lan.Patience, 2},
	} {
		p, s := waiting(lan), unleased(spec.CoordinatorTimeout)
		if test.before != nil {
			test.before(&p)
		}
		if test.step != nil {
			test.step(s)
		}
		p.Follow(s)
		require.Equal(t, start.Add(test.rest+time.Duration(test.behind)*lan.Stagger), p.Due[PatienceTimer], name)
		require.Equal(t, start.Add(test.rest), p.rest, name)
	}
}

// TestRestsOnce: a follower that goes on without a lease waits no longer for what else happens, and one whose patience does not run
// waits for nothing.
func TestRestsOnce(t *testing.T) {
	p := waiting(LAN())
	p.Follow(unleased(spec.CoordinatorTimeout))
	due := p.Due[PatienceTimer]
	p.Follow(&Step{Began: start + 9, Now: start + 9, Action: spec.OnElection, From: 0, Role: spec.Follower, Leader: None})
	require.Equal(t, due, p.Due[PatienceTimer])

	p.leader = 3
	p.Follow(&Step{Began: start, Now: start, Action: spec.OnResign, From: 3, Cancel: 1 << PatienceTimer, Role: spec.Follower, Leader: None})
	require.Equal(t, Never, p.Due[PatienceTimer], "it is no member")
}

// TestFreshAndFreed: what a first start and a released leader are, is over as soon as the node follows, stands or leads.
func TestFreshAndFreed(t *testing.T) {
	for name, test := range map[string]struct {
		step         Step
		fresh, freed bool
	}{
		"follows":             {Step{Role: spec.Follower, Leader: 3}, false, false},
		"waits without":       {Step{Role: spec.Follower, Leader: None}, true, true},
		"stands":              {Step{Role: spec.Candidate, Leader: None, Arm: 1 << ElectionTimer}, false, true},
		"hears of an attempt": {Step{Role: spec.Electing, Leader: None, Arm: 1 << CoordinatorTimer}, false, true},
		"leads":               {Step{Role: spec.Leader, Leader: 1}, false, true},
	} {
		p := waiting(LAN())
		p.role, p.fresh, p.freed = spec.Follower, true, 0b1000
		test.step.From, test.step.Now = None, start
		p.Follow(&test.step)
		require.Equal(t, test.fresh, p.fresh, name)
		require.Equal(t, test.freed, p.freed != 0, name)
	}
	p := waiting(LAN())
	p.role, p.leader = spec.Follower, 3
	p.Follow(&Step{Now: start, Action: spec.OnHeartbeat, From: 3, Role: spec.Follower, Leader: 3})
	require.Zero(t, p.freed, "it is followed still")
	p.Follow(&Step{Now: start, Action: spec.OnGrant, From: 3, Role: spec.Claimant, Leader: None})
	require.Equal(t, Set(0b1000), p.freed)
	p.leader = NonMember
	p.Follow(&Step{Now: start, Role: spec.Claimant, Leader: None})
	require.Equal(t, Set(0b1000), p.freed, "who is no member is not waited for anyway")
}

// TestAttempts counts candidacies, and who has answered the last.
func TestAttempts(t *testing.T) {
	p := waiting(LAN())
	stands := Step{Now: start, Action: spec.PatienceTimeout, From: None, Arm: 1 << ElectionTimer, Role: spec.Candidate, Leader: None}
	answer := func(action spec.Action, from int) *Step {
		return &Step{Now: start, Action: action, From: from, Role: spec.Candidate, Leader: None}
	}
	p.Follow(&stands)
	require.Equal(t, 1, p.attempts)
	for from, action := range map[int]spec.Action{0: spec.OnOk, 2: spec.OnAssent, 3: spec.OnRefuse} {
		p.Follow(answer(action, from))
		require.True(t, p.answered.Has(from), action)
	}
	p.Follow(answer(spec.OnElection, 1))
	require.Equal(t, Set(0b1101), p.answered, "an ELECTION answers nothing")
	require.Equal(t, 1, p.attempts)
	p.Follow(&stands)
	require.Equal(t, 2, p.attempts, "it stands anew")
	require.Zero(t, p.answered)

	p.role = spec.Electing
	stands.Arm = 0 // of a step that ends a candidacy in the same moment
	p.Follow(&stands)
	require.Equal(t, 3, p.attempts)
	p.Follow(&Step{Now: start, Role: spec.Follower, Leader: None, From: None, Action: spec.CoordinatorTimeout})
	require.Equal(t, 3, p.attempts, "nobody leads yet")
	p.Follow(&Step{Now: start, Role: spec.Follower, Leader: 3, From: 3, Action: spec.OnCoordinator})
	require.Zero(t, p.attempts)
}

// TestCancel: a step stops the timers that it names, and no others.
func TestCancel(t *testing.T) {
	p := waiting(LAN())
	for timer := range p.Due {
		p.Due[timer] = start
	}
	p.Follow(&Step{Now: start, From: None, Role: spec.Leader, Leader: 1, Cancel: 1<<ElectionTimer | 1<<PreemptTimer})
	for timer := range TimerCount {
		require.Equal(t, timer == ElectionTimer || timer == PreemptTimer, p.Due[timer] == Never, timer.Name())
	}
	p.Ended(PatienceTimer)
	require.Equal(t, Never, p.Due[PatienceTimer])
}
