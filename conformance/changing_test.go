package conformance_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed-fdf591db/bully/conformance"
	"github.com/seed-fdf591db/bully/conformance/check"
	"github.com/seed-fdf591db/bully/model/rules"
	"github.com/seed-fdf591db/bully/spec"
	"github.com/seed-fdf591db/bully/spec/slowtest"
)

func node(i uint64) spec.NodeID { return spec.IntegerID(i) }

// members returns a configuration of these kinds, by ascending id from 1.
func members(t *testing.T, e spec.Epoch, version uint64, kinds ...spec.MemberKind) spec.Configuration {
	var list []spec.Member
	for i, kind := range kinds {
		list = append(list, spec.Member{ID: node(uint64(i + 1)), Kind: kind})
	}
	c, err := spec.NewConfiguration(e, version, list)
	require.NoError(t, err)
	return c
}

// TestMixed shows that neither kind of cluster hears the other, nor changes what it has not.
func TestMixed(t *testing.T) {
	c := members(t, 1, 1, spec.Voter, spec.Voter)
	all := []spec.NodeID{node(1), node(2)}
	heartbeat := spec.Message{Type: spec.Heartbeat, From: node(2), To: node(1), Epoch: 7, Question: 3}
	for _, configuration := range []spec.Configuration{{}, c} {
		before := check.Survivor(spec.Durable{Epoch: 1, Reserved: spec.Block, Configuration: configuration})
		other := heartbeat
		if configuration.IsNone() {
			other.Configuration = c
		}
		want := spec.Step{Ignored: true, State: before}
		for _, in := range []spec.Input{{Message: other}, {Call: spec.ChangeCall, Configuration: c.At(1, 2)}} {
			got := new(conformance.Model).Step(node(1), all, before, in)
			require.True(t, got.Equal(want), "%s: %v", in, got)
		}
	}
}

// TestDutiesOfChanging goes by R46 and R47: a member that may not stand waits as a voter does, again and again, and who is none
// only while it keeps a lease; a change begins the timers of a leader anew, and is saved.
func TestDutiesOfChanging(t *testing.T) {
	two := members(t, 4, 2, spec.Voter, spec.Witness)
	rests := check.Survivor(spec.Durable{Epoch: 4, Reserved: spec.Block, Configuration: two})
	require.Equal(t, spec.TimersOf(spec.PatienceTimer), conformance.Running(node(1), &rests))
	require.Equal(t, spec.TimersOf(spec.PatienceTimer), conformance.Running(node(2), &rests))
	require.Zero(t, conformance.Running(node(3), &rests))
	follows := rests
	follows.Leader, follows.Lease = node(2), 3
	require.Equal(t, spec.TimersOf(spec.PatienceTimer, spec.PreemptTimer), conformance.Running(node(1), &follows), "a witness is outranked")
	follows.Leader = node(1)
	require.Equal(t, spec.TimersOf(spec.PatienceTimer), conformance.Running(node(2), &follows))
	require.Equal(t, spec.TimersOf(spec.PatienceTimer), conformance.Running(node(3), &follows))
	for _, before := range []spec.State{rests, follows} {
		for id, armed := range map[spec.NodeID]spec.TimerSet{node(2): spec.TimersOf(spec.PatienceTimer), node(3): 0} {
			in := spec.Input{Timer: spec.PatienceTimer}
			out := new(conformance.Model).Step(id, []spec.NodeID{node(1), node(2), node(3)}, before, in)
			_, cancel, arm := conformance.Duties(id, &before, &in, &out.State, out.Sent)
			require.Equal(t, armed, arm, "%s in %s", id, before)
			require.Equal(t, conformance.Running(id, &before)&^conformance.Running(id, &out.State), cancel)
		}
	}

	leads := conformance.Numbered(node(1), nil, spec.State{Role: spec.Leader, Leader: node(1), Epoch: 4, Grantee: node(1), Support: []spec.NodeID{node(2)}, Configuration: two})
	in := spec.Input{Call: spec.ChangeCall, Configuration: members(t, 4, 3, spec.Voter)}
	require.True(t, check.MayChange(node(1), &leads, in.Configuration))
	out := new(conformance.Model).Step(node(1), []spec.NodeID{node(1), node(2)}, leads, in)
	require.False(t, out.Ignored)
	save, cancel, arm := conformance.Duties(node(1), &leads, &in, &out.State, out.Sent)
	require.True(t, save)
	require.Zero(t, cancel)
	require.Equal(t, spec.TimersOf(spec.ReignTimer, spec.HeartbeatTimer), arm)
}

