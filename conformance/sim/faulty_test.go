package sim_test

import (
	"slices"

	"github.com/seed-fdf591db/bully/conformance"
	"github.com/seed-fdf591db/bully/conformance/sim"
	"github.com/seed-fdf591db/bully/spec"
)

// faulty is the model with a fault in what it does. It is given what the model does, and returns what is done instead.
type faulty struct {
	conformance.Model
	fault func(c *conformance.Case, got spec.Step) spec.Step
}

func (f *faulty) Step(id spec.NodeID, members []spec.NodeID, before spec.State, in spec.Input) spec.Step {
	got := f.Model.Step(id, members, before.Clone(), in)
	return f.fault(&conformance.Case{ID: id, Members: members, Before: before, Input: in}, got)
}

// faultyNode is a node of the model with a fault in what it asks of its host, or in what it is given.
type faultyNode struct {
	conformance.Node
	restart func(promise spec.Durable) spec.Durable
	did     func(in *spec.Input, out *spec.Step)
}

func (n *faultyNode) Restart(promise spec.Durable, out *spec.Step) {
	if n.restart != nil {
		promise = n.restart(promise)
	}
	n.Node.Restart(promise, out)
}

func (n *faultyNode) Step(in *spec.Input, out *spec.Step) {
	n.Node.Step(in, out)
	if n.did != nil {
		n.did(in, out)
	}
}

// model makes nodes of the model.
var model = conformance.NodeOf(func() conformance.Subject { return &conformance.Model{} })

// step makes nodes of the model that do something else instead, and say the configuration that they would have else, stamped if they
// lead (R48): it is not what is wrong.
func step(fault func(c *conformance.Case, got spec.Step) spec.Step) conformance.Maker {
	return anyStep(func(c *conformance.Case, got spec.Step) spec.Step {
		own := got.State.Configuration
		got = fault(c, got)
		if got.State.Role == spec.Leader {
			own = own.At(got.State.Epoch, own.Version)
		}
		got.State.Configuration, got.Sent = own, carrying(got.Sent, own)
		return got
	})
}

// anyStep makes nodes of the model that do something else instead.
func anyStep(fault func(c *conformance.Case, got spec.Step) spec.Step) conformance.Maker {
	return conformance.NodeOf(func() conformance.Subject { return &faulty{fault: fault} })
}

// asks makes nodes of the model that ask their host for something else.
func asks(did func(in *spec.Input, out *spec.Step)) conformance.Maker {
	return func(id spec.NodeID, members []spec.NodeID) conformance.Node {
		return &faultyNode{Node: model(id, members), did: did}
	}
}

// fault is a way in which nodes are wrong, the promise or rule that a run finds broken, and the run that finds it first.
type fault struct {
	name    string
	breaks  spec.Property
	nodes   int
	profile sim.Profile
	seed    uint64 // where find begins to look
	maker   conformance.Maker
}

// grants is the outcome of granting a claim.
func grants(c *conformance.Case) spec.Step {
	m := c.Input.Message
	return spec.Step{State: spec.State{Role: spec.Electing, Leader: m.From, Lease: m.Question, Epoch: m.Epoch, Grantee: m.From, Latest: c.Before.Latest},
		Sent: []spec.Message{{Type: spec.Grant, From: c.ID, To: m.From, Epoch: m.Epoch, Question: m.Question}}}
}

