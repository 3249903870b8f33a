package cluster_test

import (
	"slices"

	"github.com/seed-fdf591db/bully/conformance"
	"github.com/seed-fdf591db/bully/conformance/check"
	"github.com/seed-fdf591db/bully/spec"
)

// fault is something wrong with an implementation.
type fault struct {
	name, says string
	members    bool // it is of what members that are fixed do not do
	numbers    bool // it is of numbers
	// step changes what the model does in a case; nil: nothing.
	step func(m *conformance.Model, c *conformance.Case, got *spec.Step)
	// duties changes what a step asks of its host; nil: nothing.
	duties func(in *spec.Input, before *spec.State, out *spec.Step)
}

// node makes nodes that have the fault.
func (f *fault) node(id spec.NodeID, members []spec.NodeID) conformance.Node {
	n := &faultyNode{fault: f, state: check.Survivor(spec.Durable{})}
	n.Node = conformance.NodeOf(func() conformance.Subject { return &faultySubject{fault: f} })(id, members)
	return n
}

type faultySubject struct {
	conformance.Model
	fault *fault
}

func (s *faultySubject) Step(id spec.NodeID, members []spec.NodeID, before spec.State, in spec.Input) spec.Step {
	got := s.Model.Step(id, members, before, in)
	if s.fault.step != nil {
		own := got.State.Configuration
		s.fault.step(&s.Model, &conformance.Case{ID: id, Members: members, Before: before, Input: in}, &got)
		if !s.fault.members {
			carry(&got, own)
		}
		if !s.fault.numbers {
			sound(id, &before, &in, &got)
		}
	}
	return got
}

// sound gives an outcome numbers that its roles and messages go with: they are not what is wrong.
func sound(id spec.NodeID, before *spec.State, in *spec.Input, got *spec.Step) {
	s := &got.State
	s.Latest = max(s.Latest, before.Latest, 1)
	stands := s.Role == spec.Candidate || s.Role == spec.Claimant
	switch {
	case stands && (s.Asked == 0 || s.Role != before.Role && s.Latest == before.Latest):
		s.Latest = max(s.Latest, before.Latest+1)
		s.Asked = s.Latest
	case s.Role == spec.Follower || s.Role == spec.Leader:
		s.Asked = 0
	}
	switch {
	case s.Role != spec.Leader:
		s.Dated, s.Answered = 0, nil
	case s.Dated == 0:
		s.Dated = max(before.Asked, before.Dated, 1)
	}
	switch {
	case s.Leader.IsNone() || s.Leader == id:
		s.Lease = 0
	case s.Lease == 0:
		s.Lease = max(in.Message.Question, before.Lease, 1)
	}
	for i := range got.Sent {
		if m := &got.Sent[i]; m.Question == 0 {
			m.Question = numberOf(m.Type, s, in)
		}
	}
}

// numberOf returns the question that a message of a type is of.
func numberOf(t spec.MessageType, s *spec.State, in *spec.Input) spec.Question {
	switch t {
	case spec.Election, spec.Claim:
		return max(s.Asked, 1)
	case spec.OK, spec.Assent, spec.Grant, spec.Refuse, spec.Ack:
		return max(in.Message.Question, 1)
	}
	return s.Latest
}

// carry gives an outcome the configuration that it has without the fault, stamped if it leads (R48): it is not what is wrong.
func carry(got *spec.Step, own spec.Configuration) {
	if got.State.Role == spec.Leader {
		own = own.At(got.State.Epoch, own.Version)
	}
	got.State.Configuration = own
	for i := range got.Sent {
		got.Sent[i].Configuration = own
	}
}

type faultyNode struct {
	conformance.Node
	fault *fault
	state spec.State // before the step
}

func (n *faultyNode) Start(first spec.Configuration, out *spec.Step) {
	n.state.Configuration = first
	n.Node.Start(first, out)
	n.after(&spec.Input{Call: spec.StartCall}, out)
}

func (n *faultyNode) Restart(promise spec.Durable, out *spec.Step) {
	n.Node.Restart(promise, out)
	n.after(&spec.Input{Call: spec.RestartCall}, out)
}

func (n *faultyNode) Step(in *spec.Input, out *spec.Step) {
	n.Node.Step(in, out)
	n.after(in, out)
}

