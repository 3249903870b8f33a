package coverage

import (
	"slices"

	"github.com/seed-fdf591db/bully/conformance/check"
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
func fromHigher(v *view) bool { return check.Outranked(&v.Before.Configuration, v.ID, v.m.From) }

// newer says that the message's epoch is above the node's; equal and older are the rest. next is of the epoch that the node
// claims if it is a claimant.
func newer(v *view) bool { return v.m.Epoch > v.Before.Epoch }
func equal(v *view) bool { return v.m.Epoch == v.Before.Epoch }
func older(v *view) bool { return v.m.Epoch < v.Before.Epoch }
func next(v *view) bool  { return v.m.Epoch == v.Before.Epoch+1 }

// answersMine says that the message answers what the node asks now; beyondLatest that it was never asked.
func answersMine(v *view) bool  { return v.Before.Asked != 0 && v.m.Question == v.Before.Asked }
func beyondLatest(v *view) bool { return v.m.Question > v.Before.Latest }

// beforeLease and afterLease say that the question of the message is before, or after, that of the lease which is kept.
func beforeLease(v *view) bool { return v.m.Question < v.Before.Lease }
func afterLease(v *view) bool  { return v.m.Question > v.Before.Lease }

// answeredLater says that the sender has answered a later question of the leader, datesAnew that the reign lasts longer by the step.
func answeredLater(v *view) bool {
	return slices.ContainsFunc(v.Before.Answered, func(a spec.Answered) bool { return a.Node == v.m.From && a.Question > v.m.Question })
}
func datesAnew(v *view) bool { return v.Want.State.Dated > v.Before.Dated }

// outranksLeader says that the sender of an ELECTION is to lead rather than whose lease the node keeps, keepsOther that it does not
// keep that lease itself.
func outranksLeader(v *view) bool {
	return !noLease(v) && check.Outranked(&v.Before.Configuration, v.Before.Leader, v.m.From)
}
func keepsOther(v *view) bool { return v.m.Keeps != v.Before.Leader }

// handsOver says that a RESIGN is of a hand-over.
func handsOver(v *view) bool { return v.m.Granted != (spec.Granted{}) }

// boundToAnother says that the node keeps another's lease, keepsAfter that it does after the step.
func boundToAnother(v *view) bool { return !noLease(v) && !ownLease(v) }
func keepsAfter(v *view) bool {
	return !v.Want.State.Leader.IsNone() && v.Want.State.Leader != v.ID
}

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

// beyondClaim says that the epoch of the message is above the one that the node claims, if it does.
func beyondClaim(v *view) bool { return v.m.Epoch > v.Before.Epoch+1 }

func epochIsLast(v *view) bool { return v.Want.State.Epoch == spec.MaxEpoch }

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
func badQuestion(v *view) bool { return isMessage(v) && (v.m.Question == 0 || !v.m.Question.Valid()) }
func badExtra(v *view) bool {
	keeps, granted := v.m.Keeps != (spec.NodeID{}), v.m.Granted != (spec.Granted{})
	return isMessage(v) && v.m.Validate() != nil && (keeps || granted)
}
func toItself(v *view) bool   { return isMessage(v) && v.m.From == v.m.To && v.m.From.Valid() }
func badID(v *view) bool      { return isMessage(v) && (!v.m.From.Valid() || !v.m.To.Valid()) }
func wellFormed(v *view) bool { return isMessage(v) && v.m.Validate() == nil }
func ofNonMember(v *view) bool {
	return wellFormed(v) && !slices.Contains(v.Members, v.m.From)
}
func forAnother(v *view) bool { return wellFormed(v) && v.m.To != v.ID }

func isMessage(v *view) bool { return v.Input.Timer == "" && v.Input.Call == "" }

// idle says that a timer ends which does not run.
func idle(t spec.Timer) cond { return func(v *view) bool { return v.Input.Timer == t } }

func called(c spec.Call) cond { return func(v *view) bool { return v.Input.Call == c } }
