package bully_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed-fdf591db/bully/conformance"
	"github.com/seed-fdf591db/bully/conformance/sim"
	core "github.com/seed-fdf591db/bully/impl/cmd/bully/subject"
	"github.com/seed-fdf591db/bully/spec"
)

// How many seeds of each number of nodes are run, and how many are run on the model too.
const (
	changingSeeds         = 40
	comparedChangingSeeds = 2
)

// TestSimulatorChanging runs the core in simulated clusters of 1 to 7 nodes whose members come and go, with faults in the
// middle of that: no promise is broken.
func TestSimulatorChanging(t *testing.T) {
	runner := sim.NewRunner(core.New)
	runs, steps := 0, uint64(0)
	var stats sim.Stats
	for seed := range seedsOf(changingSeeds) {
		for nodes := 1; nodes <= sim.MaxNodes; nodes++ {
			plan, err := sim.Generate(seed, nodes, sim.ChangingProfile)
			require.NoError(t, err)
			result, err := runner.Run(&plan, sim.Options{})
			require.NoError(t, err)
			if v := result.Violation; v != nil {
				small, _ := sim.Shrink(plan, core.New, v, sim.Shrinking{MaxRuns: 1000})
				t.Fatalf("%d nodes, profile %s: %v\nsmallest run: %d faults, %d changes\n%s", nodes, sim.ChangingProfile, v, len(small.Faults), len(small.Changes), &small)
			}
			runs, steps = runs+1, steps+result.Steps
			stats.Add(&result.Stats)
		}
	}
	t.Logf("%d runs, %d steps, %d changes, %d of them told to be settled, %d nodes stopped", runs, steps, stats.Of(spec.ChangeAction), stats.Told, stats.Stopped)
	require.Positive(t, stats.Told)
	require.Positive(t, stats.Stopped)
}

// TestSimulatorChangingLikeTheModel runs the same plans on the core and on the model: every step is the same.
func TestSimulatorChangingLikeTheModel(t *testing.T) {
	model := conformance.NodeOf(func() conformance.Subject { return &conformance.Model{} })
	plans, steps := 0, uint64(0)
	for nodes := 1; nodes <= sim.MaxNodes; nodes++ {
		for seed := range seedsOf(comparedChangingSeeds) {
			plan, err := sim.Generate(seed, nodes, sim.ChangingProfile)
			require.NoError(t, err)
			ours, err := sim.Run(&plan, core.New, sim.Options{})
			require.NoError(t, err)
			theirs, err := sim.Run(&plan, model, sim.Options{})
			require.NoError(t, err)
			require.Equal(t, theirs, ours, "%d nodes, seed %d: the core does what the model does not", nodes, seed)
			plans, steps = plans+1, steps+ours.Steps
		}
	}
	t.Logf("%d plans, %d steps", plans, steps)
	require.Positive(t, steps)
}

// TestChangingRegressions runs the plans on which nodes that are wrong about members have failed.
func TestChangingRegressions(t *testing.T) {
	files, err := filepath.Glob("../../conformance/sim/testdata/changing/*.json")
	require.NoError(t, err)
	require.NotEmpty(t, files)
	for _, file := range files {
		text, err := os.ReadFile(file)
		require.NoError(t, err)
		var plan sim.Plan
		require.NoError(t, plan.UnmarshalJSON(text), file)
		result, err := sim.Run(&plan, core.New, sim.Options{})
		require.NoError(t, err, file)
		require.Nil(t, result.Violation, "%s: %v", file, result.Violation)
	}
}
