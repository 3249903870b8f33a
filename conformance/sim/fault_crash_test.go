package sim_test

import (
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed-fdf591db/bully/conformance/sim"
	"github.com/seed-fdf591db/bully/spec"
)

// TestCrashPoints crashes the node that is being granted its claim in the step in which it wins, at each point: what is on
// disk, what is in the trace, and who has heard of it.
func TestCrashPoints(t *testing.T) {
	for _, c := range []struct {
		point        sim.Point
		epoch        spec.Epoch // on disk after the crash
		coordinators int        // that have arrived
		reigns       int
	}{
		{sim.Between, 0, 0, 0}, {sim.BeforeSave, 0, 0, 0}, {sim.AfterSave, 1, 0, 1}, {sim.AfterSave + 1, 1, 1, 1}, {sim.AfterSave + 2, 1, 2, 1}, {sim.AfterSave + 9, 1, 2, 1},
	} {
		p := quiet(3, sim.Fault{At: 3500 * time.Microsecond, For: 100 * ms, Kind: sim.CrashFault, Node: id(3), Point: c.point})
		all, result := events(t, p)
		crash := all[slices.IndexFunc(all, func(e spec.Event) bool { return e.Action == spec.CrashAction })]
		require.Equal(t, id(3), crash.Node)
		require.Equal(t, c.epoch, crash.State.Epoch, c.point)
		require.Equal(t, c.coordinators, count(all, spec.OnCoordinator, 0, 100*ms), c.point)
		require.Equal(t, c.reigns, count(all, spec.OnGrant, 0, 100*ms), c.point)
		require.Equal(t, 1, count(all, spec.RestartAction, 103*ms, 104*ms), "%s: 100 ms after 3.5 ms", c.point)
		torn := uint64(0)
		if c.point == sim.BeforeSave {
			torn = 1
		}
		require.Equal(t, torn, result.Stats.Torn, c.point)
		require.Equal(t, id(3), leads(all, 2*time.Second), c.point)
	}
}

// TestCrashBeforeNothing crashes a node before the save of a step that has nothing to save: the step is not taken. A step
// that never comes is not waited for longer than the fault lasts.
func TestCrashBeforeNothing(t *testing.T) {
	all, _ := events(t, quiet(3, sim.Fault{At: 150 * ms, For: 100 * ms, Kind: sim.CrashFault, Node: id(1), Point: sim.BeforeSave}))
	require.Equal(t, []string{"203ms Crash | 1 is follower leader:none epoch:1 grantee:3 support:{} latest:1048576",
		"250ms Restart | 1→2 IM_BACK epoch:1 question:1048577 | 1→3 IM_BACK epoch:1 question:1048577 | 1 is electing leader:1 epoch:1 grantee:3 support:{} latest:1048577"}, since(all, id(1), 150*ms, 2))
	all, result := events(t, quiet(3, sim.Fault{At: 110 * ms, For: 90 * ms, Kind: sim.CrashFault, Node: id(1), Point: sim.BeforeSave}))
	require.Zero(t, count(all, spec.CrashAction, 0, time.Hour))
	require.Zero(t, result.Stats.Torn)
}

// TestCrashWhileDown crashes a node that is down already, which is nothing, and does not restart it too soon.
func TestCrashWhileDown(t *testing.T) {
	all, _ := events(t, quiet(3, sim.Fault{At: 150 * ms, For: 300 * ms, Kind: sim.CrashFault, Node: id(1), Point: sim.Between},
		sim.Fault{At: 200 * ms, For: 100 * ms, Kind: sim.CrashFault, Node: id(1), Point: sim.Between}))
	require.Equal(t, 1, count(all, spec.CrashAction, 0, time.Hour))
	require.Equal(t, 1, count(all, spec.RestartAction, 450*ms, 451*ms))
}

// TestCrashWhileSaving crashes a node that saves, between steps: the save is completed first, and what the step sent is lost.
// When the fault is over by then, the node restarts at once.
func TestCrashWhileSaving(t *testing.T) {
	p := quiet(3, sim.Fault{At: 9 * ms, For: 3 * ms, Kind: sim.CrashFault, Node: id(1), Point: sim.Between})
	p.Disk = sim.Range{Min: 5 * ms, Max: 5 * ms}
	all, result := events(t, p)
	require.Equal(t, []string{"8ms OnClaim 3→1 CLAIM epoch:1 question:3 | 1→3 GRANT epoch:1 question:3 | 1 is electing leader:3 lease:3 epoch:1 grantee:3 support:{} latest:1",
		"13ms Crash | 1 is follower leader:none epoch:1 grantee:3 support:{} latest:1048576"}, since(all, id(1), 7*ms, 2))
	require.Equal(t, 1, count(all, spec.RestartAction, 13*ms, 14*ms))
	require.Equal(t, 1, count(all, spec.OnGrant, 0, 50*ms), "that of node 2")
	require.EqualValues(t, result.Stats.Of(spec.StartAction), 3)
}
