package coverage_test

import (
	"flag"
	"io/fs"
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed-fdf591db/bully/conformance/check"
	"github.com/seed-fdf591db/bully/conformance/coverage"
	"github.com/seed-fdf591db/bully/conformance/sim"
	"github.com/seed-fdf591db/bully/spec"
	"github.com/seed-fdf591db/bully/traces"
)

var update = flag.Bool("update", false, "write what is visited into conformance/coverage/README.md")

const readme = "README.md"

// TestCoverage shows that runs visit every action and every branch: the golden traces, the simulator, and walks of the untimed
// cluster. What each of them visits is the table in README.md.
func TestCoverage(t *testing.T) {
	all, reachable := asked()
	explorer := coverage.Source{Name: "explorer", Counted: true, Coverage: reachable}
	runs := []coverage.Source{
		{Name: "traces", Coverage: golden(t, coverage.New())},
		{Name: "simulator", Coverage: simulate(t)},
		{Name: "walks", Coverage: walk(t)},
	}
	together := coverage.New()
	for _, s := range runs {
		require.Zero(t, s.Strays(), s.Name)
		require.Empty(t, s.Contradicted(), s.Name)
		together.Add(s.Coverage)
		t.Logf("%-12s misses %d", s.Name, len(s.Missing()))
	}
	require.Empty(t, together.Missing(), "never visited: a run that does so can be kept in testdata/rare.txt")
	for members := 1; members <= 7; members++ {
		t.Logf("%d members: %d states, of which %d of the %d reachable", members, together.States(members),
			together.StatesOf(reachable, members), reachable.States(members))
	}
	if soak > 0 {
		return // the table is of a test as it always is
	}
	columns := append([]coverage.Source{{Name: "cases", Counted: true, Coverage: all}, explorer}, runs...)
	compare(t, "coverage", coverage.Table(explorer, columns...))
}

// golden makes seen what the golden traces visit, those of its kind of cluster.
func golden(t *testing.T, seen *coverage.Coverage) *coverage.Coverage {
	files, err := fs.Glob(traces.Valid, "*.ndjson")
	require.NoError(t, err)
	require.NotEmpty(t, files)
	for _, name := range files {
		file, err := traces.Valid.Open(name)
		require.NoError(t, err)
		report, err := check.Trace(file, check.Options{Observe: seen.Observe})
		require.NoError(t, err, name)
		require.NoError(t, file.Close())
		saw(seen, func(a spec.Action) uint64 { return report.Actions[a] })
	}
	return seen
}

// soak, if it is not 0, says how many times as long the test may take.
var soak, _ = strconv.Atoi(os.Getenv("BULLY_SOAK"))

// seeds is how many simulations there are of each profile and number of members.
const seeds = 24

// simulate returns what simulations visit.
func simulate(t *testing.T) *coverage.Coverage {
	seen := coverage.New()
	runner := sim.NewRunner(model)
	for seed := range uint64(seeds * (1 + 10*soak)) {
		for _, profile := range sim.Profiles() {
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
	return seen
}

// saw counts what is no step of a node on an input.
func saw(seen *coverage.Coverage, count func(spec.Action) uint64) {
	for _, a := range []spec.Action{spec.CrashAction, spec.LoseAction, spec.CutAction} {
		seen.Saw(a, count(a))
	}
}

// compare compares a table in the README, or writes it.
func compare(t *testing.T, name, table string) {
	begin, end := "<!-- "+name+":begin -->\n", "<!-- "+name+":end -->"
	text, err := os.ReadFile(readme)
	require.NoError(t, err)
	before, rest, found := strings.Cut(string(text), begin)
	require.True(t, found, "%s has no line %s", readme, begin)
	got, after, found := strings.Cut(rest, end)
	require.True(t, found, "%s has no line %s", readme, end)
	if *update {
		require.NoError(t, os.WriteFile(readme, []byte(before+begin+table+end+after), 0o644))
		return
	}
	require.Equal(t, table, got, "the table in %s is not what is visited: go test ./conformance/coverage -update writes it", readme)
}
