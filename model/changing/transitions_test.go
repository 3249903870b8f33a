package changing

import (
	"fmt"
	"maps"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed-fdf591db/bully/model/explore"
	"github.com/seed-fdf591db/bully/spec"
)

// transitions returns the transitions of a configuration, in their order.
func transitions(t *testing.T, c explore.Configuration) (all []Transition) {
	t.Helper()
	_, err := Transitions(c, func(tr *Transition) { all = append(all, *tr) })
	require.NoError(t, err)
	return all
}

// TestTransitionsOfOneNode has all that a node can do that is alone: there is nobody to add.
func TestTransitionsOfOneNode(t *testing.T) {
	short := func(s State) string {
		return fmt.Sprintf("%s %d %d %d %d.%d", s.Role, s.Leader, s.Epoch, s.Grantee, s.Conf.Epoch, s.Conf.Version)
	}
	var all []string
	for _, tr := range transitions(t, configuration(1, "Whole One AnyMembers", "0 1 0 0 0 1")) {
		all = append(all, fmt.Sprintf("%-18s %-21s → %s", tr.Action, short(tr.Before), short(tr.Step.State)))
	}
	require.Equal(t, []string{
		"HeartbeatTimeout   follower 0 0 0 0.1    → candidate 0 0 0 0.1",
		"ElectionTimeout    candidate 0 0 0 0.1   → leader 1 1 1 1.1",
		"CoordinatorTimeout electing 1 0 0 0.1    → leader 1 1 1 1.1",
		"CoordinatorTimeout electing 1 1 1 1.1    → leader 1 2 1 2.1",
		"QuorumTimeout      leader 1 1 1 1.1      → leader 1 1 1 1.1",
		"QuorumTimeout      leader 1 2 1 2.1      → leader 1 2 1 2.1",
		"BeatTimeout        leader 1 1 1 1.1      → leader 1 1 1 1.1",
		"BeatTimeout        leader 1 2 1 2.1      → leader 1 2 1 2.1",
		"Start              follower 0 0 0 0.1    → follower 0 0 0 0.1",
		"Restart            follower 0 0 0 0.1    → electing 1 0 0 0.1",
		"Restart            follower 0 1 1 1.1    → electing 1 1 1 1.1",
	}, all)
}

// TestTransitionsAreThoseOfTheCluster expands every state again, and looks for what each step has done to the node that took
// it. Only of a quorum check the cluster's step differs, which knows nothing of support that is left.
func TestTransitionsAreThoseOfTheCluster(t *testing.T) {
	for _, c := range []explore.Configuration{
		configuration(2, "Sides Two AnyMembers", "1 1 0 0 1 1"),
		configuration(3, "Whole Two AnyMembers", "0 0 0 0 0 1"),
	} {
		known := map[Transition]bool{}
		count := map[spec.Action]int{}
		for _, tr := range transitions(t, c) {
			known[tr] = true
			count[tr.Action]++
		}
		require.NotZero(t, count[spec.ChangeAction])
		require.Equal(t, count[spec.BeatTimeout], count[spec.QuorumTimeout], "both are taken in every state in which a node leads")
		seen := clusterSteps(t, c)
		for tr, next := range seen {
			require.True(t, known[tr], "%v %v", tr.Action, tr.Before)
			if tr.Action != spec.QuorumTimeout {
				require.Equal(t, next, tr.Step.State)
			}
		}
		for tr := range known {
			_, found := seen[tr]
			leads := tr.Action == spec.BeatTimeout || tr.Action == spec.QuorumTimeout
			require.True(t, found || leads || tr.Action == spec.StartAction, "%v %v", tr.Action, tr.Before)
		}
		require.Greater(t, len(seen), 50)
	}
}

// clusterSteps returns each transition of c, as [Transitions] has it, and the state to which the cluster brings the node.
func clusterSteps(t *testing.T, c explore.Configuration) map[Transition]State {
	m, all := states(t, c)
	x, rules := m.Expander(), m.(*cluster).rules
	var now, after Snapshot
	found := map[Transition]State{}
	for _, state := range all {
		require.NoError(t, Unpack(m, state, &now))
		x.Expand(state, func(step explore.Step, next []byte, _ string) {
			tr := Transition{Action: spec.Action(step.Action), Node: ID(step.Args[0])}
			if !tr.Action.OfNode() || tr.Action == spec.CrashAction {
				return
			}
			if tr.Action.Receipt() != "" {
				tr.Node = ID(step.Args[1])
				at := slices.IndexFunc(now.UnderWay, func(m Message) bool { return m.From == ID(step.Args[0]) && m.To == tr.Node })
				tr.Message = now.UnderWay[at]
			}
			require.NoError(t, Unpack(m, next, &after))
			tr.Before = now.Nodes[tr.Node-1]
			if tr.Action == spec.ChangeAction {
				tr.Wanted = after.Nodes[tr.Node-1].Conf
			}
			tr.Step = rules.stepOf(&tr)
			found[tr] = after.Nodes[tr.Node-1]
		})
	}
	return found
}

