package spec_test

import (
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

var (
	helped   = regexp.MustCompile(`(?m)^([a-z-]+):.*## `)
	rule     = regexp.MustCompile(`(?m)^([a-z-]+):([^#=\n]*)(?:##.*)?\n((?:\t.*\n)*)`)
	makeCall = regexp.MustCompile(`(?m)(?:\bmake|\$\(MAKE\)|for target in)((?: +[^ ;|\n]+)+)`)
	nameOnly = regexp.MustCompile(`^[a-z][a-z-]*$`)
)

// calledIn returns the targets that lines of a shell script, or of a recipe, call with make.
func calledIn(script string) (targets []string) {
	for _, call := range makeCall.FindAllStringSubmatch(script, -1) {
		for _, word := range strings.Fields(call[1]) {
			if nameOnly.MatchString(word) {
				targets = append(targets, word)
			}
		}
	}
	return targets
}

// reach returns the targets that a list of targets runs, by their prerequisites and recipes too.
func reach(makefile string, targets []string) map[string]bool {
	calls := map[string][]string{}
	for _, r := range rule.FindAllStringSubmatch(makefile, -1) {
		calls[r[1]] = append(calls[r[1]], append(strings.Fields(r[2]), calledIn(r[3])...)...)
	}
	reached := map[string]bool{}
	for len(targets) > 0 {
		next := targets[0]
		targets = targets[1:]
		if !reached[next] {
			reached[next] = true
			targets = append(targets, calls[next]...)
		}
	}
	return reached
}

// TestEveryTargetIsRun: each target that make help names is run by .ci/run or by make smoke, so that
// none rots unseen.
func TestEveryTargetIsRun(t *testing.T) {
	makefile, err := os.ReadFile("../Makefile")
	require.NoError(t, err)
	everyDay, err := os.ReadFile("../.ci/run")
	require.NoError(t, err)
	reached := reach(string(makefile), append(calledIn(string(everyDay)), "smoke", "help"))
	targets := helped.FindAllStringSubmatch(string(makefile), -1)
	require.Greater(t, len(targets), 20)
	for _, target := range targets {
		require.True(t, reached[target[1]], "make %s is run neither by .ci/run nor by make smoke: add it to smoke, in a short form", target[1])
	}
}

// TestCallsAreFound holds what counts as a call of a target.
func TestCallsAreFound(t *testing.T) {
	script := "stage test make test FRESH=yes || failed=1\nfor target in check prove; do\n# nothing\n\t$(MAKE) --silent fuzz bench-guard FOR=1s; echo lint\n"
	require.Equal(t, []string{"test", "check", "prove", "fuzz", "bench-guard"}, calledIn(script))
	makefile := "all: KEEP := yes\nall: first ## all of it\n\t@$(MAKE) second\nfirst: ## one\n\techo\nsecond: ## two\n\techo\nthird: ## never\n\techo\n"
	require.Equal(t, map[string]bool{"all": true, "first": true, "second": true}, reach(makefile, []string{"all"}))
}
