package bully

import (
	"iter"
	"strings"

	"github.com/seed-fdf591db/bully/spec"
)

// TimerSet is a set of timers.
type TimerSet uint8

const (
	heartbeat TimerSet = 1 << iota
	election
	coordinator
	claim
	quorum
	beat
	preempt
)

// timerOrder is the order of bits of a TimerSet.
var timerOrder = [...]spec.Timer{
	spec.HeartbeatTimer, spec.ElectionTimer, spec.CoordinatorTimer, spec.ClaimTimer, spec.QuorumTimer, spec.BeatTimer, spec.PreemptTimer,
}

// setOf returns the set of t alone, and the empty one if t is no timer.
func setOf(t spec.Timer) TimerSet {
	for i, timer := range timerOrder {
		if timer == t {
			return 1 << i
		}
	}
	return 0
}

// Has reports whether t is in the set.
func (s TimerSet) Has(t spec.Timer) bool { return s&setOf(t) != 0 }

// All returns the timers of the set, in the order of spec.Timers.
func (s TimerSet) All() iter.Seq[spec.Timer] {
	return func(yield func(spec.Timer) bool) {
		for i, timer := range timerOrder {
			if s>>i&1 == 1 && !yield(timer) {
				return
			}
		}
	}
}

// String returns the set as a person would say it: {quorum beat}.
func (s TimerSet) String() string {
	var words []string
	for t := range s.All() {
		words = append(words, string(t))
	}
	return "{" + strings.Join(words, " ") + "}"
}

// Running returns the timers that run in the node's state (R36): none before it has started.
func (n *Node) Running() TimerSet {
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
		return quorum | beat
	}
	switch { // a follower
	case n.mayStand() && n.bound() && n.outranks(n.me, n.leader):
		return heartbeat | preempt
	case n.bound() || n.members.has(n.me):
		return heartbeat
	}
	return 0 // R46: who is no member has nobody to speak to
}

// restarted returns which of the timers that ran before a step, and run after it, begin anew: the fourth column of R36.
// A heartbeat that ends in a member that may not stand leaves it a follower, which waits to speak again (R46). A change is a
// check that passed, and a beat (R47).
func (n *Node) restarted(in *Input) TimerSet {
	var s TimerSet
	if n.leader != n.before.leader || n.epoch != n.before.epoch {
		s |= preempt
	}
	switch in.kind {
	case ended:
		s |= setOf(in.timer) & (heartbeat | quorum | beat)
	case change:
		s |= quorum | beat
	}
	if len(n.sent) > 0 {
		switch n.sent[0].Type {
		case spec.Ack: // to a leader that it follows
			s |= heartbeat
		case spec.Grant:
			s |= coordinator
		}
	}
	return s
}
