package sim_test

import (
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed-fdf591db/bully/conformance"
	"github.com/seed-fdf591db/bully/conformance/sim"
	"github.com/seed-fdf591db/bully/spec"
)

// says makes nodes of the model that change what they say with the messages of a type that they say.
func says(t spec.MessageType, change func(m *spec.Message)) conformance.Maker {
	return asks(func(_ *spec.Input, out *spec.Step) {
		for k := range out.Sent {
			if out.Sent[k].Type == t {
				change(&out.Sent[k])
			}
		}
	})
}

// ignores makes nodes of the model that ignore the inputs of which is says so, and are changed with it.
func ignores(is func(in *spec.Input) bool, change func(out *spec.Step)) conformance.Maker {
	return func(id spec.NodeID, members []spec.NodeID) conformance.Node {
		return &ignorant{Node: model(id, members), is: is, change: change}
	}
}

type ignorant struct {
	conformance.Node
	is     func(in *spec.Input) bool
	change func(out *spec.Step)
	state  spec.State
}

func (n *ignorant) Start(first spec.Configuration, out *spec.Step) {
	n.Node.Start(first, out)
	n.state = out.State.Clone()
}

func (n *ignorant) Step(in *spec.Input, out *spec.Step) {
	if !n.is(in) {
		n.Node.Step(in, out)
		n.state = out.State.Clone()
		return
	}
	*out = spec.Step{Ignored: true, State: n.state.Clone()}
	if n.change != nil {
		n.change(out)
	}
}

