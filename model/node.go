package model

import (
	"math/bits"

	"github.com/seed-fdf591db/bully/spec"
)

// MaxNodes is the greatest number of members that a node, and a cluster of them, can have.
const MaxNodes = 7

// ID is a node's id, which is its rank: 1 is the lowest (R1).
type ID uint8

// None is no node.
const None ID = 0

// Set is a set of nodes: bit i stands for node i.
type Set uint64

// SetOf returns the set of ids.
func SetOf(ids ...ID) Set {
	var s Set
	for _, i := range ids {
		s |= 1 << i
	}
	return s
}

// upTo returns the set of the nodes 1 to n.
func upTo(n ID) Set { return 2<<n - 2 }

// Has reports whether i is in s.
func (s Set) Has(i ID) bool { return s>>i&1 != 0 }

// With returns s and i.
func (s Set) With(i ID) Set { return s | 1<<i }

// Without returns s without i.
func (s Set) Without(i ID) Set { return s &^ (1 << i) }

// Len returns how many nodes are in s.
func (s Set) Len() int { return bits.OnesCount64(uint64(s)) }

// lowest returns the lowest node of s, which may not be empty.
func (s Set) lowest() ID { return ID(bits.TrailingZeros64(uint64(s))) }

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
	HeartbeatTimer Timer = iota
	ElectionTimer
	CoordinatorTimer
	ClaimTimer
	QuorumTimer
	BeatTimer
	PreemptTimer

	timerKinds = iota
)

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

// State is the state of one node. The zero State is Blank: that of a node that has never run (R32).
type State struct {
	Role    Role
	Leader  ID         // the node whose lease I keep: I follow it, or granted it and await it (R5)
	Epoch   spec.Epoch // the highest promised; durable
	Grantee ID         // to whom it was promised; durable
	Support Set        // who backs me
}

// Message is what one node says to another.
type Message struct {
	Type     MessageType
	From, To ID
	Epoch    spec.Epoch
}

// Step is what a node does at once: the state after, and the messages sent. A Step whose State differs in Epoch
// or Grantee from the state before is durable before any of its messages leaves the node (R4).
type Step struct {
	State State
	// Ignored says that this is no step at all: the state stays, nothing is sent, the input is only counted (R28, R34, R35).
	Ignored bool

	n    uint8
	sent [MaxNodes]Message
}

// Sent returns the messages of the step in the order of sending. The slice is part of s.
func (s *Step) Sent() []Message { return s.sent[:s.n] }

// send adds a message. No rule sends more than one message to each member and one more, but never to itself.
func (s *Step) send(t MessageType, from, to ID, e spec.Epoch) {
	s.sent[s.n] = Message{t, from, to, e}
	s.n++
}

// sendEach adds a message from i to each node of js, in the order of ids.
func (s *Step) sendEach(t MessageType, i ID, js Set, e spec.Epoch) {
	for ; js != 0; js &= js - 1 {
		s.send(t, i, js.lowest(), e)
	}
}

// sendAll adds messages.
func (s *Step) sendAll(messages []Message) { s.n += uint8(copy(s.sent[s.n:], messages)) }

// keepTo drops all messages but those to js.
func (s *Step) keepTo(js Set) {
	kept := *s
	kept.n, kept.sent = 0, [MaxNodes]Message{}
	for _, m := range s.Sent() {
		if js.Has(m.To) {
			kept.send(m.Type, m.From, m.To, m.Epoch)
		}
	}
	*s = kept
}

// quietly returns the step to s that sends nothing.
func quietly(s State) Step { return Step{State: s} }

// ignored returns what is no step of s.
func ignored(s State) Step { return Step{State: s, Ignored: true} }

// others returns all members but i.
func (r *Rules) others(i ID) Set { return upTo(r.n).Without(i) }

// Hear returns what node i does in state s with the message m. It ignores a message that is misaddressed, from a
// stranger, or of no known type (R34).
func (r *Rules) Hear(i ID, s State, m Message) Step {
	if m.To != i || !r.others(i).Has(m.From) {
		return ignored(s)
	}
	switch m.Type {
	case Election:
		return r.electionHeard(i, s, m)
	case OK:
		return r.okHeard(s, m)
	case Assent:
		return r.assentHeard(i, s, m)
	case Claim:
		return r.claimHeard(i, s, m)
	case Grant:
		return r.grantHeard(i, s, m)
	case Refuse:
		return r.refuseHeard(s, m)
	case Coordinator, Heartbeat:
		return r.reignHeard(i, s, m)
	case Ack:
		return r.ackHeard(s, m)
	case Resign:
		return r.resignHeard(i, s, m)
	case ImBack:
		return r.imBackHeard(i, s, m)
	}
	return ignored(s)
}

// Runs reports whether timer t belongs to node i in state s (R36).
func (r *Rules) Runs(i ID, s State, t Timer) bool {
	switch t {
	case HeartbeatTimer:
		return s.Role == Follower
	case PreemptTimer:
		return s.Role == Follower && s.Leader != None && s.Leader < i
	case ElectionTimer:
		return s.Role == Candidate
	case CoordinatorTimer:
		return s.Role == Electing
	case ClaimTimer:
		return s.Role == Claimant
	case QuorumTimer, BeatTimer:
		return s.Role == Leader
	}
	return false
}

// Timeout returns what node i does in state s when its timer t ends. It ignores a timer that does not run (R35).
func (r *Rules) Timeout(i ID, s State, t Timer) Step {
	if !r.Runs(i, s, t) {
		return ignored(s)
	}
	switch t {
	case HeartbeatTimer:
		return r.heartbeatEnded(i, s)
	case PreemptTimer:
		return r.preemptEnded(i, s)
	case ElectionTimer:
		return r.electionEnded(i, s)
	case CoordinatorTimer:
		return r.coordinatorEnded(i, s)
	case ClaimTimer:
		return r.claimEnded(s)
	case QuorumTimer:
		return r.quorumEnded(i, s)
	default: // BeatTimer: no other timer runs
		return r.beatEnded(i, s)
	}
}

// rest gives up what s was doing, and waits out the lease that it keeps, if any. R6.
func rest(s State) State {
	s.Role, s.Support = Follower, 0
	if s.Leader != None {
		s.Role = Electing
	}
	return s
}

// unbound ends the lease that s keeps: the patience with it is over.
func unbound(s State) State {
	s.Leader = None
	return s
}

// release is what s becomes when node j says that it does not lead: its lease ends. R5.
func release(s State, j ID) State {
	switch {
	case s.Leader != j:
		return s
	case s.Role == Follower || s.Role == Electing:
		return rest(unbound(s))
	}
	return unbound(s)
}

// learn is what s becomes on news of epoch e. A higher epoch is promised to nobody yet; a leader that learns of one
// leads no more. R7.
func (r *Rules) learn(s State, e spec.Epoch) State {
	if e <= s.Epoch || r.ownClaim(s, e) {
		return s
	}
	s.Epoch, s.Grantee = e, None
	switch s.Role {
	case Candidate, Electing:
		return s
	case Leader:
		return rest(unbound(s))
	}
	return rest(s)
}
