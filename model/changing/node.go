package changing

import (
	"fmt"
	"iter"
	"slices"

	"github.com/seed-fdf591db/bully/model"
	"github.com/seed-fdf591db/bully/spec"
)

// State is the state of one node. The zero State is that of a node that starts for the first time, to join.
type State struct {
	Role    model.Role
	Leader  ID            // the node whose lease I keep: I follow it, or granted it and await it (R5)
	Epoch   spec.Epoch    // the highest promised; durable
	Grantee ID            // to whom it was promised; durable
	Support Set           // who backs me
	Conf    Configuration // who the members are; durable
}

// Blank returns the state of a node that starts for the first time with configuration c. R49.
func Blank(c Configuration) State { return State{Conf: c} }

// String returns the state as a TLA+ record.
func (s State) String() string {
	return fmt.Sprintf("[role |-> %q, leader |-> %d, epoch |-> %d, grantee |-> %d, support |-> %v, conf |-> %v]",
		s.Role, s.Leader, s.Epoch, s.Grantee, s.Support, s.Conf)
}

// Message is what one node says to another.
type Message struct {
	Type     model.MessageType
	From, To ID
	Epoch    spec.Epoch
	Conf     Configuration // of the sender, after the step that sends it (R43)
}

// String returns the message as people write it, without its configuration: 3→1 CLAIM(4).
func (m Message) String() string { return fmt.Sprintf("%d→%d %v(%d)", m.From, m.To, m.Type, m.Epoch) }

// Outcome is what a node does at once: the state after, and the messages sent. If Epoch, Grantee or Conf of State differ from
// those before, they are durable before any of the messages leaves the node (R4, R42).
type Outcome struct {
	State State
	// Ignored says that this is no step at all: the state stays and nothing is sent (R28, R34, R35, R41, R47).
	Ignored bool

	n    uint8
	said [2]said // no rule says more
}

// said is one message to each node of a set, in the order of ids.
type said struct {
	what  model.MessageType
	from  ID
	to    Set
	epoch spec.Epoch
}

// All yields the messages of the step in the order of sending.
func (o *Outcome) All() iter.Seq[Message] {
	return func(yield func(Message) bool) {
		for _, s := range o.said[:o.n] {
			for js := s.to; js != 0; js &= js - 1 {
				if !yield(Message{s.what, s.from, lowest(js), s.epoch, o.State.Conf}) {
					return
				}
			}
		}
	}
}

// Len returns how many messages the step sends.
func (o *Outcome) Len() (n int) {
	for _, s := range o.said[:o.n] {
		n += s.to.Len()
	}
	return n
}

// Sent returns the messages of the step in the order of sending.
func (o *Outcome) Sent() []Message { return slices.Collect(o.All()) }

// quietly returns the step to s that sends nothing.
func quietly(s State) Outcome { return Outcome{State: s} }

// ignored returns what is no step of s.
func ignored(s State) Outcome { return Outcome{State: s, Ignored: true} }

// answer returns the step of node i to s that sends one message.
func answer(i ID, s State, t model.MessageType, to ID, e spec.Epoch) Outcome {
	o := quietly(s)
	o.send(t, i, to, e)
	return o
}

// tell returns the step of node i to s that sends a message to all nodes of js but itself.
func tell(i ID, s State, t model.MessageType, js Set, e spec.Epoch) Outcome {
	o := quietly(s)
	o.sendEach(t, i, js, e)
	return o
}

// send adds a message.
func (o *Outcome) send(t model.MessageType, from, to ID, e spec.Epoch) {
	o.sendEach(t, from, model.SetOf(to), e)
}

// sendEach adds a message from i to each node of js but itself, in the order of ids.
func (o *Outcome) sendEach(t model.MessageType, i ID, js Set, e spec.Epoch) {
	if js = js.Without(i); js != 0 {
		o.said[o.n] = said{t, i, js, e}
		o.n++
	}
}

// keepTo drops all messages but those to js.
func (o *Outcome) keepTo(js Set) {
	kept := Outcome{State: o.State}
	for _, s := range o.said[:o.n] {
		kept.sendEach(s.what, s.from, s.to&js, s.epoch)
	}
	*o = kept
}

// rest gives up what s was doing, and waits out the lease that it keeps, if any. R6.
func rest(s State) State {
	s.Role, s.Support = model.Follower, 0
	if s.Leader != None {
		s.Role = model.Electing
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
	if s.Role == model.Follower || s.Role == model.Electing {
		s = rest(s)
	}
	return s
}

// learn is what s becomes on news of epoch e, which is promised to nobody yet. A leader that learns of one leads no more, and
// to a claimant the epoch that it claims is no news. R7.
func learn(s State, e spec.Epoch) State {
	if e <= s.Epoch || s.Role == model.Claimant && e == nextEpoch(s) {
		return s
	}
	s.Epoch, s.Grantee = e, None
	switch s.Role {
	case model.Candidate, model.Electing:
		return s
	case model.Leader:
		s = unbound(s)
	}
	return rest(s)
}

// adopt is what s becomes with configuration c in the place of its own. Who stood in the old one stands no more. R43.
func adopt(s State, c Configuration) State {
	if s.Role == model.Candidate || s.Role == model.Claimant {
		s = rest(s)
	}
	s = learn(s, c.Epoch)
	s.Support, s.Conf = 0, c
	return s
}
