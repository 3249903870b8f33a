package conformance

import (
	"github.com/seed-fdf591db/bully/conformance/cases"
	"github.com/seed-fdf591db/bully/spec"
)

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

// Running returns the timers that run while node id is in state s: the second column of R36, and R46.
func Running(id spec.NodeID, s *spec.State) spec.TimerSet {
	switch s.Role {
	case spec.Candidate:
		return election
	case spec.Electing:
		return coordinator
	case spec.Claimant:
		return claim
	case spec.Leader:
		return reign | heartbeat
	}
	switch bound := !s.Leader.IsNone(); {
	case bound && cases.MayStand(id, s) && cases.Outranked(&s.Configuration, s.Leader, id):
		return patience | preempt
	case bound || cases.IsMember(&s.Configuration, id):
		return patience
	}
	return 0
}

// Duties returns what a step of node id asks of its host besides what it sends: whether the promise is to be saved
// (R4, R42; each start reserves numbers, R50), and which timers are to be cancelled and armed (R36). A timer that has
// just ended is cancelled too, if it runs no longer.
func Duties(id spec.NodeID, before *spec.State, in *spec.Input, after *spec.State, sent []spec.Message) (save bool, cancel, arm spec.TimerSet) {
	runs := Running(id, after)
	if in.Starts() {
		return true, 0, runs
	}
	save = before.Durable() != after.Durable()
	ran := runs
	if save || before.Role != after.Role || before.Leader != after.Leader {
		ran = Running(id, before)
	}
	return save, ran &^ runs, runs & (begunAnew(before, in, after, sent) | ^ran)
}

// begunAnew returns which timers, if they run both before and after the step, begin anew: the fourth column of R36.
func begunAnew(before *spec.State, in *spec.Input, after *spec.State, sent []spec.Message) (s spec.TimerSet) {
	if before.Leader != after.Leader || before.Epoch != after.Epoch {
		s |= preempt
	}
	switch in.Timer {
	case spec.PatienceTimer: // of a member that may not stand (R46)
		s |= patience
	case spec.HeartbeatTimer:
		s |= heartbeat
	}
	if in.Call == spec.ChangeCall { // a heartbeat (R47)
		s |= heartbeat
	}
	if before.Dated != after.Dated { // the reign lasts longer (R26)
		s |= reign
	}
	if before.Leader == after.Leader && after.Lease <= before.Lease { // the lease is as old as it was
		return s
	}
	for i := range sent {
		switch sent[i].Type {
		case spec.Ack:
			s |= patience
		case spec.Grant:
			s |= coordinator
		}
	}
	return s
}
