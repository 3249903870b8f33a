package sim_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed-fdf591db/bully/conformance/sim"
)

// TestResign calls the leader to resign, and a follower, which takes no step.
func TestResign(t *testing.T) {
	all, result := events(t, quiet(3, sim.Fault{At: 150 * ms, Kind: sim.ResignFault, Node: id(3)}, sim.Fault{At: 150 * ms, Kind: sim.ResignFault, Node: id(1)}))
	require.True(t, result.Timely)
	require.Equal(t, "150ms Resign | 3→1 RESIGN epoch:1 question:4 | 3→2 RESIGN epoch:1 question:4 | 3 is follower leader:none epoch:1 grantee:3 support:{} latest:4", since(all, id(3), 150*ms, 1)[0])
	require.EqualValues(t, 1, result.Stats.Ignored)
	require.Equal(t, "151ms PatienceTimeout", since(all, id(2), 151*ms, 2)[1][:len("151ms PatienceTimeout")], "at once after the RESIGN: who resigns is not waited for")
	require.Equal(t, id(3), leads(all, 250*ms), "the highest stands as soon as another does (R10)")
}
