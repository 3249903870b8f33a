package sim_test

import (
	"slices"

	"github.com/seed-fdf591db/bully/conformance"
	"github.com/seed-fdf591db/bully/conformance/sim"
	"github.com/seed-fdf591db/bully/spec"
)

// oracle answers what the model does in another state, or with another input, than it is in.
var oracle = &conformance.Model{}

// does returns what the model does with an input.
func does(c *conformance.Case, before spec.State, in spec.Input) spec.Step {
	return oracle.Step(c.ID, c.Members, before.Clone(), in)
}

// taken returns the input with its message as if it carried the node's own configuration, if its own is older.
func taken(c *conformance.Case, of ...spec.MessageType) spec.Step {
	in, own := c.Input, c.Before.Configuration
	if m := &in.Message; slices.Contains(of, m.Type) && own.Newer(m.Configuration) && own.Epoch <= m.Epoch && kindOf(own, m.From) != "" {
		m.Configuration = own
	}
	return does(c, c.Before, in)
}

// with returns the configuration with a member of a kind, or without it if there is none.
func with(c spec.Configuration, id spec.NodeID, kind spec.MemberKind) spec.Configuration {
	members := slices.DeleteFunc(c.Members(), func(m spec.Member) bool { return m.ID == id })
	if kind != "" {
		members = append(members, spec.Member{ID: id, Kind: kind})
	}
	d, err := spec.NewConfiguration(c.Epoch, c.Version, members)
	if err != nil {
		return c
	}
	return d
}

// carrying gives all that is sent a configuration.
func carrying(sent []spec.Message, c spec.Configuration) []spec.Message {
	sent = slices.Clone(sent)
	for k := range sent {
		sent[k].Configuration = c
	}
	return sent
}

// electors returns the voters and witnesses.
func electors(c spec.Configuration) (ids []spec.NodeID) {
	for _, m := range c.Members() {
		if m.Kind != spec.Observer {
			ids = append(ids, m.ID)
		}
	}
	return ids
}

func kindOf(c spec.Configuration, id spec.NodeID) spec.MemberKind {
	m, _ := c.Member(id)
	return m.Kind
}

// backed returns what the model does if these back the node besides, and takes them away again.
func backed(c *conformance.Case, ghosts []spec.NodeID) spec.Step {
	s := c.Before.Clone()
	var added []spec.NodeID
	for _, id := range ghosts {
		if id != c.ID && !slices.Contains(s.Support, id) {
			s.Support, added = append(s.Support, id), append(added, id)
		}
	}
	slices.SortFunc(s.Support, spec.NodeID.Compare)
	got := does(c, s, c.Input)
	got.State.Support = slices.DeleteFunc(got.State.Support, func(id spec.NodeID) bool {
		return slices.Contains(added, id) && id != c.Input.Message.From
	})
	return got
}

// ended reports whether patience ends.
func ended(c *conformance.Case) bool {
	return c.Input.Timer == spec.PatienceTimer || c.Input.Timer == spec.CoordinatorTimer
}

// speaks reports whether a member that may not stand says so, because its patience ends.
func speaks(c *conformance.Case, got spec.Step) bool {
	return ended(c) && len(got.Sent) > 0 && got.Sent[0].Type == spec.ImBack
}

// stands returns what a voter does when its patience ends.
func stands(c *conformance.Case) spec.Step {
	s := c.Before.Clone()
	own := s.Configuration
	s.Configuration = with(own, c.ID, spec.Voter)
	got := does(c, s, c.Input)
	got.State.Configuration, got.Sent = own, carrying(got.Sent, own)
	return got
}

// unranked returns a configuration in which nobody has a rank.
func unranked(c spec.Configuration) spec.Configuration {
	members := c.Members()
	for k := range members {
		members[k].Rank = 0
	}
	if d, err := spec.NewConfiguration(c.Epoch, c.Version, members); err == nil {
		return d
	}
	return c
}

