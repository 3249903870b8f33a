package coverage

import (
	"slices"

	"github.com/seed-fdf591db/bully/conformance"
	"github.com/seed-fdf591db/bully/spec"
)

// cond is something that a case may be or not.
type cond func(v *view) bool

func not(c cond) cond { return func(v *view) bool { return !c(v) } }

// was says that the role before is one of these, becomes that the role after is.
func was(roles ...spec.Role) cond {
	return func(v *view) bool { return slices.Contains(roles, v.Before.Role) }
}

func becomes(roles ...spec.Role) cond {
	return func(v *view) bool { return slices.Contains(roles, v.Want.State.Role) }
}

// Whose lease the node keeps before the step: nobody's, its own, that of the sender of the message, or one that is neither
// its own nor the sender's.
func noLease(v *view) bool { return v.Before.Leader.IsNone() }
func ownLease(v *view) bool {
	return v.Before.Leader == v.ID
}
func sendersLease(v *view) bool { return !noLease(v) && v.Before.Leader == v.m.From }
func anotherLease(v *view) bool { return !noLease(v) && !ownLease(v) && !sendersLease(v) }

// says says that the step sends a message of a type.
func says(t spec.MessageType) cond {
	return func(v *view) bool {
		return slices.ContainsFunc(v.Want.Sent, func(m spec.Message) bool { return m.Type == t })
	}
}

// fromLower says that the node is to lead rather than the sender of the message, fromHigher that the sender is (R46): with fixed
// members whose id is higher.
func fromLower(v *view) bool  { return !fromHigher(v) }
func fromHigher(v *view) bool { return conformance.Outranked(&v.Before.Configuration, v.ID, v.m.From) }

// newer says that the message's epoch is above the node's; equal and older are the rest. next is of the epoch that the node
// claims if it is a claimant.
func newer(v *view) bool { return v.m.Epoch > v.Before.Epoch }
func equal(v *view) bool { return v.m.Epoch == v.Before.Epoch }
func older(v *view) bool { return v.m.Epoch < v.Before.Epoch }
func next(v *view) bool  { return v.m.Epoch == v.Before.Epoch+1 }

// learns says that the epoch of the message is learned, and promised to nobody.
func learns(v *view) bool {
	return newer(v) && v.Want.State.Epoch == v.m.Epoch && v.Want.State.Grantee.IsNone()
}

// To whom the epoch of before is promised.
func promisedToNobody(v *view) bool  { return v.Before.Grantee.IsNone() }
func promisedToSender(v *view) bool  { return v.Before.Grantee == v.m.From }
func promisedToAnother(v *view) bool { return !promisedToNobody(v) && !promisedToSender(v) }
func blank(v *view) bool             { return v.Before.Epoch == 0 && promisedToNobody(v) }
func promiseChanges(v *view) bool {
	return v.Before.Epoch != v.Want.State.Epoch || v.Before.Grantee != v.Want.State.Grantee
}
func epochIsLast(v *view) bool     { return v.Want.State.Epoch == spec.MaxEpoch }
func keepsLeaseAfter(v *view) bool { return !v.Want.State.Leader.IsNone() }

// highest says that no voter is higher than the node.
func highest(v *view) bool {
	return !slices.ContainsFunc(v.members(), func(m spec.Member) bool { return m.Kind == voter && m.ID.Compare(v.ID) > 0 })
}

// onlyMember says that no other has a vote.
func onlyMember(v *view) bool { return v.quorum(v.ID) }

// backed says that the node and its support are a quorum, backedWithSender that they are one with the sender of the message.
func backed(v *view) bool { return v.quorum(append([]spec.NodeID{v.ID}, v.Before.Support...)...) }
func backedWithSender(v *view) bool {
	return v.quorum(append([]spec.NodeID{v.ID, v.m.From}, v.Before.Support...)...)
}

// quorum reports whether more than half of the electors are among some nodes.
func (v *view) quorum(nodes ...spec.NodeID) bool {
	electors, among := 0, 0
	for _, m := range v.members() {
		if m.Kind == observer {
			continue
		}
		electors++
		if slices.Contains(nodes, m.ID) {
			among++
		}
	}
	return 2*among > electors
}

// Of what was no step: why it was none.
func unknownType(v *view) bool { return isMessage(v) && !v.m.Type.Valid() }
func beyondBound(v *view) bool { return isMessage(v) && v.m.Epoch > spec.MaxEpoch }
func toItself(v *view) bool    { return isMessage(v) && v.m.From == v.m.To && v.m.From.Valid() }
func badID(v *view) bool       { return isMessage(v) && (!v.m.From.Valid() || !v.m.To.Valid()) }
func wellFormed(v *view) bool  { return isMessage(v) && v.m.Validate() == nil }
func ofStranger(v *view) bool {
	return wellFormed(v) && !slices.Contains(v.Members, v.m.From)
}
func forAnother(v *view) bool { return wellFormed(v) && v.m.To != v.ID }

func isMessage(v *view) bool { return v.Input.Timer == "" && v.Input.Call == "" }

// idle says that a timer ends which does not run.
func idle(t spec.Timer) cond { return func(v *view) bool { return v.Input.Timer == t } }

func called(c spec.Call) cond { return func(v *view) bool { return v.Input.Call == c } }
