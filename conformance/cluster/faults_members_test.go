package cluster_test

import (
	"slices"

	"github.com/seed-fdf591db/bully/conformance"
	"github.com/seed-fdf591db/bully/spec"
)

// asIfSame lets the model take the step as if the message had the configuration of its receiver.
func asIfSame(m *conformance.Model, c *conformance.Case) spec.Step {
	in := c.Input
	in.Message.Configuration = c.Before.Configuration
	return as(m, c, c.Before, in)
}

// other reports whether a message is heard whose configuration is older than its receiver's, or whose members are others.
func other(c *conformance.Case, kinds ...spec.MessageType) bool {
	m := &c.Input.Message
	return slices.Contains(kinds, m.Type) && !m.Configuration.IsNone() &&
		m.Configuration != c.Before.Configuration && !m.Configuration.Newer(c.Before.Configuration)
}

// toMembers sends a message to all members of some kinds but the node.
func toMembers(c *conformance.Case, of spec.Configuration, kind spec.MessageType, e spec.Epoch, kinds ...spec.MemberKind) (sent []spec.Message) {
	for _, m := range of.Members() {
		if m.ID != c.ID && slices.Contains(kinds, m.Kind) {
			sent = append(sent, spec.Message{Type: kind, From: c.ID, To: m.ID, Epoch: e, Configuration: of})
		}
	}
	return sent
}

// changes makes the change that is asked for, in the place of an outcome that is none.
func changes(c *conformance.Case, got *spec.Step) {
	*got = spec.Step{State: c.Before.Clone()}
	got.State.Support, got.State.Configuration = nil, c.Input.Configuration
	got.Sent = toMembers(c, c.Input.Configuration, spec.Heartbeat, c.Before.Epoch, spec.MemberKinds()...)
}

// almost reports whether a change is refused to a leader though epoch and version are the next.
func almost(c *conformance.Case, got *spec.Step) bool {
	wanted, own := c.Input.Configuration, c.Before.Configuration
	return c.Input.Call == spec.ChangeCall && got.Ignored && c.Before.Role == spec.Leader &&
		wanted.Epoch == c.Before.Epoch && wanted.Version == own.Version+1 && !wanted.SameMembers(own)
}

// speaks reports whether a member that may not stand says so, because its patience ends.
func speaks(c *conformance.Case, got *spec.Step) bool {
	return (c.Input.Timer == spec.PatienceTimer || c.Input.Timer == spec.CoordinatorTimer) && len(got.Sent) > 0 && got.Sent[0].Type == spec.ImBack
}

func kindIn(c *conformance.Case) spec.MemberKind {
	m, _ := c.Before.Configuration.Member(c.ID)
	return m.Kind
}

func differ(c, d spec.Configuration) (n int) {
	for _, m := range append(c.Members(), d.Members()...) {
		a, inC := c.Member(m.ID)
		b, inD := d.Member(m.ID)
		if a != b {
			n++
			if inC && inD {
				n-- // counted again from the other side
			}
		}
	}
	return n
}