// TestCaught gives a run without any fault to nodes that are wrong: each is caught at once, with the rule, the time and the
// step. (For what needs faults to be seen see TestRegressions.)
func TestCaught(t *testing.T) {
	hearsClaim := func(in *spec.Input) bool { return in.Message.Type == spec.Claim }
	after := func(is spec.Role, change func(s *spec.State)) conformance.Maker {
		return asks(func(_ *spec.Input, out *spec.Step) {
			if out.State.Role == is {
				change(&out.State)
			}
		})
	}
	for name, c := range map[string]struct {
		maker conformance.Maker
		rule  spec.Property
		at    time.Duration
		what  string
	}{
		"no type":                 {says(spec.Claim, func(m *spec.Message) { m.Type = "VOTE" }), "R33", 2 * ms, "node 3 sends 3→1 VOTE epoch:1 question:3 with 1→3 ASSENT epoch:0 question:2, which is no message"},
		"no epoch":                {says(spec.Claim, func(m *spec.Message) { m.Epoch = spec.MaxEpoch + 1 }), "R33", 2 * ms, "which is no message"},
		"another's name":          {says(spec.Assent, func(m *spec.Message) { m.From = id(3) }), "R34", ms, "in the name of another"},
		"to itself":               {says(spec.Assent, func(m *spec.Message) { m.To = m.From }), "R34", ms, "which is to no other member"},
		"to a non-member":         {says(spec.Assent, func(m *spec.Message) { m.To = id(4) }), "R34", ms, "which is to no other member"},
		"ignores a message":       {ignores(hearsClaim, nil), "R34", 3 * ms, "node 1, electing leader:none epoch:0 grantee:none support:{} latest:1, ignores 3→1 CLAIM epoch:1 question:3, which is a step"},
		"ignores a timer":         {ignores(func(in *spec.Input) bool { return in.Timer == spec.HeartbeatTimer }, nil), "R36", 102 * ms, "ignores heartbeat ends, which is a step"},
		"ignores and sends":       {ignores(hearsClaim, func(out *spec.Step) { out.Sent = []spec.Message{{Type: spec.Ack, From: id(1), To: id(3)}} }), "R35", 3 * ms, "node 1, electing"},
		"ignores and saves":       {ignores(hearsClaim, func(out *spec.Step) { out.Save = true }), "R35", 3 * ms, "but saves"},
		"ignores and arms":        {ignores(hearsClaim, func(out *spec.Step) { out.Arm = 1 }), "R35", 3 * ms, "but saves, sets timers"},
		"ignores and changes":     {ignores(hearsClaim, func(out *spec.Step) { out.State.Epoch++ }), "R35", 3 * ms, "or is electing leader:none epoch:1"},
		"no role":                 {after(spec.Claimant, func(s *spec.State) { s.Role = "voter" }), "R5", 2 * ms, "there is no such role"},
		"a strange leader":        {after(spec.Electing, func(s *spec.State) { s.Leader = id(4) }), "R5", ms, "leader is no member"},
		"a strange grantee":       {after(spec.Electing, func(s *spec.State) { s.Grantee = id(4) }), "R5", ms, "grantee is no member"},
		"strange support":         {after(spec.Electing, func(s *spec.State) { s.Support = []spec.NodeID{id(4)} }), "R5", ms, "support is not members"},
		"support twice":           {after(spec.Claimant, func(s *spec.State) { s.Support = []spec.NodeID{id(2), id(2)} }), "R5", 2 * ms, "ascending, each once"},
		"its own support":         {after(spec.Claimant, func(s *spec.State) { s.Support = []spec.NodeID{id(3)} }), "R5", 2 * ms, "support holds the node itself"},
		"a follower's support":    {after(spec.Follower, func(s *spec.State) { s.Support = []spec.NodeID{id(3)} }), "R5", 5 * ms, "a follower keeps no lease or another's, and has no support"},
		"a higher lease":          {after(spec.Claimant, func(s *spec.State) { s.Leader = id(3) }), "R5", 2 * ms, "a candidate and a claimant keep no lease"},
		"no epoch to claim":       {after(spec.Claimant, func(s *spec.State) { s.Epoch = spec.MaxEpoch }), "R5", 2 * ms, "no epoch to claim"},
		"an epoch too high":       {after(spec.Leader, func(s *spec.State) { s.Epoch = spec.MaxEpoch + 1 }), "R5", 4 * ms, "its epoch is above 2^53-1"},
		"a leader not of itself":  {after(spec.Leader, func(s *spec.State) { s.Grantee = id(1) }), "R5", 4 * ms, "a leader keeps its own lease"},
		"saves nothing":           {asks(func(_ *spec.Input, out *spec.Step) { out.Save = false }), "R4", 3 * ms, "save is false, and must be true"},
		"saves everything":        {asks(func(_ *spec.Input, out *spec.Step) { out.Save = true }), "R4", 0, "save is true, and must be false"},
		"cancels nothing":         {asks(func(_ *spec.Input, out *spec.Step) { out.Cancel = 0 }), "R36", 0, "it cancels {} and arms {election}, and must cancel {patience} and arm {election}"},
		"arms nothing":            {asks(func(_ *spec.Input, out *spec.Step) { out.Arm = 0 }), "R36", 0, "it cancels {patience} and arms {}, and"},
		"panics":                  {asks(func(in *spec.Input, _ *spec.Step) { panic("so what") }), "panic", 0, "node 3: so what"},
		"cannot be made":          {func(spec.NodeID, []spec.NodeID) conformance.Node { panic("no") }, "panic", 0, "node 1: no"},
		"goes back without crash": {after(spec.Leader, func(s *spec.State) { s.Epoch = 1 }), "", 0, ""},
	} {
		p := quiet(3)
		result := run(t, p, c.maker)
		if c.rule == "" {
			require.Nil(t, result.Violation, name)
			continue
		}
		v := result.Violation
		require.NotNil(t, v, name)
		require.Equal(t, c.rule, v.Property, "%s: %v", name, v)
		require.Contains(t, v.Explanation, c.what, name)
		if name != "cannot be made" {
			c.at += began
		}
		require.Equal(t, c.at, v.At, name)
		require.Equal(t, result.Steps, v.Step, name)
		require.Equal(t, p.Seed, v.Seed, name)
	}
}