// TestStepAnswersEachTransition asks for each transition in words of package spec, with addresses. No node comes to a state
// that CheckState does not pass: Step would say so.
func TestStepAnswersEachTransition(t *testing.T) {
	addresses := []string{"a:1", "b:1", ""}
	n, err := NewNames([]spec.NodeID{namedID(1), namedID(2), namedID(3)})
	require.NoError(t, err)
	with := func(c Configuration) Configuration {
		of := make([]string, len(addresses))
		for i, address := range addresses {
			if c.Members().Has(ID(i + 1)) {
				of[i] = address
			}
		}
		c.Addresses = joined(of)
		return c
	}
	for _, c := range []explore.Configuration{
		configuration(3, "Whole Three AnyMembers", "0 0 0 0 0 1"), configuration(3, "Whole Two AnyVoters", "0 1 0 0 0 1"),
	} {
		asked := map[spec.Action]int{}
		for _, tr := range transitions(t, c) {
			tr.Before.Conf, tr.Message.Conf, tr.Wanted = with(tr.Before.Conf), with(tr.Message.Conf), with(tr.Wanted)
			asked[tr.Action]++
			want, err := n.answer(tr.Action, standard.stepOf(&tr))
			require.NoError(t, err)
			require.Equal(t, want, askAgain(t, n, &tr))
		}
		require.Greater(t, len(asked), 15, "%v", slices.Sorted(maps.Keys(asked)))
	}
}

// askAgain returns the answer to what a transition asks.
func askAgain(t *testing.T, n *Names, tr *Transition) Answer {
	before, err := n.SpecState(&tr.Before)
	require.NoError(t, err)
	id, in := n.SpecID(tr.Node), spec.Input{Timer: tr.Action.Timer()}
	var got Answer
	switch {
	case tr.Action == spec.StartAction:
		got, err = Start(id, before.Configuration)
		require.NoError(t, err)
		return got
	case tr.Action == spec.RestartAction:
		got, err = Restart(id, before.Durable())
		require.NoError(t, err)
		return got
	case tr.Action == spec.ResignAction:
		in.Call = spec.ResignCall
	case tr.Action == spec.ChangeAction:
		in.Call = spec.ChangeCall
		in.Configuration, err = n.SpecConfiguration(&tr.Wanted)
	case in.Timer == "":
		m := tr.Message
		in.Message = spec.Message{Type: spec.MessageType(m.Type.String()), From: n.SpecID(m.From), To: n.SpecID(m.To), Epoch: m.Epoch}
		in.Message.Configuration, err = n.SpecConfiguration(&m.Conf)
	}
	require.NoError(t, err)
	got, err = Step(id, before, in)
	require.NoError(t, err)
	return got
}

// TestTransitionsAreInOneOrder shows that the workers of the explorer do not show.
func TestTransitionsAreInOneOrder(t *testing.T) {
	c := configuration(3, "Whole TwoAndWitness AnyMembers", "0 0 0 0 0 1")
	require.Equal(t, transitions(t, c), transitions(t, c))
}

// TestTransitionsOfABrokenRule shows that the steps are those of the rules of the configuration.
func TestTransitionsOfABrokenRule(t *testing.T) {
	right := transitions(t, configuration(2, "Whole Two AnyMembers", "0 0 0 0 0 1"))
	wrong := transitions(t, configuration(2, "Whole Two AnyMembers", "0 0 0 0 0 1", "Stamped <- Unstamped"))
	require.NotEqual(t, right, wrong)
	_, err := Transitions(configuration(2, "Nowhere Two AnyMembers", "0 0 0 0 0 1"), func(*Transition) {})
	require.EqualError(t, err, "changing: Nowhere is no replacement of Cuts")
}

// TestTransitionsOfAProof has steps of nodes that are told of a death.
func TestTransitionsOfAProof(t *testing.T) {
	count := map[spec.Action]int{}
	for _, tr := range transitions(t, configuration(3, "Whole Two ThirdIsWitness", "0 1 0 0 0 1", "MayProve <- Down")) {
		count[tr.Action]++
		if tr.Action == spec.HolderDeadAction {
			require.NotEqual(t, None, tr.Before.Leader)
			require.Equal(t, None, tr.Step.State.Leader)
		}
	}
	require.NotZero(t, count[spec.HolderDeadAction])
}
