package model

import (
	"bytes"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed-fdf591db/bully/model/explore"
	"github.com/seed-fdf591db/bully/spec"
)

// transitions returns the transitions of a configuration, each as text, in their order.
func transitions(t *testing.T, c explore.Configuration) (all []string) {
	t.Helper()
	_, err := Transitions(c, func(tr *Transition) { all = append(all, tr.text()) })
	require.NoError(t, err)
	return all
}

func (t *Transition) text() string {
	input := string(t.Action)
	if t.Action.Receipt() != "" {
		input = t.Message.String()
	}
	return fmt.Sprintf("%d of %d: %v %s: %v %v", t.Node, t.Members, t.Before, input, t.Step.State, t.Step.Sent())
}

// TestTransitionsOfOneNode has all that a node can do that is alone.
func TestTransitionsOfOneNode(t *testing.T) {
	short := func(s State) string { return fmt.Sprintf("%s %d %d %d", s.Role, s.Leader, s.Epoch, s.Grantee) }
	var all []string
	result, err := Transitions(configuration(1, "Whole", "0 1 0 0 0"), func(tr *Transition) {
		all = append(all, fmt.Sprintf("%-17s %-15s → %s", tr.Action, short(tr.Before), short(tr.Step.State)))
	})
	require.NoError(t, err)
	require.Equal(t, 9, result.Distinct)
	require.Equal(t, []string{
		"HeartbeatTimeout  follower 0 0 0  → candidate 0 0 0",
		"ElectionTimeout   candidate 0 0 0 → leader 1 1 1",
		"CoordinatorTimeout electing 1 0 0  → leader 1 1 1",
		"CoordinatorTimeout electing 1 1 1  → leader 1 2 1",
		"QuorumTimeout     leader 1 1 1    → leader 1 1 1",
		"QuorumTimeout     leader 1 2 1    → leader 1 2 1",
		"BeatTimeout       leader 1 1 1    → leader 1 1 1",
		"BeatTimeout       leader 1 2 1    → leader 1 2 1",
		"Start             follower 0 0 0  → follower 0 0 0",
		"Restart           follower 0 0 0  → electing 1 0 0",
		"Restart           follower 0 1 1  → electing 1 1 1",
	}, all)
}

// TestTransitionsAreThoseOfTheCluster expands every state again, and looks for what each step has done to the node that took
// it. Only of a quorum check the cluster's step differs, which knows nothing of support that is left.
func TestTransitionsAreThoseOfTheCluster(t *testing.T) {
	for _, c := range []explore.Configuration{
		configuration(2, "OneWay", "1 0 1 1 1"),
		configuration(3, "TopDeaf", "0 0 0 1 0"),
		func() explore.Configuration {
			c := configuration(3, "Star", "0 1 0 0 0")
			c.Replacements["MayProve"] = "Proofs"
			return c
		}(),
	} {
		known := map[Transition]bool{}
		beats, checks := 0, 0
		_, err := Transitions(c, func(tr *Transition) {
			known[*tr] = true
			switch tr.Action {
			case spec.BeatTimeout:
				beats++
			case spec.QuorumTimeout:
				checks++
			}
		})
		require.NoError(t, err)
		require.Equal(t, beats, checks, "both are taken in every state in which a node leads")
		seen := map[Transition]bool{}
		for tr, next := range steps(t, c) {
			require.True(t, known[tr], tr.text())
			if tr.Action != spec.QuorumTimeout {
				require.Equal(t, next, tr.Step.State, tr.text())
			}
			seen[tr] = true
		}
		for tr := range known {
			leads := tr.Action == spec.BeatTimeout || tr.Action == spec.QuorumTimeout
			require.True(t, seen[tr] || leads || tr.Action == spec.StartAction, tr.text())
		}
		require.Greater(t, len(seen), 100)
	}
}

// steps returns each transition of c, as [Transitions] has it, and the state to which the cluster brings the node.
func steps(t *testing.T, c explore.Configuration) map[Transition]State {
	m, all := states(t, c)
	x, rules := m.Expander(), m.(*cluster).rules
	var now, after Snapshot
	found := map[Transition]State{}
	for _, state := range all {
		require.NoError(t, Unpack(m, state, &now))
		x.Expand(state, func(step explore.Step, next []byte, _ string) {
			tr := Transition{Members: len(now.Nodes), Action: spec.Action(step.Action), Node: ID(step.Args[0])}
			if tr.Action.Receipt() != "" {
				tr.Node = ID(step.Args[1])
				for k := len(now.UnderWay) - 1; k >= 0; k-- {
					if m := now.UnderWay[k]; m.From == ID(step.Args[0]) && m.To == tr.Node {
						tr.Message = m // in the end the first
					}
				}
			}
			if !tr.Action.OfNode() || tr.Action == spec.CrashAction {
				return
			}
			require.NoError(t, Unpack(m, next, &after))
			tr.Before = now.Nodes[tr.Node-1]
			tr.Step = rules.stepOf(&tr)
			found[tr] = after.Nodes[tr.Node-1]
		})
	}
	return found
}

// TestTransitionsAreInOneOrder shows that the workers of the explorer do not show.
func TestTransitionsAreInOneOrder(t *testing.T) {
	c := configuration(3, "TopAndNext", "0 0 0 1 0")
	require.Equal(t, transitions(t, c), transitions(t, c))
}

// TestTransitionsOfABrokenRule shows that the steps are those of the rules of the configuration.
func TestTransitionsOfABrokenRule(t *testing.T) {
	right := transitions(t, configuration(2, "Whole", "0 1 0 0 0"))
	wrong := transitions(t, configuration(2, "Whole", "0 1 0 0 0", "AfterRestart <- SpeaksAtOnce"))
	require.NotEqual(t, right, wrong)
	_, err := Transitions(configuration(2, "Nowhere", "0 1 0 0 0"), func(*Transition) {})
	require.EqualError(t, err, "model: Nowhere is no topology that may stand for Cuts")
}

func TestSnapshot(t *testing.T) {
	c := newCluster(t, 3, "TopDeaf", "0 1 0 1 0")
	s := clusterState{up: SetOf(1, 3), cut: 1}
	s.node[2] = State{Epoch: 4, Grantee: 3}
	s.push(c.index[3][1], payload{Claim, 5})
	s.push(c.index[3][1], payload{Resign, 4})
	s.push(c.index[1][2], payload{Ack, 4})
	var got Snapshot
	require.NoError(t, Unpack(c, c.pack(&s, nil), &got))
	require.Equal(t, Snapshot{
		Nodes:    []State{{}, {Epoch: 4, Grantee: 3}, {}},
		Up:       SetOf(1, 3),
		UnderWay: []Message{{Ack, 1, 2, 4}, {Claim, 3, 1, 5}, {Resign, 3, 1, 4}},
		Cut:      [][2]ID{{1, 3}, {2, 3}},
	}, got)
	require.EqualError(t, Unpack(nil, bytes.Clone(nil), &got), "model: a <nil> is not a model made by New")
}
