package bully_test

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed-fdf591db/bully/impl/bully"
	"github.com/seed-fdf591db/bully/spec"
)

// observed is one step, seen from outside: the node before and after, what it took and what it said. Before a start there
// is no node.
type observed struct {
	me            spec.NodeID
	before, after *spec.State
	in            spec.Input
	sent          []spec.Message
}

func (o *observed) says(kind spec.MessageType) bool {
	return slices.ContainsFunc(o.sent, func(m spec.Message) bool { return m.Type == kind })
}

// renewed says that the lease is another's than before, or of a later question.
func (o *observed) renewed() bool {
	return o.before.Leader != o.after.Leader || o.after.Lease > o.before.Lease
}

// r36 is the table of R36: when a timer runs, and the column "restarted".
var r36 = []struct {
	timer     spec.Timer
	runs      func(me spec.NodeID, s *spec.State) bool
	restarted func(o *observed) bool
}{
	{spec.PatienceTimer,
		func(me spec.NodeID, s *spec.State) bool {
			return s.Role == spec.Follower && (isMember(s, me) || !s.Leader.IsNone())
		},
		func(o *observed) bool {
			return o.says(spec.Ack) && o.renewed() || o.in.Timer == spec.PatienceTimer
		}},
	{spec.PreemptTimer,
		func(me spec.NodeID, s *spec.State) bool {
			lower := s.Leader.Compare(me) < 0 || !mayLead(s, s.Leader)
			return s.Role == spec.Follower && !s.Leader.IsNone() && lower && mayLead(s, me)
		},
		func(o *observed) bool { return o.before.Leader != o.after.Leader || o.before.Epoch != o.after.Epoch }},
	{spec.ElectionTimer, inRole(spec.Candidate), never},
	{spec.CoordinatorTimer, inRole(spec.Electing), func(o *observed) bool { return o.says(spec.Grant) && o.renewed() }},
	{spec.ClaimTimer, inRole(spec.Claimant), never},
	{spec.ReignTimer, inRole(spec.Leader), func(o *observed) bool { return o.before.Dated != o.after.Dated }},
	{spec.HeartbeatTimer, inRole(spec.Leader), func(o *observed) bool { return o.in.Timer == spec.HeartbeatTimer || o.in.Call == spec.ChangeCall }},
}

// mayLead reports whether a node may lead, as another sees it (R46).
func mayLead(s *spec.State, node spec.NodeID) bool {
	m, _ := s.Configuration.Member(node)
	return s.Configuration.IsNone() || m.Kind == spec.Voter
}

// isMember reports whether a node is a member in its own state.
func isMember(s *spec.State, node spec.NodeID) bool {
	_, is := s.Configuration.Member(node)
	return s.Configuration.IsNone() || is
}

func inRole(role spec.Role) func(spec.NodeID, *spec.State) bool {
	return func(_ spec.NodeID, s *spec.State) bool { return s.Role == role }
}

func never(*observed) bool { return false }

// timersOf reads the table for one step.
func (o *observed) timersOf() (running, cancel, arm []spec.Timer) {
	for _, row := range r36 {
		was, is := o.before != nil && row.runs(o.me, o.before), row.runs(o.me, o.after)
		if is {
			running = append(running, row.timer)
		}
		switch {
		case was && !is:
			cancel = append(cancel, row.timer)
		case is && (!was || row.restarted(o)):
			arm = append(arm, row.timer)
		}
	}
	return running, cancel, arm
}

// mayTell is the table of R39: the leader that users may be told of, and the epoch.
func mayTell(s *spec.State) (told spec.Durable) {
	if s == nil {
		return told
	}
	if s.Role == spec.Leader || s.Role == spec.Follower && !s.Leader.IsNone() {
		told = spec.Durable{Epoch: s.Epoch, Grantee: s.Leader}
	}
	return told
}

// duties returns what the step comes to, but for the action: sections 9 and 10, read a second time.
func (o *observed) duties() (want bully.Output) {
	want.Save = o.in.Starts() || o.before.Durable() != o.after.Durable()
	want.Dated = o.after.Dated
	if want.Save {
		want.Promise = o.after.Durable()
	}
	led := o.before != nil && o.before.Role == spec.Leader
	want.ReignEnded = led && !(o.after.Role == spec.Leader && o.after.Epoch == o.before.Epoch)
	want.LeaderChanged = mayTell(o.before) != mayTell(o.after)
	was := spec.EmptyConfiguration() // which a node is given that starts again
	if o.before != nil {
		was = o.before.Configuration
	}
	want.ConfigurationChanged = o.in.Call != spec.StartCall && !o.after.Configuration.IsNone() && o.after.Configuration != was
	return want
}

