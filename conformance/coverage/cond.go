package coverage

import (
	"slices"

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

// fromLower says that the sender of the message is lower than the node, fromHigher that it is higher.
func fromLower(v *view) bool  { return v.m.From.Compare(v.ID) < 0 }
func fromHigher(v *view) bool { return v.m.From.Compare(v.ID) > 0 }

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
func blank(v *view) bool             { return v.Before.Durable() == spec.Durable{} }
func promiseChanges(v *view) bool    { return v.Before.Durable() != v.Want.State.Durable() }
func epochIsLast(v *view) bool       { return v.Want.State.Epoch == spec.MaxEpoch }
func highestMember(v *view) bool     { return v.ID == v.Members[len(v.Members)-1] }
func onlyMember(v *view) bool        { return len(v.Members) == 1 }
func keepsLeaseAfter(v *view) bool   { return !v.Want.State.Leader.IsNone() }
func backed(v *view) bool            { return 2*(len(v.Before.Support)+1) > len(v.Members) }
func backedWithSender(v *view) bool {
	n := len(v.Before.Support) + 1
	if !slices.Contains(v.Before.Support, v.m.From) {
		n++
	}
	return 2*n > len(v.Members)
}

// Of what was no step: why it was none.
func unknownType(v *view) bool { return isMessage(v) && !v.m.Type.Valid() }
func beyondBound(v *view) bool { return isMessage(v) && v.m.Epoch > spec.MaxEpoch }
func toItself(v *view) bool    { return isMessage(v) && v.m.From == v.m.To && v.m.From.Valid() }
func badID(v *view) bool       { return isMessage(v) && (!v.m.From.Valid() || !v.m.To.Valid()) }
func wellFormed(v *view) bool  { return isMessage(v) && v.m.Validate() == nil }
func ofStranger(v *view) bool  { return wellFormed(v) && !slices.Contains(v.Members, v.m.From) }
func forAnother(v *view) bool  { return wellFormed(v) && v.m.To != v.ID }

func isMessage(v *view) bool { return v.Input.Timer == "" && v.Input.Call == "" }

// idle says that a timer ends which does not run.
func idle(t spec.Timer) cond { return func(v *view) bool { return v.Input.Timer == t } }

func called(c spec.Call) cond { return func(v *view) bool { return v.Input.Call == c } }