// TestCallsAreNoStep lets nodes ignore a call that they may not, and take one that is no step.
func TestCallsAreNoStep(t *testing.T) {
	resign := func(in *spec.Input) bool { return in.Call == spec.ResignCall }
	p := quiet(3, sim.Fault{At: 150 * ms, Kind: sim.ResignFault, Node: id(3)})
	v := run(t, p, ignores(resign, nil)).Violation
	require.NotNil(t, v)
	require.Equal(t, "R28: node 3, leader leader:3 epoch:1 grantee:3 support:{1 2} latest:4 dated:4 answered:{1:4 2:4}, ignores resign, which is a step (seed 81, step 22, at 458ms)", v.Error())
}

// TestFlood lets every REFUSE be answered with a REFUSE, for ever, at the same moment: the run ends.
func TestFlood(t *testing.T) {
	p := quiet(2)
	p.Links.Delay = sim.Range{}
	v := run(t, p, asks(func(in *spec.Input, out *spec.Step) {
		if m := in.Message; m.Type == spec.Assent || m.Type == spec.Refuse {
			out.Sent = append(out.Sent, spec.Message{Type: spec.Refuse, From: m.To, To: m.From, Epoch: m.Epoch, Question: m.Question})
		}
	})).Violation
	require.NotNil(t, v)
	require.EqualValues(t, "flood", v.Property)
	require.Equal(t, began, v.At)
}

// TestOneActing takes from a leader what makes it stop: it acts on while another comes to lead. Where a bound of R37 is
// broken nothing of the kind is promised, and nothing is said.
func TestOneActing(t *testing.T) {
	stays := step(func(c *conformance.Case, got spec.Step) spec.Step {
		if c.Input.Timer == spec.ReignTimer {
			got.State = c.Before.Clone()
			got.State.Support = nil
		}
		return got
	})
	p := quiet(3, sim.Fault{At: 150 * ms, For: time.Second, Kind: sim.CutFault, Links: linksOf(3, 1, 3, 2)})
	require.Nil(t, run(t, p, model).Violation)
	v := run(t, p, stays).Violation
	require.NotNil(t, v)
	require.Equal(t, spec.OneActing, v.Property)
	require.Equal(t, "two nodes act as leader: node 2 leads epoch 2, node 3 leads epoch 1, with 1→2 GRANT epoch:2 question:3", v.Explanation)
	p.Timing.Patience = 150 * ms // below bound d
	result := run(t, p, stays)
	require.False(t, result.Timely)
	require.Nil(t, result.Violation)
}

// TestOneLeaderPerEpoch lets candidates lead whoever supports them: two that are cut off from each other lead epoch 1.
func TestOneLeaderPerEpoch(t *testing.T) {
	leads := step(func(c *conformance.Case, got spec.Step) spec.Step {
		if c.Input.Timer != spec.ElectionTimer {
			return got
		}
		e := c.Before.Epoch + 1
		q := c.Before.Latest
		got = spec.Step{State: spec.State{Role: spec.Leader, Leader: c.ID, Epoch: e, Grantee: c.ID, Latest: q, Dated: q}}
		for _, j := range c.Members {
			if j != c.ID {
				got.Sent = append(got.Sent, spec.Message{Type: spec.Coordinator, From: c.ID, To: j, Epoch: e, Question: q})
			}
		}
		return got
	})
	p := quiet(3, sim.Fault{At: 0, For: time.Second, Kind: sim.CutFault, Links: linksOf(1, 3, 3, 1, 2, 3, 3, 2)})
	p.Faults[0].At = 0
	p.Timing.Patience = 150 * ms // below bound d: this is promised all the same
	require.Nil(t, run(t, p, model).Violation)
	v := run(t, p, leads).Violation
	require.NotNil(t, v)
	require.Equal(t, spec.OneLeaderPerEpoch, v.Property)
	require.Equal(t, "nodes 3 and 2 have both led epoch 1, with election ends", v.Explanation)
}

