package cluster_test

import (
	"bytes"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed-fdf591db/bully/conformance"
	"github.com/seed-fdf591db/bully/conformance/check"
	"github.com/seed-fdf591db/bully/conformance/sim"
	"github.com/seed-fdf591db/bully/spec"
	"github.com/seed-fdf591db/bully/spec/policy"
)

// recorded are the golden traces with times: three nodes in the simulator, and one fault.
var recorded = []struct {
	name, shows string
	seed        uint64
	fault       sim.Fault
	holds       func(t *testing.T, r *sim.Result)
}{
	{
		"sim-crash-seed-1", "In simulated time: the leader crashes, is proved dead, and returns after 300 ms; later it is handed the reign back.", 1,
		sim.Fault{Kind: sim.CrashFault, Node: id(3), Point: sim.Between, For: 300 * time.Millisecond},
		leadsAgain,
	},
	{
		"sim-cut-seed-2", "In simulated time: the leader is cut off for 350 ms. Its reign ends before any other claims, so that there is never more than one acting leader; it is handed the reign back when it has followed long enough.", 2,
		sim.Fault{Kind: sim.CutFault, Links: linksOfHighest(), For: 350 * time.Millisecond},
		leadsAgain,
	},
	{
		"sim-loss-seed-13", "In simulated time: for 300 ms links to the leader and from it lose four fifths of what they carry. It misses the answers to what it asks, and its reign ends; it leads again.", 13,
		sim.Fault{Kind: sim.ConditionsFault, Links: linksOfHighest(), For: 300 * time.Millisecond, Conditions: sim.Conditions{Delay: sim.Range{Min: time.Millisecond, Max: 4 * time.Millisecond}, Loss: 0.8}},
		leadsAgain,
	},
}

// leadsAgain says that the highest node has led in the first epoch, and in the last, which is a later one.
func leadsAgain(t *testing.T, r *sim.Result) {
	first, last := r.Reigns[0], r.Reigns[len(r.Reigns)-1]
	require.Equal(t, id(3), first.Leader)
	require.Equal(t, id(3), last.Leader)
	require.Greater(t, last.Epoch, first.Epoch)
}

// linksOfHighest are the links between the highest of three nodes and the others, both ways.
func linksOfHighest() (links []spec.Link) {
	for _, l := range [][2]int{{1, 3}, {2, 3}, {3, 1}, {3, 2}} {
		links = append(links, spec.Link{From: id(l[0]), To: id(l[1])})
	}
	return links
}

// recordings returns the golden traces of the simulator, each of which is a run by the rules.
func recordings(t *testing.T) (all []golden) {
	for _, r := range recorded {
		r.fault.At = 200 * time.Millisecond
		plan := sim.Plan{
			Seed: r.seed, Members: []spec.NodeID{id(1), id(2), id(3)}, Timing: policy.LAN(), Proofs: true, Length: 720 * time.Millisecond,
			Links: sim.Conditions{Delay: sim.Range{Min: time.Millisecond, Max: 4 * time.Millisecond}}, Faults: []sim.Fault{r.fault},
		}
		plan.Timing.Preempt = 250 * time.Millisecond
		var text bytes.Buffer
		result, err := sim.Run(&plan, conformance.NodeOf(func() conformance.Subject { return new(conformance.Model) }), sim.Options{Trace: &text, Commit: "golden"})
		require.NoError(t, err)
		require.Nil(t, result.Violation)
		r.holds(t, &result)
		_, err = check.Trace(bytes.NewReader(text.Bytes()), check.Options{Strict: true, OneActing: true})
		require.NoError(t, err, r.name)
		all = append(all, golden{name: r.name, shows: r.shows, members: 3, events: uint64(bytes.Count(text.Bytes(), []byte("\n")) - 1), trace: text.Bytes()})
	}
	return all
}
