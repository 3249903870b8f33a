package subject_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed-fdf591db/bully/impl/internal/subject"
	"github.com/seed-fdf591db/bully/spec"
)

// TestRefuses: what no node can be made of is refused: as an error where it is read from somewhere, and else it is a mistake of the
// program that asks.
func TestRefuses(t *testing.T) {
	one, two := spec.IntegerID(1), spec.IntegerID(2)
	require.Panics(t, func() { subject.New(one, []spec.NodeID{two}) })
	require.Panics(t, func() {
		first, err := spec.NewConfiguration(0, 1, []spec.Member{{ID: two, Kind: spec.Voter}})
		require.NoError(t, err)
		subject.New(one, []spec.NodeID{one}).Start(first, &spec.Step{})
	})
	state := spec.State{Role: spec.Follower, Latest: 1}
	node, err := subject.At(one, []spec.NodeID{one, two}, state)
	require.NoError(t, err)
	require.NotNil(t, node)
	state.Role = spec.Leader
	node, err = subject.At(one, []spec.NodeID{one, two}, state)
	require.Error(t, err)
	require.Nil(t, node)
}
