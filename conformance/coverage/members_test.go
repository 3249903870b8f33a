package coverage_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed-fdf591db/bully/conformance"
	"github.com/seed-fdf591db/bully/conformance/cluster"
	"github.com/seed-fdf591db/bully/conformance/coverage"
	"github.com/seed-fdf591db/bully/spec"
)

// TestCoverageOfMembers shows that runs in which members change visit every branch of R42 to R49: the golden traces, and walks.
// What each of them visits is the second table in README.md.
func TestCoverageOfMembers(t *testing.T) {
	traces := coverage.Source{Name: "traces", Coverage: golden(t, coverage.NewChanging())}
	walks := coverage.Source{Name: "walks", Coverage: coverage.NewChanging()}
	for seed := range uint64(150 * (1 + 10*soak)) {
		choose := rand.New(rand.NewPCG(seed, 2)).IntN
		s := cluster.DrawScript(choose).DrawFirst(choose)
		c, err := cluster.New(s.Members, model, cluster.Options{First: s.First, Records: s.Records, Observe: walks.Observe})
		require.NoError(t, err)
		for range 250 {
			require.NoError(t, c.Do(c.Draw(choose)), "seed %d", seed)
		}
		sawOps(walks.Coverage, c)
	}
	together := coverage.NewChanging()
	for _, s := range []coverage.Source{traces, walks} {
		require.Zero(t, s.Strays(), s.Name)
		together.Add(s.Coverage)
		t.Logf("%s misses %q", s.Name, s.Missing())
	}
	require.Empty(t, together.Missing(), "never visited")
	if soak == 0 {
		compare(t, "members", coverage.Table(traces, traces, walks))
	}
}

// TestEveryRuleOfMembersHasBranches goes by R42 to R49, and sees no branch twice.
func TestEveryRuleOfMembersHasBranches(t *testing.T) {
	have, names := map[string]int{}, map[string]bool{}
	for _, b := range coverage.ChangingBranches() {
		have[b.Rule]++
		require.False(t, names[b.String()], b)
		names[b.String()] = true
	}
	for n := 42; n <= 49; n++ {
		require.Positive(t, have[fmt.Sprint("R", n)], "R%d", n)
	}
}

// TestKindsOfClusters shows that a Coverage counts nodes of its own kind of cluster alone.
func TestKindsOfClusters(t *testing.T) {
	id := spec.IntegerID(1)
	first, err := spec.NewConfiguration(0, 1, []spec.Member{{ID: id, Kind: spec.Voter}})
	require.NoError(t, err)
	for _, configuration := range []spec.Configuration{{}, first} {
		before := conformance.Survivor(spec.Durable{Configuration: configuration})
		k := conformance.Case{ID: id, Members: []spec.NodeID{id}, Before: before, Input: spec.Input{Call: spec.StartCall}, Want: spec.Step{State: before}}
		seen, of := coverage.New(), coverage.NewChanging()
		seen.Observe(&k)
		of.Observe(&k)
		require.Equal(t, configuration.IsNone(), seen.Action(spec.StartAction) == 1)
		require.Equal(t, configuration.IsNone(), of.Action(spec.StartAction) == 0)
		require.Zero(t, seen.Strays()+of.Strays())
	}
}
