package sim_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed-fdf591db/bully/conformance/sim"
)

// TestDead tells nodes that a leader is dead which is not: the lease ends. One that keeps no lease takes no step.
func TestDead(t *testing.T) {
	all, result := events(t, quiet(3, sim.Fault{At: 150 * ms, Kind: sim.DeadFault, Node: id(1)}, sim.Fault{At: 150 * ms, Kind: sim.DeadFault, Node: id(3)}))
	require.False(t, result.Timely)
	require.Equal(t, "150ms HolderDead | 1 is follower leader:none epoch:1 grantee:3 support:{} latest:1", since(all, id(1), 150*ms, 1)[0])
	require.EqualValues(t, 1, result.Stats.Ignored)
}
