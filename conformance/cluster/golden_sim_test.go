package cluster_test

import (
	"bytes"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed-fdf591db/bully/conformance"
	"github.com/seed-fdf591db/bully/conformance/sim"
	"github.com/seed-fdf591db/bully/spec"
)

const ms = time.Millisecond

// simulated are the golden traces with times: three nodes in the simulator, with timers on time. Beats are rare, so that
// the traces are short. The name of a file ends with the seed.
var simulated = []struct {
	name, shows string
	fault       sim.Fault
}{
	{"sim-crash-seed", "In simulated time: the leader crashes, is proved dead, and returns after 300 ms; later it is handed the reign back.",
		sim.Fault{At: 150 * ms, For: 300 * ms, Kind: sim.CrashFault, Node: id(3), Point: sim.Between}},
	{"sim-cut-seed", "In simulated time: the leader is cut off for 600 ms. Its check steps it down before any other claims, so that there is never more than one acting leader; it is handed the reign back when it has followed long enough.",
		sim.Fault{At: 150 * ms, For: 600 * ms, Kind: sim.CutFault, Links: []spec.Link{{From: id(1), To: id(3)}, {From: id(2), To: id(3)}, {From: id(3), To: id(1)}, {From: id(3), To: id(2)}}}},
	{"sim-loss-seed", "In simulated time: for 400 ms links to the leader and from it lose a third of what they carry. It misses the answers to its beats, steps down, asks, and leads the next epoch.",
		sim.Fault{At: 100 * ms, For: 400 * ms, Kind: sim.WeatherFault, Links: []spec.Link{{From: id(1), To: id(3)}, {From: id(3), To: id(1)}, {From: id(3), To: id(2)}},
			Weather: sim.Weather{Delay: sim.Range{Min: ms, Max: 5 * ms}, Loss: 0.33}}},
}

// shown is how much of a run a golden trace shows: what comes after is beats alone. A trace may end at any line.
const shown = 1300 * ms

// simulate makes the golden traces of the simulator.
func simulate(t *testing.T, observe func(*conformance.Case)) (all []golden) {
	for i, s := range simulated {
		plan := &sim.Plan{
			Seed: uint64(i + 1), Members: integers(3), Proofs: true, Faults: []sim.Fault{s.fault}, Length: 800 * ms,
			Links: sim.Weather{Delay: sim.Range{Min: ms, Max: 5 * ms}}, Disk: sim.Range{Min: ms, Max: 2 * ms},
			Timing: sim.Timing{
				Delay: 10 * ms, Drift: 0.01, Beat: 100 * ms, Quorum: 150 * ms, Heartbeat: 360 * ms, Election: 30 * ms,
				Coordinator: 400 * ms, Claim: 50 * ms, Preempt: 300 * ms, Stagger: 25 * ms,
			},
		}
		var trace bytes.Buffer
		result, err := sim.Run(plan, model, sim.Options{Trace: &trace, Commit: "golden", Observe: observe})
		require.NoError(t, err)
		require.Nil(t, result.Violation)
		text := until(t, trace.Bytes(), shown)
		all = append(all, golden{
			name: fmt.Sprintf("%s-%d", s.name, plan.Seed), shows: s.shows, members: 3,
			events: uint64(bytes.Count(text, []byte("\n")) - 1), trace: text,
		})
	}
	return all
}

// until returns the lines of a trace with events of the first so much time.
func until(t *testing.T, trace []byte, most time.Duration) (text []byte) {
	first := uint64(0)
	for i, line := range bytes.SplitAfter(trace, []byte("\n")) {
		if i > 0 {
			var e spec.Event
			require.NoError(t, e.UnmarshalJSON(bytes.TrimSpace(line)))
			if i == 1 {
				first = e.At
			}
			if e.At-first > uint64(most.Microseconds()) {
				break
			}
		}
		text = append(text, line...)
	}
	return text
}