// byIds returns what the model does where nobody has a rank, with the configuration that it would have else.
func byIds(c *conformance.Case, got spec.Step) spec.Step {
	own, s, in := got.State.Configuration, c.Before.Clone(), c.Input
	if in.Call == spec.ChangeCall || own == unranked(own) {
		return got
	}
	s.Configuration, in.Message.Configuration = unranked(s.Configuration), unranked(in.Message.Configuration)
	got = does(c, s, in)
	got.State.Configuration = own.At(got.State.Configuration.Epoch, own.Version)
	got.Sent = carrying(got.Sent, got.State.Configuration)
	return got
}

// changingFaults are ways in which nodes are wrong about members.
var changingFaults = []fault{
	{"forgets-its-configuration", spec.ConfigurationMonotonic, 4, "changing", 0, func(id spec.NodeID, members []spec.NodeID) conformance.Node {
		return &faultyNode{Node: model(id, members), restart: func(d spec.Durable) spec.Durable {
			d.Configuration = spec.EmptyConfiguration()
			return d
		}}
	}},
	{"grants-an-older-configuration", "R45", 5, "changing", 170, anyStep(func(c *conformance.Case, got spec.Step) spec.Step {
		return taken(c, spec.Claim)
	})},
	{"supports-an-older-configuration", "R45", 5, "changing", 0, anyStep(func(c *conformance.Case, got spec.Step) spec.Step {
		return taken(c, spec.Election)
	})},
	{"goes-by-ids-alone", "R36", 4, "changing", 0, anyStep(byIds)},
	{"does-not-stamp", "R48", 3, "changing", 0, anyStep(func(c *conformance.Case, got spec.Step) spec.Step {
		if c.Before.Role != spec.Leader && got.State.Role == spec.Leader {
			got.State.Configuration = c.Before.Configuration
			got.Sent = carrying(got.Sent, c.Before.Configuration)
		}
		return got
	})},
	{"changes-unsettled", "R47", 5, "changing", 0, anyStep(func(c *conformance.Case, got spec.Step) spec.Step {
		if c.Input.Call == spec.ChangeCall && c.Before.Role == spec.Leader {
			return backed(c, electors(c.Before.Configuration))
		}
		return got
	})},
	{"changes-two-at-a-time", "R47", 5, "changing", 0, anyStep(func(c *conformance.Case, got spec.Step) spec.Step {
		if c.Input.Call != spec.ChangeCall || !got.Ignored {
			return got
		}
		wanted, own := c.Input.Configuration, c.Before.Configuration
		in := c.Input
		for _, m := range own.Members() { // all but one as before
			if in.Configuration = with(own.At(wanted.Epoch, wanted.Version), m.ID, ""); kindOf(wanted, m.ID) == "" {
				break
			}
		}
		if got = does(c, c.Before, in); got.Ignored || wanted == in.Configuration {
			return does(c, c.Before, c.Input)
		}
		got.State.Configuration, got.Sent = wanted, carrying(got.Sent, wanted)
		return got
	})},
	{"counts-any-ACK", "R45", 5, "changing", 0, anyStep(func(c *conformance.Case, got spec.Step) spec.Step {
		return taken(c, spec.Ack)
	})},
	{"counts-observers", "R47", 3, "changing", 0, anyStep(func(c *conformance.Case, got spec.Step) spec.Step {
		// As many electors besides as observers that back it.
		var ghosts []spec.NodeID
		own := c.Before.Configuration
		for _, id := range append([]spec.NodeID{c.Input.Message.From}, c.Before.Support...) {
			if kindOf(own, id) != spec.Observer {
				continue
			}
			for _, other := range electors(own) {
				if other != c.ID && !slices.Contains(c.Before.Support, other) && !slices.Contains(ghosts, other) {
					ghosts = append(ghosts, other)
					break
				}
			}
		}
		if c.Before.Role == spec.Follower || len(ghosts) == 0 {
			return got
		}
		return backed(c, ghosts)
	})},
	{"observers-vote", "R45", 5, "changing", 0, anyStep(func(c *conformance.Case, got spec.Step) spec.Step {
		// It is asked by who takes it for an elector, and has an older configuration.
		own, m := c.Before.Configuration, c.Input.Message
		if m.Type != spec.Election || kindOf(own, c.ID) != spec.Observer || kindOf(own, m.From) == "" || m.Configuration.Newer(own) {
			return got
		}
		s, in := c.Before.Clone(), c.Input
		s.Configuration = with(own, c.ID, spec.Witness)
		in.Message.Configuration = s.Configuration
		got = does(c, s, in)
		got.State.Configuration, got.Sent = own, carrying(got.Sent, own)
		return got
	})},
	{"adopts-without-saving", "R4", 4, "changing", 0, asks(func(in *spec.Input, out *spec.Step) {
		if in.Message.Type == spec.Heartbeat && out.State.Configuration == in.Message.Configuration {
			out.Save = false
		}
	})},
	{"adopts-nothing", "R43", 4, "changing", 0, anyStep(func(c *conformance.Case, got spec.Step) spec.Step {
		if got.State.Configuration == c.Input.Message.Configuration && got.State.Configuration != c.Before.Configuration {
			return spec.Step{State: c.Before.Clone()}
		}
		return got
	})},
	{"answers-before-it-adopts", "R43", 4, "changing", 0, anyStep(func(c *conformance.Case, got spec.Step) spec.Step {
		if got.State.Configuration == c.Input.Message.Configuration && got.State.Role != spec.Leader {
			got.Sent = carrying(got.Sent, c.Before.Configuration)
		}
		return got
	})},
	{"heeds-non-members", "R44", 5, "changing", 0, anyStep(func(c *conformance.Case, got spec.Step) spec.Step {
		m, own := c.Input.Message, c.Before.Configuration
		if m.Type == "" || m.Configuration.Newer(own) || kindOf(own, m.From) != "" {
			return got
		}
		s, in := c.Before.Clone(), c.Input
		s.Configuration = with(own, m.From, spec.Voter)
		got = does(c, s, in)
		if got.State.Configuration.SameMembers(s.Configuration) {
			got.State.Configuration, got.Sent = own, carrying(got.Sent, own)
		}
		got.State.Support = slices.DeleteFunc(got.State.Support, func(id spec.NodeID) bool { return kindOf(own, id) == "" })
		return got
	})},
	{"stands-though-removed", "R46", 4, "changing", 0, anyStep(func(c *conformance.Case, got spec.Step) spec.Step {
		if c.Input.Timer == spec.CoordinatorTimer && kindOf(c.Before.Configuration, c.ID) == "" && !got.Ignored {
			return stands(c)
		}
		return got
	})},
	{"stands-as-a-witness", "R46", 4, "changing", 0, anyStep(func(c *conformance.Case, got spec.Step) spec.Step {
		if c.Input.Timer == spec.PatienceTimer && kindOf(c.Before.Configuration, c.ID) == spec.Witness && !got.Ignored {
			return stands(c)
		}
		return got
	})},
	{"keeps-silent", "R46", 4, "changing", 0, anyStep(func(c *conformance.Case, got spec.Step) spec.Step {
		if speaks(c, got) {
			got.Sent = nil
		}
		return got
	})},
	{"speaks-to-electors-alone", "R46", 4, "changing", 0, anyStep(func(c *conformance.Case, got spec.Step) spec.Step {
		if speaks(c, got) {
			got.Sent = slices.DeleteFunc(slices.Clone(got.Sent), func(m spec.Message) bool { return kindOf(got.State.Configuration, m.To) == spec.Observer })
		}
		return got
	})},
	{"speaks-though-removed", "R46", 4, "changing", 0, anyStep(func(c *conformance.Case, got spec.Step) spec.Step {
		own := got.State.Configuration
		if ended(c) && !got.Ignored && kindOf(own, c.ID) == "" {
			for _, id := range electors(own) {
				got.Sent = append(got.Sent, spec.Message{Type: spec.ImBack, From: c.ID, To: id, Epoch: got.State.Epoch, Question: got.State.Latest, Configuration: own})
			}
		}
		return got
	})},
	{"speaks-and-keeps-its-lease", "R46", 4, "changing", 0, anyStep(func(c *conformance.Case, got spec.Step) spec.Step {
		if speaks(c, got) && c.Before.Role == spec.Follower {
			got.State = c.Before.Clone()
		}
		return got
	})},
	{"speaks-once", "R36", 4, "changing", 0, asks(func(in *spec.Input, out *spec.Step) {
		if in.Timer == spec.PatienceTimer && out.State.Role == spec.Follower {
			out.Arm = 0
		}
	})},
	{"asks-observers", "R8", 4, "changing", 0, anyStep(func(c *conformance.Case, got spec.Step) spec.Step {
		if own := got.State.Configuration; ended(c) && got.State.Role == spec.Candidate {
			for _, m := range own.Members() {
				if m.Kind == spec.Observer {
					got.Sent = append(got.Sent, spec.Message{Type: spec.Election, From: c.ID, To: m.ID, Epoch: got.State.Epoch, Question: got.State.Asked, Keeps: got.State.Leader, Configuration: own})
				}
			}
		}
		return got
	})},
	{"removes-itself", sim.LeaderIsElector, 4, "changing", 0, anyStep(func(c *conformance.Case, got spec.Step) spec.Step {
		wanted := c.Input.Configuration
		if c.Input.Call != spec.ChangeCall || kindOf(wanted, c.ID) != "" || !got.Ignored {
			return got
		}
		in := c.Input
		in.Configuration = with(c.Before.Configuration.At(wanted.Epoch, wanted.Version), c.ID, spec.Witness)
		if got = does(c, c.Before, in); got.Ignored {
			return got
		}
		got.State.Configuration, got.Sent = wanted, carrying(got.Sent, wanted)
		return got
	})},
	{"does-not-tell-whom-it-removes", "R47", 4, "changing", 0, anyStep(func(c *conformance.Case, got spec.Step) spec.Step {
		if c.Input.Call == spec.ChangeCall {
			got.Sent = slices.DeleteFunc(slices.Clone(got.Sent), func(m spec.Message) bool { return kindOf(got.State.Configuration, m.To) == "" })
		}
		return got
	})},
	{"keeps-support-over-a-change", "R47", 5, "changing", 0, anyStep(func(c *conformance.Case, got spec.Step) spec.Step {
		if c.Input.Call == spec.ChangeCall && !got.Ignored {
			got.State.Support = slices.DeleteFunc(slices.Clone(c.Before.Support), func(id spec.NodeID) bool { return kindOf(got.State.Configuration, id) == "" })
		}
		return got
	})},
	{"claims-on-over-adopting", "R43", 5, "changing", 170, anyStep(func(c *conformance.Case, got spec.Step) spec.Step {
		now := got.State.Configuration
		if c.Before.Role != spec.Claimant || now == c.Before.Configuration || kindOf(now, c.ID) != spec.Voter || got.State.Role != spec.Follower || got.State.Epoch != c.Before.Epoch {
			return got
		}
		s := c.Before.Clone()
		s.Configuration = now
		s.Support = slices.DeleteFunc(s.Support, func(id spec.NodeID) bool { return kindOf(now, id) == "" })
		return does(c, s, c.Input)
	})},
	{"never-changes", "R47", 3, "changing", 0, anyStep(func(c *conformance.Case, got spec.Step) spec.Step {
		if c.Input.Call == spec.ChangeCall {
			return spec.Step{Ignored: true, State: c.Before.Clone()}
		}
		return got
	})},
}
