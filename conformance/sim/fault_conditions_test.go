package sim_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed-fdf591db/bully/conformance/sim"
	"github.com/seed-fdf591db/bully/spec"
)

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
