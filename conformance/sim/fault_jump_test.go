package sim_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed-fdf591db/bully/conformance/sim"
)

// TestJump lets a clock jump ahead: timers end sooner by as much.
func TestJump(t *testing.T) {
	all, result := events(t, quiet(3, sim.Fault{At: 150 * ms, For: 30 * ms, Kind: sim.JumpFault, Node: id(3)}))
	require.False(t, result.Timely)
	require.Contains(t, since(all, id(3), 150*ms, 1)[0], "172ms HeartbeatTimeout", "that of 202 ms")
}
