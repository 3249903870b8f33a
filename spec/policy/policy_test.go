package policy

import (
	"math/rand/v2"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed-fdf591db/bully/spec"
)

// of returns the policy of the node at a place among n voters.
func of(t Timing, me, n int) Policy {
	all := Set(1)<<n - 1
	return New(t, rand.New(rand.NewPCG(1, 2)), NewPeers(me, all, all, all, nil))
}

// TestTimers holds the places of timers to the order of spec, and each to be given once.
func TestTimers(t *testing.T) {
	require.Len(t, spec.Timers(), int(TimerCount))
	for timer, name := range map[Timer]spec.Timer{
		PatienceTimer: spec.PatienceTimer, ElectionTimer: spec.ElectionTimer, CoordinatorTimer: spec.CoordinatorTimer,
		ClaimTimer: spec.ClaimTimer, ReignTimer: spec.ReignTimer, HeartbeatTimer: spec.HeartbeatTimer, PreemptTimer: spec.PreemptTimer,
	} {
		require.Equal(t, name, timer.Name())
	}
	var given spec.TimerSet
	urgent, patient := Urgent(), Patient()
	for _, timer := range append(urgent[:], patient[:]...) {
		require.False(t, timer.in(given))
		given |= 1 << timer
	}
	require.Equal(t, spec.TimerSet(1<<TimerCount-1), given)
}

// TestHeldUp: a node that was held up gives what is on its way its time; what ends a reign or a claim is not put off.
func TestHeldUp(t *testing.T) {
	lan := LAN()
	p := of(lan, 0, 3)
	now := Instant(0).Add(time.Hour)
	require.Zero(t, p.HeldUp(now), "no timer runs")
	for timer := range p.Due {
		require.Equal(t, Never, p.Due[timer])
	}
	for timer := range p.Due {
		p.Due[timer] = now.Add(-lan.Delay)
	}
	require.Zero(t, p.HeldUp(now), "just within Delay")
	require.Equal(t, lan.Delay+1, p.HeldUp(now+1))
	require.Equal(t, now.Add(lan.Delay)+1, p.Due[ElectionTimer])
	require.Equal(t, now.Add(2*lan.Heartbeat)+1, p.Due[PatienceTimer])
	require.Equal(t, now.Add(2*lan.Heartbeat)+1, p.Due[CoordinatorTimer])
	for _, timer := range Urgent() {
		require.Equal(t, now.Add(-lan.Delay), p.Due[timer])
	}
	p.Due[ElectionTimer] = now.Add(time.Minute)
	require.NotZero(t, p.HeldUp(now+1))
	require.Equal(t, now.Add(time.Minute), p.Due[ElectionTimer], "what is later stays")
}

// TestSlept: time that the clock on the wall alone has counted ends what a node does as leader or claimant, and nothing that waits for others; these are then
// given their time, as by any host that was held up.
func TestSlept(t *testing.T) {
	lan := LAN()
	p := of(lan, 0, 3)
	before := Instant(0).Add(time.Hour)
	p.Slept(time.Hour)
	require.Equal(t, of(lan, 0, 3).Due, p.Due, "no timer runs")
	require.Equal(t, time.Hour, p.HeldUp(before))
	require.Zero(t, p.HeldUp(before), "that was said")
	for timer := range p.Due {
		p.Due[timer] = before.Add(time.Second)
	}
	p.rest = before
	now := before.Add(2 * time.Minute)
	p.Slept(time.Minute)
	p.Slept(time.Minute)
	for _, timer := range Urgent() {
		require.Equal(t, before.Add(time.Second), p.Due[timer])
	}
	for _, timer := range Patient() {
		require.Equal(t, now.Add(time.Second), p.Due[timer])
	}
	require.Equal(t, now, p.rest)
	require.Equal(t, 2*time.Minute, p.HeldUp(now))
	require.Equal(t, now.Add(time.Second), p.Due[PatienceTimer], "that is late enough")
	p.Due[PatienceTimer] = now
	p.Slept(time.Minute)
	require.Equal(t, 3*time.Minute-time.Second, p.HeldUp(now.Add(time.Minute)), "the urgent ones are later still")
	require.Equal(t, now.Add(time.Minute+2*lan.Heartbeat), p.Due[PatienceTimer])
}

