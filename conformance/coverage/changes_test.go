package coverage

import (
	"github.com/seed-fdf591db/bully/conformance/check"
	"github.com/seed-fdf591db/bully/spec"
)

// wanted returns the member that a change is about, as it was and as it is to be; none in one of them if it comes or goes. If it is
// not one member that differs, there is no such.
func (v *view) wanted() (was, to spec.Member, one bool) {
	own, c := v.Before.Configuration, v.Input.Configuration
	n := 0
	for _, m := range own.Members() {
		if other, _ := c.Member(m.ID); other != m {
			was, to, n = m, other, n+1
		}
	}
	for _, m := range c.Members() {
		if _, both := own.Member(m.ID); !both {
			was, to, n = spec.Member{}, m, n+1
		}
	}
	return was, to, n == 1
}

// makes says what a change does to one member: of which kind it was, and is to be; nobody for none.
func makes(from, into spec.MemberKind) cond {
	return func(v *view) bool {
		was, to, one := v.wanted()
		return one && was.Kind == from && to.Kind == into
	}
}

func aboutItself(v *view) bool {
	was, _, _ := v.wanted()
	return was.ID == v.ID
}

func isChange(v *view) bool { return v.Input.Call == spec.ChangeCall }
func isNext(v *view) bool {
	return v.Input.Configuration.Epoch == v.Before.Epoch && v.Input.Configuration.Version == v.Before.Configuration.Version+1
}

// wouldDo says that a leader would change to what is asked for if everybody had acknowledged its configuration.
func wouldDo(v *view) bool {
	s := v.Before.Clone()
	s.Support = nil
	for _, m := range s.Configuration.Members() {
		if m.ID != v.ID {
			s.Support = append(s.Support, m.ID)
		}
	}
	return check.MayChange(v.ID, &s, v.Input.Configuration)
}

func leavesItself(v *view) bool {
	kind := v.kindIn(v.Input.Configuration, v.ID)
	return kind != voter && kind != witness
}

// lowerID says that the id of the sender is below the node's, whatever they are.
func lowerID(v *view) bool { return v.m.From.Compare(v.ID) < 0 }

func hasObserver(v *view) bool {
	for _, m := range v.Want.State.Configuration.Members() {
		if m.Kind == observer && m.ID != v.ID {
			return true
		}
	}
	return false
}

// highestOfAll says that no member of any kind is higher than the node.
func highestOfAll(v *view) bool {
	members := v.Want.State.Configuration.Members()
	return len(members) > 0 && members[len(members)-1].ID.Compare(v.ID) <= 0
}

// ofStanding are the branches of R46.
var ofStanding = []Branch{
	branch("R46", "patience of a witness that keeps a lease ends: it rests, and says IM_BACK to all", on(spec.PatienceTimeout),
		wasA(witness), not(noLease), says(spec.ImBack)),
	branch("R46", "patience of a witness that keeps none ends: it says so again", on(spec.PatienceTimeout), wasA(witness), noLease, says(spec.ImBack)),
	branch("R46", "patience of an observer that keeps a lease ends: it rests, and says IM_BACK to all", on(spec.PatienceTimeout),
		wasA(observer), not(noLease), says(spec.ImBack)),
	branch("R46", "patience of an observer that keeps none ends: it says so again", on(spec.PatienceTimeout), wasA(observer), noLease, says(spec.ImBack)),
	branch("R46", "patience of who is no member ends: it rests in silence", on(spec.PatienceTimeout), wasA(nobody), silent),
	branch("R46", "T_coord of a member that may not stand ends: it rests, and says IM_BACK to all", coordTO, wasA(witness, observer), says(spec.ImBack)),
	branch("R46", "T_coord of who is no member ends: it rests in silence", coordTO, wasA(nobody), silent),
	branch("R46", "a voter hears of a newer configuration from a member that may not stand", on(spec.OnImBack),
		adopts, is(voter), senderIs(witness, observer)),
	branch("R46", "a voter pre-empts a higher leader that is no voter", on(spec.PreemptTimeout), func(v *view) bool { return v.Before.Leader.Compare(v.ID) > 0 }),
	branch("R46", "ELECTION goes to electors alone", on(spec.PatienceTimeout, spec.PreemptTimeout, spec.CoordinatorTimeout, spec.OnElection),
		says(spec.Election), hasObserver),
	branch("R46", "CLAIM goes to electors alone", on(spec.OnAssent, spec.ElectionTimeout, spec.CoordinatorTimeout), says(spec.Claim), hasObserver),
	branch("R46", "a witness says ASSENT to a lower candidate", onElection, meets, is(witness), lowerID, says(spec.Assent)),
	branch("R46", "a leader that is a witness hands over to a lower node", on(spec.OnClaim), was(leader), wasA(witness), lowerID, says(spec.Resign)),
	branch("R46", "the highest voter claims at once, though another member is higher", onAssent, was(candidate), becomes(claimant), not(highestOfAll)),
}

