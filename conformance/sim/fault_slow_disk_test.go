package sim_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed-fdf591db/bully/conformance/sim"
	"github.com/seed-fdf591db/bully/spec"
)

// TestSlowDisk makes the saves of one node slow for a while: it grants late, while the others do not wait.
func TestSlowDisk(t *testing.T) {
	all, result := events(t, quiet(3, sim.Fault{At: 0, For: 3500 * time.Microsecond, Kind: sim.SlowDiskFault, Node: id(1), Disk: sim.Range{Min: 4 * ms, Max: 4 * ms}}))
	require.Equal(t, 1, count(all, spec.OnGrant, 4*ms, 5*ms), "that of node 2")
	require.Equal(t, 1, count(all, spec.OnGrant, 8*ms, 9*ms), "that of node 1, which has saved from 3 to 7 ms")
	require.Equal(t, 1, count(all, spec.OnCoordinator, 7*ms, 8*ms), "which takes no other step in that time")
	require.True(t, result.Timely)
}
