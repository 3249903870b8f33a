package bully_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed-fdf591db/bully/impl/bully"
	"github.com/seed-fdf591db/bully/spec"
)

// taken is one input of one node.
type taken struct {
	node   int
	in     bully.Input
	starts bool
}

// lifeOf returns all inputs of a cluster of five: elections, reigns with beats and checks, crashes, restarts, and
// hand-overs.
func lifeOf(t testing.TB) (inputs []taken, steps map[spec.Action]int) {
	c := newCluster(5)
	steps = map[spec.Action]int{}
	c.record = func(i int, in bully.Input, action spec.Action) {
		inputs = append(inputs, taken{i, in, action == spec.StartAction || action == spec.RestartAction})
		steps[action]++
	}
	ends := func(i int, timers ...spec.Timer) {
		for _, timer := range timers {
			if c.hosts[i].node.Running().Has(timer) {
				c.end(i, timer, whole)
				c.settle()
			}
		}
	}
	reigns := func(i, beats int) {
		require.Equal(t, spec.Leader, c.hosts[i].node.State().Role)
		for beat := range beats {
			ends(i, spec.BeatTimer)
			if beat%2 == 1 {
				ends(i, spec.QuorumTimer)
			}
		}
	}
	for i := range c.hosts {
		c.start(i, whole)
	}
	ends(0, spec.HeartbeatTimer)
	for range 10 {
		reigns(4, 100)
		c.crash(4)
		for i := range 4 {
			c.step(i, bully.HolderDead(), whole)
		}
		ends(3, spec.HeartbeatTimer, spec.ElectionTimer)
		reigns(3, 100)
		c.start(4, whole)
		c.settle()
		ends(4, spec.PreemptTimer)
	}
	require.Empty(t, c.problem)
	return inputs, steps
}

// TestLife shows that the mix that is measured has every step in it but those of bad days.
func TestLife(t *testing.T) {
	inputs, steps := lifeOf(t)
	require.Greater(t, len(inputs), 10_000)
	for _, action := range spec.Actions() {
		wrong := action == spec.CoordinatorTimeout || action == spec.ClaimTimeout || action == spec.ResignAction
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
