package cluster_test

import (
	"slices"
	"strings"

	"github.com/seed-fdf591db/bully/conformance"
	"github.com/seed-fdf591db/bully/spec"
)

// faultsOfElections break what is asked before a claim, and what is left after a crash.
var faultsOfElections = []fault{
	{name: "forgets-its-promise", says: "A node that restarts begins with epoch 0, whatever is on disk.",
		step: func(m *conformance.Model, c *conformance.Case, got *spec.Step) {
			if c.Input.Call == spec.RestartCall {
				*got = as(m, c, spec.State{Role: spec.Follower}, c.Input)
			}
		}},
	{name: "forgets-its-grantee", says: "A node that restarts has its epoch, but not to whom it promised it.",
		step: func(_ *conformance.Model, c *conformance.Case, got *spec.Step) {
			if c.Input.Call == spec.RestartCall {
				got.State.Grantee = spec.NodeID{}
			}
		}},
	{name: "is-not-silent", says: "A node that restarts helps others at once.",
		step: func(_ *conformance.Model, c *conformance.Case, got *spec.Step) {
			if c.Input.Call == spec.RestartCall {
				got.State.Leader = spec.NodeID{}
			}
		}},
	{name: "returns-unsaid", says: "A node that restarts does not say IM_BACK.",
		step: func(_ *conformance.Model, c *conformance.Case, got *spec.Step) {
			if c.Input.Call == spec.RestartCall {
				got.Sent = nil
			}
		}},
	{name: "compares-ids-as-text", says: "Ids are compared as text: 10 is taken to be below 9.",
		step: func(_ *conformance.Model, c *conformance.Case, got *spec.Step) {
			from := c.Input.Message.From
			if hears(c, spec.Election) && !refused(got) && strings.Compare(from.String(), c.ID.String()) != from.Compare(c.ID) {
				got.Sent = slices.Clone(got.Sent[:1])
				got.Sent[0].Type = map[bool]spec.MessageType{true: spec.Assent, false: spec.OK}[got.Sent[0].Type == spec.OK]
			}
		}},
	{name: "claims-above-the-bound", says: "A node whose epoch is 2^53-1 claims.",
		step: func(_ *conformance.Model, c *conformance.Case, got *spec.Step) {
			if c.Input.Timer == spec.ElectionTimer && c.Before.Role == spec.Candidate && c.Before.Epoch == spec.MaxEpoch {
				got.State.Role = spec.Claimant
			}
		}},
	{name: "claims-unasked", says: "A candidate claims though no quorum would follow it.",
		step: func(_ *conformance.Model, c *conformance.Case, got *spec.Step) {
			if s := &c.Before; c.Input.Timer == spec.ElectionTimer && s.Role == spec.Candidate && s.Epoch < spec.MaxEpoch {
				got.State = c.Before.Clone()
				got.State.Role, got.State.Support = spec.Claimant, nil
				got.Sent = toAll(c, spec.Claim, s.Epoch+1)
			}
		}},
	{name: "waits-in-vain", says: "A node that was told OK does not claim when whoever said so does not deliver.",
		step: func(_ *conformance.Model, c *conformance.Case, got *spec.Step) {
			if s := &c.Before; hears(c, spec.OK) && (s.Role == spec.Candidate || s.Role == spec.Electing) {
				got.State.Support = s.Support
			}
		}},
	{name: "supports-everybody", says: "A node says OK and ASSENT though it would refuse the claim.",
		step: func(_ *conformance.Model, c *conformance.Case, got *spec.Step) {
			if hears(c, spec.Election) && refused(got) {
				got.Sent = []spec.Message{answer(c, spec.Assent, got.State.Epoch)}
				if c.Input.Message.From.Compare(c.ID) < 0 {
					got.Sent[0].Type = spec.OK
				}
			}
		}},
	{name: "pre-empts-without-a-lease", says: "A node that pre-empts its leader gives up its lease.",
		step: func(_ *conformance.Model, c *conformance.Case, got *spec.Step) {
			if c.Input.Timer == spec.PreemptTimer && !got.Ignored {
				got.State.Leader = spec.NodeID{}
			}
		}},
}

