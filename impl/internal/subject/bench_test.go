package subject_test

import (
	"encoding/json"
	"maps"
	"os"
	"slices"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed-fdf591db/bully/conformance"
	"github.com/seed-fdf591db/bully/conformance/sim"
	"github.com/seed-fdf591db/bully/impl/internal/subject"
	"github.com/seed-fdf591db/bully/spec"
)

// benchPlans returns the plans of testdata/bench.json. They are kept, so that versions are compared on the same plans, whatever a seed means to
// each: fixed and changing members, left alone or with losses, cuts, crashes and resignations.
func benchPlans(t testing.TB) (plans map[string]*sim.Plan) {
	text, err := os.ReadFile("testdata/bench.json")
	require.NoError(t, err)
	require.NoError(t, json.Unmarshal(text, &plans))
	require.NotEmpty(t, plans)
	return plans
}

// BenchmarkSimulator measures steps of the core in the simulator, with all that it checks. One op is one run of a plan: what a step
// takes is to be compared, as a version whose policy of timers is another takes others.
func BenchmarkSimulator(b *testing.B) {
	plans := benchPlans(b)
	for _, name := range slices.Sorted(maps.Keys(plans)) {
		b.Run(name, func(b *testing.B) {
			plan := plans[name]
			runner := sim.NewRunner(subject.New)
			steps := uint64(0)
			b.ReportAllocs()
			for b.Loop() {
				result, err := runner.Run(plan, sim.Options{})
				if err != nil || result.Violation != nil {
					b.Fatal(err, result.Violation)
				}
				steps += result.Steps
			}
			b.ReportMetric(float64(steps)/float64(b.N), "steps/op")
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(steps), "ns/step")
		})
	}
}

// TestSimulatorHardlyAllocates holds runs to the memory of the nodes that they make: steps need none.
func TestSimulatorHardlyAllocates(t *testing.T) {
	runner := sim.NewRunner(subject.New)
	plans := benchPlans(t)
	for name, most := range map[string]float64{"fixed-quiet": 100, "fixed-crashes": 400} {
		plan := plans[name]
		result, err := runner.Run(plan, sim.Options{})
		require.NoError(t, err)
		require.Greater(t, result.Steps, uint64(1000))
		require.LessOrEqual(t, testing.AllocsPerRun(3, func() { _, _ = runner.Run(plan, sim.Options{}) }), most, "%s, of %d steps", name, result.Steps)
	}
}

// TestSimulator runs the core through plans of every profile and number of nodes. BULLY_SOAK is how many times as many.
func TestSimulator(t *testing.T) {
	times, err := strconv.ParseUint(os.Getenv("BULLY_SOAK"), 10, 32)
	if err != nil || times == 0 {
		times = 1
	}
	runner := sim.NewRunner(subject.New)
	var stats sim.Stats
	steps := uint64(0)
	for _, profile := range sim.Profiles() {
		for seed := range 2 * times {
			for nodes := 1; nodes <= sim.MaxNodes; nodes++ {
				plan, err := sim.Generate(1000+seed, nodes, profile)
				require.NoError(t, err)
				result, err := runner.Run(&plan, sim.Options{})
				require.NoError(t, err)
				require.Nil(t, result.Violation, "%s, %d nodes: %v", profile, nodes, result.Violation)
				stats.Add(&result.Stats)
				steps += result.Steps
			}
		}
	}
	t.Logf("%d steps: %+v", steps, stats)
	for _, action := range spec.Actions() {
		require.Positive(t, stats.Of(action), action)
	}
}

// TestSimulatedLikeTheModel runs the same plans on the core and on the model: all that they do is the same.
func TestSimulatedLikeTheModel(t *testing.T) {
	core := sim.NewRunner(subject.New)
	model := sim.NewRunner(conformance.NodeOf(func() conformance.Subject { return &conformance.Model{} }))
	for _, profile := range sim.Profiles() {
		plan, err := sim.Generate(7, 5, profile)
		require.NoError(t, err)
		ours, err := core.Run(&plan, sim.Options{})
		require.NoError(t, err)
		theirs, err := model.Run(&plan, sim.Options{})
		require.NoError(t, err)
		require.Equal(t, theirs, ours, profile)
		require.Greater(t, ours.Steps, uint64(100), profile)
	}
}
