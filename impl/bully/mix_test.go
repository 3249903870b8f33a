package bully_test

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed-fdf591db/bully/conformance"
	"github.com/seed-fdf591db/bully/conformance/cluster"
	"github.com/seed-fdf591db/bully/impl/bully"
	"github.com/seed-fdf591db/bully/spec"
)

// taken is one input of one node.
type taken struct {
	node   int
	in     bully.Input
	starts bool
}

// lifeOf returns all inputs of a cluster of five: elections, reigns with heartbeats, crashes, restarts, and
// hand-overs.
func lifeOf(t testing.TB) (inputs []taken, steps map[spec.Action]int) {
	members := integers(5)
	steps = map[spec.Action]int{}
	c, err := cluster.New(members, newHosted, cluster.Options{Observe: func(c *conformance.Case) {
		inputs = append(inputs, taken{slices.Index(members, c.ID), inputOf(c), c.Input.Starts()})
		if !c.Want.Ignored {
			steps[actionOf(c)]++
		}
	}})
	require.NoError(t, err)
	do := func(kind cluster.Kind, i int) {
		require.NoError(t, c.Do(cluster.Op{Kind: kind, Node: members[i]}))
	}
	ends := func(i int, timers ...spec.Timer) {
		for _, timer := range timers {
			endIfRuns(t, c, members[i], timer)
			require.NoError(t, c.Do(cluster.Op{Kind: cluster.Settle}))
		}
	}
	reigns := func(i, heartbeats int) {
		require.Equal(t, spec.Leader, c.State(members[i]).Role)
		for range heartbeats {
			ends(i, spec.HeartbeatTimer)
		}
	}
	ends(0, spec.PatienceTimer)
	for range 10 {
		reigns(4, 100)
		do(cluster.Crash, 4)
		for i := range 4 {
			do(cluster.Dead, i)
		}
		ends(3, spec.PatienceTimer, spec.ElectionTimer)
		reigns(3, 100)
		do(cluster.Restart, 4)
		require.NoError(t, c.Do(cluster.Op{Kind: cluster.Settle}))
		ends(4, spec.PreemptTimer)
	}
	return inputs, steps
}

// inputOf returns the input of a step as the core takes it.
func inputOf(c *conformance.Case) bully.Input {
	switch {
	case c.Input.Call == spec.StartCall:
		return bully.Start()
	case c.Input.Call == spec.RestartCall:
		return bully.Restart(c.Before.Durable())
	}
	return bully.InputOf(spec.Input{Message: c.Input.Message, Timer: c.Input.Timer, Call: c.Input.Call})
}

// TestLife shows that the mix that is measured has every step in it but those of bad days.
func TestLife(t *testing.T) {
	inputs, steps := lifeOf(t)
	require.Greater(t, len(inputs), 10_000)
	for _, action := range spec.FixedActions() {
		wrong := action == spec.CoordinatorTimeout || action == spec.ClaimTimeout || action == spec.ReignTimeout || action == spec.ResignAction
		require.Equal(t, action.OfNode() && action != spec.CrashAction && !wrong, steps[action] > 0, action)
	}
}

// BenchmarkMix measures steps as they come in the life of a cluster.
func BenchmarkMix(b *testing.B) {
	inputs, _ := lifeOf(b)
	members := integers(5)
	b.ReportAllocs()
	for b.Loop() {
		var nodes [5]*bully.Node
		for _, t := range inputs {
			if t.starts {
				nodes[t.node], _ = bully.New(members[t.node], members)
			}
			nodes[t.node].Step(t.in)
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*len(inputs)), "ns/step")
}
