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
	panics := func(want string, f func()) {
		defer func() {
			err, _ := recover().(error)
			require.ErrorContains(t, err, want)
		}()
		f()
	}
	panics("bully: node 1 is no member", func() { subject.New(one, []spec.NodeID{two}) })
	panics("bully: first configuration: node 1 is no member", func() {
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
