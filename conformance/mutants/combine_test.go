package main

import (
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// TestCombine tries the mutants of functions of every form, and of what is in none, which is built for itself.
func TestCombine(t *testing.T) {
	if testing.Short() {
		t.Skip("long: it runs without the race detector, and shorter tests race the same code")
	}
	t.Parallel()
	status, out, log := call(t, "good", "-generate", "./odd")
	require.Equal(t, exitOK, status, "%s\n%s", log, out)
	for _, want := range []string{
		"odd/odd.go:5:14: killed by odd TestOdd", // the constant
		"odd/odd.go:9:39: killed by odd TestOdd", // variadic
		"odd/odd.go:11:52: killed by odd TestOdd",
		"odd/odd.go:15:14: killed by odd TestOdd",
		"odd/odd.go:21:34: killed by odd TestOdd",
		"odd/odd.go:26:2: killed by odd TestOdd",
		"odd/odd.go:29:79: does not build", // two arguments of different types
	} {
		require.Contains(t, log, want)
	}
	require.NotContains(t, log, "survived")
}

// TestCombineHolds shows what a combined package is refused for.
func TestCombineHolds(t *testing.T) {
	if testing.Short() {
		t.Skip("long: it runs without the race detector, and shorter tests race the same code")
	}
	root, err := filepath.Abs(filepath.Join("testdata", "module"))
	require.NoError(t, err)
	broken := func(text string) (*trial, *combined) {
		made, err := generate(root, "./small")
		require.NoError(t, err)
		for _, m := range made {
			m.Tests = []string{"./small"}
		}
		made = made[len(made)-1:]
		c, err := combine(root, "./small", made)
		require.NoError(t, err)
		c.files["small/small.go"] += text
		return &trial{root: root, mutants: made, limit: 5 * time.Second}, c
	}
	_, c := broken("\nfunc wrong() int { return undefined }\n")
	require.ErrorContains(t, c.drop(), "undefined: undefined")

	trial, c := broken("\nfunc init() { panic(\"at once\") }\n")
	require.NoError(t, c.drop())
	b, err := c.build(t.Context(), []string{"./small"}, t.TempDir())
	require.NoError(t, err)
	o, err := b.run(t.Context(), "./small", 0, trial.limit, "-test.v")
	require.NoError(t, err)
	require.True(t, o.failed)
	require.Equal(t, "(no test: the program ended)", o.test)

	_, err = c.build(t.Context(), []string{"./none"}, t.TempDir())
	require.ErrorContains(t, err, "./none has no tests")
}

func TestQuickTests(t *testing.T) {
	output := "=== RUN   TestA\n--- PASS: TestA (0.01s)\n--- PASS: TestSlow (1.20s)\n    --- PASS: TestA/sub (0.00s)\n--- PASS: ExampleB (0.00s)\n--- FAIL: TestC (0.00s)\nPASS\n"
	require.Equal(t, "TestA ExampleB", strings.Join(quickTests(output), " "))
}
