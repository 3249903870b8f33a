package proctest

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// judge runs a test that may fail, and returns whether it failed and what it said.
func judge(t *testing.T, test func(t testing.TB)) (failed bool, said string) {
	t.Helper()
	a := run(t, Reign{}, func(a *Attempt, _ Reign) { test(a) })
	return a.Failed(), a.said()
}

// script returns reigns one after the other; the last one stays.
func script(reigns ...Reign) func() Reign {
	return func() Reign {
		now := reigns[0]
		if len(reigns) > 1 {
			reigns = reigns[1:]
		}
		return now
	}
}

func TestWhile(t *testing.T) {
	one, two, again := Reign{"1", 3}, Reign{"2", 4}, Reign{"1", 5}
	tests := map[string]struct {
		reigns []Reign
		fails  func(run int) bool
		runs   int
		said   []string // nil if it must pass
	}{
		"it passes at once":                          {[]Reign{{}, two, one}, func(int) bool { return false }, 1, nil},
		"it fails while the leader leads":            {[]Reign{one}, func(int) bool { return true }, 1, []string{"while node 1 in epoch 3 led:", "Should be true", "the words of the body"}},
		"it passes once the leader keeps its reign":  {[]Reign{one, two, again}, func(run int) bool { return run == 1 }, 2, nil},
		"it fails in the second reign":               {[]Reign{one, two, again}, func(int) bool { return true }, 2, []string{"while node 1 in epoch 5 led:"}},
		"another reign of the same node is a change": {[]Reign{one, again, again}, func(run int) bool { return run == 1 }, 2, nil},
		"the leader always loses its reign": {[]Reign{one, two, one, two, one, two, one, {}, one, two}, func(int) bool { return true }, 5,
			[]string{"node 1 lost its reign in each of 5 attempts", "node 1 in epoch 3 led, then node 2 in epoch 4:", "then no leader:"}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			runs := 0
			failed, said := judge(t, func(t testing.TB) {
				While(t, "1", script(test.reigns...), func(t *Attempt, reign Reign) {
					runs++
					require.Equal(t, "1", reign.Leader)
					require.True(t, !test.fails(runs), "the words of the body")
				})
			})
			require.Equal(t, test.said != nil, failed, said)
			require.Equal(t, test.runs, runs)
			for _, part := range test.said {
				require.Contains(t, said, part)
			}
		})
	}
}

// TestOuterFailure: a body that fails the test itself, and not its attempt, is not run again.
func TestOuterFailure(t *testing.T) {
	runs := 0
	failed, said := judge(t, func(outer testing.TB) {
		While(outer, "1", script(Reign{"1", 3}, Reign{"2", 4}), func(*Attempt, Reign) {
			runs++
			outer.Errorf("it is no node's fault")
		})
	})
	require.True(t, failed, "the outer test has failed")
	require.Equal(t, 1, runs)
	require.Contains(t, said, "it is no node's fault")
}
