package algorithms

import (
	"math/bits"
	"time"

	"github.com/seed-fdf591db/bully/conformance/compare"
	"github.com/seed-fdf591db/bully/impl/bully"
	"github.com/seed-fdf591db/bully/spec"
	"github.com/seed-fdf591db/bully/spec/policy"
)

// BullyTiming derives the timers of R36 from the timing that all algorithms are given: those of the profile that has it, or
// what a profile would have. A reign is then less than half of what bound d allows, so that clocks much worse than ρ do no harm: what
// is compared has margins for that, too.
func BullyTiming(t compare.Timing) policy.Timing {
	for _, p := range policy.Profiles() {
		if compare.TimingOf(p.Timing) == t {
			return p.Timing
		}
	}
	return policy.Timing{
		Delay: t.Delay, Drift: 0.01, Heartbeat: t.Heartbeat, Reign: max(t.Patience*43/100, t.Heartbeat+4*t.Delay), Patience: t.Patience,
		Election: 2*t.Delay + time.Millisecond, Coordinator: t.Patience, Claim: 4*t.Delay + 2*time.Millisecond,
		Stagger: 2*t.Delay + time.Millisecond, Defer: t.Delay / 12, Preempt: t.Cooldown,
	}
}

// clock is what the clock of the node shows.
func (n *bullyNode) clock() policy.Instant { return policy.Instant(n.config.Clock()) }

// wakes puts off what waits for others, as a host does, if it was held up, and reports whether it was.
func (n *bullyNode) wakes(out *compare.Output) bool {
	if n.waits.HeldUp(n.clock()) == 0 {
		return false
	}
	n.set(out)
	return true
}

// follow lets the policy follow a step, and sets timers as it says.
func (n *bullyNode) follow(did *bully.Output, from int, out *compare.Output) {
	if did.ConfigurationChanged && !n.state.Configuration.IsNone() {
		peers := n.peers()
		n.waits.Reconfigure(peers, func(s policy.Set) policy.Set { return s & (peers.Others | policy.One(peers.Me)) })
	}
	n.waits.Follow(&policy.Step{Began: n.clock(), Now: n.clock(), Action: did.Action, From: n.place(from), Cancel: did.Cancel, Arm: did.Arm,
		Sent: did.Send, Role: n.state.Role, Leader: n.place(number(n.state.Leader)), Latest: n.state.Latest, Dated: did.Dated})
	if n.state.Role == spec.Candidate && n.waits.ElectionOver(n.backed()) {
		n.waits.Due[policy.ElectionTimer] = n.clock()
	}
	n.set(out)
}

// set sets the timers whose ends are others than before, and stops those that run no longer.
func (n *bullyNode) set(out *compare.Output) {
	for t, due := range n.waits.Due {
		switch timer := compare.Timer(t); {
		case due == n.ends[t]:
		case due == policy.Never:
			out.Stop = append(out.Stop, timer)
		default:
			out.Set = append(out.Set, compare.SetTimer{Timer: timer, After: due.After(n.clock())})
		}
	}
	n.ends = n.waits.Due
}

// place is the place of a node: its number, from 0 on.
func (n *bullyNode) place(number int) int {
	at := number - 1
	switch {
	case number == 0:
		return policy.None
	case at != n.config.ID-1 && !n.waits.Peers().Others.Has(at):
		return policy.NonMember
	}
	return at
}

// peers returns who is who in the configuration of the node, or where members are fixed.
func (n *bullyNode) peers() policy.Peers {
	all := policy.Set(1)<<n.config.Nodes - 1
	if n.state.Configuration.IsNone() {
		return policy.NewPeers(n.config.ID-1, all, all, all, nil)
	}
	var members, electors, voters policy.Set
	for _, m := range n.state.Configuration.Members() {
		one := policy.One(number(m.ID) - 1)
		members |= one
		if m.Kind != spec.Observer {
			electors |= one
		}
		if m.Kind == spec.Voter {
			voters |= one
		}
	}
	return policy.NewPeers(n.config.ID-1, members, electors, voters, func(i, j int) bool {
		return n.state.Configuration.Higher(n.members[i], n.members[j])
	})
}

// backed reports whether the support of the node, and itself, are a quorum (R3, R42).
func (n *bullyNode) backed() bool {
	backing := policy.One(n.config.ID - 1)
	for _, id := range n.state.Support {
		backing |= policy.One(number(id) - 1)
	}
	electors := n.waits.Peers().Electors
	return 2*bits.OnesCount64(uint64(backing&electors)) > electors.Size()
}
