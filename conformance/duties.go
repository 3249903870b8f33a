package conformance

import (
	"iter"
	"strings"

	"github.com/seed-fdf591db/bully/spec"
)

// Timers is a set of timers: bit i stands for the timer i of spec.Timers.
type Timers uint8

const (
	heartbeat Timers = 1 << iota
	election
	coordinator
	claim
	quorum
	beat
	preempt
)

var timerOrder = spec.Timers()

// TimersOf returns a set of timers. What is no timer is left out.
func TimersOf(timers ...spec.Timer) (s Timers) {
	for _, t := range timers {
		for i := range timerOrder {
			if timerOrder[i] == t {
				s |= 1 << i
			}
		}
	}
	return s
}

// Has reports whether t is in the set.
func (s Timers) Has(t spec.Timer) bool { return s&TimersOf(t) != 0 }

// All returns the timers of the set, in the order of spec.Timers.
func (s Timers) All() iter.Seq[spec.Timer] {
	return func(yield func(spec.Timer) bool) {
		for i, t := range timerOrder {
			if s>>i&1 == 1 && !yield(t) {
				return
			}
		}
	}
}

// String returns the set as a person would say it: {quorum beat}.
func (s Timers) String() string {
	var words []string
	for t := range s.All() {
		words = append(words, string(t))
	}
	return "{" + strings.Join(words, " ") + "}"
}

// Running returns the timers that run while node id is in state s: the second column of R36, and R46.
func Running(id spec.NodeID, s *spec.State) Timers {
	switch s.Role {
	case spec.Candidate:
		return election
	case spec.Electing:
		return coordinator
	case spec.Claimant:
		return claim
	case spec.Leader:
		return quorum | beat
	}
	switch bound := !s.Leader.IsNone(); {
	case bound && MayStand(id, s) && Outranked(&s.Configuration, s.Leader, id):
		return heartbeat | preempt
	case bound || isMember(&s.Configuration, id):
		return heartbeat
	}
	return 0
}

// Duties returns what a step of node id asks of its host besides what it sends: whether the promise is to be saved
// (R4, R42; the blank one of a first start is, R32), and which timers are to be cancelled and armed (R36). A timer that has
// just ended is cancelled too, if it runs no longer.
func Duties(id spec.NodeID, before *spec.State, in *Input, after *spec.State, sent []spec.Message) (save bool, cancel, arm Timers) {
	runs := Running(id, after)
	if in.Start || in.Restart {
		return in.Start, 0, runs
	}
	ran := Running(id, before)
	return before.Durable() != after.Durable(), ran &^ runs, runs & (begunAnew(before, in, after, sent) | ^ran)
}

// begunAnew returns which timers, if they run both before and after the step, begin anew: the fourth column of R36.
func begunAnew(before *spec.State, in *Input, after *spec.State, sent []spec.Message) (s Timers) {
	if before.Leader != after.Leader || before.Epoch != after.Epoch {
		s |= preempt
	}
	switch in.Timer {
	case spec.HeartbeatTimer: // of a member that may not stand (R46)
		s |= heartbeat
	case spec.QuorumTimer:
		s |= quorum
	case spec.BeatTimer:
		s |= beat
	}
	if in.Call == spec.ChangeCall { // a check that has passed, and a beat (R47)
		s |= quorum | beat
	}
	for i := range sent {
		switch sent[i].Type {
		case spec.Ack:
			s |= heartbeat
		case spec.Grant:
			s |= coordinator
		}
	}
	return s
}
