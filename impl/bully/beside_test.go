package bully

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed-fdf591db/bully/spec"
)

// Nodes that take their steps in the memory of one do what each does alone, and what a node says is written over by the next step of any.
func TestBeside(t *testing.T) {
	ids := []spec.NodeID{spec.IntegerID(1), spec.IntegerID(2), spec.IntegerID(3)}
	alone, beside := make([]*Node, 3), make([]*Node, 3)
	for i, id := range ids {
		for _, nodes := range [][]*Node{alone, beside} {
			node, err := New(id, ids)
			require.NoError(t, err)
			nodes[i] = node
		}
		beside[i].Beside(beside[0])
	}
	inputs := []Input{Start(), Timeout(spec.PatienceTimer), Timeout(spec.ElectionTimer), Timeout(spec.ClaimTimer)}
	for _, in := range inputs {
		for i := range ids {
			require.Equal(t, alone[i].Step(in), beside[i].Step(in))
			require.Equal(t, alone[i].State(), beside[i].State())
		}
	}
	first := beside[2].Step(Receive(spec.Message{Type: spec.Election, From: ids[0], To: ids[2], Epoch: 1, Question: 9})).Send
	require.NotEmpty(t, first)
	beside[1].Step(Receive(spec.Message{Type: spec.Election, From: ids[0], To: ids[1], Epoch: 1, Question: 9}))
	require.Equal(t, ids[1], first[0].From, "one buffer for all")
}