// faultsOfMembers break what is said of members that come and go.
var faultsOfMembers = []fault{
	{name: "adopts-nothing", says: "A newer configuration is not looked at.", members: true,
		step: func(m *conformance.Model, c *conformance.Case, got *spec.Step) {
			if c.Input.Message.Configuration.Newer(c.Before.Configuration) && !c.Before.Configuration.IsEmpty() {
				*got = asIfSame(m, c)
			}
		}},
	{name: "adopts-what-is-older", says: "A follower adopts the configuration of its leader, be it older.", members: true,
		step: func(_ *conformance.Model, c *conformance.Case, got *spec.Step) {
			if m := &c.Input.Message; other(c, spec.Heartbeat, spec.Coordinator) && m.Configuration.Epoch == c.Before.Configuration.Epoch && got.State.Role == spec.Follower {
				got.State.Configuration = m.Configuration
				for i := range got.Sent {
					got.Sent[i].Configuration = m.Configuration
				}
			}
		}},
	{name: "says-the-old-configuration", says: "A message carries the configuration from before the step.", members: true,
		step: func(_ *conformance.Model, c *conformance.Case, got *spec.Step) {
			for i := range got.Sent {
				got.Sent[i].Configuration = c.Before.Configuration
			}
		}},
	{name: "adopts-in-memory", says: "A configuration that is adopted is not saved.", members: true,
		duties: func(in *spec.Input, before *spec.State, out *spec.Step) {
			if in.Message.Configuration != before.Configuration && in.Message.Configuration == out.State.Configuration && out.State.Epoch == before.Epoch && out.State.Grantee == before.Grantee {
				out.Save = false
			}
		}},
	{name: "never-tells-the-removed", says: "Who is no member, and asks, gets no answer.", members: true,
		step: func(_ *conformance.Model, c *conformance.Case, got *spec.Step) {
			if _, is := got.State.Configuration.Member(c.Input.Message.From); !is && refused(got) {
				got.Sent = nil
			}
		}},
	{name: "learns-of-non-members", says: "The epoch of a message is learned, whoever has sent it.", members: true,
		step: func(_ *conformance.Model, c *conformance.Case, got *spec.Step) {
			m := &c.Input.Message
			if _, is := got.State.Configuration.Member(m.From); !is && m.Epoch > got.State.Epoch {
				got.State = spec.State{Role: spec.Follower, Epoch: m.Epoch, Configuration: got.State.Configuration}
			}
		}},
	{name: "counts-other-configurations", says: "An OK, an ASSENT, a GRANT or an ACK counts whatever its configuration is.", members: true,
		step: func(m *conformance.Model, c *conformance.Case, got *spec.Step) {
			if other(c, spec.OK, spec.Assent, spec.Grant, spec.Ack) {
				*got = asIfSame(m, c)
			}
		}},
	{name: "grants-in-another-configuration", says: "A CLAIM is granted whose configuration is older.", members: true,
		step: func(m *conformance.Model, c *conformance.Case, got *spec.Step) {
			if other(c, spec.Claim) {
				*got = asIfSame(m, c)
			}
		}},
	{name: "stands-as-a-witness", says: "A witness asks when its patience ends.", members: true,
		step: func(_ *conformance.Model, c *conformance.Case, got *spec.Step) {
			if c.Input.Timer == spec.PatienceTimer && !got.Ignored && kindIn(c) == spec.Witness {
				got.State.Role = spec.Candidate
				got.Sent = toMembers(c, got.State.Configuration, spec.Election, got.State.Epoch, spec.MemberKinds()...)
			}
		}},
	{name: "asks-observers", says: "ELECTION goes to observers.", members: true,
		step: func(_ *conformance.Model, c *conformance.Case, got *spec.Step) {
			if c.Input.Timer == spec.PatienceTimer && got.State.Role == spec.Candidate {
				got.Sent = toMembers(c, got.State.Configuration, spec.Election, got.State.Epoch, spec.MemberKinds()...)
			}
		}},
	{name: "rests-in-silence", says: "A member that may not stand says nothing when its patience ends.", members: true,
		step: func(_ *conformance.Model, c *conformance.Case, got *spec.Step) {
			if speaks(c, got) {
				got.Sent = nil
			}
		}},
	{name: "speaks-to-electors", says: "A member that may not stand speaks to electors alone.", members: true,
		step: func(_ *conformance.Model, c *conformance.Case, got *spec.Step) {
			if speaks(c, got) {
				got.Sent = toMembers(c, got.State.Configuration, spec.ImBack, got.State.Epoch, spec.Voter, spec.Witness)
			}
		}},
	{name: "observers-keep-silent", says: "Of those who may not stand witnesses alone speak.", members: true,
		step: func(_ *conformance.Model, c *conformance.Case, got *spec.Step) {
			if speaks(c, got) && kindIn(c) == spec.Observer {
				got.Sent = nil
			}
		}},
	{name: "speaks-though-removed", says: "Who is no member speaks as members do.", members: true,
		step: func(_ *conformance.Model, c *conformance.Case, got *spec.Step) {
			if c.Input.Timer == spec.PatienceTimer && !got.Ignored && kindIn(c) == "" {
				got.Sent = toMembers(c, got.State.Configuration, spec.ImBack, got.State.Epoch, spec.MemberKinds()...)
			}
		}},
	{name: "keeps-the-lease-it-speaks-without", says: "A member that speaks keeps its lease.", members: true,
		step: func(_ *conformance.Model, c *conformance.Case, got *spec.Step) {
			if speaks(c, got) && c.Input.Timer == spec.PatienceTimer {
				got.State.Leader = c.Before.Leader
			}
		}},
	{name: "speaks-once", says: "The patience of a member that may not stand does not begin anew.", members: true,
		duties: func(in *spec.Input, before *spec.State, out *spec.Step) {
			if in.Timer == spec.PatienceTimer && out.State.Role == spec.Follower {
				out.Arm = 0
			}
		}},
}

