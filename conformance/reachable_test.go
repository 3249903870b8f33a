package conformance_test

import (
	"os"
	"slices"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed-fdf591db/bully/conformance"
	"github.com/seed-fdf591db/bully/spec"
)

// stepsIn is how many distinct steps nodes take in each of the small configurations.
var stepsIn = map[string]int{
	"ClusterOneCrash": 3677, "ClusterResign": 812, "ClusterIsolatedLeader": 201, "ClusterOneWayOnce": 3047,
	"ClusterProofNone": 348, "ClusterProofStar": 578, "ClusterProofWrong": 362, "ClusterPendant": 946,
	"ClusterChain": 274, "ClusterStarCrash": 566, "ClusterResignStar": 261,
}

func TestReachable(t *testing.T) {
	require.Len(t, stepsIn, len(conformance.SmallConfigurations()))
	for _, name := range conformance.SmallConfigurations() {
		g, err := conformance.Reachable(name)
		require.NoError(t, err)
		cases, err := g.Check(&conformance.Model{})
		require.NoError(t, err)
		t.Logf("%-24s %5d steps", name, cases)
		require.Equal(t, stepsIn[name], cases, name)
	}
}

// TestReachableInLarger replays the steps of larger configurations too, if BULLY_SOAK says how much time there is: those that
// the explorer generates at most a million times as many states for.
func TestReachableInLarger(t *testing.T) {
	more, _ := strconv.Atoi(os.Getenv("BULLY_SOAK"))
	if more <= 0 {
		t.Skip("make soak runs it: the larger configurations take minutes")
	}
	names, err := conformance.ConfigurationsUpTo(more * 1_000_000)
	require.NoError(t, err)
	g, err := conformance.Reachable(names...)
	require.NoError(t, err)
	cases, err := g.Check(&conformance.Model{})
	require.NoError(t, err)
	t.Logf("%d steps in %d configurations", cases, len(names))
	require.Greater(t, cases, 10_000)
}

// TestReachableIsOfTheNode shows that what tla/Cluster.tla leaves out of a step is in the cases: a heartbeat is sent to all, and a
// restart goes on behind the numbers that are reserved.
func TestReachableIsOfTheNode(t *testing.T) {
	heartbeats, restarts := 0, 0
	for c := range group(t, "reachable").All {
		switch {
		case c.Input.Timer == spec.HeartbeatTimer:
			require.Len(t, c.Want.Sent, len(c.Members)-1)
			heartbeats++
		case c.Input.Call == spec.RestartCall:
			require.Equal(t, c.Before.Durable().Reserved+1, c.Want.State.Latest)
			restarts++
		}
	}
	require.Positive(t, heartbeats)
	require.Positive(t, restarts)
}

// TestReachableSeesFaults shows that a wrong answer is found there.
func TestReachableSeesFaults(t *testing.T) {
	g := group(t, "reachable")
	seen := 0
	for _, f := range faults {
		switch f.name {
		case "ignores everything", "grants to anybody", "sends in another order", "sends two heartbeats at once", "starts with an epoch":
			_, err := g.Check(&faulty{fault: f.fault})
			require.ErrorContains(t, err, "cases failed", f.name)
			seen++
		}
	}
	require.Equal(t, 5, seen)
}

func TestReachableNowhere(t *testing.T) {
	_, err := conformance.Reachable()
	require.EqualError(t, err, "conformance: no configuration is named: there is nothing to explore")
	_, err = conformance.Reachable("ClusterOneCrash", "ClusterNone")
	require.EqualError(t, err, "conformance: ClusterNone: tla/models.json has no configuration of a cluster of that name that holds")
}

func group(t *testing.T, name string) conformance.Group {
	t.Helper()
	groups := conformance.Groups()
	i := slices.IndexFunc(groups, func(g conformance.Group) bool { return g.Name == name })
	require.GreaterOrEqual(t, i, 0, name)
	return groups[i]
}
