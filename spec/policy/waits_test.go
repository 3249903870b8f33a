package policy

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed-fdf591db/bully/spec"
)

// TestAssentsAgain: each node that an electing node assents to gives it all of its wait, once (R36.5).
func TestAssentsAgain(t *testing.T) {
	lan := LAN()
	coordinator := lan.Coordinator + 2*lan.Stagger
	p := waiting(lan)
	p.Follow(&Step{Now: start, Action: spec.OnOk, From: 3, Arm: 1 << CoordinatorTimer, Role: spec.Electing, Leader: None})
	require.Equal(t, start.Add(coordinator), p.Due[CoordinatorTimer])
	assent := func(now Instant, from int) {
		p.Follow(&Step{Now: now, Action: spec.OnElection, From: from, Sent: []spec.Message{{Type: spec.Assent}}, Role: spec.Electing, Leader: None})
	}
	assent(start+1, 2)
	require.Equal(t, start.Add(coordinator)+1, p.Due[CoordinatorTimer])
	assent(start+2, 2)
	require.Equal(t, start.Add(coordinator)+1, p.Due[CoordinatorTimer], "it has had its time")
	p.Follow(&Step{Now: start + 3, Action: spec.OnElection, From: 3, Sent: []spec.Message{{Type: spec.Refuse}}, Role: spec.Electing, Leader: None})
	require.Equal(t, start.Add(coordinator)+1, p.Due[CoordinatorTimer], "a REFUSE gives nobody time")
	assent(start+4, 3)
	require.Equal(t, start.Add(coordinator)+4, p.Due[CoordinatorTimer])

	// Who has it in hand already when it becomes an electing node has had its time by that.
	p = waiting(lan)
	p.Follow(&Step{Now: start, Action: spec.OnElection, From: 2, Sent: []spec.Message{{Type: spec.Assent}}, Arm: 1 << CoordinatorTimer,
		Role: spec.Electing, Leader: None})
	assent(start+1, 2)
	require.Equal(t, start.Add(coordinator), p.Due[CoordinatorTimer])
	p.Follow(&Step{Now: start + 2, Action: spec.OnGrant, From: 2, Arm: 1 << CoordinatorTimer, Role: spec.Electing, Leader: None})
	assent(start+3, 2)
	require.Equal(t, start.Add(coordinator)+2, p.Due[CoordinatorTimer], "a wait that begins anew forgets nobody")
	p.Follow(&Step{Now: start, Role: spec.Candidate, From: None, Leader: None, Sent: []spec.Message{{Type: spec.Assent}}})
	require.Equal(t, start.Add(coordinator)+2, p.Due[CoordinatorTimer], "only an electing node waits")
	p.Follow(&Step{Now: start, Action: spec.OnOk, From: 3, Arm: 1 << CoordinatorTimer, Role: spec.Electing, Leader: None})
	require.Zero(t, p.assented, "another wait")
}

// TestCoordinator: for whom and for how long an electing node waits.
func TestCoordinator(t *testing.T) {
	lan := LAN()
	for name, test := range map[string]struct {
		change func(p *Policy)
		leader int
		more   time.Duration // than T_coord
	}{
		"with the lease of the next":         {nil, 3, 0},
		"with a lease, the next itself":      {func(p *Policy) { p.peers.Higher = 0b1000 }, 3, lan.Delay / 2},
		"or the only one left":               {func(p *Policy) { p.peers.Dead = 0b1100 }, 0, lan.Delay / 2},
		"with a lease, once in vain":         {func(p *Policy) { p.attempts = 1 }, 3, 0},
		"with a lease, twice in vain":        {func(p *Policy) { p.attempts = 2 }, 3, 2*lan.FirstBackoff() - 1},
		"with the lease of a non-member":     {nil, NonMember, 0},
		"with no lease":                      {nil, None, 2 * lan.Stagger},
		"with no lease, two higher are dead": {func(p *Policy) { p.peers.Dead = 0b1100 }, None, 0},
		"with no lease, the highest freed":   {func(p *Policy) { p.freed = 0b1000 }, None, lan.Stagger},
		"with no lease, once in vain":        {func(p *Policy) { p.attempts = 1 }, None, 2*lan.Stagger + lan.FirstBackoff() - 1},
	} {
		p := waiting(lan)
		if test.change != nil {
			test.change(&p)
		}
		p.Follow(&Step{Now: start, Action: spec.OnOk, From: 0, Arm: 1 << CoordinatorTimer, Role: spec.Electing, Leader: test.leader})
		require.Equal(t, start.Add(lan.Coordinator+test.more), p.Due[CoordinatorTimer], name)
	}
}

// TestPatience: that of a detector counts where it is longer.
func TestPatience(t *testing.T) {
	lan := LAN()
	for detected, want := range map[time.Duration]time.Duration{0: lan.Patience, lan.Patience - 1: lan.Patience, lan.Patience + 1: lan.Patience + 1} {
		p := waiting(lan)
		p.Follow(&Step{Now: start, Action: spec.OnHeartbeat, From: 3, Arm: 1 << PatienceTimer, Role: spec.Follower, Leader: 3, Patience: detected})
		require.Equal(t, start.Add(want), p.Due[PatienceTimer])
	}
}

