package coverage_test

import (
	"flag"
	"io/fs"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed-fdf591db/bully/conformance/check"
	"github.com/seed-fdf591db/bully/conformance/coverage"
	"github.com/seed-fdf591db/bully/conformance/sim"
	"github.com/seed-fdf591db/bully/spec"
	"github.com/seed-fdf591db/bully/spec/slowtest"
	"github.com/seed-fdf591db/bully/traces"
)

var update = flag.Bool("update", false, "write what is visited into conformance/coverage/TABLE.md")

// tables is the page of what is visited, and head is how it begins.
const (
	tables = "TABLE.md"
	head   = "# What each source visits\n\n`go test ./conformance/coverage -update` writes this page; [README.md](README.md) says what its columns are.\n\n"
)

// TestCoverage shows that runs visit every action and every branch: the golden traces, the simulator, and walks of the untimed
// cluster. With fixed members they visit all that are not marked. What each of them visits is in TABLE.md.
func TestCoverage(t *testing.T) {
	slowtest.Only(t, "it walks through all cases and all sources of them")
	all, reachable := asked()
	explorer := coverage.Source{Name: "explorer", Counted: true, Coverage: reachable}
	traces, changingTraces := golden(t)
	simulator, changingSimulator := simulate(t)
	fixed := []coverage.Source{
		{Name: "traces", Coverage: traces}, {Name: "simulator", Coverage: simulator}, {Name: "walks", Coverage: walk(t)},
	}
	changing := []coverage.Source{
		{Name: "changing: traces", Coverage: changingTraces}, {Name: "simulator", Coverage: changingSimulator},
		{Name: "walks", Coverage: changingWalk(t)},
	}
	together, changed := visited(t, fixed), visited(t, changing)
	require.Empty(t, together.Missing(), "never visited: a run that does so can be kept in vectors/scripts/rare.txt")
	missing := slices.DeleteFunc(traces.Missing(), func(branch string) bool {
		return strings.Contains(branch, "no step") || slices.Contains([]string{"R33", "R34", "R35"}, branch[:3])
	})
	require.Empty(t, missing, "never visited by a golden trace; what is no step has no event")
	for _, a := range spec.Actions() {
		require.Positive(t, changed.Action(a), "%s where members change", a)
	}
	for i, b := range coverage.Branches() {
		require.True(t, !b.Changing || changed.Branch(i) > 0, "never visited: %s", b)
	}
	for members := 1; members <= 7; members++ {
		t.Logf("%d members: %d states, of which %d of the %d reachable", members, together.States(members),
			together.StatesOf(reachable, members), reachable.States(members))
	}
	if soak > 0 {
		return // the table is of a test as it always is
	}
	columns := slices.Concat([]coverage.Source{{Name: "cases", Counted: true, Coverage: all}, explorer}, fixed, changing)
	compare(t, coverage.Table(explorer, columns...))
}

// visited returns what sources have visited together.
func visited(t *testing.T, sources []coverage.Source) *coverage.Coverage {
	together := coverage.New()
	for _, s := range sources {
		require.Zero(t, s.Strays(), s.Name)
		require.Empty(t, s.Contradicted(), s.Name)
		together.Add(s.Coverage)
		t.Logf("%-16s misses %d", s.Name, len(s.Missing()))
	}
	return together
}

// golden returns what the golden traces visit: those of fixed members, and those in which members change.
func golden(t *testing.T) (fixed, changing *coverage.Coverage) {
	fixed, changing = coverage.New(), coverage.New()
	files, err := fs.Glob(traces.Valid, "*.ndjson")
	require.NoError(t, err)
	require.NotEmpty(t, files)
	for _, name := range files {
		file, err := traces.Valid.Open(name)
		require.NoError(t, err)
		seen := fixed
		if strings.HasPrefix(name, "members-") {
			seen = changing
		}
		report, err := check.Trace(file, check.Options{Observe: seen.Observe})
		require.NoError(t, err, name)
		require.NoError(t, file.Close())
		saw(seen, func(a spec.Action) uint64 { return report.Actions[a] })
	}
	return fixed, changing
}

// soak, if it is not 0, says how many times as long the test may take.
var soak, _ = strconv.Atoi(os.Getenv("BULLY_SOAK"))

// seeds is how many simulations there are of each profile and number of members.
const seeds = 24

// simulate returns what simulations visit: those with fixed members, and those in which members change.
func simulate(t *testing.T) (fixed, changing *coverage.Coverage) {
	fixed, changing = coverage.New(), coverage.New()
	runner := sim.NewRunner(model)
	for seed := range uint64(seeds * (1 + 10*soak)) {
		for _, profile := range sim.Profiles() {
			seen := fixed
			if profile.Changing() {
				seen = changing
			}
			for _, nodes := range []int{3, 5} {
				plan, err := sim.Generate(seed, nodes, profile)
				require.NoError(t, err)
				result, err := runner.Run(&plan, sim.Options{Observe: seen.Observe})
				require.NoError(t, err)
				require.Nil(t, result.Violation, "%s of %d, seed %d", profile, nodes, seed)
				saw(seen, result.Stats.Of)
			}
		}
	}
	return fixed, changing
}

// saw counts what is no step of a node on an input.
func saw(seen *coverage.Coverage, count func(spec.Action) uint64) {
	for _, a := range []spec.Action{spec.CrashAction, spec.LoseAction, spec.CutAction} {
		seen.Saw(a, count(a))
	}
}

// compare compares the page with what is visited, or writes it.
func compare(t *testing.T, visited string) {
	if *update {
		require.NoError(t, os.WriteFile(tables, []byte(head+visited), 0o644))
		return
	}
	text, err := os.ReadFile(tables)
	require.NoError(t, err)
	require.Equal(t, head+visited, string(text), "%s is not what is visited: go test ./conformance/coverage -update writes it", tables)
}
