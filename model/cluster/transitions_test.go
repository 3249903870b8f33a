package cluster

import (
	"fmt"
	"maps"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed-fdf591db/bully/model/explore"
	"github.com/seed-fdf591db/bully/model/rules"
	"github.com/seed-fdf591db/bully/spec"
)

// transitionsOf returns the transitions of a configuration, in their order.
func transitionsOf(t *testing.T, c explore.Configuration) (all []Transition) {
	t.Helper()
	_, err := Transitions(c, func(tr *Transition) { all = append(all, *tr) })
	require.NoError(t, err)
	return all
}

// TestTransitionsOfOneNode has all that a node can do that is alone: there is nobody to add.
func TestTransitionsOfOneNode(t *testing.T) {
	short := func(s rules.State) string {
		return fmt.Sprintf("%s %d %d %d %d.%d", s.Role, s.Leader, s.Epoch, s.Grantee, s.Conf.Epoch, s.Conf.Version)
	}
	var all []string
	for _, tr := range transitionsOf(t, configuration(1, "Whole One AnyMembers", "0 1 0 0 0 1")) {
		all = append(all, fmt.Sprintf("%-18s %-21s → %s", tr.Action, short(tr.Before), short(tr.Step.State)))
	}
	require.Equal(t, []string{
		"PatienceTimeout    follower 0 0 0 0.1    → candidate 0 0 0 0.1",
		"ElectionTimeout    candidate 0 0 0 0.1   → leader 1 1 1 1.1",
		"CoordinatorTimeout electing 1 0 0 0.1    → leader 1 1 1 1.1",
		"CoordinatorTimeout electing 1 1 1 1.1    → leader 1 2 1 2.1",
		"ReignTimeout       leader 1 1 1 1.1      → follower 0 1 1 1.1",
		"ReignTimeout       leader 1 2 1 2.1      → follower 0 2 1 2.1",
		"HeartbeatTimeout   leader 1 1 1 1.1      → leader 1 1 1 1.1",
		"HeartbeatTimeout   leader 1 2 1 2.1      → leader 1 2 1 2.1",
		"Start              follower 0 0 0 0.1    → follower 0 0 0 0.1",
		"Restart            follower 0 0 0 0.1    → electing 1 0 0 0.1",
		"Restart            follower 0 1 1 1.1    → electing 1 1 1 1.1",
	}, all)
}

// TestTransitionsAreThoseOfTheCluster expands every state again, and looks for what each step has done to the node that took it.
func TestTransitionsAreThoseOfTheCluster(t *testing.T) {
	for _, c := range []explore.Configuration{
		configuration(2, "Sides Two AnyMembers", "1 1 0 0 1 1"),
		configuration(3, "Whole Two AnyMembers", "0 0 0 0 0 1"),
		fixed(2, "OneWay", "1 0 1 1 1"),
		fixed(3, "TopDeaf", "0 0 0 1 0"),
		fixed(3, "Star", "0 1 0 0 0", "MayProve <- Proofs"),
	} {
		known := map[string]Transition{}
		keys, err := newCluster(c)
		require.NoError(t, err)
		count := map[spec.Action]int{}
		for _, tr := range transitionsOf(t, c) {
			known[keys.keyOf(&tr)] = tr
			count[tr.Action]++
		}
		require.Equal(t, c.Constants["MaxChange"] != "0", count[spec.ChangeAction] > 0)
		require.Equal(t, count[spec.HeartbeatTimeout], count[spec.ReignTimeout], "both are taken in every state in which a node leads")
		seen := clusterSteps(t, c)
		for key, next := range seen {
			tr, found := known[key]
			require.True(t, found, "%v", key)
			require.Equal(t, plain(next), plain(tr.Step.State), "but for numbers, which the cluster gives anew")
		}
		for key, tr := range known {
			_, found := seen[key]
			leads := tr.Action == spec.HeartbeatTimeout || tr.Action == spec.ReignTimeout
			require.True(t, found || leads || tr.Action == spec.StartAction, "%v %v", tr.Action, tr.Before)
		}
		require.Greater(t, len(seen), 50)
	}
}

// plain returns a state without numbers.
func plain(s rules.State) rules.State {
	s.Lease, s.Asked, s.Latest, s.Dated, s.Answered = 0, 0, 0, 0, ""
	return s
}

// clusterSteps returns each transition of c, as [Transitions] has it, and the state to which the cluster brings the node.
func clusterSteps(t *testing.T, c explore.Configuration) map[string]rules.State {
	m, all := states(t, c)
	x := m.Expander()
	var now, after Snapshot
	found := map[string]rules.State{}
	keys := m.(*cluster)
	for _, state := range all {
		require.NoError(t, Unpack(m, state, &now))
		x.Expand(state, func(step explore.Step, next []byte, _ string) {
			tr := Transition{Nodes: len(now.Nodes), Action: spec.Action(step.Action), Node: rules.ID(step.Args[0])}
			if !tr.Action.OfNode() || tr.Action == spec.CrashAction {
				return
			}
			if tr.Action.Receipt() != "" {
				tr.Node = rules.ID(step.Args[1])
				at := slices.IndexFunc(now.UnderWay, func(m rules.Message) bool { return m.From == rules.ID(step.Args[0]) && m.To == tr.Node })
				if tr.Message = now.UnderWay[at]; tr.Message.Question == 0 {
					tr.Message.Question = spent(&now.Nodes[tr.Node-1])
				}
			}
			require.NoError(t, Unpack(m, next, &after))
			tr.Before = now.Nodes[tr.Node-1]
			if tr.Action == spec.ChangeAction {
				tr.Wanted = after.Nodes[tr.Node-1].Conf
			}
			found[keys.keyOf(&tr)] = after.Nodes[tr.Node-1]
		})
	}
	return found
}