// faults are all of them. Each is also the name of a plan in testdata/regressions.json.
var faults = []fault{
	{"grants-an-epoch-twice", spec.OneLeaderPerEpoch, 5, "swarm", 443, step(func(c *conformance.Case, got spec.Step) spec.Step {
		m, s := c.Input.Message, &c.Before
		if m.Type == spec.Claim && s.Role != spec.Leader && m.Epoch == s.Epoch && (s.Leader.IsNone() || s.Leader == m.From) {
			return grants(c)
		}
		return got
	})},
	{"has-a-quorum-of-half", spec.OneLeaderPerEpoch, 4, "partition", 7, step(func(c *conformance.Case, _ spec.Step) spec.Step {
		// One more member is taken to back it than does.
		members := c.Members
		if own := c.Before.Configuration; !own.IsNone() {
			members = electors(own)
		}
		ghost := slices.IndexFunc(members, func(id spec.NodeID) bool {
			return id != c.ID && id != c.Input.Message.From && !slices.Contains(c.Before.Support, id)
		})
		if c.Before.Role == spec.Follower || ghost < 0 || len(members)%2 > 0 {
			return (&conformance.Model{}).Step(c.ID, c.Members, c.Before, c.Input)
		}
		s := c.Before.Clone()
		s.Support = append(s.Support, members[ghost])
		slices.SortFunc(s.Support, spec.NodeID.Compare)
		got := (&conformance.Model{}).Step(c.ID, c.Members, s, c.Input)
		got.State.Support = slices.DeleteFunc(got.State.Support, func(id spec.NodeID) bool { return id == members[ghost] })
		return got
	})},
	{"takes-no-for-yes", spec.OneLeaderPerEpoch, 5, "swarm", 39, step(func(c *conformance.Case, got spec.Step) spec.Step {
		if c.Input.Message.Type != spec.Refuse || c.Before.Role != spec.Claimant {
			return got
		}
		in := c.Input
		in.Message.Type, in.Message.Epoch = spec.Grant, c.Before.Epoch+1
		return (&conformance.Model{}).Step(c.ID, c.Members, c.Before, in)
	})},
	{"forgets-its-promise", spec.EpochMonotonic, 3, "crash", 0, func(id spec.NodeID, members []spec.NodeID) conformance.Node {
		return &faultyNode{Node: model(id, members), restart: func(spec.Durable) spec.Durable { return spec.Durable{} }}
	}},
	{"follows-a-past-epoch", spec.EpochMonotonic, 5, "swarm", 37, step(func(c *conformance.Case, got spec.Step) spec.Step {
		m := c.Input.Message
		if m.Type == spec.Heartbeat && m.Epoch < c.Before.Epoch && !got.Ignored {
			return spec.Step{State: spec.State{Role: spec.Follower, Leader: m.From, Lease: m.Question, Epoch: m.Epoch, Grantee: m.From, Latest: c.Before.Latest},
				Sent: []spec.Message{{Type: spec.Ack, From: c.ID, To: m.From, Epoch: m.Epoch, Question: m.Question}}}
		}
		return got
	})},
	{"has-no-shield", spec.OneActing, 3, "partition", 7, step(func(c *conformance.Case, got spec.Step) spec.Step {
		if m := c.Input.Message; m.Type == spec.Claim && c.Before.Role != spec.Leader && m.Epoch > c.Before.Epoch {
			return grants(c)
		}
		return got
	})},
	{"never-checks-its-quorum", spec.OneActing, 3, "partition", 0, step(func(c *conformance.Case, got spec.Step) spec.Step {
		if c.Input.Timer == spec.ReignTimer && c.Before.Role == spec.Leader {
			got.State = c.Before.Clone()
			got.State.Support = nil
		}
		return got
	})},
	{"is-not-silent-after-a-restart", spec.OneActing, 3, "partition", 3, step(func(c *conformance.Case, got spec.Step) spec.Step {
		if c.Input.Call == spec.RestartCall {
			got.State.Role, got.State.Leader = spec.Follower, spec.NodeID{}
		}
		return got
	})},
	{"deposes-a-leader-that-is-well", spec.NoDisruption, 5, "partition", 1, step(func(c *conformance.Case, got spec.Step) spec.Step {
		if m := c.Input.Message; m.Type == spec.Election && c.Before.Role == spec.Leader && m.From.Compare(c.ID) > 0 {
			got.State = spec.State{Role: spec.Follower, Epoch: got.State.Epoch, Grantee: got.State.Grantee, Latest: got.State.Latest}
		}
		return got
	})},
	{"gives-up-for-good", spec.SomeLeader, 3, "lossy", 16, step(func(c *conformance.Case, got spec.Step) spec.Step {
		if c.Input.Timer == spec.ClaimTimer {
			return spec.Step{State: c.Before}
		}
		return got
	})},
	{"never-pre-empts", spec.HighestLeads, 3, "crash", 0, step(func(c *conformance.Case, got spec.Step) spec.Step {
		if c.Input.Timer == spec.PreemptTimer {
			return spec.Step{State: c.Before}
		}
		return got
	})},
	{"sends-before-it-saves", "R4", 3, "lossy", 0, asks(func(_ *spec.Input, out *spec.Step) {
		if out.State.Role == spec.Electing {
			out.Save = false
		}
	})},
	{"cancels-no-timer", "R36", 2, "lossy", 0, asks(func(in *spec.Input, out *spec.Step) {
		if in.Message.Type == spec.Coordinator {
			out.Cancel = 0
		}
	})},
	{"does-not-wait-anew", "R36", 3, "crash", 0, asks(func(in *spec.Input, out *spec.Step) {
		if in.Message.Type == spec.Claim && out.State.Role == spec.Electing {
			out.Arm = 0
		}
	})},
	{"speaks-in-another-name", "R34", 4, "crash", 0, asks(func(in *spec.Input, out *spec.Step) {
		if in.Message.Type == spec.Election && len(out.Sent) > 0 && out.Sent[0].Type == spec.Assent {
			out.Sent = slices.Clone(out.Sent)
			out.Sent[0].From = in.Message.From
		}
	})},
	{"panics", "panic", 5, "swarm", 45, asks(func(in *spec.Input, out *spec.Step) {
		if in.Message.Type == spec.Resign && out.State.Role == spec.Electing {
			panic("what now?")
		}
	})},
}
