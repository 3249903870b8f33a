package conformance

import "github.com/seed-fdf591db/bully/spec"

// question is a case written by hand: one node among members 1 to of, its state, and what comes.
type question struct {
	rule, text string
	me, of     int
	before     spec.State
	in         spec.Input // a message is for me, unless it says for whom
	after      spec.State // or stays, or ignored
	sent       said
}

var (
	stays   = spec.State{}                // after a step that leaves the state as it was
	ignored = spec.State{Role: "ignored"} // after no step
)

// questions yields the cases of the table, which are independent of the model. Numbers that the table does not say are those of
// Numbered; an answer is of the latest question, anything else of that of the lease that is kept.
func questions(yield func(*Case) bool) {
	for _, q := range fixedQuestions {
		me, members := node(q.me), integers(q.of)
		c := Case{Rule: q.rule, Question: q.text, ID: me, Members: members, Before: withNumbers(me, members, q.before), Input: q.in}
		if m := &c.Input.Message; m.To.IsNone() && m.Type != "" {
			m.To = me
		}
		c.Want.State = withNumbers(me, members, q.after)
		if q.after.Role == stays.Role || q.after.Role == ignored.Role {
			c.Want.State = c.Before
		}
		c.Want.Ignored = q.after.Role == ignored.Role
		for _, m := range q.sent {
			c.Want.Sent = append(c.Want.Sent, filled(&c, m))
		}
		if !yield(&c) {
			return
		}
	}
}

// withNumbers returns a state of the table with numbers, unless it says them.
func withNumbers(id spec.NodeID, members []spec.NodeID, s spec.State) spec.State {
	if s.Latest != 0 {
		return s
	}
	return Numbered(id, members, s)
}

// filled returns a message that the node sends with what the table leaves out.
func filled(c *Case, m spec.Message) spec.Message {
	m.From = c.ID
	switch heard := &c.Input.Message; m.Type {
	case spec.Election:
		m.Question, m.Keeps = c.Want.State.Asked, c.Want.State.Leader
	case spec.Claim:
		m.Question = c.Want.State.Asked
	case spec.Coordinator, spec.Heartbeat, spec.ImBack:
		m.Question = c.Want.State.Latest
	case spec.Resign:
		m.Question = c.Want.State.Latest
		if heard.Type == spec.Claim {
			m.Granted = spec.Granted{By: heard.From, Epoch: heard.Epoch, Question: heard.Question}
		}
	default:
		if m.Question == 0 {
			m.Question = heard.Question
		}
	}
	return m
}

// node returns the id i, and no node for 0.
func node(i int) spec.NodeID { return spec.IntegerID(uint64(i)) }

// is returns a state.
func is(role spec.Role, leader int, epoch spec.Epoch, grantee int, support ...int) spec.State {
	s := spec.State{Role: role, Leader: node(leader), Epoch: epoch, Grantee: node(grantee)}
	for _, i := range support {
		s.Support = append(s.Support, node(i))
	}
	return s
}

// anew returns a state after a new question: of an ELECTION or a CLAIM, or of a leader a HEARTBEAT.
func anew(s spec.State) spec.State {
	s.Latest = asks + 1
	if s.Role != leader {
		s.Asked = s.Latest
	}
	if s.Leader != none && s.Role != leader {
		s.Lease = kept
	}
	return s
}

// leaseOf returns a state in which the lease is of another question.
func leaseOf(s spec.State, q spec.Question) spec.State {
	s.Lease, s.Latest = q, asks
	return s
}

// wins returns the state of a node that has just won, by the grants of others.
func wins(me int, epoch spec.Epoch, granted ...int) spec.State {
	s := leads(me, epoch)
	s.Latest, s.Dated = asks, asks
	for _, i := range granted {
		s.Answered = append(s.Answered, spec.Answered{Node: node(i), Question: asks})
	}
	return s
}

// acknowledged returns the state of a leader of three to whom these two questions have been answered, by the nodes in ascending
// order.
func acknowledged(s spec.State, me int, dated, first, second spec.Question) spec.State {
	s.Latest, s.Dated = asks, dated
	for i, q := range []spec.Question{first, second} {
		other := i + 1
		if other >= me {
			other++
		}
		s.Answered = append(s.Answered, spec.Answered{Node: node(other), Question: q})
	}
	return s
}

// leads returns the state of a leader.
func leads(me int, epoch spec.Epoch, support ...int) spec.State {
	return is(leader, me, epoch, me, support...)
}

func hears(kind spec.MessageType, from int, epoch spec.Epoch) spec.Input {
	q := spec.Question(kept)
	switch kind {
	case spec.OK, spec.Assent, spec.Grant, spec.Refuse, spec.Ack:
		q = asks
	}
	return hearsOf(kind, from, epoch, q)
}

// hearsOf is hears with the number of a question.
func hearsOf(kind spec.MessageType, from int, epoch spec.Epoch, q spec.Question) spec.Input {
	return spec.Input{Message: spec.Message{Type: kind, From: node(from), Epoch: epoch, Question: q}}
}

// handedOver is a RESIGN of a hand-over.
func handedOver(from int, epoch spec.Epoch, to int, granted spec.Epoch) spec.Input {
	in := hears(spec.Resign, from, epoch)
	in.Message.Granted = spec.Granted{By: node(to), Epoch: granted, Question: 9}
	return in
}

// keeping is an ELECTION whose sender keeps a lease.
func keeping(from int, epoch spec.Epoch, keeps int) spec.Input {
	in := hears(spec.Election, from, epoch)
	in.Message.Keeps = node(keeps)
	return in
}

func ends(t spec.Timer) spec.Input     { return spec.Input{Timer: t} }
func called(call spec.Call) spec.Input { return spec.Input{Call: call} }

// said is what a step sends; whose it is questions fills in.
type said []spec.Message

func says(kind spec.MessageType, epoch spec.Epoch, to ...int) said {
	return said(nil).then(kind, epoch, to...)
}

func (s said) then(kind spec.MessageType, epoch spec.Epoch, to ...int) said {
	for _, i := range to {
		s = append(s, spec.Message{Type: kind, To: node(i), Epoch: epoch})
	}
	return s
}

const (
	follower  = spec.Follower
	candidate = spec.Candidate
	electing  = spec.Electing
	claimant  = spec.Claimant
	leader    = spec.Leader
	last      = spec.MaxEpoch
)