func (n *faultyNode) after(in *spec.Input, out *spec.Step) {
	if n.fault.duties != nil {
		n.fault.duties(in, &n.state, out)
	}
	n.state = out.State.Clone()
}

// What the faults are made of.

func answer(c *conformance.Case, kind spec.MessageType, e spec.Epoch) spec.Message {
	return spec.Message{Type: kind, From: c.ID, To: c.Input.Message.From, Epoch: e}
}

func grant(c *conformance.Case, got *spec.Step) {
	m := &c.Input.Message
	got.State = spec.State{Role: spec.Electing, Leader: m.From, Epoch: m.Epoch, Grantee: m.From}
	got.Sent = []spec.Message{answer(c, spec.Grant, m.Epoch)}
}

// own returns the configuration that a node has with an input, or none.
func own(c *conformance.Case) spec.Configuration {
	if heard := c.Input.Message.Configuration; heard.Newer(c.Before.Configuration) {
		return heard
	}
	return c.Before.Configuration
}

// electors returns who votes in the configuration that a node has with an input: all, where members are fixed.
func electors(c *conformance.Case) (ids []spec.NodeID) {
	if own(c).IsNone() {
		return c.Members
	}
	for _, m := range own(c).Members() {
		if m.Kind != spec.Observer {
			ids = append(ids, m.ID)
		}
	}
	return ids
}

// toAll sends a message to all others: who is not asked for a vote hears of it, too.
func toAll(c *conformance.Case, kind spec.MessageType, e spec.Epoch) (sent []spec.Message) {
	to := electors(c)
	if kind != spec.Election && kind != spec.Claim && !own(c).IsNone() {
		to = nil
		for _, m := range own(c).Members() {
			to = append(to, m.ID)
		}
	}
	for _, id := range to {
		if id != c.ID {
			sent = append(sent, spec.Message{Type: kind, From: c.ID, To: id, Epoch: e})
		}
	}
	return sent
}

func win(c *conformance.Case, e spec.Epoch, got *spec.Step) {
	got.State = spec.State{Role: spec.Leader, Leader: c.ID, Epoch: e, Grantee: c.ID}
	got.Sent = toAll(c, spec.Coordinator, e)
}

func rest(s *spec.State) {
	s.Role, s.Support = spec.Follower, nil
	if !s.Leader.IsNone() {
		s.Role = spec.Electing
	}
}

func hears(c *conformance.Case, kind spec.MessageType) bool { return c.Input.Message.Type == kind }

func refused(got *spec.Step) bool {
	return slices.ContainsFunc(got.Sent, func(m spec.Message) bool { return m.Type == spec.Refuse })
}

func has(ids []spec.NodeID, id spec.NodeID) bool { return slices.Contains(ids, id) }

// as lets the model take the step in another state, or with another input.
func as(m *conformance.Model, c *conformance.Case, before spec.State, in spec.Input) spec.Step {
	return m.Step(c.ID, c.Members, before, in)
}

// faultsByTopic are the tables of faults, each with the name of the file that has their scripts.
var faultsByTopic = map[string][]fault{
	"claims": faultsOfClaims, "elections": faultsOfElections, "reigns": faultsOfReigns, "hosts": faultsOfHosts,
	"numbers": faultsOfNumbers, "members": faultsOfMembers, "changes": faultsOfChanges,
}

var faults = slices.Concat(faultsOfClaims, faultsOfElections, faultsOfReigns, faultsOfHosts, faultsOfNumbers, faultsOfMembers, faultsOfChanges)

