package cluster_test

import (
	"slices"

	"github.com/seed-fdf591db/bully/conformance"
	"github.com/seed-fdf591db/bully/spec"
)

// asAnswer lets the model take the step as if the message were of question q; what it answers is of the one that was asked.
func asAnswer(m *conformance.Model, c *conformance.Case, q spec.Question) spec.Step {
	in := c.Input
	in.Message.Question = q
	got := as(m, c, c.Before, in)
	got.Sent = slices.Clone(got.Sent)
	for i := range got.Sent {
		switch got.Sent[i].Type {
		case spec.OK, spec.Assent, spec.Grant, spec.Refuse, spec.Ack:
			got.Sent[i].Question = c.Input.Message.Question
		}
	}
	return got
}

// ofAnother reports whether a node keeps the lease of another.
func ofAnother(c *conformance.Case) bool { return !c.Before.Leader.IsNone() && c.Before.Leader != c.ID }

// faultsOfNumbers break what is said of questions, and the rules that keep epochs from running away.
var faultsOfNumbers = []fault{
	{name: "counts-earlier-grants", says: "A GRANT of an earlier claim of the epoch counts.", numbers: true,
		step: func(m *conformance.Model, c *conformance.Case, got *spec.Step) {
			if hears(c, spec.Grant) && c.Before.Role == spec.Claimant && c.Input.Message.Epoch == c.Before.Epoch+1 {
				*got = asAnswer(m, c, c.Before.Asked)
			}
		}},
	{name: "counts-late-answers", says: "An OK or an ASSENT counts, whatever it answers.", numbers: true,
		step: func(m *conformance.Model, c *conformance.Case, got *spec.Step) {
			if (hears(c, spec.OK) || hears(c, spec.Assent)) && c.Before.Asked != 0 {
				*got = asAnswer(m, c, c.Before.Asked)
			}
		}},
	{name: "heeds-late-refusals", says: "A REFUSE of an earlier claim ends a claim.", numbers: true,
		step: func(m *conformance.Model, c *conformance.Case, got *spec.Step) {
			if hears(c, spec.Refuse) && c.Before.Role == spec.Claimant {
				*got = asAnswer(m, c, c.Before.Asked)
			}
		}},
	{name: "dates-from-the-arrival", says: "An ACK dates the reign from when it arrives.", numbers: true,
		step: func(m *conformance.Model, c *conformance.Case, got *spec.Step) {
			if hears(c, spec.Ack) && c.Before.Role == spec.Leader && c.Input.Message.Epoch == c.Before.Epoch {
				*got = asAnswer(m, c, c.Before.Latest)
			}
		}},
	{name: "ends-a-later-lease", says: "An ELECTION, RESIGN or IM_BACK ends the lease of a later question.", numbers: true,
		step: func(m *conformance.Model, c *conformance.Case, got *spec.Step) {
			said := hears(c, spec.Election) || hears(c, spec.Resign) || hears(c, spec.ImBack)
			if said && c.Before.Leader == c.Input.Message.From && c.Input.Message.Question < c.Before.Lease {
				*got = asAnswer(m, c, c.Before.Lease)
			}
		}},
	{name: "keeps-an-older-lease", says: "A lease becomes one of an earlier question.", numbers: true,
		step: func(_ *conformance.Model, c *conformance.Case, got *spec.Step) {
			if m := &c.Input.Message; ofAnother(c) && c.Before.Leader == m.From && got.State.Leader == m.From && m.Question < c.Before.Lease {
				got.State.Lease = m.Question
			}
		}},
	{name: "begins-its-numbers-again", says: "The numbers of a node begin again when it restarts.", numbers: true,
		step: func(_ *conformance.Model, c *conformance.Case, got *spec.Step) {
			if c.Input.Call == spec.RestartCall {
				got.State.Latest = 1
				for i := range got.Sent {
					got.Sent[i].Question = 1
				}
			}
		}},
	{name: "asks-twice-under-one-number", says: "A candidate asks under the number that it has used last.", numbers: true,
		step: func(_ *conformance.Model, c *conformance.Case, got *spec.Step) {
			if c.Input.Timer == spec.PatienceTimer && got.State.Role == spec.Candidate {
				got.State.Latest, got.State.Asked = c.Before.Latest, c.Before.Latest
				for i := range got.Sent {
					got.Sent[i].Question = c.Before.Latest
				}
			}
		}},
	{name: "names-no-lease", says: "An ELECTION does not say whose lease its sender keeps.", numbers: true,
		step: func(_ *conformance.Model, _ *conformance.Case, got *spec.Step) {
			for i := range got.Sent {
				got.Sent[i].Keeps = spec.NodeID{}
			}
		}},
	{name: "supports-who-keeps-nothing", says: "Who keeps a lease supports a higher candidate that does not keep it.", numbers: true,
		step: func(m *conformance.Model, c *conformance.Case, got *spec.Step) {
			if hears(c, spec.Election) && refused(got) {
				in := c.Input
				in.Message.Keeps = c.Before.Leader
				*got = as(m, c, c.Before, in)
			}
		}},
	{name: "gives-way-as-a-claimant", says: "A claimant gives up its claim for the ELECTION of a higher node.", numbers: true,
		step: func(_ *conformance.Model, c *conformance.Case, got *spec.Step) {
			if s := &got.State; hears(c, spec.Election) && s.Role == spec.Claimant && len(got.Sent) == 1 && got.Sent[0].Type == spec.Assent {
				s.Role, s.Support, s.Asked = spec.Electing, nil, 0
			}
		}},
	{name: "grants-its-rival", says: "A claimant grants a lower node the epoch that it claims itself.",
		step: func(_ *conformance.Model, c *conformance.Case, got *spec.Step) {
			m := &c.Input.Message
			if hears(c, spec.Claim) && refused(got) && c.Before.Role == spec.Claimant && m.Epoch == c.Before.Epoch+1 && !ofAnother(c) {
				grant(c, got)
			}
		}},
	{name: "learns-while-bound", says: "Who keeps another's lease learns an epoch from what binds nobody.", numbers: true,
		step: func(_ *conformance.Model, c *conformance.Case, got *spec.Step) {
			s, m := &got.State, &c.Input.Message
			said := hears(c, spec.Election) || hears(c, spec.OK) || hears(c, spec.Assent) || hears(c, spec.ImBack)
			if said && ofAnother(c) && s.Leader == c.Before.Leader && m.Epoch > s.Epoch && s.Role == spec.Follower {
				s.Epoch, s.Grantee, s.Role = m.Epoch, spec.NodeID{}, spec.Electing
				for i := range got.Sent {
					got.Sent[i].Epoch = m.Epoch
				}
			}
		}},
	{name: "names-no-successor", says: "The RESIGN of a hand-over does not say which claim was granted.", numbers: true,
		step: func(_ *conformance.Model, _ *conformance.Case, got *spec.Step) {
			for i := range got.Sent {
				got.Sent[i].Granted = spec.Granted{}
			}
		}},
	{name: "waits-for-the-claim", says: "Who is free after a hand-over does not grant the claim of the successor.", numbers: true,
		step: func(m *conformance.Model, c *conformance.Case, got *spec.Step) {
			if hears(c, spec.Resign) {
				in := c.Input
				in.Message.Granted = spec.Granted{}
				*got = as(m, c, c.Before, in)
			}
		}},
}
