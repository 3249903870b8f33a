package sim_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed-fdf591db/bully/conformance/sim"
	"github.com/seed-fdf591db/bully/spec"
)

// TestFailDisk fails a save, with the promise on disk and without: the node stops for good, sends nothing of the step, and
// restarts with what is on disk.
func TestFailDisk(t *testing.T) {
	for _, kept := range []bool{false, true} {
		all, result := events(t, quiet(3, sim.Fault{At: 2500 * time.Microsecond, For: 100 * ms, Kind: sim.FailDiskFault, Node: id(1), Kept: kept}))
		want := []string{"3ms Crash | 1 is follower leader:none epoch:0 grantee:none support:{} latest:1048576"}
		if kept {
			want = []string{"3ms OnClaim 3→1 CLAIM epoch:1 question:3 | 1→3 GRANT epoch:1 question:3 | 1 is electing leader:3 lease:3 epoch:1 grantee:3 support:{} latest:1",
				"3ms Crash | 1 is follower leader:none epoch:1 grantee:3 support:{} latest:1048576"}
		}
		require.Equal(t, want, since(all, id(1), 2500*time.Microsecond, len(want)))
		require.Equal(t, 1, count(all, spec.OnGrant, 0, 100*ms), "that of node 2")
		require.Equal(t, 1, count(all, spec.RestartAction, 102*ms, 103*ms))
		require.Equal(t, kept, result.Stats.Torn == 0)
	}
	// A node that saves nothing in all the time goes on.
	all, _ := events(t, quiet(3, sim.Fault{At: 110 * ms, For: 100 * ms, Kind: sim.FailDiskFault, Node: id(1)}))
	require.Zero(t, count(all, spec.CrashAction, 0, time.Hour))
}
