package blame

import (
	"slices"

	"github.com/seed-fdf591db/bully/conformance"
	"github.com/seed-fdf591db/bully/spec"
)

// ruleOfNumbers returns the rule that a wrong step breaks which is right but for numbers, or "": those that the node asks under, or
// says (R50); that of its lease (R5); that from which its reign is dated (R26).
func ruleOfNumbers(want, got *spec.Step) string {
	w, g := &want.State, &got.State
	same := g.Clone()
	same.Latest, same.Asked, same.Lease, same.Dated = w.Latest, w.Asked, w.Lease, w.Dated
	if !same.Equal(*w) || !slices.EqualFunc(want.Sent, got.Sent, sameButNumber) {
		return ""
	}
	switch {
	case w.Latest != g.Latest || w.Asked != g.Asked || !slices.Equal(want.Sent, got.Sent):
		return "R50"
	case w.Lease != g.Lease:
		return "R5"
	case w.Dated != g.Dated:
		return "R26"
	}
	return ""
}

// sameButNumber reports whether two messages are the same but for their numbers.
func sameButNumber(a, b spec.Message) bool {
	a.Question = b.Question
	return a == b
}

// numbered returns a question with the numbers that are left out: those of a state as conformance.Numbered has them, and of a message that
// of what is asked.
func numbered(q question) question {
	if q.before.Latest == 0 {
		q.before = conformance.Numbered(q.id, q.members, q.before)
	}
	if m := &q.in.Message; m.Type != "" && m.Question == 0 {
		if m.Question = q.before.Asked; m.Question == 0 {
			m.Question = q.before.Latest
		}
	}
	return q
}

// late returns another answer to what is asked no more, if the case is one (R50): nobody counts it.
func (a *asker) late() (question, bool) {
	q := a.same()
	m := &q.in.Message
	other := map[spec.MessageType]spec.MessageType{
		spec.OK: spec.Assent, spec.Assent: spec.OK, spec.Grant: spec.Refuse, spec.Refuse: spec.Grant,
	}[m.Type]
	claims := q.before.Role == spec.Claimant
	if other == "" || m.Question == q.before.Asked || claims != (m.Type == spec.Grant || m.Type == spec.Refuse) {
		return q, false
	}
	m.Type = other
	if claims {
		m.Epoch = q.before.Epoch + 1
	}
	return q, true
}
