package blame

import (
	"slices"

	"github.com/seed-fdf591db/bully/conformance"
	"github.com/seed-fdf591db/bully/spec"
)

// ofMembers are those of R42 to R49 by which a step is taken before any other.
var ofMembers = []string{"R42", "R43", "R44", "R45", "R46", "R47", "R48", "R49"}

// changes reports whether a case is one of changing members.
func changes(c *conformance.Case) bool {
	return !c.Before.Configuration.IsNone()
}

// ruleOfMembers returns which of R42 to R49 a wrong step breaks as the difference shows, or "": what becomes of the
// configuration (R42, R43, R48), who is counted (R42), who is told, and who outranks whom (R46).
func ruleOfMembers(c *conformance.Case, got *spec.Step) string {
	m, want, is := &c.Input.Message, &c.Want.State, &got.State
	wins := want.Role == spec.Leader && c.Before.Role != spec.Leader
	newer := m.Configuration.Newer(c.Before.Configuration)
	switch {
	case want.Configuration != is.Configuration || carriedOtherwise(c.Want.Sent, got.Sent):
		switch {
		case wins && is.Role == spec.Leader:
			return "R48"
		case newer:
			return "R43"
		case is.Configuration == m.Configuration && m.Type != "": // it takes for newer what is not
			return "R42"
		}
	case newer:
		return ""
	case (want.Role != is.Role || want.Dated != is.Dated) && counted(c):
		return "R42"
	case c.Input.Call != spec.ChangeCall && want.Equal(*is) && toOthers(c.Want.Sent, got.Sent):
		return "R46"
	case (m.Type == spec.Election || m.Type == spec.Claim || m.Type == spec.Assent) && m.Configuration == c.Before.Configuration && ranksMatter(c):
		return "R46"
	}
	return ""
}

// carriedOtherwise reports whether two broadcasts are the same but for the configurations that they carry.
func carriedOtherwise(want, got []spec.Message) bool {
	return !slices.Equal(want, got) && slices.EqualFunc(want, got, func(a, b spec.Message) bool {
		return a.Type == b.Type && a.To == b.To && a.From == b.From && a.Epoch == b.Epoch
	})
}

// toOthers reports whether the same is sent, but to others.
func toOthers(want, got []spec.Message) bool {
	kinds := func(messages []spec.Message) (list []spec.MessageType) {
		for k := range messages {
			list = append(list, messages[k].Type)
		}
		slices.Sort(list)
		return slices.Compact(list)
	}
	return len(want) > 0 && len(got) > 0 && len(want) != len(got) && slices.Equal(kinds(want), kinds(got))
}

// counted reports whether it matters who is counted when a node has to know whether it has a quorum: half of the electors are
// none, and observers do not count. Where members are fixed, from when a reign is dated is left out: that may be wrong whoever counts (R26).
func counted(c *conformance.Case) bool {
	behind, m := append(slices.Clone(c.Before.Support), c.ID), &c.Input.Message
	switch {
	case c.Input.Timer == spec.ElectionTimer, c.Input.Timer == spec.CoordinatorTimer, m.Type == spec.Resign:
	case m.Type == spec.Ack && changes(c):
		behind = append(answeredTo(c), c.ID)
	case m.Type == spec.Assent, m.Type == spec.Grant:
		if behind = append(behind, m.From); m.Configuration != c.Before.Configuration {
			return false
		}
	default:
		return false
	}
	if kindIn(c, c.ID) == "" || m.Type != spec.Ack && kindIn(c, c.ID) != spec.Voter {
		return false
	}
	members := membersOf(c)
	electors, backers, all := 0, 0, 0
	for _, id := range members {
		votes, backs := kindIn(c, id) != spec.Observer, slices.Contains(behind, id)
		if votes {
			electors++
		}
		if backs {
			all++
		}
		if votes && backs {
			backers++
		}
	}
	return 2*backers == electors || (2*backers > electors) != (2*all > len(members))
}

// membersOf returns the members of a case: those of the configuration, or the fixed ones.
func membersOf(c *conformance.Case) (ids []spec.NodeID) {
	if !changes(c) {
		return c.Members
	}
	for _, member := range c.Before.Configuration.Members() {
		ids = append(ids, member.ID)
	}
	return ids
}

// kindIn returns what a node is in the configuration of a case. Fixed members are voters.
func kindIn(c *conformance.Case, id spec.NodeID) spec.MemberKind {
	if !changes(c) {
		return spec.Voter
	}
	m, _ := c.Before.Configuration.Member(id)
	return m.Kind
}

// ranksMatter reports whether one who has to do with a message is no voter, or a higher member than the highest voter is there, or a member
// has a rank: where all are voters without ranks, the one of the higher id is to lead, as among fixed members.
func ranksMatter(c *conformance.Case) bool {
	for _, member := range c.Before.Configuration.Members() {
		if member.Rank != 0 {
			return true
		}
	}
	voter := func(id spec.NodeID) bool { return kindIn(c, id) == spec.Voter }
	if c.Input.Message.Type == spec.Assent {
		members := c.Before.Configuration.Members()
		return voter(c.ID) && len(members) > 0 && members[len(members)-1].Kind != spec.Voter
	}
	votes := voter(c.ID) || kindIn(c, c.ID) == spec.Witness
	return votes && voter(c.Input.Message.From) && (!voter(c.ID) || !c.Before.Leader.IsNone() && !voter(c.Before.Leader))
}

// nodesOf returns all ids that a case names, ascending.
func nodesOf(c *conformance.Case) []spec.NodeID {
	m := &c.Input.Message
	ids := append([]spec.NodeID{c.ID, c.Before.Leader, c.Before.Grantee, m.From, m.To, m.Keeps, m.Granted.By, m.Names, c.Input.Names}, c.Members...)
	for _, a := range c.Before.Answered {
		ids = append(ids, a.Node)
	}
	for _, configuration := range []spec.Configuration{c.Before.Configuration, m.Configuration, c.Input.Configuration} {
		for _, member := range configuration.Members() {
			ids = append(ids, member.ID)
		}
	}
	ids = slices.DeleteFunc(ids, spec.NodeID.IsNone)
	slices.SortFunc(ids, spec.NodeID.Compare)
	return slices.Compact(ids)
}

// renamed returns a configuration whose members are called otherwise; the order stays.
func renamed(c spec.Configuration, name func(spec.NodeID) spec.NodeID) spec.Configuration {
	members := c.Members()
	if len(members) == 0 {
		return c
	}
	for i := range members {
		members[i].ID = name(members[i].ID)
	}
	other, err := spec.NewConfiguration(0, 1, members)
	if err != nil {
		return c // the ids are shorter, and so it is one
	}
	return other.At(c.Epoch, c.Version)
}