// TestOracleAnswersEachTransition asks for each transition in words of package spec, with addresses where members change. No node
// comes to a state that rules.CheckState does not pass: the oracle would say so.
func TestOracleAnswersEachTransition(t *testing.T) {
	ids := []spec.NodeID{spec.IntegerID(10), spec.IntegerID(20), spec.IntegerID(30)}
	changing, err := rules.NewNames(ids)
	require.NoError(t, err)
	static, err := rules.NewStaticNames(ids)
	require.NoError(t, err)
	for _, test := range []struct {
		c     explore.Configuration
		names *rules.Names
	}{
		{configuration(3, "Whole Three AnyMembers", "0 0 0 0 0 1"), changing},
		{configuration(3, "Whole Two AnyVoters", "0 1 0 0 0 1"), changing},
		{fixed(3, "OneWay", "0 0 0 1 0"), static},
		{fixed(3, "Star", "0 1 0 0 0", "MayProve <- Proofs"), static},
	} {
		asked := map[spec.Action]int{}
		for _, tr := range transitionsOf(t, test.c) {
			asked[tr.Action]++
			before, err := test.names.SpecState(&tr.Before)
			require.NoError(t, err)
			require.NoError(t, rules.CheckState(test.names.SpecID(tr.Node), before))
			want, err := test.names.SpecState(&tr.Step.State)
			require.NoError(t, err)
			got := askAgain(t, test.names, &tr, before)
			sent := test.names.SpecSent(&tr.Step, want.Configuration)
			if tr.Action == spec.RestartAction { // it reserves numbers in blocks, and the cluster one at a time
				require.Equal(t, spec.Block+1, got.State.Latest)
				want.Latest = got.State.Latest
				for k := range sent {
					sent[k].Question = want.Latest
				}
			}
			require.Equal(t, want, got.State, "%v %v", tr.Action, tr.Before)
			require.Equal(t, sent, got.Sent)
		}
		require.Greater(t, len(asked), 14, "%v", slices.Sorted(maps.Keys(asked)))
	}
}

// askAgain returns the answer to what a transition asks.
func askAgain(t *testing.T, n *rules.Names, tr *Transition, before spec.State) spec.Step {
	id, in := n.SpecID(tr.Node), spec.Input{Timer: tr.Action.Timer()}
	var got spec.Step
	var err error
	switch {
	case tr.Action == spec.StartAction:
		got, err = n.Start(id, before.Configuration)
		require.NoError(t, err)
		return got
	case tr.Action == spec.RestartAction:
		got, err = n.Restart(id, before.Durable())
		require.NoError(t, err)
		return got
	case tr.Action == spec.ResignAction:
		in.Call = spec.ResignCall
	case tr.Action == spec.HolderDeadAction:
		in.Call = spec.HolderDeadCall
	case tr.Action == spec.ChangeAction:
		in.Call = spec.ChangeCall
		in.Configuration, err = n.SpecConfiguration(&tr.Wanted)
	case in.Timer == "":
		m := tr.Message
		in.Message = spec.Message{
			Type: m.Type.Spec(), From: n.SpecID(m.From), To: n.SpecID(m.To), Epoch: m.Epoch, Question: spec.Question(m.Question),
			Keeps: n.SpecID(m.Keeps), Granted: n.SpecGranted(m.Granted),
		}
		in.Message.Configuration, err = n.SpecConfiguration(&m.Conf)
	}
	require.NoError(t, err)
	got, err = n.Answer(id, &before, &in)
	require.NoError(t, err)
	return got
}

// TestTransitionsAreInOneOrder shows that the workers of the explorer do not show.
func TestTransitionsAreInOneOrder(t *testing.T) {
	c := configuration(3, "Whole TwoAndWitness AnyMembers", "0 0 0 0 0 1")
	require.Equal(t, transitionsOf(t, c), transitionsOf(t, c))
}

// TestTransitionsOfABrokenRule shows that the steps are those of the rules of the configuration.
func TestTransitionsOfABrokenRule(t *testing.T) {
	right := transitionsOf(t, configuration(2, "Whole Two AnyMembers", "0 0 0 0 0 1"))
	wrong := transitionsOf(t, configuration(2, "Whole Two AnyMembers", "0 0 0 0 0 1", "Stamped <- Unstamped"))
	require.NotEqual(t, right, wrong)
	_, err := Transitions(configuration(2, "Nowhere Two AnyMembers", "0 0 0 0 0 1"), func(*Transition) {})
	require.EqualError(t, err, "cluster: Nowhere is no replacement of Cuts")
}

// TestTransitionsOfAProof has steps of nodes that are told of a death.
func TestTransitionsOfAProof(t *testing.T) {
	count := map[spec.Action]int{}
	for _, tr := range transitionsOf(t, configuration(3, "Whole Two ThirdIsWitness", "0 1 0 0 0 1", "MayProve <- Down")) {
		count[tr.Action]++
		if tr.Action == spec.HolderDeadAction {
			require.NotEqual(t, rules.None, tr.Before.Leader)
			require.Equal(t, rules.None, tr.Step.State.Leader)
		}
	}
	require.NotZero(t, count[spec.HolderDeadAction])
}
