package algorithms_test

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed-fdf591db/bully/conformance/compare"
	"github.com/seed-fdf591db/bully/conformance/compare/scenarios"
	"github.com/seed-fdf591db/bully/impl/internal/algorithms"
)

var update = flag.Bool("update", false, "write the golden timelines anew")

// named returns a scenario by its name.
func named(t *testing.T, name string) *scenarios.Named {
	t.Helper()
	all := scenarios.All()
	i := slices.IndexFunc(all, func(s scenarios.Named) bool { return s.Name == name })
	require.GreaterOrEqual(t, i, 0, "no scenario %s", name)
	return &all[i]
}

// algorithm returns an algorithm by its name.
func algorithm(t *testing.T, name string) compare.Algorithm {
	t.Helper()
	a, ok := algorithms.Named(name)
	require.True(t, ok, "no algorithm %s", name)
	return a
}

// family returns all forms of an algorithm: those whose names begin with that of the usual one.
func family(t *testing.T, usual string) (all []compare.Algorithm) {
	t.Helper()
	for _, a := range algorithms.All() {
		if a.Name == usual || strings.HasPrefix(a.Name, usual+"-") {
			all = append(all, a)
		}
	}
	require.NotEmpty(t, all)
	return all
}

// play runs a scenario with the seed with which it is told.
func play(t *testing.T, s *scenarios.Named, a compare.Algorithm) compare.Result {
	t.Helper()
	result, err := compare.Run(&s.Scenario, a, s.Seed, compare.Options{Timeline: true})
	require.NoError(t, err)
	return result
}

// TestTimelines pins what happens in each scenario, to the last message, and holds it to have its flaw. To write the
// timelines anew: go test ./impl/internal/algorithms -run TestTimelines -update
func TestTimelines(t *testing.T) {
	all := scenarios.All()
	require.Len(t, all, 30)
	var text strings.Builder
	for _, s := range all {
		result := play(t, &s, algorithm(t, s.Shows))
		require.Equal(t, s.Flaw != scenarios.NoFlaw, s.Found(&result), "%s: %s", s.Name, s.Flaw)
		fmt.Fprintf(&text, "-- %s --\n", s.Name)
		require.NoError(t, compare.WriteTimeline(&text, &s.Scenario, &result))
	}
	pin(t, filepath.Join("testdata", "timelines.txtar"), text.String())
}

// pin holds a text to what is in a file; with -update it writes the file.
func pin(t *testing.T, path, text string) {
	t.Helper()
	if *update {
		require.NoError(t, os.WriteFile(path, []byte(text), 0o644))
	}
	pinned, err := os.ReadFile(path)
	require.NoError(t, err)
	require.Equal(t, string(pinned), text, "%s: if this is how it should be, run the test with -update", path)
}

// TestOurs runs ours in every scenario, with many seeds: at no time do two lead, no epoch has two leaders, no stale write is
// accepted, and in the end all follow one. No leader is deposed for nothing, either.
func TestOurs(t *testing.T) {
	for _, s := range scenarios.All() {
		for seed := range uint64(20) {
			r, err := compare.Run(&s.Scenario, algorithms.Bully(), s.Seed+seed, compare.Options{})
			require.NoError(t, err)
			at := fmt.Sprintf("%s, seed %d", s.Name, s.Seed+seed)
			require.Zero(t, r.Two, at)
			require.LessOrEqual(t, r.SameEpoch, 1, at)
			require.Zero(t, r.Stale, at)
			require.True(t, r.Agreed, at)
			if s.Flaw == scenarios.Disrupted {
				require.False(t, s.Found(&r), at)
			}
			require.NotEmpty(t, r.Reigns, at)
		}
	}
}

// TestNames holds that algorithms have names of their own, which are those of the usual ones too.
func TestNames(t *testing.T) {
	var names []string
	for _, a := range algorithms.All() {
		names = append(names, a.Name)
		require.NotEmpty(t, a.Title)
		require.Regexp(t, `^[a-z0-9]+(-[a-z0-9]+)*$`, a.Name)
	}
	require.Len(t, slices.Compact(slices.Sorted(slices.Values(names))), len(names))
	require.Len(t, algorithms.Usual(), 8)
	_, ok := algorithms.Named("paxos")
	require.False(t, ok, "no algorithm is named paxos")
}