// TestMayChange asks what the model does too: of every change of a leader, settled or not, they must say the same.
func TestMayChange(t *testing.T) {
	kinds := []spec.MemberKind{"", spec.Voter, spec.Witness, spec.Observer}
	all := []spec.NodeID{node(1), node(2), node(3)}
	var every []spec.Configuration
	for bits := range 64 {
		var list []spec.Member
		for i, id := range all {
			if kind := kinds[bits>>(2*i)&3]; kind != "" {
				list = append(list, spec.Member{ID: id, Kind: kind})
			}
		}
		if c, err := spec.NewConfiguration(4, 2, list); err == nil {
			every = append(every, c)
		}
	}
	asked, may := 0, 0
	for _, own := range every {
		if me, _ := own.Member(node(2)); me.Kind != spec.Voter && me.Kind != spec.Witness {
			continue
		}
		for _, support := range [][]spec.NodeID{nil, {node(1)}, {node(3)}, {node(1), node(3)}} {
			s := spec.State{Role: spec.Leader, Leader: node(2), Epoch: 4, Grantee: node(2), Configuration: own}
			for _, id := range support {
				if _, is := own.Member(id); is {
					s.Support = append(s.Support, id)
				}
			}
			s = conformance.Numbered(node(2), nil, s)
			for _, c := range every {
				for _, stamped := range []spec.Configuration{c, c.At(4, 3), c.At(4, 4), c.At(3, 3), c.At(5, 3)} {
					got := new(conformance.Model).Step(node(2), all, s, spec.Input{Call: spec.ChangeCall, Configuration: stamped})
					asked++
					if !got.Ignored {
						may++
					}
					require.Equal(t, !got.Ignored, check.MayChange(node(2), &s, stamped), "%s to %s", s, stamped)
				}
			}
		}
	}
	require.Greater(t, may, 100)
	t.Logf("%d changes asked for, %d made", asked, may)
}

// TestRulesOfMembers names which of R42 to R49 each answer follows from first, where there is one.
func TestRulesOfMembers(t *testing.T) {
	old, now := members(t, 3, 1, spec.Voter, spec.Voter, spec.Voter), members(t, 3, 2, spec.Voter, spec.Voter, spec.Observer)
	says := func(kind spec.MessageType, c spec.Configuration, from uint64) spec.Input {
		return spec.Input{Message: spec.Message{Type: kind, From: node(from), To: node(1), Epoch: 4, Question: 6, Configuration: c}}
	}
	rest := check.Survivor(spec.Durable{Epoch: 3, Reserved: spec.Block, Configuration: now})
	claims := conformance.Numbered(node(1), nil, spec.State{Role: spec.Claimant, Epoch: 3, Configuration: now})
	leads := conformance.Numbered(node(1), nil, spec.State{Role: spec.Leader, Leader: node(1), Epoch: 4, Grantee: node(1), Configuration: now.At(4, 2)})
	observes := check.Survivor(spec.Durable{Epoch: 3, Reserved: spec.Block, Configuration: members(t, 3, 3, spec.Observer, spec.Voter)})
	for _, c := range []struct {
		before spec.State
		in     spec.Input
		rule   string
	}{
		{rest, spec.Input{Call: spec.StartCall}, "R49"},
		{rest, spec.Input{Call: spec.RestartCall}, "R30"},
		{rest, spec.Input{Call: spec.ChangeCall, Configuration: now}, "R47"},
		{rest, spec.Input{Timer: spec.PatienceTimer}, "R8"},
		{observes, spec.Input{Timer: spec.PatienceTimer}, "R46"},
		{check.Survivor(spec.Durable{Reserved: spec.Block, Configuration: spec.EmptyConfiguration()}), spec.Input{Timer: spec.PatienceTimer}, "R35"},
		{rest, says(spec.Heartbeat, now.At(4, 1), 2), "R43"},
		{rest, says(spec.Heartbeat, now, 4), "R44"},
		{rest, says(spec.Claim, old, 2), "R45"},
		{rest, says(spec.Claim, now, 2), "R17"},
		{observes, says(spec.Claim, observes.Configuration, 2), "R45"},
		{claims, says(spec.Grant, now, 2), "R20"},
		{claims, says(spec.Grant, old, 2), "R20"},
		{rest, says(spec.Grant, old, 2), "R19"},
		{leads, says(spec.Ack, old, 2), "R45"},
		{leads, says(spec.Ack, now.At(4, 2), 2), "R25"},
		{rest, says(spec.Heartbeat, old, 2), "R23"},
	} {
		k := conformance.Case{ID: node(1), Members: []spec.NodeID{node(1), node(2), node(3), node(4)}, Before: c.before, Input: c.in}
		if c.in.Call == spec.StartCall {
			k.Before = check.Survivor(spec.Durable{Configuration: members(t, 0, 1, spec.Voter)})
		}
		k.Want = new(conformance.Model).Step(k.ID, k.Members, k.Before, k.Input)
		require.Equal(t, c.rule, check.RuleOf(&k), "%s in %s", c.in, k.Before)
		require.NotEmpty(t, spec.Sentence(c.rule))
	}
	follows := observes
	follows.Leader, follows.Lease = node(2), 3
	k := conformance.Case{ID: node(1), Members: []spec.NodeID{node(1), node(2)}, Before: follows, Input: spec.Input{Timer: spec.PatienceTimer}}
	k.Want = new(conformance.Model).Step(k.ID, k.Members, k.Before, k.Input)
	require.Equal(t, "R46", check.RuleOf(&k))
}

