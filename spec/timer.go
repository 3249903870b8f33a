package spec

import "slices"

// Timer names a timer that a node asks its host to run. The protocol never says how long: the host
// decides when a timer fires (rules R36 and R37). The set is closed; Timers lists it.
type Timer string

const (
	// PatienceTimer is a follower's patience with the leader that it follows, or with having none.
	PatienceTimer Timer = "patience"
	// ElectionTimer is T_elec: how long a candidate waits for answers to its ELECTION.
	ElectionTimer Timer = "election"
	// CoordinatorTimer is T_coord: how long an electing node waits for somebody better to lead.
	CoordinatorTimer Timer = "coordinator"
	// ClaimTimer is how long a claimant waits for a quorum of grants.
	ClaimTimer Timer = "claim"
	// ReignTimer is how long a leader leads until it checks again that a quorum acknowledges it.
	ReignTimer Timer = "reign"
	// HeartbeatTimer is the leader's heartbeat interval.
	HeartbeatTimer Timer = "heartbeat"
	// PreemptTimer is how long a follower lets a lower leader lead before it stands itself.
	PreemptTimer Timer = "preempt"
)

var timers = []Timer{PatienceTimer, ElectionTimer, CoordinatorTimer, ClaimTimer, ReignTimer, HeartbeatTimer, PreemptTimer}

// Timers returns every timer.
func Timers() []Timer { return slices.Clone(timers) }

// Valid reports whether t is one of Timers.
func (t Timer) Valid() bool { return slices.Contains(timers, t) }

// Action returns the step that a node takes when t fires, or "" if t is not valid.
func (t Timer) Action() Action {
	for i := range forms {
		f := &forms[i] // not a copy: each step asks
		if f.timer == t && t != "" {
			return f.action
		}
	}
	return ""
}
