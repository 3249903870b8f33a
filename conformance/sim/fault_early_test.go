package sim_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed-fdf591db/bully/conformance/sim"
)

// TestEarly ends the timers of a node before their time: a follower asks.
func TestEarly(t *testing.T) {
	all, result := events(t, quiet(3, sim.Fault{At: 150 * ms, Kind: sim.EarlyFault, Node: id(2)}, sim.Fault{At: 150 * ms, Kind: sim.EarlyFault, Node: id(3)}))
	require.False(t, result.Timely)
	require.Contains(t, since(all, id(2), 150*ms, 1)[0], "150ms PatienceTimeout | 2→1 ELECTION")
	require.Contains(t, since(all, id(3), 150*ms, 2)[0], "150ms ReignTimeout | 3 is follower", "nobody has acknowledged anything since 144 ms")
}
