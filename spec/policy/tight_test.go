package policy

import (
	"math"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed-fdf591db/bully/spec"
)

// A run is how nodes with a timing do in the worst case that a bound is for: it reports whether all is well. Delays are as long as
// they can be, ends of timers as late, and each timer runs by the clock that is worst there.
type run func(t *Timing) bool

// slowly and quickly return how long a timer takes that is due after so long, by the slowest and by the fastest clock.
func slowly(t *Timing, due Instant) float64  { return float64(due) / float64(1-t.Drift) }
func quickly(t *Timing, due Instant) float64 { return float64(due) / float64(1+t.Drift) }

// claims returns the policy of a node that has claimed at instant 0, as its question 7, and then won.
func claims(t *Timing, won Instant) Policy {
	p := of(*t, 2, 3)
	p.Follow(&Step{Action: spec.ElectionTimeout, From: None, Arm: 1 << ClaimTimer, Role: spec.Claimant, Leader: None, Latest: 7})
	if won >= 0 {
		p.Follow(&Step{Began: won, Now: won, Action: spec.OnGrant, From: 1, Cancel: 1 << ClaimTimer, Arm: 1<<ReignTimer | 1<<HeartbeatTimer,
			Role: spec.Leader, Leader: 2, Latest: 7, Dated: 7})
	}
	return p
}

// waits returns when a timer ends of a node that has come to a role at instant 0, with the lease of another or its own.
func waits(t *Timing, timer Timer, role spec.Role, leader int, action spec.Action) Instant {
	p := of(*t, 1, 3)
	p.peers.Higher = 0b1000 // somebody else is the next to stand, who waits a little longer
	p.Follow(&Step{Action: action, From: leader, Arm: 1 << timer, Role: role, Leader: leader})
	return p.Due[timer]
}

// outlasts reports whether patience that begins as soon as a question is asked ends no sooner than the reign that it dates.
func outlasts(t *Timing, patience Instant) bool {
	leads := claims(t, 0)
	return quickly(t, patience) >= slowly(t, leads.Due[ReignTimer])-1 // a nanosecond for rounding
}

// answeredInTime reports whether a leader that has won then has its next question answered before its reign ends. Its heartbeat is by the
// slowest clock and its reign by the fastest.
func answeredInTime(t *Timing, won time.Duration) bool {
	delay, p := float64(t.Delay), claims(t, Instant(won))
	asks := float64(won)
	if p.Due[HeartbeatTimer] > Instant(won) {
		asks = slowly(t, p.Due[HeartbeatTimer])
	}
	return asks+3*delay < quickly(t, p.Due[ReignTimer])
}

// worst are the runs, by the letter of their bounds.
var worst = map[string][]run{
	"R37 a": {func(t *Timing) bool {
		return quickly(t, waits(t, ElectionTimer, spec.Candidate, None, spec.PatienceTimeout)) > 2*float64(t.Delay)
	}},
	"R37 b": {func(t *Timing) bool {
		p := claims(t, -1)
		return quickly(t, p.Due[ClaimTimer]) > 4*float64(t.Delay)
	}},
	"R37 c": {
		func(t *Timing) bool { return answeredInTime(t, 0) },
		func(t *Timing) bool { return answeredInTime(t, 4*t.Delay) }, // by way of a hand-over
	},
	"R37 d": {func(t *Timing) bool {
		return outlasts(t, waits(t, PatienceTimer, spec.Follower, 2, spec.OnHeartbeat))
	}},
	"R37 e": {func(t *Timing) bool {
		delay, p := float64(t.Delay), claims(t, -1)
		higher := slowly(t, waits(t, ElectionTimer, spec.Candidate, None, spec.OnElection)) + delay + slowly(t, p.Due[ClaimTimer]) + delay
		return quickly(t, waits(t, CoordinatorTimer, spec.Electing, 2, spec.OnOk)) > higher+delay
	}},
	"R37 g": {
		func(t *Timing) bool { return outlasts(t, waits(t, CoordinatorTimer, spec.Electing, 2, spec.OnClaim)) },
		func(t *Timing) bool {
			return outlasts(t, waits(t, CoordinatorTimer, spec.Electing, 1, spec.RestartAction))
		},
	},
	"R37 h": {func(t *Timing) bool {
		return waits(t, CoordinatorTimer, spec.Electing, 2, spec.OnOk) >= 2*waits(t, ElectionTimer, spec.Candidate, None, spec.OnElection)
	}},
	"R37 i": {func(t *Timing) bool {
		p := claims(t, -1)
		lost := claims(t, p.Due[ClaimTimer])
		return lost.Due[ReignTimer] >= p.Due[ClaimTimer] // who wins last leads no longer than a moment
	}},
}

// TestBoundsAreTight: at its bound a timer does what it is to do in the worst case, and at 1 % less it does not.
func TestBoundsAreTight(t *testing.T) {
	small, large := LAN(), LAN()
	small.Heartbeat = 30 * ms
	large.Drift, large.Election, large.Claim, large.Reign, large.Patience, large.Coordinator = 0.1, 30*ms, 60*ms, 200*ms, 250*ms, 250*ms
	for _, base := range []Timing{small, large, TimingFor(7 * ms)} {
		for i, b := range base.bounds() {
			timing := roomy(base, b.rule)
			require.NoError(t, timing.Validate(), b.rule)
			b = timing.bounds()[i]
			set(&timing, b.field, time.Duration(math.Ceil(b.needed))+1)
			require.NoError(t, timing.Validate(), b.rule)
			require.True(t, allWell(&timing, b.rule), "%s at the bound: %+v", b.rule, timing)
			set(&timing, b.field, time.Duration(b.needed*0.99))
			require.ErrorContains(t, timing.Validate(), "("+b.rule+")")
			require.False(t, allWell(&timing, b.rule), "%s at 1%% less: %+v", b.rule, timing)
		}
	}
}

func allWell(t *Timing, rule string) bool {
	return !slices.ContainsFunc(worst[rule], func(r run) bool { return !r(t) })
}

// roomy returns a timing in which no bound is near but the one of a rule.
func roomy(t Timing, rule string) Timing {
	switch rule {
	case "R37 a":
		t.Coordinator *= 4
	case "R37 b":
		t.Coordinator *= 4
	case "R37 c", "R37 d":
		t.Patience, t.Coordinator = 9*t.Patience, 9*t.Coordinator
	case "R37 e":
		t.Claim, t.Coordinator = t.Reign, 9*t.Coordinator
	case "R37 g":
		t.Reign, t.Patience, t.Coordinator = 4*t.Reign, 9*t.Patience, 9*t.Coordinator
	case "R37 h":
		t.Election, t.Coordinator = 40*t.Election, 90*t.Coordinator
	case "R37 i":
		t.Claim, t.Reign, t.Patience, t.Coordinator = 9*t.Claim, 9*t.Reign, 90*t.Patience, 90*t.Coordinator
	}
	return t
}

func set(t *Timing, field string, value time.Duration) {
	switch field {
	case "Election":
		t.Election = value
	case "Claim":
		t.Claim = value
	case "Reign":
		t.Reign = value
	case "Patience":
		t.Patience = value
	case "Coordinator":
		t.Coordinator = value
	}
}
