package sim_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed-fdf591db/bully/conformance/sim"
	"github.com/seed-fdf591db/bully/spec"
)

// TestBreak loses what is under way, and no more.
func TestBreak(t *testing.T) {
	all, result := events(t, quiet(3, sim.Fault{At: 102500 * time.Microsecond, Kind: sim.BreakFault, Links: linksOf(1, 3, 3, 1)}))
	require.Equal(t, []string{"102.5ms Lose 3→1 HEARTBEAT epoch:1 question:4"}, since(all, spec.NodeID{}, 0, 9))
	require.Equal(t, 1, count(all, spec.OnHeartbeat, 102*ms, 200*ms), "that of node 2")
	require.Equal(t, 2, count(all, spec.OnHeartbeat, 202*ms, 300*ms))
	require.EqualValues(t, 1, result.Lost)
}
