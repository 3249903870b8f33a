package bully_test

import (
	"encoding/json"
	"fmt"
	"os"
	"runtime/debug"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed-fdf591db/bully/conformance"
	"github.com/seed-fdf591db/bully/conformance/sim"
	"github.com/seed-fdf591db/bully/conformance/sim/batch"
	core "github.com/seed-fdf591db/bully/impl/internal/subject"
	"github.com/seed-fdf591db/bully/spec"
)

// How many seeds of each profile and number of nodes are run, and how many are run on the model too, which is slow.
const (
	simulatedSeeds = 12
	changingSeeds  = 40
	comparedSeeds  = 1
)

// seedsOf returns how many seeds are to be run of so many: more in a soak, and fewer with the race detector, which makes a
// step take 25 times as long and has nothing to find in it: a run is one goroutine.
func seedsOf(seeds uint64) uint64 {
	seeds *= uint64(soak())
	if raceDetector() {
		seeds /= 20
	}
	return max(1, seeds)
}

// TestSimulator runs the core in simulated clusters of 1 to 7 nodes, with every profile of faults: no promise is broken.
func TestSimulator(t *testing.T) {
	for _, profile := range sim.Profiles() {
		seeds := seedsOf(simulatedSeeds)
		if profile.Changing() {
			seeds = seedsOf(changingSeeds)
		}
		job := batch.Job{Subject: "core", First: 1, Last: seeds, Shard: 1, Shards: 1, Nodes: []int{1, 2, 3, 4, 5, 6, 7}, Profiles: []sim.Profile{profile}}
		totals, err := batch.Run(t.Context(), job, core.New, batch.Options{})
		require.NoError(t, err)
		steps, changes := uint64(0), uint64(0)
		for _, r := range totals.Rows {
			steps, changes = steps+r.Steps, changes+r.Actions[spec.ChangeAction]
		}
		t.Logf("%s: %d seeds, %d steps, %d changes", profile, job.Runs(), steps, changes)
		require.Positive(t, steps)
		require.Equal(t, profile.Changing(), changes > 0)
		require.Equal(t, job.Runs(), totals.Jobs[0].Done)
		explain(t, &totals)
	}
}

// explain prints the smallest plan for each promise that the core breaks.
func explain(t *testing.T, totals *batch.Totals) {
	t.Helper()
	shrunk := map[spec.Property]bool{}
	for _, f := range totals.Failures {
		if shrunk[f.Property] {
			continue
		}
		shrunk[f.Property] = true
		plan, err := sim.Generate(f.Seed, f.Nodes, f.Profile)
		require.NoError(t, err)
		t.Error(&f)
		shrink(t, plan)
	}
}

// shrink prints the smallest plan that can be found on which the core breaks the same promise.
func shrink(t *testing.T, plan sim.Plan) {
	t.Helper()
	result, err := sim.Run(&plan, core.New, sim.Options{})
	require.NoError(t, err)
	require.NotNil(t, result.Violation, "run again, it breaks nothing: the core is not deterministic")
	small, _ := sim.Shrink(plan, core.New, result.Violation, sim.Shrinking{MaxRuns: 1000})
	result, err = sim.Run(&small, core.New, sim.Options{})
	require.NoError(t, err)
	t.Logf("smallest run: %d faults, %d steps (seed %d)\n%s%v", len(small.Faults), result.Steps, small.Seed, &small, result.Violation)
}

// TestSimulatorLikeTheModel runs the same plans on the core and on the model: every step is the same, though some that are
// not would break no promise.
func TestSimulatorLikeTheModel(t *testing.T) {
	model := conformance.NodeOf(func() conformance.Subject { return &conformance.Model{} })
	plans, steps := 0, uint64(0)
	for _, profile := range sim.Profiles() {
		for nodes := 1; nodes <= sim.MaxNodes; nodes++ {
			if raceDetector() && nodes != 3 {
				continue
			}
			seeds := uint64(comparedSeeds)
			if profile.Changing() {
				seeds++
			}
			for seed := range seedsOf(seeds) {
				plan, err := sim.Generate(seed, nodes, profile)
				require.NoError(t, err)
				ours, err := sim.Run(&plan, core.New, sim.Options{})
				require.NoError(t, err)
				theirs, err := sim.Run(&plan, model, sim.Options{})
				require.NoError(t, err)
				plans, steps = plans+1, steps+ours.Steps
				if ours.Digest != theirs.Digest || ours.Steps != theirs.Steps {
					t.Errorf("workbench sim -seeds %d -nodes %d -profile %s: the core does what the model does not", seed, nodes, profile)
					differ(t, &plan, model)
					return
				}
			}
		}
	}
	t.Logf("%d plans, %d steps", plans, steps)
}

// differ prints the first step that the core and the model take differently.
func differ(t *testing.T, plan *sim.Plan, model conformance.Maker) {
	t.Helper()
	var ours []string
	_, err := sim.Run(plan, core.New, sim.Options{Observe: func(c *conformance.Case) { ours = append(ours, told(c)) }})
	require.NoError(t, err)
	i := 0
	_, err = sim.Run(plan, model, sim.Options{Observe: func(c *conformance.Case) {
		if theirs := told(c); i >= 0 && (i >= len(ours) || ours[i] != theirs) {
			got := "nothing"
			if i < len(ours) {
				got = ours[i]
			}
			t.Logf("smallest run: %d faults, %d steps (seed %d)\n  the core   %s\n  the model  %s", len(plan.Faults), i+1, plan.Seed, got, theirs)
			i = -1
		}
		if i >= 0 {
			i++
		}
	}})
	require.NoError(t, err)
}

// told writes a step.
func told(c *conformance.Case) string {
	return fmt.Sprintf("node %s, %s, with %s is %s and sends %s", c.ID, c.Before, c.Input, c.Want.State, c.Want.Sent)
}

// TestRegressions runs the plans on which nodes that are wrong have failed.
func TestRegressions(t *testing.T) {
	for _, file := range []string{"regressions", "changing", "held"} {
		text, err := os.ReadFile("../../conformance/sim/testdata/" + file + ".json")
		require.NoError(t, err)
		var plans map[string]sim.Plan
		require.NoError(t, json.Unmarshal(text, &plans), file)
		require.NotEmpty(t, plans, file)
		for name, plan := range plans {
			result, err := sim.Run(&plan, core.New, sim.Options{})
			require.NoError(t, err, name)
			if result.Violation != nil {
				t.Errorf("%s: %v\nsmallest run: %d faults, %d steps (seed %d)", name, result.Violation, len(plan.Faults), result.Steps, plan.Seed)
			}
		}
		t.Logf("%s: %d plans", file, len(plans))
	}
}

// raceDetector says whether the tests run with the race detector, which makes them slow.
func raceDetector() bool {
	built, ok := debug.ReadBuildInfo()
	return ok && slices.Contains(built.Settings, debug.BuildSetting{Key: "-race", Value: "true"})
}
