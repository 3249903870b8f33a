package host_test

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed-fdf591db/bully/conformance/check"
	"github.com/seed-fdf591db/bully/impl/host"
	"github.com/seed-fdf591db/bully/spec"
)

func init() { host.Promises = promises }

// promises holds the steps of nodes to what is promised for any timing. Who acts at the same moment, the clock says.
func promises(members []spec.NodeID) func(*spec.Event) string {
	m := check.NewMonitor(check.MonitorOptions{Members: members})
	m.Late()
	return func(e *spec.Event) (problem string) {
		i, now := slices.Index(members, e.Node), check.ViewOf(&e.State)
		if breach := m.Breaks(i, &now); breach != nil {
			problem = breach.Error()
		}
		m.Note(i, &now)
		return problem
	}
}

// TestPromisesAreWatched has two nodes lead one epoch.
func TestPromisesAreWatched(t *testing.T) {
	one, two := spec.IntegerID(1), spec.IntegerID(2)
	broken := promises([]spec.NodeID{one, two})
	require.Empty(t, broken(&spec.Event{Node: one, State: spec.State{Role: spec.Leader, Epoch: 4}}))
	require.Equal(t, "OneLeaderPerEpoch: nodes 1 and 2 have both led epoch 4", broken(&spec.Event{Node: two, State: spec.State{Role: spec.Leader, Epoch: 4}}))
}
