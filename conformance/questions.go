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

// questions yields the cases of the table, which are independent of the model.
func questions(yield func(*Case) bool) {
	for _, q := range asked {
		me := node(q.me)
		c := Case{Rule: q.rule, Question: q.text, ID: me, Members: integers(q.of), Before: q.before, Input: q.in}
		if m := &c.Input.Message; m.To.IsNone() && m.Type != "" {
			m.To = me
		}
		c.Want.State = q.after
		if q.after.Role == stays.Role || q.after.Role == ignored.Role {
			c.Want.State = q.before
		}
		c.Want.Ignored = q.after.Role == ignored.Role
		for _, m := range q.sent {
			m.From = me
			c.Want.Sent = append(c.Want.Sent, m)
		}
		if !yield(&c) {
			return
		}
	}
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

// leads returns the state of a leader.
func leads(me int, epoch spec.Epoch, support ...int) spec.State {
	return is(leader, me, epoch, me, support...)
}

func hears(kind spec.MessageType, from int, epoch spec.Epoch) spec.Input {
	return spec.Input{Message: spec.Message{Type: kind, From: node(from), Epoch: epoch}}
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