// TestEpochMonotonic lets a node forget its promise over a restart, and follow a past epoch.
func TestEpochMonotonic(t *testing.T) {
	forgets := func(id spec.NodeID, members []spec.NodeID) conformance.Node {
		return &faultyNode{Node: model(id, members), restart: func(spec.Durable) spec.Durable { return spec.Durable{} }}
	}
	p := quiet(3, sim.Fault{At: 150 * ms, For: 20 * ms, Kind: sim.CrashFault, Node: id(1), Point: sim.Between})
	v := run(t, p, forgets).Violation
	require.NotNil(t, v)
	require.Equal(t, "EpochMonotonic: the epoch of node 1 goes back from 1 to 0, with restart (seed 81, step 22, at 478ms)", v.Error())

	goesBack := step(func(c *conformance.Case, got spec.Step) spec.Step {
		if c.Input.Message.Type == spec.Heartbeat {
			got.State.Epoch--
		}
		return got
	})
	v = run(t, quiet(3), goesBack).Violation
	require.NotNil(t, v)
	require.Equal(t, spec.EpochMonotonic, v.Property)
	require.Equal(t, began+103*ms, v.At)
}

// TestSomeLeader ends runs with nobody who leads, with two who do, with one whom not all follow, and with one who is not the
// highest. The plan is not timely, so that two may act at once.
func TestSomeLeader(t *testing.T) {
	stays := func(is func(c *conformance.Case) bool) conformance.Maker {
		return step(func(c *conformance.Case, got spec.Step) spec.Step {
			if is(c) {
				got = spec.Step{State: c.Before.Clone()}
			}
			return got
		})
	}
	p := quiet(3, sim.Fault{At: 0, Kind: sim.JumpFault, Node: id(1)},
		sim.Fault{At: 150 * ms, For: 1500 * ms, Kind: sim.CutFault, Links: linksOf(1, 3, 3, 1, 2, 3, 3, 2)})
	require.False(t, p.Timely())
	require.Nil(t, run(t, p, model).Violation)
	for _, c := range []struct {
		breaks spec.Property
		what   string
		is     func(c *conformance.Case) bool
	}{
		{spec.SomeLeader, "after all faults are over, nobody leads", func(c *conformance.Case) bool { return c.Input.Message.Type == spec.Grant }},
		{spec.SomeLeader, "nodes 2 and 3 lead", func(c *conformance.Case) bool {
			return c.Before.Role == spec.Leader && c.Input.Timer != spec.HeartbeatTimer
		}},
		{spec.SomeLeader, "node 3 leads, and node 1 does not keep its lease in its epoch", func(c *conformance.Case) bool {
			return c.ID == id(1) && (c.Input.Message.Type == spec.Heartbeat || c.Input.Message.Type == spec.Coordinator)
		}},
		{spec.HighestLeads, "node 2 leads, and not node 3", func(c *conformance.Case) bool { return c.Input.Timer == spec.PreemptTimer }},
	} {
		v := run(t, p, stays(c.is)).Violation
		require.NotNil(t, v, c.what)
		require.Equal(t, c.breaks, v.Property, v)
		require.Contains(t, v.Explanation, c.what)
		require.Greater(t, v.At, p.Length)
		require.LessOrEqual(t, v.At, p.Length+p.SettleBound())
	}
	p.Timing.Preempt = -1
	require.Nil(t, run(t, p, model).Violation, "the highest need not lead")
}

