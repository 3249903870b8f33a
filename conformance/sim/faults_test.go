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

// TestConditions slows a link down and has it lose everything; the last fault of the two counts, and the plan's own conditions
// comes back.
func TestConditions(t *testing.T) {
	slow := sim.Conditions{Delay: sim.Range{Min: 7 * ms, Max: 7 * ms}}
	none := sim.Conditions{Delay: slow.Delay, Loss: 1}
	all, result := events(t, quiet(3, sim.Fault{At: 100 * ms, For: 150 * ms, Kind: sim.ConditionsFault, Links: linksOf(3, 1), Conditions: slow},
		sim.Fault{At: 200 * ms, For: 40 * ms, Kind: sim.ConditionsFault, Links: linksOf(3, 1), Conditions: none}))
	require.Equal(t, 1, count(all, spec.OnHeartbeat, 109*ms, 110*ms))
	require.Equal(t, []string{"209ms Lose 3→1 HEARTBEAT epoch:1 question:5"}, since(all, spec.NodeID{}, 0, 9), "when it should have arrived")
	require.Equal(t, 2, count(all, spec.OnHeartbeat, 303*ms, 304*ms))
	require.True(t, result.Timely)
	// The conditions of the plan lose nothing any more when all faults are over.
	p := quiet(3)
	p.Links.Loss = 1
	all, _ = events(t, p)
	require.Zero(t, count(all, spec.OnElection, 0, p.Length-began))
	require.Positive(t, count(all, spec.OnElection, p.Length-began, time.Hour))
}

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

// TestDead tells nodes that a leader is dead which is not: the lease ends. One that keeps no lease takes no step.
func TestDead(t *testing.T) {
	all, result := events(t, quiet(3, sim.Fault{At: 150 * ms, Kind: sim.DeadFault, Node: id(1)}, sim.Fault{At: 150 * ms, Kind: sim.DeadFault, Node: id(3)}))
	require.False(t, result.Timely)
	require.Equal(t, "150ms HolderDead | 1 is follower leader:none epoch:1 grantee:3 support:{} latest:1", since(all, id(1), 150*ms, 1)[0])
	require.EqualValues(t, 1, result.Stats.Ignored)
}

// TestEarly ends the timers of a node before their time: a follower asks.
func TestEarly(t *testing.T) {
	all, result := events(t, quiet(3, sim.Fault{At: 150 * ms, Kind: sim.EarlyFault, Node: id(2)}, sim.Fault{At: 150 * ms, Kind: sim.EarlyFault, Node: id(3)}))
	require.False(t, result.Timely)
	require.Contains(t, since(all, id(2), 150*ms, 1)[0], "150ms PatienceTimeout | 2→1 ELECTION")
	require.Contains(t, since(all, id(3), 150*ms, 2)[0], "150ms ReignTimeout | 3 is follower", "nobody has acknowledged anything since 144 ms")
}

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

// TestJump lets a clock jump ahead: timers end sooner by as much.
func TestJump(t *testing.T) {
	all, result := events(t, quiet(3, sim.Fault{At: 150 * ms, For: 30 * ms, Kind: sim.JumpFault, Node: id(3)}))
	require.False(t, result.Timely)
	require.Contains(t, since(all, id(3), 150*ms, 1)[0], "172ms HeartbeatTimeout", "that of 202 ms")
}

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

// TestSlowDisk makes the saves of one node slow for a while: it grants late, while the others do not wait.
func TestSlowDisk(t *testing.T) {
	all, result := events(t, quiet(3, sim.Fault{At: 0, For: 3500 * time.Microsecond, Kind: sim.SlowDiskFault, Node: id(1), Disk: sim.Range{Min: 4 * ms, Max: 4 * ms}}))
	require.Equal(t, 1, count(all, spec.OnGrant, 4*ms, 5*ms), "that of node 2")
	require.Equal(t, 1, count(all, spec.OnGrant, 8*ms, 9*ms), "that of node 1, which has saved from 3 to 7 ms")
	require.Equal(t, 1, count(all, spec.OnCoordinator, 7*ms, 8*ms), "which takes no other step in that time")
	require.True(t, result.Timely)
}