// faultsOfReigns break what a leader and its followers do.
var faultsOfReigns = []fault{
	{name: "follows-the-past", says: "A HEARTBEAT of a past epoch is followed: >= is left out.",
		step: func(_ *conformance.Model, c *conformance.Case, got *spec.Step) {
			m := &c.Input.Message
			if (hears(c, spec.Heartbeat) || hears(c, spec.Coordinator)) && refused(got) {
				got.State = spec.State{Role: spec.Follower, Leader: m.From, Epoch: m.Epoch, Grantee: m.From}
				got.Sent = []spec.Message{answer(c, spec.Ack, m.Epoch)}
			}
		}},
	{name: "promises-to-whom-it-follows", says: "A node that follows takes its leader for the grantee, whoever that was.",
		step: func(_ *conformance.Model, c *conformance.Case, got *spec.Step) {
			m := &c.Input.Message
			if (hears(c, spec.Heartbeat) || hears(c, spec.Coordinator)) && got.State.Leader == m.From && got.State.Epoch == m.Epoch {
				got.State.Grantee = m.From
			}
		}},
	{name: "leads-on-in-a-learned-epoch", says: "A leader that learns a higher epoch leads that one.",
		step: func(_ *conformance.Model, c *conformance.Case, got *spec.Step) {
			if m := &c.Input.Message; c.Before.Role == spec.Leader && got.State.Role == spec.Follower && got.State.Leader.IsNone() && m.Epoch > c.Before.Epoch {
				got.State = spec.State{Role: spec.Leader, Leader: c.ID, Epoch: m.Epoch, Grantee: c.ID}
			}
		}},
	{name: "leads-on-without-a-quorum", says: "A leader that has lost its quorum leads on.",
		step: func(_ *conformance.Model, c *conformance.Case, got *spec.Step) {
			if c.Input.Timer == spec.ReignTimer && c.Before.Role == spec.Leader {
				got.State = c.Before.Clone()
				got.State.Support = nil
			}
		}},
	{name: "counts-any-ack", says: "A leader counts the ACK of an earlier reign.",
		step: func(_ *conformance.Model, c *conformance.Case, got *spec.Step) {
			if m := &c.Input.Message; hears(c, spec.Ack) && c.Before.Role == spec.Leader && m.Epoch < c.Before.Epoch && !has(c.Before.Support, m.From) {
				got.State.Support = append(slices.Clone(c.Before.Support), m.From)
				slices.SortFunc(got.State.Support, spec.NodeID.Compare)
			}
		}},
	{name: "keeps-the-lease-of-who-resigns", says: "A RESIGN ends no lease.",
		step: func(_ *conformance.Model, c *conformance.Case, got *spec.Step) {
			if hears(c, spec.Resign) && c.Before.Leader == c.Input.Message.From {
				got.State, got.Sent = c.Before, nil
			}
		}},
	{name: "resigns-a-claim", says: "A claimant that is called to resign says RESIGN.",
		step: func(_ *conformance.Model, c *conformance.Case, got *spec.Step) {
			if c.Input.Call == spec.ResignCall && c.Before.Role == spec.Claimant {
				got.Ignored, got.State = false, c.Before.Clone()
				rest(&got.State)
				got.Sent = toAll(c, spec.Resign, c.Before.Epoch)
			}
		}},
	{name: "ignores-a-timer", says: "The end of a timer that runs is ignored.",
		step: func(_ *conformance.Model, c *conformance.Case, got *spec.Step) {
			if c.Input.Timer == spec.ClaimTimer && c.Before.Role == spec.Claimant {
				got.Ignored, got.State = true, c.Before
			}
		}},
	{name: "takes-a-late-timer", says: "A timer that does not run makes a candidate of a leader.",
		step: func(_ *conformance.Model, c *conformance.Case, got *spec.Step) {
			if c.Input.Timer == spec.PatienceTimer && c.Before.Role == spec.Leader {
				got.Ignored, got.State = false, spec.State{Role: spec.Candidate, Epoch: c.Before.Epoch, Grantee: c.Before.Grantee}
				got.Sent = toAll(c, spec.Election, c.Before.Epoch)
			}
		}},
	{name: "panics", says: "A node does not expect to hear from one that is ahead of it.",
		step: func(_ *conformance.Model, c *conformance.Case, _ *spec.Step) {
			if m := &c.Input.Message; hears(c, spec.ImBack) && m.Epoch > c.Before.Epoch {
				panic("this cannot happen")
			}
		}},
	{name: "speaks-in-anothers-name", says: "A node passes a message on as it came.",
		step: func(_ *conformance.Model, c *conformance.Case, got *spec.Step) {
			if m := c.Input.Message; hears(c, spec.Claim) && len(c.Members) > 2 && refused(got) {
				for _, id := range c.Members {
					if id != m.From && id != c.ID {
						m.To = id
					}
				}
				got.Sent = []spec.Message{m}
			}
		}},
}

// faultsOfHosts break what a step asks of its host.
var faultsOfHosts = []fault{
	{name: "sends-before-it-saves", says: "A node that grants does not have its promise saved.",
		duties: func(in *spec.Input, _ *spec.State, out *spec.Step) {
			if in.Message.Type == spec.Claim {
				out.Save = false
			}
		}},
	{name: "keeps-what-it-learns-in-memory", says: "A node does not have an epoch saved that it has learned.",
		duties: func(in *spec.Input, _ *spec.State, out *spec.Step) {
			if in.Message.Type == spec.Refuse {
				out.Save = false
			}
		}},
	{name: "cancels-no-timer", says: "The claim timer of a claimant that has won is not cancelled.",
		duties: func(_ *spec.Input, before *spec.State, out *spec.Step) {
			if before.Role == spec.Claimant && out.State.Role == spec.Leader {
				out.Cancel = 0
			}
		}},
	{name: "waits-from-an-older-grant", says: "The coordinator timer does not begin anew with a GRANT.",
		duties: func(_ *spec.Input, before *spec.State, out *spec.Step) {
			if before.Role == spec.Electing && out.State.Role == spec.Electing {
				out.Arm = 0
			}
		}},
	{name: "claims-for-longer", says: "The claim timer begins anew with a RESIGN.",
		duties: func(in *spec.Input, before *spec.State, out *spec.Step) {
			if in.Message.Type == spec.Resign && before.Role == spec.Claimant && out.State.Role == spec.Claimant {
				out.Arm = spec.TimersOf(spec.ClaimTimer)
			}
		}},
}