// ofChanges are the branches of R47 and R48.
var ofChanges = []Branch{
	branch("R47", "adds a voter", on(spec.ChangeAction), makes(nobody, voter)),
	branch("R47", "adds a witness", on(spec.ChangeAction), makes(nobody, witness)),
	branch("R47", "adds an observer", on(spec.ChangeAction), makes(nobody, observer)),
	branch("R47", "removes a voter", on(spec.ChangeAction), makes(voter, nobody)),
	branch("R47", "removes a witness", on(spec.ChangeAction), makes(witness, nobody)),
	branch("R47", "removes an observer", on(spec.ChangeAction), makes(observer, nobody)),
	branch("R47", "makes a voter of an observer", on(spec.ChangeAction), makes(observer, voter)),
	branch("R47", "makes a witness of an observer", on(spec.ChangeAction), makes(observer, witness)),
	branch("R47", "makes another voter a witness, or a witness a voter", on(spec.ChangeAction),
		func(v *view) bool { return makes(voter, witness)(v) || makes(witness, voter)(v) }, not(aboutItself)),
	branch("R47", "makes another member an observer", on(spec.ChangeAction),
		func(v *view) bool { return makes(voter, observer)(v) || makes(witness, observer)(v) }),
	branch("R47", "makes itself a witness", on(spec.ChangeAction), makes(voter, witness), aboutItself),
	branch("R47", "gives a member another address", on(spec.ChangeAction), func(v *view) bool {
		was, to, one := v.wanted()
		return one && was.Kind == to.Kind
	}),
	branch("R47", "who does not lead is called to change: no step", on(noStep), isChange, not(was(leader))),
	branch("R47", "another epoch or version than the next: no step", on(noStep), isChange, was(leader), not(isNext)),
	branch("R47", "a quorum has not acknowledged the last change: no step", on(noStep), isChange, was(leader), wouldDo),
	branch("R47", "none differs, or more than one: no step", on(noStep), isChange, was(leader), isNext, func(v *view) bool {
		_, _, one := v.wanted()
		return !one
	}),
	branch("R47", "the leader would vote no more: no step", on(noStep), isChange, was(leader), isNext, leavesItself),

	branch("R48", "who wins stamps its configuration", anyStep, not(was(leader)), becomes(leader)),
}

// ofStarts are the branches of R49, and of R42 about records and messages.
var ofStarts = []Branch{
	branch("R49", "a node that is to join starts", on(spec.StartAction), knowsNobody),
	branch("R49", "a node restarts that has not been told anything", on(spec.RestartAction), knowsNobody),
	branch("R49", "a removed node restarts, and says IM_BACK to the members that it knows", on(spec.RestartAction), wasA(nobody), not(knowsNobody)),
	branch("R42", "a configuration is saved, and the promise is what it was", append(on(spec.ChangeAction), receipts...), func(v *view) bool {
		a, b := v.Before.Durable(), v.Want.State.Durable()
		return a.Configuration != b.Configuration && a.Epoch == b.Epoch && a.Grantee == b.Grantee
	}),
	branch("R42", "what counts in no configuration, in an older one: as in the same", receipts, meets, olderOne),
}
