package sim_test

import (
	"bytes"
	"errors"
	"io"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed-fdf591db/bully/conformance/sim"
	"github.com/seed-fdf591db/bully/spec"
	"github.com/seed-fdf591db/bully/spec/policy"
)

const ms = time.Millisecond

func id(n int) spec.NodeID { return spec.IntegerID(uint64(n)) }

// linksOf returns links that are given as from, to, from, to, …
func linksOf(ends ...int) (links []spec.Link) {
	for k := 0; k < len(ends); k += 2 {
		links = append(links, spec.Link{From: id(ends[k]), To: id(ends[k+1])})
	}
	return links
}

// began is when the patience of a first start ends. From there times are counted in tests.
const began = 308 * ms

// later returns faults whose times are counted from when it began.
func later(faults ...sim.Fault) []sim.Fault {
	faults = slices.Clone(faults)
	for k := range faults {
		faults[k].At += began
	}
	return faults
}

// quiet returns a plan of n nodes in which all messages take 1 ms, saves take none, and nothing goes wrong but these
// faults. The highest node asks at 0, claims at 2 ms, and leads from 4 ms on; it says HEARTBEAT at 102 ms, 202 ms and so on, which is
// answered 2 ms later. Its reign would end 150 ms after the last of these that was answered.
func quiet(n int, faults ...sim.Fault) *sim.Plan {
	p := &sim.Plan{
		Seed:   81,
		Timing: policy.LAN(),
		Links:  sim.Conditions{Delay: sim.Range{Min: ms, Max: ms}},
		Faults: later(faults...),
		Length: 2 * time.Second,
	}
	if len(faults) > 0 {
		p.Length += began
	}
	for i := range n {
		p.Members = append(p.Members, id(i+1))
	}
	return p
}

// events runs a plan on the model and returns its trace, with at counted from when it began.
func events(t *testing.T, p *sim.Plan) ([]spec.Event, sim.Result) {
	t.Helper()
	var trace bytes.Buffer
	result, err := sim.Run(p, model, sim.Options{Trace: &trace})
	require.NoError(t, err)
	require.Nil(t, result.Violation)
	r, err := spec.NewTraceReader(&trace)
	require.NoError(t, err)
	require.Equal(t, spec.Header{Changing: len(p.First) > 0, Members: p.Members, Seed: p.Seed, Commit: "unknown"}, r.Header())
	var all []spec.Event
	for {
		var e spec.Event
		if err := r.Read(&e); errors.Is(err, io.EOF) {
			return all, result
		} else {
			require.NoError(t, err)
		}
		e.At -= min(e.At, uint64(time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC).Add(began).UnixMicro()))
		all = append(all, e)
	}
}

// since returns the events of a node from a time on, the first n of them, each as a person would say it. No node is the
// network.
func since(all []spec.Event, node spec.NodeID, at time.Duration, n int) (lines []string) {
	for _, e := range all {
		if e.Node == node && time.Duration(e.At)*time.Microsecond >= at && len(lines) < n {
			_, text, _ := strings.Cut(e.String(), " ")
			lines = append(lines, (time.Duration(e.At)*time.Microsecond).String()+" "+text)
		}
	}
	return lines
}

// count counts the events of an action from a time on until another.
func count(all []spec.Event, a spec.Action, from, until time.Duration) (n int) {
	for _, e := range all {
		if at := time.Duration(e.At) * time.Microsecond; e.Action == a && from <= at && at < until {
			n++
		}
	}
	return n
}

// leads says who leads at a time.
func leads(all []spec.Event, at time.Duration) (leader spec.NodeID) {
	for _, e := range all {
		switch {
		case time.Duration(e.At)*time.Microsecond > at:
		case e.State.Role == spec.Leader:
			leader = e.Node
		case e.Node == leader:
			leader = spec.NodeID{}
		}
	}
	return leader
}

