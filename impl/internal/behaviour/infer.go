package behaviour

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/seed-fdf591db/bully/spec"
)

// The states of module Cluster have numbers of questions that are as small as can be: only which are the same and their order
// matters. In a trace they are those that were asked. numbering tells one from the other.

// numbering has, of each node that asks, what its numbers in a state are in the trace: both in the same order.
type numbering [][]number

type number struct {
	small int
	asked spec.Question
}

// fit reports whether a number of a state can be that of the trace, and takes it to be. 0 is the number of no question.
func (n numbering) fit(asker, small int, asked spec.Question) bool {
	if asker < 0 {
		return false
	}
	if small == 0 || asked == 0 {
		return small == 0 && asked == 0
	}
	for _, other := range n[asker] {
		if cmp.Compare(small, other.small) != cmp.Compare(asked, other.asked) {
			return false
		}
	}
	n[asker] = append(n[asker], number{small, asked})
	return true
}

// resolve returns what a number of a state is in the trace: what it is elsewhere, or the first that fits.
func (n numbering) resolve(asker, small int, first ...spec.Question) (spec.Question, error) {
	if small == 0 || asker < 0 {
		return 0, nil
	}
	for _, other := range n[asker] {
		if other.small == small {
			return other.asked, nil
		}
	}
	for _, asked := range append(first, n.above(asker, small)) {
		if n.fit(asker, small, asked) {
			return asked, nil
		}
	}
	return 0, fmt.Errorf("question %d of node %d has no place among the others", small, asker+1)
}

// above returns the first number above all that are smaller.
func (n numbering) above(asker, small int) spec.Question {
	above := spec.Question(1)
	for _, other := range n[asker] {
		if other.small < small {
			above = max(above, other.asked+1)
		}
	}
	return above
}

// latestFits reports whether nobody knows a number of node i above its latest, as long as no step has been wrong.
func latestFits(nodes term, i int) bool {
	latest := nodes.at(i + 1).field("latest").number()
	for _, t := range nodes.items {
		if t.field("leader").number() == i+1 && t.field("lease").number() > latest {
			return false
		}
	}
	return true
}

// fitState reports whether the numbers of a state of the module can be those of node i in the trace. How far the latest is ahead
// makes no difference: a restart goes on after its block.
func (n numbering) fitState(i int, t term, s *spec.State, place func(spec.NodeID) int) bool {
	if !s.Leader.IsNone() && !n.fit(place(s.Leader), t.field("lease").number(), s.Lease) {
		return false
	}
	if !n.fit(i, t.field("asked").number(), s.Asked) || !n.fit(i, t.field("dated").number(), s.Dated) {
		return false
	}
	for k := range t.field("answered").items {
		if !n.fit(i, t.field("answered").at(k+1).number(), answeredBy(s, k, place)) {
			return false
		}
	}
	return true
}

func answeredBy(s *spec.State, k int, place func(spec.NodeID) int) spec.Question {
	at := slices.IndexFunc(s.Answered, func(a spec.Answered) bool { return place(a.Node) == k })
	if at < 0 {
		return 0
	}
	return s.Answered[at].Question
}

// fitMessage reports whether a message of the module can be m. What can count no more has no number in the module.
func (n numbering) fitMessage(t term, m *spec.Message, place func(spec.NodeID) int) bool {
	granted := t.field("granted")
	if t.field("type").word() != string(m.Type) || t.field("epoch").number() != int(m.Epoch) || t.field("keeps").number() != place(m.Keeps)+1 ||
		granted.field("by").number() != place(m.Granted.By)+1 || granted.field("epoch").number() != int(m.Granted.Epoch) {
		return false
	}
	if !m.Granted.By.IsNone() && !n.fit(place(m.Granted.By), granted.field("question").number(), m.Granted.Question) {
		return false
	}
	small := t.field("question").number()
	return m.Type == spec.Resign || m.Type == spec.ImBack || small == 0 || n.fit(place(asker(m)), small, m.Question)
}

// asker returns who has asked the question of a message.
func asker(m *spec.Message) spec.NodeID {
	if answers(m.Type) {
		return m.To
	}
	return m.From
}

// find adds the event of a step whose action is not said: the first that the rules allow, and that brings the state after it.
func (r *recorder) find(before, s *Step) error {
	for _, action := range r.candidates(before, s) {
		try := *r
		try.now, try.way, try.strict = slices.Clone(r.now), maps.Clone(r.way), true
		named := *s
		named.Action = string(action)
		if try.step(before, &named) == nil {
			r.now, r.way, r.events = try.now, try.way, try.events
			return nil
		}
	}
	return errors.New("by no step of the rules does it follow from the state before; say its action (\"#meta\":{\"action\":\"OnClaim\"}), and it is judged all the same")
}

// candidates returns the actions by which a state may have come.
func (r *recorder) candidates(before, s *Step) (all []spec.Action) {
	still := true
	for i := range r.members {
		still = still && same(r.seen(before.terms["node"].at(i+1)), r.seen(s.terms["node"].at(i+1)))
	}
	switch was, is := len(before.terms["up"].items), len(s.terms["up"].items); {
	case before.terms["cut"].text != s.terms["cut"].text:
		return []spec.Action{spec.CutAction}
	case was > is:
		return []spec.Action{spec.CrashAction}
	case was < is:
		return []spec.Action{spec.RestartAction}
	}
	for _, a := range spec.FixedActions() {
		switch a {
		case spec.CutAction, spec.CrashAction, spec.StartAction, spec.RestartAction, spec.LoseAction:
		default:
			all = append(all, a)
		}
	}
	if still {
		all = append(all, spec.LoseAction)
	}
	return all
}

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
