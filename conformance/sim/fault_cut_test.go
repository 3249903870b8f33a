package sim_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed-fdf591db/bully/conformance/sim"
	"github.com/seed-fdf591db/bully/spec"
)

// TestCut cuts the links from the leader: what is sent over them is lost, nobody acknowledges, and the leader steps down.
func TestCut(t *testing.T) {
	cut := linksOf(3, 1, 3, 2)
	all, result := events(t, quiet(3, sim.Fault{At: 102500 * time.Microsecond, For: time.Second, Kind: sim.CutFault, Links: cut}))
	require.Equal(t, []string{"102.5ms Cut 3→1 3→2", "1.1025s Cut"}, since(all, spec.NodeID{}, 0, 9))
	require.Zero(t, count(all, spec.OnHeartbeat, 100*ms, 200*ms), "those of 102 ms were under way")
	require.Equal(t, "152ms ReignTimeout | 3 is follower leader:none epoch:1 grantee:3 support:{} latest:4", since(all, id(3), 110*ms, 1)[0], "150 ms after the CLAIM")
	require.Equal(t, id(2), leads(all, 900*ms))
	require.True(t, result.Timely)
	// The same cut twice over is one cut in the trace, until both are over.
	all, _ = events(t, quiet(3, sim.Fault{At: 100 * ms, For: 200 * ms, Kind: sim.CutFault, Links: cut}, sim.Fault{At: 200 * ms, For: 200 * ms, Kind: sim.CutFault, Links: cut[:1]}))
	require.Equal(t, []string{"100ms Cut 3→1 3→2", "300ms Cut 3→1", "400ms Cut"}, since(all, spec.NodeID{}, 0, 9))
}
