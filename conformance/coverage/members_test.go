package coverage

import (
	"slices"

	"github.com/seed-fdf591db/bully/spec"
)

// The branches of R42 to R49.

// configurations returns that of the node, that of the message, and which of them it holds after R43.
func (v *view) configurations() (own, said, now spec.Configuration) {
	own, said = v.Before.Configuration, v.m.Configuration
	if now = own; said.Newer(own) {
		now = said
	}
	return own, said, now
}

// fixed says that the members are: all of them are voters, and no message says so.
func (v *view) fixed() bool { return v.Before.Configuration.IsNone() }

// members returns who is a member before the step.
func (v *view) members() (all []spec.Member) {
	if !v.fixed() {
		return v.Before.Configuration.Members()
	}
	for _, id := range v.Members {
		all = append(all, spec.Member{ID: id, Kind: voter})
	}
	return all
}

// kindIn returns what a node is in a configuration, "" for no member.
func (v *view) kindIn(c spec.Configuration, id spec.NodeID) spec.MemberKind {
	if c.IsNone() && slices.Contains(v.Members, id) {
		return voter
	}
	m, _ := c.Member(id)
	return m.Kind
}

// stands says that the node may ask and claim (R46).
func stands(v *view) bool { return wasA(voter)(v) }

// adopts says that the configuration of the message is newer; sameOne and olderOne are the rest.
func adopts(v *view) bool {
	own, said, _ := v.configurations()
	return said.Newer(own)
}
func sameOne(v *view) bool {
	own, said, _ := v.configurations()
	return said == own
}
func olderOne(v *view) bool { return !adopts(v) && !sameOne(v) }

// What the node, or the sender, is after R43: "" for no member.
func is(kinds ...spec.MemberKind) cond {
	return func(v *view) bool {
		_, _, now := v.configurations()
		return slices.Contains(kinds, v.kindIn(now, v.ID))
	}
}
func senderIs(kinds ...spec.MemberKind) cond {
	return func(v *view) bool {
		_, _, now := v.configurations()
		return slices.Contains(kinds, v.kindIn(now, v.m.From))
	}
}

// wasA says what the node is before the step, by its own configuration.
func wasA(kinds ...spec.MemberKind) cond {
	return func(v *view) bool { return slices.Contains(kinds, v.kindIn(v.Before.Configuration, v.ID)) }
}

func knowsNobody(v *view) bool { return v.Before.Configuration.IsEmpty() }

// meets says that node and sender are members of the configuration that the node holds after R43.
func meets(v *view) bool { return is(spec.MemberKinds()...)(v) && senderIs(spec.MemberKinds()...)(v) }

// asks says that the message is of a type that is answered.
func asks(v *view) bool {
	return slices.Contains([]spec.MessageType{spec.Election, spec.Claim, spec.Coordinator, spec.Heartbeat, spec.ImBack}, v.m.Type)
}

func silent(v *view) bool { return len(v.Want.Sent) == 0 }

const (
	voter    = spec.Voter
	witness  = spec.Witness
	observer = spec.Observer
	nobody   = spec.MemberKind("")
)

// receipts are the actions that take a message.
var receipts = func() (all []spec.Action) {
	for _, a := range spec.Actions() {
		if a.Receipt() != "" {
			all = append(all, a)
		}
	}
	return all
}()

// ofAdopting are the branches of R43.
var ofAdopting = []Branch{
	branch("R43", "a candidate rests, and adopts", receipts, adopts, was(candidate)),
	branch("R43", "a claimant rests, and adopts", receipts, adopts, was(claimant)),
	branch("R43", "a leader adopts, and leads no more", receipts, adopts, was(leader)),
	branch("R43", "an electing node adopts", receipts, adopts, was(electing)),
	branch("R43", "a follower with a lease adopts", receipts, adopts, was(follower), not(noLease)),
	branch("R43", "a follower without a lease adopts", receipts, adopts, was(follower), noLease, not(knowsNobody)),
	branch("R43", "who joins hears of its first configuration", receipts, adopts, knowsNobody),
	branch("R43", "a member hears that it is none any more", receipts, adopts, wasA(spec.MemberKinds()...), is(nobody)),
	branch("R43", "who was removed hears that it is a member again", receipts, adopts, not(knowsNobody), wasA(nobody), not(is(nobody))),
}

// ofNonMembers are the branches of R44.
var ofNonMembers = []Branch{
	branch("R44", "a non-member that asks in an older configuration is refused", receipts, not(is(nobody)), senderIs(nobody), says(spec.Refuse)),
	branch("R44", "a non-member that says anything in the same, or a newer, is passed over", receipts,
		not(is(nobody)), senderIs(nobody), not(olderOne), silent),
	branch("R44", "a non-member that answers in an older configuration is passed over", receipts,
		not(is(nobody)), senderIs(nobody), olderOne, not(asks), silent),
	branch("R44", "who is no member refuses who asks in an older configuration", receipts, is(nobody), says(spec.Refuse)),
	branch("R44", "who is no member passes all else over", receipts, is(nobody), silent),
}

// ofVotes are the branches of R45.
var ofVotes = []Branch{
	branch("R45", "refuses an ELECTION in an older configuration", onElection, meets, olderOne, says(spec.Refuse)),
	branch("R45", "a leader answers an ELECTION in an older configuration, of a node that it outranks", onElection,
		meets, olderOne, says(spec.Coordinator)),
	branch("R45", "an observer refuses an ELECTION", onElection, meets, is(observer), says(spec.Refuse)),
	branch("R45", "refuses a CLAIM in an older configuration", on(spec.OnClaim), meets, olderOne, says(spec.Refuse)),
	branch("R45", "an ACK in an older configuration is no support", on(spec.OnAck), meets, olderOne, was(leader), equal),
}