// faultsOfChanges break R47 and R48.
var faultsOfChanges = []fault{
	{name: "changes-two-at-once", says: "A leader changes two members in one step.", members: true,
		step: func(_ *conformance.Model, c *conformance.Case, got *spec.Step) {
			if almost(c, got) && differ(c.Before.Configuration, c.Input.Configuration) > 1 {
				changes(c, got)
			}
		}},
	{name: "changes-unsettled", says: "A leader changes members again before a quorum has acknowledged the last change.", members: true,
		step: func(_ *conformance.Model, c *conformance.Case, got *spec.Step) {
			m, _ := c.Input.Configuration.Member(c.ID)
			if almost(c, got) && differ(c.Before.Configuration, c.Input.Configuration) == 1 && m.Kind != spec.Observer && m.Kind != "" {
				changes(c, got)
			}
		}},
	{name: "removes-itself", says: "A leader leaves itself out.", members: true,
		step: func(_ *conformance.Model, c *conformance.Case, got *spec.Step) {
			if _, is := c.Input.Configuration.Member(c.ID); almost(c, got) && !is {
				changes(c, got)
			}
		}},
	{name: "keeps-its-support", says: "Who acknowledged the old configuration counts for the new one.", members: true,
		step: func(_ *conformance.Model, c *conformance.Case, got *spec.Step) {
			if c.Input.Call == spec.ChangeCall && !got.Ignored {
				got.State.Support = slices.DeleteFunc(slices.Clone(c.Before.Support), func(id spec.NodeID) bool {
					_, is := got.State.Configuration.Member(id)
					return !is
				})
			}
		}},
	{name: "tells-members-alone", says: "A member that is removed is not told.", members: true,
		step: func(_ *conformance.Model, c *conformance.Case, got *spec.Step) {
			if c.Input.Call == spec.ChangeCall {
				got.Sent = slices.DeleteFunc(got.Sent, func(m spec.Message) bool {
					_, is := got.State.Configuration.Member(m.To)
					return !is
				})
			}
		}},
	{name: "goes-back-a-version", says: "A leader takes a version again that it has had.", members: true,
		step: func(_ *conformance.Model, c *conformance.Case, got *spec.Step) {
			if c.Input.Call == spec.ChangeCall && got.Ignored && c.Before.Role == spec.Leader && c.Input.Configuration.Version == c.Before.Configuration.Version {
				changes(c, got)
			}
		}},
	{name: "wins-unstamped", says: "Who wins leaves the epoch of its configuration as it is.", members: true,
		step: func(_ *conformance.Model, c *conformance.Case, got *spec.Step) {
			if c.Before.Role != spec.Leader && got.State.Role == spec.Leader {
				got.State.Configuration = c.Before.Configuration
				for i := range got.Sent {
					got.Sent[i].Configuration = c.Before.Configuration
				}
			}
		}},
	{name: "checks-on-from-before", says: "The reign timer does not begin anew with a change.", members: true,
		duties: func(in *spec.Input, _ *spec.State, out *spec.Step) {
			if in.Call == spec.ChangeCall {
				out.Arm &^= spec.TimersOf(spec.ReignTimer)
			}
		}},
}
