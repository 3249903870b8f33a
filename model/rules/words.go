package rules

import (
	"fmt"
	"iter"
	"math/bits"
	"slices"
	"strings"

	"github.com/seed-fdf591db/bully/spec"
)

// Role is what a node is doing about leadership. Its String is the word of package spec.
type Role uint8

// The roles, in the order of spec.Roles.
const (
	Follower Role = iota
	Candidate
	Electing
	Claimant
	Leader
)

// MessageType says what a message is about. Its String is the word of package spec.
type MessageType uint8

// The types of messages, in the order of spec.MessageTypes.
const (
	Election MessageType = iota
	OK
	Assent
	Claim
	Grant
	Refuse
	Coordinator
	Heartbeat
	Ack
	Resign
	ImBack
)

// Timer names a timer. Its String is the word of package spec.
type Timer uint8

// The timers, in the order of spec.Timers.
const (
	PatienceTimer Timer = iota
	ElectionTimer
	CoordinatorTimer
	ClaimTimer
	ReignTimer
	HeartbeatTimer
	PreemptTimer

	Timers = iota // how many there are
)

// The words of package spec, by the numbers of this one.
var (
	roles        = spec.Roles()
	messageTypes = spec.MessageTypes()
	timers       = spec.Timers()
)

// String returns the word for r.
func (r Role) String() string { return string(roles[r]) }

// String returns the word for t.
func (t MessageType) String() string { return string(messageTypes[t]) }

// String returns the word for t.
func (t Timer) String() string { return string(timers[t]) }

// Spec returns the role in the words of package spec.
func (r Role) Spec() spec.Role { return roles[r] }

// Spec returns the type in the words of package spec.
func (t MessageType) Spec() spec.MessageType { return messageTypes[t] }

// Spec returns the timer in the words of package spec.
func (t Timer) Spec() spec.Timer { return timers[t] }

// RoleOf returns the number of a role, which must be one of spec.Roles. It is asked for every step of a trace: hence no search.
func RoleOf(r spec.Role) Role {
	switch r {
	case spec.Follower:
		return Follower
	case spec.Candidate:
		return Candidate
	case spec.Electing:
		return Electing
	case spec.Claimant:
		return Claimant
	}
	return Leader
}

// TimerOf returns the number of a timer, which must be one of spec.Timers.
func TimerOf(t spec.Timer) Timer { return Timer(slices.Index(timers, t)) }

// MessageTypeOf returns the number of a type of message, which must be one of spec.MessageTypes. It is asked for every message of
// a trace: hence no search.
func MessageTypeOf(t spec.MessageType) MessageType {
	switch t {
	case spec.Election:
		return Election
	case spec.OK:
		return OK
	case spec.Assent:
		return Assent
	case spec.Claim:
		return Claim
	case spec.Grant:
		return Grant
	case spec.Refuse:
		return Refuse
	case spec.Coordinator:
		return Coordinator
	case spec.Heartbeat:
		return Heartbeat
	case spec.Ack:
		return Ack
	case spec.Resign:
		return Resign
	}
	return ImBack
}

// ID is a node's id: 1 is the lowest (R1).
type ID uint8

// None is no node.
const None ID = 0

// MaxIDs is how many nodes there may be.
const MaxIDs = 64

// Set is a set of nodes: bit i-1 stands for node i. None, and a node above MaxIDs, is in no set.
type Set uint64

// SetOf returns the set of ids.
func SetOf(ids ...ID) (s Set) {
	for _, i := range ids {
		s = s.With(i)
	}
	return s
}

// UpTo returns the set of the nodes 1 to n.
func UpTo(n ID) Set { return 1<<n - 1 }

// Has reports whether i is in s.
func (s Set) Has(i ID) bool { return s>>(i-1)&1 != 0 }

// With returns s and i.
func (s Set) With(i ID) Set { return s | 1<<(i-1) }

// Without returns s without i.
func (s Set) Without(i ID) Set { return s &^ (1 << (i - 1)) }

// Len returns how many nodes are in s.
func (s Set) Len() int { return bits.OnesCount64(uint64(s)) }

// Lowest returns the lowest node of s, which may not be empty.
func (s Set) Lowest() ID { return ID(bits.TrailingZeros64(uint64(s))) + 1 }

// All yields the nodes of s, ascending.
func (s Set) All() iter.Seq[ID] {
	return func(yield func(ID) bool) {
		for ; s != 0; s &= s - 1 {
			if !yield(s.Lowest()) {
				return
			}
		}
	}
}

// String returns the set as a TLA+ set.
func (s Set) String() string {
	var ids []string
	for i := range s.All() {
		ids = append(ids, fmt.Sprint(i))
	}
	return "{" + strings.Join(ids, ", ") + "}"
}
