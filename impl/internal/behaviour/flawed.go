package behaviour

import (
	"slices"

	"github.com/seed-fdf591db/bully/spec"
)

// flawed finds the state after a step that the rules do not allow, and what it has sent. Which numbers a mutant uses is told by
// those that others know; one that nobody knows is taken to be one that the node had in its hands, or the nearest that fits.
func (r *recorder) flawed(e *spec.Event, s *Step, n numbering, was spec.State, changes []difference) error {
	i := r.place(e.Node)
	guess := guesser{recorder: r, numbering: n, place: i, was: was, heard: &e.Input.Message}
	for _, c := range changes {
		if c.link[0] == i && len(c.added) > 0 {
			terms := queueOf(s, c.link)
			for _, t := range terms[len(terms)-len(c.added):] {
				guess.sent = append(guess.sent, sending{t, r.members[c.link[1]]})
			}
		}
	}
	e.State = guess.state(s.terms["node"].at(i+1), r.want(e, was).State.Latest)
	for _, out := range guess.sent {
		e.Sent = append(e.Sent, guess.message(out, &e.State))
	}
	if guess.err == nil {
		guess.err = e.State.Validate()
	}
	for k := range e.Sent {
		if guess.err == nil {
			guess.err = e.Sent[k].Validate()
		}
	}
	r.now[i] = e.State
	r.send(e.Sent)
	return guess.err
}

// guesser guesses the numbers of one step.
type guesser struct {
	*recorder
	numbering
	place int
	was   spec.State
	heard *spec.Message
	sent  []sending
	err   error // the first
}

// sending is a message of the module, and for whom it is.
type sending struct {
	term
	to spec.NodeID
}

func (g *guesser) number(of spec.NodeID, t term, first ...spec.Question) spec.Question {
	q, err := g.resolve(g.recorder.place(of), max(0, t.number()), first...)
	if g.err == nil {
		g.err = err
	}
	return q
}

// state returns the state after the step; latest is what the rules would have had for the latest number.
func (g *guesser) state(t term, latest spec.Question) spec.State {
	s, me := g.seen(t), g.members[g.place]
	s.Latest = max(g.was.Latest, latest)
	switch {
	case t.field("latest").number() == 0:
		s.Latest = 0
	case latest <= g.was.Latest && g.asksAnew():
		s.Latest++
	}
	if !s.Leader.IsNone() {
		s.Lease = g.number(s.Leader, t.field("lease"), g.heard.Question, g.was.Lease, g.heard.Granted.Question)
	}
	asked := []spec.Question{g.was.Asked, s.Latest}
	if g.asksAnew() {
		slices.Reverse(asked)
	}
	s.Asked = g.number(me, t.field("asked"), asked...)
	if s.Role != spec.Leader {
		return s
	}
	s.Dated = g.number(me, t.field("dated"), g.was.Dated, g.was.Asked, g.heard.Question)
	for k, id := range g.members {
		if q := g.number(me, t.field("answered").at(k+1), answeredBy(&g.was, k, g.recorder.place), g.heard.Question, g.was.Asked); q > 0 {
			s.Answered = append(s.Answered, spec.Answered{Node: id, Question: q})
		}
	}
	return s
}

// asksAnew reports whether what is sent is a new question.
func (g *guesser) asksAnew() bool {
	return slices.ContainsFunc(g.sent, func(out sending) bool {
		switch spec.MessageType(out.field("type").word()) {
		case spec.Election, spec.Heartbeat:
			return true
		case spec.Claim:
			return g.was.Role != spec.Claimant
		}
		return false
	})
}

// message returns a message that is sent after the step.
func (g *guesser) message(out sending, after *spec.State) spec.Message {
	m := spec.Message{Type: spec.MessageType(out.field("type").word()), From: g.members[g.place], To: out.to,
		Epoch: spec.Epoch(max(0, out.field("epoch").number())), Keeps: g.id(out.field("keeps"))}
	if granted := out.field("granted"); granted.field("by").number() > 0 {
		m.Granted = spec.Granted{By: g.id(granted.field("by")), Epoch: spec.Epoch(max(0, granted.field("epoch").number()))}
		m.Granted.Question = g.number(m.Granted.By, granted.field("question"), g.heard.Question)
	}
	switch {
	case m.Type == spec.Resign || m.Type == spec.ImBack:
		m.Question = after.Latest
	case out.field("question").number() == 0 && answers(m.Type): // it can count no more
		m.Question = g.heard.Question
	case answers(m.Type):
		m.Question = g.number(m.To, out.field("question"), g.heard.Question)
	default:
		m.Question = g.number(m.From, out.field("question"), after.Asked, after.Latest)
	}
	return m
}

// answers reports whether messages of a type answer a question of their receiver.
func answers(t spec.MessageType) bool {
	switch t {
	case spec.OK, spec.Assent, spec.Grant, spec.Refuse, spec.Ack:
		return true
	}
	return false
}
