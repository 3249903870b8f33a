package model

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed-fdf591db/bully/spec"
)

// sayAll calls say with a step of each kind, of the lowest and the highest of n nodes, in each state with an epoch of 1 at most.
func sayAll(r *Rules, n ID, say func(Step) bool) {
	for _, i := range []ID{1, n} {
		for s := (State{}); s.Role <= Leader; s.Role++ {
			for s.Leader = None; s.Leader <= n; s.Leader++ {
				for s.Epoch = 0; s.Epoch <= 1; s.Epoch++ {
					for s.Grantee = None; s.Grantee <= n; s.Grantee++ {
						for support := range upTo(n) + 1 {
							if s.Support = support; support&^upTo(n).Without(i) == 0 && !sayState(r, i, n, s, say) {
								return
							}
						}
					}
				}
			}
		}
	}
}

// sayState calls say with the steps of one state until it returns false, and returns what it returned last.
func sayState(r *Rules, i, n ID, s State, say func(Step) bool) bool {
	for timer := range Timer(timerKinds) {
		if !say(r.Timeout(i, s, timer)) {
			return false
		}
	}
	for kind := Election; kind <= ImBack; kind++ {
		for from := ID(1); from <= n; from++ {
			for e := range spec.Epoch(3) {
				if from != i && !say(r.Hear(i, s, Message{kind, from, i, e})) {
					return false
				}
			}
		}
	}
	return say(r.Resign(i, s)) && say(r.HolderDead(i, s)) && say(r.Restart(i, s)) && say(quietly(r.Survives(s)))
}

// differ reports whether some step of r is another than that of the rules as they are.
func differ(t *testing.T, n int, operator, name string) bool {
	plain, err := NewRules(n)
	require.NoError(t, err)
	replaced, err := NewRules(n)
	require.NoError(t, err)
	require.NoError(t, replaced.Replace(operator, name))
	var steps []Step
	sayAll(plain, ID(n), func(s Step) bool { steps = append(steps, s); return true })
	k, differs := 0, false
	sayAll(replaced, ID(n), func(s Step) bool {
		differs = s != steps[k]
		k++
		return !differs
	})
	return differs
}

// A replacement that changes no step would be a mutant that cannot fail.
func TestEachReplacementOfARuleChangesSomeStep(t *testing.T) {
	for operator, names := range replacements {
		for name := range names {
			n := 3
			if name == "HalfOrMore" {
				n = 4 // half of three is no half
			}
			require.True(t, differ(t, n, operator, name), "%s <- %s", operator, name)
		}
	}
}

// The same for the replacements of what Cluster.tla adds: some configuration has other counts, and no two have the same.
func TestEachReplacementInTheClusterChangesTheCounts(t *testing.T) {
	seen := map[int]string{} // the replacement by which so many states are generated
	generate := func(budget string, replaced ...string) {
		name := strings.Join(replaced, ", ")
		generated := run(t, configuration(3, "TopDeaf", budget, replaced...)).Generated
		require.NotContains(t, seen, generated, "%q generates as many as %q", name, seen[generated])
		seen[generated] = name
	}
	generate("0 1 0 0 0")
	generate("1 0 0 0 0")
	for _, timeout := range timeouts {
		generate("0 1 0 0 0", string(timeout.action)+" <- Never")
	}
	budgets := map[string]string{"IdleOnly": "1 0 0 0 0", "FaultProves": "0 0 1 0 0"} // what a replacement is about
	for operator, names := range timing {
		for name := range names {
			replaced, budget := []string{operator + " <- " + name}, budgets[name]
			if name == "AsksAtWill" {
				replaced = append(replaced, "ElectionTimeout <- Never") // else it goes on for ever
			}
			if budget == "" {
				budget = "0 1 0 0 0"
			}
			generate(budget, replaced...)
		}
	}
}
