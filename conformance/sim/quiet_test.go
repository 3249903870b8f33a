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

// TestClocks makes the clocks fast and slow: timers end sooner and later by as much.
func TestClocks(t *testing.T) {
	p := quiet(3)
	p.Rates = []float64{1.01, 1, 0.8}
	all, result := events(t, p)
	require.False(t, result.Timely)
	require.Equal(t, "153ms HeartbeatTimeout", since(all, id(3), 100*ms, 1)[0][:len("153ms HeartbeatTimeout")], "node 2 stands first, at 25 ms")
	p.Rates[2] = 0.99
	_, result = events(t, p)
	require.True(t, result.Timely)
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
	require.Contains(t, asks[0], "226ms PatienceTimeout", "one place after the IM_BACK: who has led is not waited for")
	require.Contains(t, asks[2], "228ms OnRefuse 3→1")
	require.Contains(t, asks[3], "228ms ElectionTimeout")

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
