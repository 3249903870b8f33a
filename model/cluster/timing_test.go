package cluster

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// A replacement that changes nothing would be a mutant that cannot fail: some configuration has other counts, and no two have the same.
func TestEachReplacementInTheClusterChangesTheCounts(t *testing.T) {
	seen := map[int]string{} // the replacement by which so many states are generated
	generate := func(budget string, replaced ...string) {
		name := strings.Join(replaced, ", ")
		generated := run(t, fixed(3, "TopDeaf", budget, append(replaced, "MaxAsk <- FourTimes", "MaxHeartbeat <- Once")...)).Generated
		require.NotContains(t, seen, generated, "%q generates as many as %q", name, seen[generated])
		seen[generated] = name
	}
	generate("0 1 0 0 0")
	generate("1 0 0 0 0")
	for _, timeout := range timeouts {
		generate("0 1 0 0 0", string(timeout.timer.Spec().Action())+" <- Never")
	}
	budgets := map[string]string{"IdleOnly": "1 0 0 0 0", "FaultProves": "0 0 1 0 0", "SilenceProves": "0 0 0 1 0",
		"NobodyOrAny": "0 0 0 0 1", "TheLowest": "0 0 0 0 1", "PassesTheNamed": "0 0 0 0 1"} // what a replacement is about
	for operator, names := range timings {
		for name := range names {
			replaced, budget := []string{operator + " <- " + name}, budgets[name]
			if name == "PassesTheNamed" {
				replaced = append(replaced, "Nameable <- NobodyOrAny")
			}
			if budget == "" {
				budget = "0 1 0 0 0"
			}
			generate(budget, replaced...)
		}
	}
}
