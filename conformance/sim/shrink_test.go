package sim_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed-fdf591db/bully/conformance"
	"github.com/seed-fdf591db/bully/conformance/sim"
	"github.com/seed-fdf591db/bully/spec"
)

// find returns the first seed's plan on which the subject breaks the property, and how.
func find(t *testing.T, f fault) (sim.Plan, sim.Result) {
	t.Helper()
	runner := sim.NewRunner(f.maker)
	for seed := f.seed; seed < f.seed+2000; seed++ {
		p, err := sim.Generate(seed, f.nodes, f.profile)
		require.NoError(t, err)
		result, err := runner.Run(&p, sim.Options{})
		require.NoError(t, err)
		if result.Violation != nil && result.Violation.Property == f.breaks {
			return p, result
		}
	}
	require.Fail(t, "no seed finds it", f.name)
	return sim.Plan{}, sim.Result{}
}

// TestShrink finds plans on which faulty nodes fail, and shrinks them: what comes out fails in the same way, is much
// smaller, and cannot be shrunk further. Without shrinking there would be dozens of faults to look at.
func TestShrink(t *testing.T) {
	faultsBefore, faultsAfter, stepsBefore, stepsAfter := 0, 0, uint64(0), uint64(0)
	for i, f := range faults {
		if (i%4 != 1 || f.breaks == spec.SomeLeader) && os.Getenv("BULLY_SOAK") == "" {
			continue // one in four is enough for every day, and none that shows at the end of a run alone
		}
		p, broken := find(t, f)
		told := 0
		small, runs := sim.Shrink(p, f.maker, broken.Violation, sim.Shrinking{Progress: func(smallest *sim.Plan, runs int) { told = runs }})
		result := run(t, &small, f.maker)
		require.NotNil(t, result.Violation, f.name)
		require.Equal(t, f.breaks, result.Violation.Property, f.name)
		t.Logf("%s: %d faults, %d nodes, %d steps → %d faults, %d nodes, %d steps, in %d runs (seed %d): %s", f.name, len(p.Faults),
			len(p.Members), broken.Steps, len(small.Faults), len(small.Members), result.Steps, runs, p.Seed, result.Violation)
		faultsBefore, faultsAfter = faultsBefore+len(p.Faults), faultsAfter+len(small.Faults)
		stepsBefore, stepsAfter = stepsBefore+broken.Steps, stepsAfter+result.Steps
		require.LessOrEqual(t, len(small.Faults), 10, "%s\n%s", f.name, &small)
		require.LessOrEqual(t, told, runs)
		again, _ := sim.Shrink(small, f.maker, result.Violation, sim.Shrinking{})
		require.Equal(t, small, again, "%s: shrinking again changes something", f.name)
	}
	t.Logf("in all: %d faults → %d, %d steps → %d", faultsBefore, faultsAfter, stepsBefore, stepsAfter)
	require.Less(t, 4*faultsAfter, faultsBefore)
	require.Less(t, 4*stepsAfter, stepsBefore)
}

// TestShrinkBounded gives few runs: it stops, and what it returns still fails. A plan that does not fail stays.
func TestShrinkBounded(t *testing.T) {
	f := faults[1]
	p, broken := find(t, f)
	small, runs := sim.Shrink(p, f.maker, broken.Violation, sim.Shrinking{MaxRuns: 20})
	require.LessOrEqual(t, runs, 20)
	require.NotNil(t, run(t, &small, f.maker).Violation)
	same, runs := sim.Shrink(p, model, broken.Violation, sim.Shrinking{})
	require.Equal(t, p, same)
	require.Equal(t, 1, runs)
}

// run runs a plan that is valid.
func run(t *testing.T, p *sim.Plan, maker conformance.Maker) sim.Result {
	t.Helper()
	result, err := sim.Run(p, maker, sim.Options{})
	require.NoError(t, err)
	return result
}

// TestRegressions runs every plan in testdata/regressions.json and testdata/changing.json on the model, which must hold, and on the
// nodes with the fault that it is named after, which must still fail. With BULLY_REGRESSIONS=write it first finds and shrinks a
// plan for each fault that has none which fails, as after a change of what the simulator does with a plan.
func TestRegressions(t *testing.T) {
	regress(t, "testdata/regressions.json", faults)
	regress(t, "testdata/changing.json", changingFaults) // in a file of their own: whose members are fixed cannot run them
}

// regress runs the plans in a file on nodes with these faults.
func regress(t *testing.T, file string, faults []fault) {
	t.Helper()
	plans := read(t, file)
	write := os.Getenv("BULLY_REGRESSIONS") == "write"
	for _, f := range faults {
		if p, ok := plans[f.name]; write && (!ok || !fails(t, &p, f)) {
			p, broken := find(t, f)
			plans[f.name], _ = sim.Shrink(p, f.maker, broken.Violation, sim.Shrinking{})
		}
	}
	if write {
		keep(t, file, plans)
	}
	require.Len(t, plans, len(faults), "each fault has a plan, and each plan a fault; see above")
	for _, f := range faults {
		p, ok := plans[f.name]
		require.True(t, ok, "%s has no plan for %s; see above", file, f.name)
		require.Nil(t, run(t, &p, model).Violation, "%s: the model fails", f.name)
		require.True(t, fails(t, &p, f), "%s: nodes that are wrong do not break %s; see above", f.name, f.breaks)
	}
}

// read reads the plans in a file, by name.
func read(t *testing.T, file string) (plans map[string]sim.Plan) {
	t.Helper()
	text, err := os.ReadFile(file)
	require.NoError(t, err)
	require.NoError(t, json.Unmarshal(text, &plans), file)
	return plans
}

// keep writes plans into a file.
func keep(t *testing.T, file string, plans map[string]sim.Plan) {
	t.Helper()
	var all []string
	for _, name := range slices.Sorted(maps.Keys(plans)) {
		text, err := plans[name].MarshalJSON()
		require.NoError(t, err)
		all = append(all, fmt.Sprintf("%q: %s", name, text))
	}
	require.NoError(t, os.WriteFile(file, []byte("{\n"+strings.Join(all, ",\n\n")+"\n}\n"), 0o644))
}

// fails reports whether nodes with a fault break on a plan what they are known to break.
func fails(t *testing.T, p *sim.Plan, f fault) bool {
	t.Helper()
	v := run(t, p, f.maker).Violation
	return v != nil && v.Property == f.breaks
}