// TestLate lets saves wait for each other for longer than δ, though each alone would not: the run is timely no more.
func TestLate(t *testing.T) {
	p := quiet(7)
	p.Links.Delay, p.Disk = sim.Range{}, sim.Range{Min: 3 * ms, Max: 3 * ms}
	p.Timing.Delay = 7 * ms
	require.True(t, p.Timely())
	require.True(t, run(t, p, model).Timely)
	// All that follow tell node 1, at the same moment, that each of them leads an epoch of its own.
	pushes := asks(func(in *spec.Input, out *spec.Step) {
		if m := in.Message; m.Type == spec.Heartbeat && m.From == id(7) && m.To != id(1) {
			out.Sent = append(out.Sent, spec.Message{Type: spec.Heartbeat, From: m.To, To: id(1), Epoch: m.Epoch + spec.Epoch(m.To[15]), Question: 1})
		}
	})
	result := run(t, p, pushes)
	require.False(t, result.Timely)
}

// TestTold follows what users are told: that a reign is over before any message of that step leaves, and that one has begun
// only when the promise is on disk.
func TestTold(t *testing.T) {
	p := quiet(3, sim.Fault{At: 150 * ms, For: 100 * ms, Kind: sim.CrashFault, Node: id(3), Point: sim.Between})
	p.Disk = sim.Range{Min: ms / 2, Max: ms / 2}
	var told []sim.Notification
	result, err := sim.Run(p, model, sim.Options{Notify: func(x sim.Notification) { told = append(told, x) }})
	require.NoError(t, err)
	require.Nil(t, result.Violation)
	of := func(n int) (some []sim.Notification) {
		for _, x := range told {
			if x.Node == id(n) {
				if x.At = x.At.Round(100 * time.Microsecond); x.At > began {
					x.At -= began
				}
				some = append(some, x)
			}
		}
		return some
	}
	require.True(t, slices.IsSortedFunc(told, func(a, b sim.Notification) int { return int(a.At - b.At) }))
	leader := of(3)
	require.Equal(t, []sim.Notification{
		{At: ms / 2, Node: id(3), Up: true},
		{At: 5500 * time.Microsecond, Node: id(3), Up: true, Leader: id(3), Epoch: 1, Leading: true},
		{At: 150 * ms, Node: id(3)},
		{At: 250*ms + ms/2, Node: id(3), Up: true}, // a start saves
	}, leader[:4])
	follower := of(1)
	require.Equal(t, sim.Notification{At: 6500 * time.Microsecond, Node: id(1), Up: true, Leader: id(3), Epoch: 1}, follower[1])
	require.Equal(t, sim.Notification{Node: id(1), Up: true}, sim.Notification{Node: follower[2].Node, Up: follower[2].Up}, "it asks, and knows of no leader")
}

// TestToldAmidCrash crashes the leader amid the messages of a step: its user hears that a reign is over before the first of
// them leaves, and does not hear that one has begun.
func TestToldAmidCrash(t *testing.T) {
	told := func(p *sim.Plan) (got []sim.Notification) {
		_, err := sim.Run(p, model, sim.Options{Notify: func(x sim.Notification) {
			if x.At -= began; x.Node == id(3) && x.At < 200*ms && x.At > 0 {
				got = append(got, x)
			}
		}})
		require.NoError(t, err)
		return got
	}
	resign := sim.Fault{At: 150 * ms, Kind: sim.ResignFault, Node: id(3)}
	crash := sim.Fault{At: 149 * ms, For: 100 * ms, Kind: sim.CrashFault, Node: id(3), Point: sim.AfterSave + 1}
	leads := sim.Notification{At: 4 * ms, Node: id(3), Leader: id(3), Epoch: 1, Leading: true, Up: true}
	require.Equal(t, []sim.Notification{leads, {At: 150 * ms, Node: id(3), Up: true}, {At: 151 * ms, Node: id(3)}}, told(quiet(3, crash, resign)))
	crash.At = 3500 * time.Microsecond
	require.Equal(t, []sim.Notification{{At: 5 * ms, Node: id(3)}, {At: 103500 * time.Microsecond, Node: id(3), Up: true}}, told(quiet(3, crash))[:2])
}
