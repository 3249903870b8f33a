package sim_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed-fdf591db/bully/conformance/sim"
)

// TestPause pauses the leader for longer than patience lasts: it does nothing, another comes to lead, and when it wakes it
// steps down before it takes a message.
func TestPause(t *testing.T) {
	all, result := events(t, quiet(3, sim.Fault{At: 150 * ms, For: time.Second, Kind: sim.PauseFault, Node: id(3)}))
	require.False(t, result.Timely)
	require.Equal(t, id(2), leads(all, 1100*ms))
	woken := since(all, id(3), 150*ms, 2)
	require.Equal(t, "1.15s ReignTimeout | 3 is follower leader:none epoch:1 grantee:3 support:{} latest:4", woken[0], "which was due at 252 ms; nobody has answered anything since")
	require.Contains(t, woken[1], "1.15s On")

	// Paused for less, past the end of its reign, with ACKs that came meanwhile: they do not lengthen what is over.
	all, _ = events(t, quiet(3, sim.Fault{At: 202500 * time.Microsecond, For: 200 * ms, Kind: sim.PauseFault, Node: id(3)}))
	require.Equal(t, "402.5ms ReignTimeout | 3 is follower leader:none epoch:1 grantee:3 support:{} latest:5", since(all, id(3), 203*ms, 1)[0])
}

// TestPauseAndCrash crashes the leader in the step with which it wakes, before that is taken: there is no call after it.
func TestPauseAndCrash(t *testing.T) {
	all, _ := events(t, quiet(3, sim.Fault{At: 210 * ms, For: 200 * ms, Kind: sim.PauseFault, Node: id(3)},
		sim.Fault{At: 300 * ms, For: 200 * ms, Kind: sim.CrashFault, Node: id(3), Point: sim.BeforeSave}))
	require.Equal(t, "410ms Crash | 3 is follower leader:none epoch:1 grantee:3 support:{} latest:1048576", since(all, id(3), 210*ms, 1)[0])
}
