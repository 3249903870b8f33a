package rules

import (
	"fmt"
	"iter"
	"slices"

	"github.com/seed-fdf591db/bully/spec"
)

// State is the state of one node. The zero State is that of a node that starts for the first time, to join.
type State struct {
	Role    Role
	Leader  ID            // the node whose lease I keep: I follow it, or granted it and await it (R5)
	Grantee ID            // to whom the epoch was promised; durable
	Epoch   spec.Epoch    // the highest promised; durable
	Support Set           // who backs me
	Conf    Configuration // who the members are; durable
}

// Blank returns the state of a node that starts for the first time with configuration c. R32, R49.
func Blank(c Configuration) State { return State{Conf: c} }

// Is reports whether s and t are the same state.
func (s State) Is(t State) bool {
	return s.Role == t.Role && s.Leader == t.Leader && s.Epoch == t.Epoch && s.Grantee == t.Grantee && s.Support == t.Support &&
		s.Conf.Is(t.Conf)
}

// String returns the state as a TLA+ record.
func (s State) String() string {
	return fmt.Sprintf("[role |-> %q, leader |-> %d, epoch |-> %d, grantee |-> %d, support |-> %v, conf |-> %v]",
		s.Role, s.Leader, s.Epoch, s.Grantee, s.Support, s.Conf)
}

// Message is what one node says to another.
type Message struct {
	Type     MessageType
	From, To ID
	Epoch    spec.Epoch
	Conf     Configuration // of the sender, after the step that sends it (R43)
}

// String returns the message as people write it, without its configuration: OnClaim(3→1) is the receipt of 3→1 CLAIM(4).
func (m Message) String() string { return fmt.Sprintf("%d→%d %v(%d)", m.From, m.To, m.Type, m.Epoch) }

// Step is what a node does at once: the state after, and the messages sent. If Epoch, Grantee or Conf of State differ from those
// before, they are durable before any of the messages leaves the node (R4, R42).
type Step struct {
	State State
	// Ignored says that this is no step at all: the state stays and nothing is sent (R28, R34, R35, R41, R47).
	Ignored bool

	from ID
	n    uint8
	said [2]Said // no rule says more
}

// Said is one message to each node of a set, in the order of ids.
type Said struct {
	Type  MessageType
	To    Set
	Epoch spec.Epoch
}

// Said returns what the step says, in the order of sending. The slice is part of s.
func (s *Step) Said() []Said { return s.said[:s.n] }

// All yields the messages of the step in the order of sending.
func (s *Step) All() iter.Seq[Message] {
	return func(yield func(Message) bool) {
		for k := range s.Said() {
			said := &s.said[k]
			for js := said.To; js != 0; js &= js - 1 {
				if !yield(Message{said.Type, s.from, js.Lowest(), said.Epoch, s.State.Conf}) {
					return
				}
			}
		}
	}
}

// Len returns how many messages the step sends.
func (s *Step) Len() (n int) {
	for _, said := range s.Said() {
		n += said.To.Len()
	}
	return n
}

// Sent returns the messages of the step in the order of sending.
func (s *Step) Sent() []Message { return slices.Collect(s.All()) }

// KeepTo drops all messages but those to js.
func (s *Step) KeepTo(js Set) {
	said, n := s.said, s.n
	s.n = 0
	for _, one := range said[:n] {
		s.say(one.Type, s.from, one.To&js, one.Epoch)
	}
}

// say adds a message from i to each node of js but itself, in the order of ids.
func (s *Step) say(t MessageType, i ID, js Set, e spec.Epoch) {
	if js = js.Without(i); js != 0 {
		s.from = i
		s.said[s.n] = Said{t, js, e}
		s.n++
	}
}

// quietly returns the step to s that sends nothing.
func quietly(s State) Step { return Step{State: s} }

// ignored returns what is no step of s.
func ignored(s State) Step { return Step{State: s, Ignored: true} }

// answer returns the step of node i to s that sends one message.
func answer(i ID, s State, t MessageType, to ID, e spec.Epoch) Step {
	return tell(i, s, t, SetOf(to), e)
}

// tell returns the step of node i to s that sends a message to all nodes of js but itself.
func tell(i ID, s State, t MessageType, js Set, e spec.Epoch) Step {
	step := quietly(s)
	step.say(t, i, js, e)
	return step
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
	if s.Leader != j {
		return s
	}
	s = unbound(s)
	if s.Role == Follower || s.Role == Electing {
		s = rest(s)
	}
	return s
}

// learn is what s becomes on news of epoch e, which is promised to nobody yet. A leader that learns of one leads no more, and
// to a claimant the epoch that it claims is no news. R7.
func (r *Rules) learn(s State, e spec.Epoch) State {
	if e <= s.Epoch || r.ownClaim(s, e) {
		return s
	}
	s.Epoch, s.Grantee = e, None
	switch s.Role {
	case Candidate, Electing:
		return s
	case Leader:
		s = unbound(s)
	}
	return rest(s)
}
