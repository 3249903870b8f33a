package subject_test

import (
	"os"
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed-fdf591db/bully/conformance"
	"github.com/seed-fdf591db/bully/conformance/sim"
	"github.com/seed-fdf591db/bully/impl/cmd/bully/subject"
	"github.com/seed-fdf591db/bully/spec"
)

// benchPlans returns plans with all kinds of faults, and one of a reign that nothing disturbs.
func benchPlans(t testing.TB) (faults []sim.Plan, reign sim.Plan) {
	profiles := slices.DeleteFunc(sim.Profiles(), sim.Profile.Changing)
	for seed := range uint64(20) {
		plan, err := sim.Generate(seed, 5, profiles[int(seed)%len(profiles)])
		require.NoError(t, err)
		faults = append(faults, plan)
	}
	reign = faults[0].Clone()
	reign.Faults, reign.Length = nil, time.Minute
	return faults, reign
}

// BenchmarkSimulator measures steps of the core in the simulator, with all that it checks. One op is one step.
func BenchmarkSimulator(b *testing.B) {
	faults, reign := benchPlans(b)
	b.Run("faults", func(b *testing.B) { benchmark(b, faults) })
	b.Run("reign", func(b *testing.B) { benchmark(b, []sim.Plan{reign}) })
}

func benchmark(b *testing.B, plans []sim.Plan) {
	runner := sim.NewRunner(subject.New)
	steps := uint64(0)
	b.ReportAllocs()
	b.ResetTimer()
	for i := 0; steps < uint64(b.N); i++ {
		result, err := runner.Run(&plans[i%len(plans)], sim.Options{})
		if err != nil || result.Violation != nil {
			b.Fatal(err, result.Violation)
		}
		steps += result.Steps
	}
	b.ReportMetric(float64(steps)/b.Elapsed().Seconds(), "steps/s")
}

// TestSimulatorHardlyAllocates holds runs to the memory of the nodes that they make: steps need none.
func TestSimulatorHardlyAllocates(t *testing.T) {
	faults, reign := benchPlans(t)
	runner := sim.NewRunner(subject.New)
	for _, c := range []struct {
		plan *sim.Plan
		most float64
	}{{&reign, 100}, {&faults[2], 400}} {
		result, err := runner.Run(c.plan, sim.Options{})
		require.NoError(t, err)
		require.Greater(t, result.Steps, uint64(1000))
		require.LessOrEqual(t, testing.AllocsPerRun(3, func() { _, _ = runner.Run(c.plan, sim.Options{}) }), c.most, "of %d steps", result.Steps)
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
