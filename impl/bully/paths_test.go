package bully_test

import (
	"os"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed-fdf591db/bully/conformance"
	"github.com/seed-fdf591db/bully/conformance/cluster"
	"github.com/seed-fdf591db/bully/conformance/paths"
	core "github.com/seed-fdf591db/bully/impl/internal/subject"
)

// TestPaths leads clusters of the core along every edge of the graphs of the small configurations.
func TestPaths(t *testing.T) {
	paths.Run(t, core.New)
}

// TestLarge does so with the large ones, and asks every step in the larger configurations of tla/models, if BULLY_SOAK says
// how much time there is: those that the explorer generates at most a million times as many states for.
func TestLarge(t *testing.T) {
	more, _ := strconv.Atoi(os.Getenv("BULLY_SOAK"))
	if more <= 0 {
		t.Skip("make soak runs it: it takes minutes")
	}
	for _, c := range paths.Large() {
		tour, err := paths.New(c)
		require.NoError(t, err)
		require.NoError(t, tour.Replay(core.New, cluster.Options{}))
		t.Logf("%-12s %s", c.Name, tour.Counts)
	}
	names, err := conformance.ConfigurationsUpTo(more * 1_000_000)
	require.NoError(t, err)
	steps, err := conformance.Reachable(names...)
	require.NoError(t, err)
	cases, err := steps.Check(subject{})
	require.NoError(t, err)
	t.Logf("%d steps in %d configurations", cases, len(names))
}
