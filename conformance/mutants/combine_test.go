package main

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed-fdf591db/bully/spec/slowtest"
)

// TestCombine tries the mutants of functions of every form, and of what is in none, which is built for itself.
func TestCombine(t *testing.T) {
	slowtest.Only(t, "it compiles a module many times")
	if testing.Short() {
		t.Skip("long: it runs without the race detector, and shorter tests race the same code")
	}
	t.Parallel()
	status, out, log := call(t, "odd")
	require.Equal(t, exitOK, status, "%s\n%s", log, out)
	require.Contains(t, out, "7 mutants, 7 killed (S s)\n")
	require.NotContains(t, log, "one by one")
}

// TestCombineHolds shows what a combined package is refused for, and that its mutants are built one by one then.
func TestCombineHolds(t *testing.T) {
	slowtest.Only(t, "it compiles a module many times")
	if testing.Short() {
		t.Skip("long: it runs without the race detector, and shorter tests race the same code")
	}
	root, err := filepath.Abs(filepath.Join("testdata", "module"))
	require.NoError(t, err)
	all, err := readTable(root, os.DirFS(tableFolder(t, "good/table")))
	require.NoError(t, err)
	broken := func(text string) *combined {
		c, err := combine(root, "./small", all)
		require.NoError(t, err)
		c.files["small/small.go"] += text
		return c
	}
	_, err = broken("\nfunc wrong() int { return undefined }\n").build(t.Context(), []string{"./small"}, t.TempDir())
	require.ErrorContains(t, err, "undefined: undefined")

	c := broken("\nfunc init() { panic(\"at once\") }\n")
	b, err := c.build(t.Context(), []string{"./small"}, t.TempDir())
	require.NoError(t, err)
	o, err := b.run(t.Context(), "./small", 0, 5*time.Second, "-test.v")
	require.NoError(t, err)
	require.True(t, o.failed)
	require.Equal(t, "(no test: the program ended)", o.test)

	_, err = c.build(t.Context(), []string{"./none"}, t.TempDir())
	require.ErrorContains(t, err, "./none has no tests")
	status, _, log := call(t, "unbuilt")
	require.Equal(t, exitSurvivor, status)
	require.Contains(t, log, "./small does not build with all its mutants, which are built one by one: ")
}
