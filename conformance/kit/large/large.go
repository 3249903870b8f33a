// Package large is the model for clusters of any size. Package model counts nodes up to model.MaxNodes; rules do no more with the members than
// compare them, count them, and send to all of them, so few of them stand for all: those that a step names, and some of those that back the
// node and of those that do not, so many that a quorum is one where it was one.
//
//	model := &large.Model{}
//	outcome := model.Step(id, members, before, input) // of 64 members, too
//
// Implementations that know nothing of this are compared with it: the core (impl/cmd/bully), and ports in other languages.
package large

import (
	"fmt"
	"slices"

	"github.com/seed-fdf591db/bully/conformance"
	"github.com/seed-fdf591db/bully/model"
	"github.com/seed-fdf591db/bully/spec"
)

// Model is conformance.Model, for any number of members. It panics if a step names so many that no few of them have a quorum where all have.
type Model struct{ conformance.Model }

var _ conformance.Subject = (*Model)(nil)

// Step is the step of the model.
func (m *Model) Step(id spec.NodeID, members []spec.NodeID, before spec.State, in conformance.Input) conformance.Outcome {
	return m.step(&question{id, members, &before, &in}, model.MaxNodes)
}

// step asks the model about so many members at most.
func (m *Model) step(q *question, most int) conformance.Outcome {
	if len(q.members) <= most {
		return m.Model.Step(q.id, q.members, *q.before, *q.in)
	}
	few := q.few(most)
	if few == nil {
		panic(fmt.Sprintf("large: no %d stand for %d members, of whom %d back %s", most, len(q.members), len(q.before.Support), q.id))
	}
	small := q.before.Clone()
	small.Support = kept(q.before.Support, few)
	answer := m.Model.Step(q.id, few, small, *q.in)
	if answer.Ignored {
		return conformance.Outcome{Ignored: true, After: *q.before}
	}
	after := answer.After.Clone()
	after.Support = nil
	for _, member := range q.members {
		if slices.Contains(answer.After.Support, q.standIn(member, few)) {
			after.Support = append(after.Support, member)
		}
	}
	return conformance.Outcome{After: after, Sent: q.sent(few, answer.Sent)}
}

// question is a step that is asked for.
type question struct {
	id      spec.NodeID
	members []spec.NodeID
	before  *spec.State
	in      *conformance.Input
}

// names reports whether a member is the node, or one that its state or the input names, or the highest: no other can stand for it, nor it for
// another.
func (q *question) names(member spec.NodeID) bool {
	m := &q.in.Message
	return slices.Contains([]spec.NodeID{q.id, q.before.Leader, q.before.Grantee, m.From, m.To, q.members[len(q.members)-1]}, member)
}

// few returns the members that stand for all, ascending; or nil, if so few cannot.
func (q *question) few(most int) []spec.NodeID {
	var must, backers, others []spec.NodeID // of the last two, if there are any, one must be there
	for _, member := range q.members {
		switch {
		case q.names(member):
			must = append(must, member)
		case slices.Contains(q.before.Support, member):
			backers = append(backers, member)
		default:
			others = append(others, member)
		}
	}
	for b := min(1, len(backers)); b <= len(backers) && len(must)+b <= most; b++ {
		for o := min(1, len(others)); o <= len(others) && len(must)+b+o <= most; o++ {
			few := slices.Concat(must, backers[:b], others[:o])
			slices.SortFunc(few, spec.NodeID.Compare)
			if q.quorums(few) == q.quorums(q.members) {
				return few
			}
		}
	}
	return nil
}

// quorums reports whether the node has a quorum of some members behind it, itself included; and whether it has one with the sender of a
// message. Most messages do not count, and then it is all the same.
func (q *question) quorums(of []spec.NodeID) (is struct{ now, then bool }) {
	switch q.in.Message.Type {
	case "", spec.Assent, spec.Grant, spec.Resign:
	default:
		return is
	}
	behind := append(kept(q.before.Support, of), q.id)
	slices.SortFunc(behind, spec.NodeID.Compare)
	behind = slices.Compact(behind)
	is.now = 2*len(behind) > len(of)
	if from := q.in.Message.From; slices.Contains(of, from) && !slices.Contains(behind, from) {
		behind = append(behind, from)
	}
	is.then = 2*len(behind) > len(of)
	return is
}

// kept returns those of some who are among the few.
func kept(some, few []spec.NodeID) []spec.NodeID {
	return slices.DeleteFunc(slices.Clone(some), func(one spec.NodeID) bool { return !slices.Contains(few, one) })
}

// standIn returns who stands for a member: itself; or one that is not named either, and that backs the node if it does.
func (q *question) standIn(member spec.NodeID, few []spec.NodeID) spec.NodeID {
	if slices.Contains(few, member) {
		return member
	}
	backs := slices.Contains(q.before.Support, member)
	i := slices.IndexFunc(few, func(one spec.NodeID) bool { return !q.names(one) && slices.Contains(q.before.Support, one) == backs })
	return few[i] // it is there: see few
}

// sent returns what is sent to all members, of what is sent to the few: for whom somebody stands, gets what that one gets, with the
// others to whom the same is sent, ascending.
func (q *question) sent(few []spec.NodeID, toFew []spec.Message) (all []spec.Message) {
	for len(toFew) > 0 {
		same := 1
		for same < len(toFew) && toFew[same].Type == toFew[0].Type && toFew[same].Epoch == toFew[0].Epoch {
			same++
		}
		for _, member := range q.members {
			standIn := q.standIn(member, few)
			if slices.ContainsFunc(toFew[:same], func(m spec.Message) bool { return m.To == standIn }) {
				m := toFew[0]
				m.To = member
				all = append(all, m)
			}
		}
		toFew = toFew[same:]
	}
	return all
}