// TestWhatEndsPreemptions: waits before pre-emption are short again for who has led, or followed a higher node.
func TestWhatEndsPreemptions(t *testing.T) {
	for _, test := range []struct {
		role   spec.Role
		leader int
		want   int
	}{
		{spec.Leader, 1, 0},
		{spec.Follower, 2, 0},
		{spec.Follower, 0, 3},
		{spec.Candidate, 0, 3},
	} {
		p := of(LAN(), 1, 3)
		p.role, p.preempts = spec.Claimant, 3
		p.Follow(&Step{From: None, Role: test.role, Leader: test.leader})
		require.Equal(t, test.want, p.preempts, test.role)
	}
}

// TestReconfigure: what is known of a node goes with it to its new place, and is forgotten of who is no member any more.
func TestReconfigure(t *testing.T) {
	p := of(LAN(), 1, 4)
	p.peers.Up, p.peers.Dead, p.answered, p.assented, p.freed, p.leader = 0b1000, 0b0101, 0b1001, 0b0101, 0b0111, 3
	moved := func(s Set) Set { return s >> 1 } // the lowest is gone
	p.Reconfigure(Peers{Me: 0, Others: 0b110, Up: 0b11}, moved)
	require.Equal(t, Peers{Me: 0, Others: 0b110, Up: 0b100, Dead: 0b010}, *p.Peers())
	require.Equal(t, []Set{0b100, 0b010, 0b011}, []Set{p.answered, p.assented, p.freed})
	require.Equal(t, 2, p.leader)
	p.leader = None
	p.Reconfigure(Peers{}, moved)
	require.Equal(t, None, p.leader)
	p.leader = 0
	p.Reconfigure(Peers{}, moved)
	require.Equal(t, NonMember, p.leader)
	p.Reconfigure(Peers{}, moved)
	require.Equal(t, NonMember, p.leader)
}

// TestWaits: what is said of the longest waits holds for what a policy does, whatever it has been through.
func TestWaits(t *testing.T) {
	for _, profile := range Profiles() {
		timing := profile.Timing
		for attempts := range 40 {
			p := of(timing, 0, 7)
			p.attempts, p.preempts = attempts, attempts
			for _, leader := range []int{None, 1} {
				p.Follow(&Step{From: None, Arm: 1<<CoordinatorTimer | 1<<PatienceTimer, Role: spec.Electing, Leader: leader})
				require.LessOrEqual(t, p.Due[CoordinatorTimer], Instant(0).Add(timing.LongestWait(7)))
				require.LessOrEqual(t, p.Due[PatienceTimer], Instant(0).Add(timing.LongestWait(7)))
			}
			p.role, p.leader = spec.Candidate, None
			p.Follow(&Step{From: None, Arm: 1 << PatienceTimer, Role: spec.Follower, Leader: None})
			require.LessOrEqual(t, p.Due[PatienceTimer], Instant(0).Add(timing.LongestWait(7)))
			require.LessOrEqual(t, p.preemption(0), Instant(0).Add(timing.LongestPreemption(attempts)))
			if attempts > 0 {
				require.LessOrEqual(t, timing.backoff(attempts), 2*timing.backoff(max(1, attempts-1)))
				require.LessOrEqual(t, timing.FirstBackoff(), timing.backoff(attempts))
			}
		}
		require.Equal(t, max(4*timing.Patience, timing.FirstBackoff()), timing.backoff(40))
	}
}

// TestWhoWasReleased: the node whose lease was released last is not waited for, until another is followed: it may have come back.
func TestWhoWasReleased(t *testing.T) {
	timing := LAN()
	for _, test := range []struct {
		name string
		then []Step
		want int // how many are let stand before
	}{
		{"its lease was the last", nil, 1},
		{"another has led", []Step{{From: 1, Role: spec.Follower, Leader: 1}, {From: None, Role: spec.Follower, Leader: None}}, 2},
		{"one that is no member has led", []Step{{From: NonMember, Role: spec.Follower, Leader: NonMember}, {From: None, Role: spec.Follower, Leader: None}}, 2},
	} {
		p := of(timing, 1, 4)
		p.Follow(&Step{From: 3, Role: spec.Follower, Leader: 3})
		p.Follow(&Step{From: 3, Role: spec.Follower, Leader: None})
		for _, s := range test.then {
			p.Follow(&s)
		}
		p.Follow(&Step{From: None, Role: spec.Electing, Leader: None, Arm: 1 << CoordinatorTimer})
		require.Equal(t, Instant(0).Add(timing.Coordinator+time.Duration(test.want)*timing.Stagger), p.Due[CoordinatorTimer], test.name)
	}
}
