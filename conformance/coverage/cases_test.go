package coverage_test

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed-fdf591db/bully/conformance"
	"github.com/seed-fdf591db/bully/conformance/check"
	"github.com/seed-fdf591db/bully/conformance/coverage"
	"github.com/seed-fdf591db/bully/spec"
	"github.com/seed-fdf591db/bully/spec/slowtest"
)

// asked is what the cases of package conformance visit: all of them, and those that the explorer comes to.
var asked = sync.OnceValues(func() (all, reachable *coverage.Coverage) {
	all, reachable = coverage.New(), coverage.New()
	for _, g := range conformance.Groups() {
		for c := range g.All {
			if g.Name == "reachable" {
				reachable.Observe(c)
			} else {
				all.Observe(c)
			}
		}
	}
	return all, reachable
})

// TestEveryCaseHasABranch shows that the list of branches is complete: whatever a node is asked is one of them.
func TestEveryCaseHasABranch(t *testing.T) {
	slowtest.Only(t, "it walks through all cases")
	all, reachable := asked()
	require.Zero(t, all.Strays())
	require.Zero(t, reachable.Strays())
}

// TestEveryBranchHasCases shows that no branch is dead, and that none is there twice.
func TestEveryBranchHasCases(t *testing.T) {
	all, _ := asked()
	names := map[string]bool{}
	for i, b := range coverage.Branches() {
		if !b.Changing { // which the cases do not ask
			require.Positive(t, all.Branch(i), b)
		}
		require.False(t, names[b.String()], b)
		names[b.String()] = true
	}
	t.Log(len(names), "branches")
	require.Equal(t, []string{string(spec.CrashAction), string(spec.LoseAction), string(spec.CutAction)}, all.Missing(),
		"these are no steps of a node")
}

// TestEveryRuleHasBranches goes by the rules of section 8, and those of section 11 and of members that change.
func TestEveryRuleHasBranches(t *testing.T) {
	have := map[string]int{}
	for _, b := range coverage.Branches() {
		have[b.Rule]++
	}
	for n := 7; n <= 35; n++ {
		require.Positive(t, have[fmt.Sprint("R", n)], "R%d", n)
	}
	for n := 41; n <= 49; n++ {
		require.Positive(t, have[fmt.Sprint("R", n)], "R%d", n)
	}
	for _, rule := range []string{"R2", "R4"} {
		require.Positive(t, have[rule], rule)
	}
}

// TestStray shows that a case that is like none is seen.
func TestStray(t *testing.T) {
	c := coverage.New()
	k := check.Case{ID: spec.IntegerID(1), Members: []spec.NodeID{spec.IntegerID(1)}, Input: spec.Input{Timer: "tea"}}
	k.Want.Ignored = true
	c.Observe(&k)
	require.EqualValues(t, 1, c.Strays())
}

// TestNever shows that a branch of which it is said that no run comes to it is seen if one does.
func TestNever(t *testing.T) {
	c := coverage.New()
	require.Empty(t, c.Contradicted())
	all, _ := asked()
	c.Add(all)
	require.Len(t, c.Contradicted(), 5)
}

func TestTable(t *testing.T) {
	all, reachable := asked()
	text := coverage.Table(coverage.Source{Name: "explorer", Coverage: reachable},
		coverage.Source{Name: "cases", Counted: true, Coverage: all}, coverage.Source{Name: "nothing", Coverage: coverage.New()},
		coverage.Source{Name: "explorer", Coverage: reachable})
	lines := strings.Split(text, "\n")
	require.Contains(t, lines, "| action | cases | nothing | explorer |")
	require.Contains(t, lines, "| `Crash` | – | – | – |")
	require.Contains(t, lines, "| R32 the first start of a node | 29 | – | ✓ |")
	require.Contains(t, lines, "| members | states: explorer | cases | nothing | explorer |")
	require.Regexp(t, regexp.MustCompile(`(?m)^\| 3 \| \d+ \| all \| – \| all \|$`), text)
	require.Equal(t, 1, slices.Index(lines, "|---|---|---|---|"))
}