// faultsOfClaims break what promises are about.
var faultsOfClaims = []fault{
	{name: "grants-twice", says: "An epoch that was promised to one node is promised to another.",
		step: func(_ *conformance.Model, c *conformance.Case, got *spec.Step) {
			m := &c.Input.Message
			if hears(c, spec.Claim) && refused(got) && m.Epoch == c.Before.Epoch && (c.Before.Leader.IsNone() || c.Before.Leader == m.From) {
				grant(c, got)
			}
		}},
	{name: "grants-below", says: "A claim of an epoch that is past is granted.",
		step: func(_ *conformance.Model, c *conformance.Case, got *spec.Step) {
			if hears(c, spec.Claim) && refused(got) && c.Before.Leader.IsNone() {
				grant(c, got)
			}
		}},
	{name: "shields-nobody", says: "A claim is granted though another's lease is kept.",
		step: func(_ *conformance.Model, c *conformance.Case, got *spec.Step) {
			if hears(c, spec.Claim) && refused(got) && c.Input.Message.Epoch > c.Before.Epoch && c.Before.Role != spec.Leader {
				grant(c, got)
			}
		}},
	{name: "hands-over-its-own-epoch", says: "A leader grants its own epoch to a higher node: >= for >.",
		step: func(_ *conformance.Model, c *conformance.Case, got *spec.Step) {
			m := &c.Input.Message
			if hears(c, spec.Claim) && c.Before.Role == spec.Leader && m.Epoch == c.Before.Epoch && m.From.Compare(c.ID) > 0 {
				grant(c, got)
			}
		}},
	{name: "hands-over-to-anybody", says: "A leader grants the claim of a lower node.",
		step: func(_ *conformance.Model, c *conformance.Case, got *spec.Step) {
			if m := &c.Input.Message; hears(c, spec.Claim) && c.Before.Role == spec.Leader && m.Epoch > c.Before.Epoch && refused(got) {
				grant(c, got)
				got.Sent = append(got.Sent, toAll(c, spec.Resign, c.Before.Epoch)...)
			}
		}},
	{name: "hands-over-in-silence", says: "A leader that hands over does not say RESIGN.",
		step: func(_ *conformance.Model, c *conformance.Case, got *spec.Step) {
			if hears(c, spec.Claim) && c.Before.Role == spec.Leader {
				got.Sent = got.Sent[:1]
			}
		}},
	{name: "counts-any-grant", says: "A claimant counts a GRANT of another epoch, a stale one too.",
		step: func(m *conformance.Model, c *conformance.Case, got *spec.Step) {
			if hears(c, spec.Grant) && c.Before.Role == spec.Claimant {
				in := c.Input
				in.Message.Epoch, in.Message.Question = c.Before.Epoch+1, c.Before.Asked
				*got = as(m, c, c.Before, in)
			}
		}},
	{name: "wins-with-half", says: "Half of the members is taken for a quorum.",
		step: func(_ *conformance.Model, c *conformance.Case, got *spec.Step) {
			s := &got.State
			if hears(c, spec.Grant) && s.Role == spec.Claimant && s.Leader.IsNone() && 2*(len(s.Support)+1) >= len(electors(c)) {
				win(c, s.Epoch+1, got)
			}
		}},
	{name: "wins-under-a-lease", says: "A claimant wins though it keeps a lease.",
		step: func(_ *conformance.Model, c *conformance.Case, got *spec.Step) {
			s := &got.State
			if hears(c, spec.Grant) && s.Role == spec.Claimant && 2*(len(s.Support)+1) > len(electors(c)) {
				win(c, s.Epoch+1, got)
			}
		}},
	{name: "claims-its-own-epoch", says: "A claimant claims the epoch that it has, and not the next.",
		step: func(m *conformance.Model, c *conformance.Case, got *spec.Step) {
			if s := &got.State; s.Role == spec.Claimant && s.Epoch > 0 {
				for i := range got.Sent {
					got.Sent[i].Epoch = s.Epoch
				}
			}
			if s := &c.Before; hears(c, spec.Grant) && s.Role == spec.Claimant && s.Epoch > 0 && c.Input.Message.Epoch == s.Epoch {
				in := c.Input
				in.Message.Epoch++
				if *got = as(m, c, *s, in); got.State.Role == spec.Leader {
					win(c, s.Epoch, got)
				}
			}
		}},
	{name: "learns-its-own-claim", says: "A claimant gives way to news of the epoch that it claims itself.",
		step: func(_ *conformance.Model, c *conformance.Case, got *spec.Step) {
			m := &c.Input.Message
			if s := &got.State; s.Role == spec.Claimant && m.Epoch == s.Epoch+1 && (hears(c, spec.ImBack) || hears(c, spec.OK)) {
				s.Epoch, s.Grantee = m.Epoch, spec.NodeID{}
				rest(s)
			}
		}},
	{name: "claims-on-after-a-refusal", says: "A claimant that is told that its epoch is taken claims on.",
		step: func(_ *conformance.Model, c *conformance.Case, got *spec.Step) {
			if hears(c, spec.Refuse) && c.Before.Role == spec.Claimant && c.Input.Message.Epoch == c.Before.Epoch+1 {
				got.State = c.Before
			}
		}},
}