// TestPreemption: a follower of a lower node stands ever later when that was in vain.
func TestPreemption(t *testing.T) {
	wait := func(preempt time.Duration, inVain int) Instant {
		lan := LAN()
		lan.Preempt = preempt
		p := waiting(lan)
		p.role, p.leader = spec.Follower, 0
		for range inVain {
			p.Follow(&Step{Now: start, Action: spec.PreemptTimeout, From: None, Role: spec.Candidate, Leader: 0})
		}
		p.Follow(&Step{Now: start, Action: spec.OnHeartbeat, From: 0, Arm: 1 << PreemptTimer, Role: spec.Follower, Leader: 0})
		return p.Due[PreemptTimer]
	}
	quarter := func(d time.Duration) time.Duration { return d + d/4 }
	lan := LAN()
	require.Equal(t, start.Add(lan.Preempt), wait(lan.Preempt, 0))
	require.Equal(t, start.Add(quarter(2*lan.Preempt))-1, wait(lan.Preempt, 1))
	require.Equal(t, start.Add(quarter(4*lan.Preempt))-1, wait(lan.Preempt, 2))
	require.Equal(t, start.Add(quarter(64*lan.Preempt))-1, wait(lan.Preempt, 7))
	require.Equal(t, start, wait(0, 0), "as in the textbook")
	require.Equal(t, start.Add(quarter(2*lan.Patience))-1, wait(0, 1))
	require.Equal(t, start.Add(MaxTiming), wait(MaxTiming, 3))
	require.Equal(t, Never, wait(-1, 0))
	require.Equal(t, Never, wait(-1, 2))
}

// TestHold: who has handed over by name pre-empts nobody until the time that it gave is over, whether it was to stand before or comes to that later (R51).
func TestHold(t *testing.T) {
	until := start.Add(time.Minute)
	follows := func(p *Policy) {
		p.Follow(&Step{Now: start, Action: spec.OnHeartbeat, From: 0, Arm: 1 << PreemptTimer, Role: spec.Follower, Leader: 0})
	}
	p := waiting(LAN())
	p.Hold(until)
	require.Equal(t, Never, p.Due[PreemptTimer], "a timer that does not run is not begun")
	follows(&p)
	require.Equal(t, until, p.Due[PreemptTimer])

	p = waiting(LAN())
	follows(&p)
	require.Less(t, p.Due[PreemptTimer], until)
	p.Hold(until)
	require.Equal(t, until, p.Due[PreemptTimer])
	p.Hold(start)
	require.Equal(t, until, p.Due[PreemptTimer], "a time that has passed brings nothing nearer")
}

// TestLongest: what is said of the longest waits, to the nanosecond.
func TestLongest(t *testing.T) {
	timing := Timing{Delay: 10 * ms, Drift: 0.5, Heartbeat: 40 * ms, Patience: 100 * ms, Election: 20 * ms, Coordinator: 120 * ms,
		Stagger: 80 * ms, Defer: 5 * ms, Preempt: 200 * ms}
	proved, silent := timing.Failover()
	require.Equal(t, 2*5*ms+2*20*ms+10*10*ms, proved)
	require.Equal(t, 2*105*ms+2*2*20*ms+2*20*ms+8*10*ms, silent)
	require.Equal(t, 2*silent, timing.Linger())
	require.Equal(t, 20*ms, timing.FirstBackoff())
	require.Equal(t, 120*ms+5*ms+400*ms+3*80*ms, timing.LongestWait(4))
	for attempts, want := range map[int]time.Duration{1: 80 * ms, 2: 160 * ms, 3: 320 * ms, 4: 400 * ms, 5: 400 * ms, 1000: 400 * ms} {
		require.Equal(t, want, timing.reconnection(attempts), attempts)
	}
	for inVain, want := range map[int]time.Duration{0: 200 * ms, 1: 500 * ms, 2: 1000 * ms, 6: 16 * time.Second, 1000: 16 * time.Second} {
		require.Equal(t, want, timing.LongestPreemption(inVain), inVain)
	}
	timing.Preempt = 0
	require.Zero(t, timing.LongestPreemption(0))
	require.Equal(t, 250*ms, timing.LongestPreemption(1))
	timing.Preempt = -1
	require.Zero(t, timing.LongestPreemption(0))
	require.Zero(t, timing.LongestPreemption(1))
}

// TestJitter: a random wait is below what it is said to be, and none where that is nothing.
func TestJitter(t *testing.T) {
	p := waiting(LAN())
	require.Equal(t, time.Duration(0), p.jitter(1))
	require.Equal(t, time.Duration(1), p.jitter(2))
	require.Zero(t, p.jitter(0))
	require.Zero(t, p.jitter(-1))
}
