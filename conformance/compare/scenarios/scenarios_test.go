package scenarios_test

import (
	"fmt"
	"os"
	"regexp"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed-fdf591db/bully/conformance/compare"
	"github.com/seed-fdf591db/bully/conformance/compare/scenarios"
	"github.com/seed-fdf591db/bully/conformance/compare/toy"
)

// The toy algorithm has no more sense than the textbook when the network parts.
func Example() {
	for _, s := range scenarios.All() {
		if s.Name == "split-brain" {
			result, err := compare.Run(&s.Scenario, toy.New(), s.Seed, compare.Options{})
			fmt.Println(s.Title, "-", s.Found(&result), err)
		}
	}
	// Output: A partition: 5 goes on leading 4, the others elect 3, and when it heals both go on - true <nil>
}

// TestAll holds that every scenario can be run, has a name of its own, says all that there is to say, and cites rules that
// the specification has.
func TestAll(t *testing.T) {
	specification, err := os.ReadFile("../../../spec/README.md")
	require.NoError(t, err)
	rule := regexp.MustCompile(`\bR[0-9]+`)
	names := map[string]bool{}
	all := scenarios.All()
	require.NotEmpty(t, all)
	for _, s := range all {
		require.NoError(t, s.Validate(), s.Name)
		require.Regexp(t, `^[a-z]+(-[a-z]+)*$`, s.Name)
		require.False(t, names[s.Name], s.Name)
		names[s.Name] = true
		for what, text := range map[string]string{"title": s.Title, "watch": s.Watch, "cause": s.Cause, "remedy": s.Remedy, "shows": s.Shows} {
			require.NotEmpty(t, text, "%s: %s", s.Name, what)
		}
		require.NotEmpty(t, s.Faults, s.Name)
		rules := rule.FindAllString(s.Remedy, -1)
		require.NotEmpty(t, rules, "%s: no rule removes it", s.Name)
		for _, r := range rules {
			require.Contains(t, string(specification), "### "+r+" ", s.Name)
		}
		require.Equal(t, s.Flaw == scenarios.Disrupted || s.Flaw == scenarios.Herd, s.Enough > 0, s.Name)
	}
}

// TestFound gives each kind of flaw a result that has it, and one that has not.
func TestFound(t *testing.T) {
	well := compare.Result{Agreed: true, Reigns: make([]compare.Reign, 2), Election: 20, SameEpoch: 1}
	for flaw, spoil := range map[scenarios.Flaw]func(r *compare.Result){
		scenarios.TwoLeaders: func(r *compare.Result) { r.Two = 1 },
		scenarios.SameEpoch:  func(r *compare.Result) { r.SameEpoch = 2 },
		scenarios.StaleWrite: func(r *compare.Result) { r.Stale = 1 },
		scenarios.NoLeader:   func(r *compare.Result) { r.Agreed = false },
		scenarios.Disrupted:  func(r *compare.Result) { r.Reigns = append(r.Reigns, compare.Reign{}) },
		scenarios.Herd:       func(r *compare.Result) { r.Election++ },
		scenarios.NoFlaw:     func(r *compare.Result) { r.Stale = 1 },
	} {
		s := scenarios.Named{Flaw: flaw, Enough: 2}
		if flaw == scenarios.Herd {
			s.Enough = 20
		}
		r := well
		require.False(t, s.Found(&r), flaw)
		spoil(&r)
		require.True(t, s.Found(&r), flaw)
	}
}