// problem says what is wrong with the output of a step, or "" if nothing is.
func (o *observed) problem(node *bully.Node, out bully.Output) string {
	want := o.duties()
	running, cancel, arm := o.timersOf()
	leader, epoch := node.Leader()
	switch {
	case out.Ignored != "":
		return "ignored"
	case out.Save != want.Save || out.Promise != want.Promise:
		return "R4: what must be durable"
	case out.ReignEnded != want.ReignEnded:
		return "R39: the end of the reign"
	case out.Dated != want.Dated:
		return "R26: from which question the reign is dated"
	case out.ConfigurationChanged != want.ConfigurationChanged:
		return "R42: whether the configuration is another"
	case out.LeaderChanged != want.LeaderChanged || mayTell(o.after) != spec.Durable{Epoch: epoch, Grantee: leader}:
		return "R39: what users are told"
	case !same(running, node.Running()):
		return "R36: which timers run"
	case !same(cancel, out.Cancel):
		return "R36: which timers are cancelled"
	case !same(arm, out.Arm):
		return "R36: which timers are armed"
	}
	return ""
}

// same reports whether a set is of these timers.
func same(want []spec.Timer, got spec.TimerSet) bool {
	for _, timer := range spec.Timers() {
		if slices.Contains(want, timer) != got.Has(timer) {
			return false
		}
	}
	return true
}

// dutiful is the core as TestConformance asks it. Of each step it compares what the host is told to do with the second reading,
// and the name with the one it has in a trace.
type dutiful struct {
	t       *testing.T
	actions map[spec.Action]int
	duties  [6]int
}

func (d *dutiful) Step(id spec.NodeID, members []spec.NodeID, before spec.State, in spec.Input) spec.Step {
	node, input, err := toInput(id, members, before, in)
	require.NoError(d.t, err, "%s in %s: %v", id, before, in)
	ran := node.Running()
	out := node.Step(input)
	after := node.State()
	if out.Action == "" {
		if out.Save || out.ReignEnded || out.Cancel|out.Arm != 0 || out.Send != nil || out.LeaderChanged {
			require.Fail(d.t, "no step, no duties", "%v in %v: %+v", in, before, out)
		}
		return spec.Step{Ignored: true, State: after}
	}
	o := &observed{me: id, before: &before, after: &after, in: in, sent: out.Send}
	if in.Starts() {
		o.before = nil
	}
	if problem := o.problem(node, out); problem != "" {
		require.Fail(d.t, problem, "%v in %v → %v: %+v", in, before, after, out)
	}
	if err := o.event(out.Action).Validate(); err != nil {
		require.NoError(d.t, err, "%v in %v → %v: %+v", in, before, after, out)
	}
	d.count(out, ran)
	return spec.Step{State: after, Sent: out.Send}
}

// count counts which duties there were.
func (d *dutiful) count(out bully.Output, ran spec.TimerSet) {
	d.actions[out.Action]++
	for duty, seen := range [...]bool{out.Save, out.ReignEnded, out.LeaderChanged, out.Cancel != 0, out.Arm&^ran != 0, out.Arm&ran != 0} {
		if seen {
			d.duties[duty]++
		}
	}
}

// enough holds that each duty, and each step, has been seen.
func (d *dutiful) enough() {
	for _, n := range d.duties {
		require.Greater(d.t, n, 1000, "steps with each of the duties have been seen")
	}
	for _, action := range spec.Actions() {
		require.Equal(d.t, action.OfNode() && action != spec.CrashAction, d.actions[action] > 0, action)
	}
}

// event returns the step as it would stand in a trace.
func (o *observed) event(action spec.Action) *spec.Event {
	e := &spec.Event{Seq: 1, Node: o.me, Action: action, Sent: o.sent, State: *o.after}
	if o.before != nil {
		e.Input = spec.Input{Message: o.in.Message, Timer: o.in.Timer, Call: o.in.Call, Configuration: o.in.Configuration}
	}
	return e
}