func TestQuiet(t *testing.T) {
	all, result := events(t, quiet(3))
	require.Equal(t, []sim.Reign{{Epoch: 1, Leader: id(3)}}, result.Reigns)
	require.Equal(t, id(3), leads(all, 4*ms))
	require.Zero(t, result.Settled)
	require.Zero(t, result.Lost)
	require.True(t, result.Timely)
	require.Equal(t, []string{"102ms HeartbeatTimeout | 3→1 HEARTBEAT epoch:1 question:4 | 3→2 HEARTBEAT epoch:1 question:4 | " +
		"3 is leader leader:3 epoch:1 grantee:3 support:{1 2} latest:4 dated:3 answered:{1:3 2:3}"}, since(all, id(3), 102*ms, 1))
	require.EqualValues(t, len(all), result.Steps)
	require.Equal(t, result.Stats.Of(spec.OnAck), uint64(count(all, spec.OnAck, 0, time.Hour)))
	require.Zero(t, result.Stats.Of("OnVote"))
}

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

// TestSlowDisk makes the saves of one node slow for a while: it grants late, while the others do not wait.
func TestSlowDisk(t *testing.T) {
	all, result := events(t, quiet(3, sim.Fault{At: 0, For: 3500 * time.Microsecond, Kind: sim.SlowDiskFault, Node: id(1), Disk: sim.Range{Min: 4 * ms, Max: 4 * ms}}))
	require.Equal(t, 1, count(all, spec.OnGrant, 4*ms, 5*ms), "that of node 2")
	require.Equal(t, 1, count(all, spec.OnGrant, 8*ms, 9*ms), "that of node 1, which has saved from 3 to 7 ms")
	require.Equal(t, 1, count(all, spec.OnCoordinator, 7*ms, 8*ms), "which takes no other step in that time")
	require.True(t, result.Timely)
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

// TestClocks makes the clocks fast and slow, and lets one jump: timers end sooner and later by as much.
func TestClocks(t *testing.T) {
	p := quiet(3)
	p.Rates = []float64{1.01, 1, 0.8}
	all, result := events(t, p)
	require.False(t, result.Timely)
	require.Equal(t, "153ms HeartbeatTimeout", since(all, id(3), 100*ms, 1)[0][:len("153ms HeartbeatTimeout")], "node 2 stands first, at 25 ms")
	p.Rates[2] = 0.99
	_, result = events(t, p)
	require.True(t, result.Timely)

	all, result = events(t, quiet(3, sim.Fault{At: 150 * ms, For: 30 * ms, Kind: sim.JumpFault, Node: id(3)}))
	require.False(t, result.Timely)
	require.Contains(t, since(all, id(3), 150*ms, 1)[0], "172ms HeartbeatTimeout", "that of 202 ms")
}

// TestEarly ends the timers of a node before their time: a follower asks.
func TestEarly(t *testing.T) {
	all, result := events(t, quiet(3, sim.Fault{At: 150 * ms, Kind: sim.EarlyFault, Node: id(2)}, sim.Fault{At: 150 * ms, Kind: sim.EarlyFault, Node: id(3)}))
	require.False(t, result.Timely)
	require.Contains(t, since(all, id(2), 150*ms, 1)[0], "150ms PatienceTimeout | 2→1 ELECTION")
	require.Contains(t, since(all, id(3), 150*ms, 2)[0], "150ms ReignTimeout | 3 is follower", "nobody has acknowledged anything since 144 ms")
}

// TestDead tells nodes that a leader is dead which is not: the lease ends. One that keeps no lease takes no step.
func TestDead(t *testing.T) {
	all, result := events(t, quiet(3, sim.Fault{At: 150 * ms, Kind: sim.DeadFault, Node: id(1)}, sim.Fault{At: 150 * ms, Kind: sim.DeadFault, Node: id(3)}))
	require.False(t, result.Timely)
	require.Equal(t, "150ms HolderDead | 1 is follower leader:none epoch:1 grantee:3 support:{} latest:1", since(all, id(1), 150*ms, 1)[0])
	require.EqualValues(t, 1, result.Stats.Ignored)
}

// TestResign calls the leader to resign, and a follower, which takes no step.
func TestResign(t *testing.T) {
	all, result := events(t, quiet(3, sim.Fault{At: 150 * ms, Kind: sim.ResignFault, Node: id(3)}, sim.Fault{At: 150 * ms, Kind: sim.ResignFault, Node: id(1)}))
	require.True(t, result.Timely)
	require.Equal(t, "150ms Resign | 3→1 RESIGN epoch:1 question:4 | 3→2 RESIGN epoch:1 question:4 | 3 is follower leader:none epoch:1 grantee:3 support:{} latest:4", since(all, id(3), 150*ms, 1)[0])
	require.EqualValues(t, 1, result.Stats.Ignored)
	require.Equal(t, "152ms PatienceTimeout", since(all, id(2), 152*ms, 1)[0][:len("152ms PatienceTimeout")], "1 ms, Settle, after the RESIGN: who resigns is not waited for")
	require.Equal(t, id(3), leads(all, 250*ms), "the highest stands as soon as another does (R10)")
}

// TestProofs tells the others that the leader has crashed: they need not be patient. Where its machine cannot be reached
// nothing is proved; nor once it is back.
func TestProofs(t *testing.T) {
	crash := sim.Fault{At: 150 * ms, For: 500 * ms, Kind: sim.CrashFault, Node: id(3), Point: sim.Between}
	p := quiet(3, crash)
	p.Proofs = true
	all, result := events(t, p)
	require.True(t, result.Timely)
	require.EqualValues(t, 2, result.Stats.Proofs)
	require.Equal(t, 2, count(all, spec.HolderDeadAction, 150*ms, 165*ms))
	require.Equal(t, id(2), leads(all, 220*ms))

	p.Faults = later(sim.Fault{At: 140 * ms, For: 400 * ms, Kind: sim.CutFault, Links: linksOf(1, 3, 3, 2)}, crash)
	all, _ = events(t, p)
	require.Zero(t, count(all, spec.HolderDeadAction, 0, time.Hour), "their patience has ended before")

	p.Faults = later(crash)
	p.Faults[0].For = time.Microsecond
	all, _ = events(t, p)
	require.Zero(t, count(all, spec.HolderDeadAction, 0, time.Hour))
}

// TestElectionEnds ends the election of a candidate as soon as there is nothing to wait for: all have answered; or all that
// are higher are proved dead, and it may claim.
func TestElectionEnds(t *testing.T) {
	silent := quiet(3, sim.Fault{At: 150 * ms, For: 50 * ms, Kind: sim.CrashFault, Node: id(2), Point: sim.Between},
		sim.Fault{At: 150 * ms, For: 50 * ms, Kind: sim.CrashFault, Node: id(3), Point: sim.Between})
	all, _ := events(t, silent)
	asks := since(all, id(1), 210*ms, 4)
	require.Contains(t, asks[0], "227ms PatienceTimeout", "1 ms, Settle, and one place after the IM_BACK: who has led is not waited for")
	require.Contains(t, asks[2], "229ms OnRefuse 3→1")
	require.Contains(t, asks[3], "229ms ElectionTimeout")

	dead := quiet(3, sim.Fault{At: 150 * ms, For: 500 * ms, Kind: sim.CrashFault, Node: id(3), Point: sim.Between})
	dead.Proofs = true
	all, _ = events(t, dead)
	lines := since(all, id(2), 155*ms, 6)
	k := slices.IndexFunc(lines, func(line string) bool { return strings.Contains(line, "OnAssent 1→2") })
	require.Positive(t, k, lines)
	at, _, _ := strings.Cut(lines[k], " ")
	require.Contains(t, lines[k+1], at+" ElectionTimeout | 2→1 CLAIM")
}

// TestForgets restarts a node that has stood in vain again and again: its host has forgotten it, and waits no longer than T_coord.
func TestForgets(t *testing.T) {
	all, _ := events(t, quiet(3, sim.Fault{At: 0, For: 1500 * ms, Kind: sim.CutFault, Links: linksOf(1, 2, 2, 1, 1, 3, 3, 1)},
		sim.Fault{At: 1000 * ms, For: 20 * ms, Kind: sim.CrashFault, Node: id(1), Point: sim.Between}))
	require.Greater(t, count(all, spec.PatienceTimeout, 0, 1000*ms), 5)
	require.Contains(t, since(all, id(1), 1021*ms, 1)[0], "1.175s CoordinatorTimeout")
}

// TestNeverPreempts leaves pre-emption out.
func TestNeverPreempts(t *testing.T) {
	p := mixedPlan(1)
	require.Positive(t, run(t, p, model).Stats.Of(spec.PreemptTimeout))
	p.Timing.Preempt = -1
	require.Zero(t, run(t, p, model).Stats.Of(spec.PreemptTimeout))
}
