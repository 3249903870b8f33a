package behaviour

import (
	"cmp"
	"fmt"
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
