package bully

import "github.com/seed-fdf591db/bully/spec"

// The timers, in the order of spec.Timers.
const (
	patience spec.TimerSet = 1 << iota
	election
	coordinator
	claim
	reign
	heartbeat
	preempt
)

// Running returns the timers that run in the node's state (R36): none before it has started.
func (n *Node) Running() spec.TimerSet {
	if !n.started {
		return 0
	}
	switch n.role {
	case spec.Candidate:
		return election
	case spec.Electing:
		return coordinator
	case spec.Claimant:
		return claim
	case spec.Leader:
		return reign | heartbeat
	}
	switch { // a follower
	case n.mayStand() && n.bound() && n.outranks(n.me, n.leader):
		return patience | preempt
	case n.bound() || n.members.has(n.me):
		return patience
	}
	return 0 // R46: who is no member has nobody to speak to
}

// restarted returns which of the timers that ran before a step, and run after it, begin anew: the fourth column of R36.
// A heartbeat that ends in a member that may not stand leaves it a follower, which waits to speak again (R46). A reign that is dated
// anew lasts longer (R26); an answer that leaves the lease as old as it was restarts nothing. A change is a heartbeat (R47).
func (n *Node) restarted(in *Input) spec.TimerSet {
	var s spec.TimerSet
	if n.leader != n.before.leader || n.epoch != n.before.epoch {
		s |= preempt
	}
	if n.dated != n.before.dated {
		s |= reign
	}
	switch in.kind {
	case timeout:
		s |= spec.TimersOf(in.timer) & (patience | heartbeat)
	case change:
		s |= heartbeat
	}
	if renewed := n.leader != n.before.leader || n.lease > n.before.lease; renewed && len(n.sent) > 0 {
		switch n.sent[0].Type {
		case spec.Ack: // to a leader that it follows
			s |= patience
		case spec.Grant:
			s |= coordinator
		}
	}
	return s
}
