package policy

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/seed-fdf591db/bully/spec"
)

// TestReignRunsFromItsQuestion: the reign timer runs from before the step that asked what dates the reign, however late the answer
// comes, and a question that was asked later does not lengthen it until it dates it.
func TestReignRunsFromItsQuestion(t *testing.T) {
	lan := LAN()
	p := claims(&lan, Instant(30*ms))
	require.Equal(t, Instant(lan.Reign), p.Due[ReignTimer], "from the CLAIM, not from the win")
	require.Equal(t, Instant(lan.Heartbeat), p.Due[HeartbeatTimer], "the CLAIM was the first question")
	heartbeat := func(began, now time.Duration, latest spec.Question) {
		p.Follow(&Step{Began: Instant(began), Now: Instant(now), Action: spec.HeartbeatTimeout, From: None, Arm: 1 << HeartbeatTimer, Role: spec.Leader,
			Leader: 2, Latest: latest, Dated: 7})
	}
	heartbeat(100*ms, 103*ms, 8)
	require.Equal(t, Instant(lan.Reign), p.Due[ReignTimer])
	require.Equal(t, Instant(200*ms), p.Due[HeartbeatTimer])
	heartbeat(130*ms, 133*ms, 9)
	p.Follow(&Step{Began: Instant(150 * ms), Now: Instant(150 * ms), Action: spec.OnAck, From: 1, Arm: 1 << ReignTimer, Role: spec.Leader, Leader: 2,
		Latest: 9, Dated: 8})
	require.Equal(t, Instant(100*ms+lan.Reign), p.Due[ReignTimer], "from when 8 was asked, not from its answer")
	p.Follow(&Step{Began: Instant(151 * ms), Now: Instant(151 * ms), Action: spec.OnAck, From: 0, Arm: 1 << ReignTimer, Role: spec.Leader, Leader: 2,
		Latest: 9, Dated: 9})
	require.Equal(t, Instant(130*ms+lan.Reign), p.Due[ReignTimer])
	require.Equal(t, 1, p.asked.count, "what is older is forgotten")
}

// TestClaimRunsFromItsQuestion: a claim that is given up leaves nothing behind, and one that is repeated begins no later for that.
func TestClaimRunsFromItsQuestion(t *testing.T) {
	lan := LAN()
	p := claims(&lan, -1)
	require.Equal(t, Instant(lan.Claim), p.Due[ClaimTimer])
	p.Follow(&Step{Began: Instant(9 * ms), Now: Instant(9 * ms), Action: spec.OnResign, From: 1, Role: spec.Claimant, Leader: None, Latest: 7})
	require.Equal(t, Instant(lan.Claim), p.Due[ClaimTimer])
	require.Equal(t, Instant(0), p.asked.at(7, Never))
	p.Follow(&Step{Began: Instant(20 * ms), Now: Instant(23 * ms), Action: spec.OnResign, From: 1, Role: spec.Claimant, Leader: None, Latest: 8,
		Cancel: 1 << ClaimTimer, Arm: 1 << ClaimTimer})
	require.Equal(t, Never, p.asked.at(7, Never), "it is spent")
	require.Equal(t, Instant(20*ms), p.asked.at(8, Never))
	require.Equal(t, Instant(20*ms+lan.Claim), p.Due[ClaimTimer])
	p.Follow(&Step{Began: Instant(25 * ms), Now: Instant(25 * ms), Action: spec.ClaimTimeout, From: None, Role: spec.Follower, Leader: None, Latest: 8})
	require.Zero(t, p.asked.count)
}

// TestUnknownQuestion: a reign of which nobody knows when its question was asked has no time left.
func TestUnknownQuestion(t *testing.T) {
	p := of(LAN(), 2, 3)
	p.Follow(&Step{Began: Instant(time.Second), Now: Instant(time.Second), Arm: 1 << ReignTimer, Role: spec.Leader, Leader: 2, Latest: 7, Dated: 6})
	require.Equal(t, Instant(time.Second), p.Due[ReignTimer])
}

// TestAskedForgetsEveryOther: of more questions than there is room for, it is known to one of them when each was asked.
func TestAskedForgetsEveryOther(t *testing.T) {
	var a asked
	for q := range spec.Question(maxAsked + 1) {
		a.note(q, Instant(q))
	}
	a.note(maxAsked, Never)
	require.Equal(t, maxAsked/2+1, a.count)
	for q := range spec.Question(maxAsked) {
		require.Equal(t, Instant(q&^1), a.at(q, Never))
	}
	require.Equal(t, Instant(maxAsked), a.at(maxAsked, Never), "what is asked twice was asked the first time")
}

// TestAskedIsNeverLate: whatever is asked and dated, what is remembered of a question that counts is no later than it was, is exact as
// long as there are few, and takes no more room for more.
func TestAskedIsNeverLate(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var a asked
		truth := map[spec.Question]Instant{}
		latest, dated, now := spec.Question(7), spec.Question(7), Instant(0)
		a.note(latest, now)
		truth[latest] = now
		few := true
		for range rapid.IntRange(1, 80).Draw(t, "steps") {
			now += Instant(rapid.IntRange(0, 5).Draw(t, "later"))
			for range rapid.IntRange(0, 2).Draw(t, "asks") {
				latest++
				truth[latest] = now
			}
			a.note(latest, now)
			few = few && latest-dated < maxAsked
			if rapid.IntRange(0, 5).Draw(t, "answered") == 0 {
				dated = spec.Question(rapid.Uint64Range(uint64(dated), uint64(latest)).Draw(t, "dated"))
				a.forget(dated)
			}
			for q := dated; q <= latest; q++ {
				require.LessOrEqual(t, a.at(q, Never), truth[q])
			}
			require.NotEqual(t, Never, a.at(dated, Never))
			if few {
				require.Equal(t, truth[latest], a.at(latest, Never))
			}
		}
	})
}