// faultsOfMembers are what the model is broken with from outside where members change, and which groups see it.
var faultsOfMembers = []struct {
	name, found string
	fault       func(c *conformance.Case, got spec.Step) spec.Step
}{
	{"nothing is wrong", "", func(_ *conformance.Case, got spec.Step) spec.Step { return got }},
	{"adopts nothing", "membership kinds members", func(c *conformance.Case, got spec.Step) spec.Step {
		if c.Input.OfMessage() {
			got.State.Configuration = c.Before.Configuration
		}
		return got
	}},
	{"a leader answers a higher witness as if it were lower", "membership kinds members", func(c *conformance.Case, got spec.Step) spec.Step {
		m := &c.Input.Message
		from, _ := got.State.Configuration.Member(m.From)
		if m.Type == spec.Election && got.State.Role == spec.Leader && from.Kind == spec.Witness && len(got.Sent) == 1 {
			got.Sent = []spec.Message{got.Sent[0]}
			got.Sent[0].Type = spec.OK
		}
		return got
	}},
	{"tells nobody that it is removed", "membership kinds members", func(c *conformance.Case, got spec.Step) spec.Step {
		if from, is := got.State.Configuration.Member(c.Input.Message.From); !is && from.Kind == "" {
			got.Sent = nil
		}
		return got
	}},
	{"an observer grants", "membership kinds members", func(c *conformance.Case, got spec.Step) spec.Step {
		m := &c.Input.Message
		me, _ := c.Before.Configuration.Member(c.ID)
		if m.Type == spec.Claim && me.Kind == spec.Observer && len(got.Sent) == 1 && m.Epoch > c.Before.Epoch && c.Before.Leader.IsNone() {
			got.Sent = []spec.Message{got.Sent[0]}
			got.Sent[0].Type, got.Sent[0].Epoch = spec.Grant, m.Epoch
		}
		return got
	}},
	{"changes unsettled", "membership kinds members", func(c *conformance.Case, got spec.Step) spec.Step {
		if c.Input.Call == spec.ChangeCall && c.Before.Role == spec.Leader && len(c.Before.Support) == 0 {
			got.Ignored = false
		}
		return got
	}},
	{"keeps the address of a member", "members", func(c *conformance.Case, got spec.Step) spec.Step {
		if at, is := got.State.Configuration.Member(c.ID); is && at.Address != "" {
			got.Ignored = !got.Ignored
		}
		return got
	}},
}

func TestFaultsOfMembersAreFound(t *testing.T) {
	groups := conformance.ChangingGroups()
	for i := range groups {
		groups[i] = keep(thinned(groups[i], slowtest.Wanted()))
	}
	for _, f := range faultsOfMembers {
		var found []string
		for _, g := range groups {
			if _, err := g.Check(&faulty{fault: f.fault}); err != nil {
				require.ErrorContains(t, err, "cases failed", f.name)
				found = append(found, g.Name)
			}
		}
		require.Equal(t, f.found, strings.Join(found, " "), f.name)
	}
}

// TestClosedWhereMembersChange shows that no case of two nodes leads out of the states that are asked about.
func TestClosedWhereMembersChange(t *testing.T) {
	asked := 0
	for _, g := range conformance.ChangingGroups() {
		for c := range g.All {
			asked++
			require.NoError(t, rules.CheckState(c.ID, c.Want.State), "%s: %s in %s", c.Rule, c.Input, c.Before)
		}
	}
	require.Greater(t, asked, 250_000)
}
