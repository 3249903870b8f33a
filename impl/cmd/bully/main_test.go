package main

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed-fdf591db/bully/impl/internal/cli"
	"github.com/seed-fdf591db/bully/spec"
)

// bully runs the command, and returns its exit status and both outputs.
func bully(t testing.TB, args ...string) (status int, out, log string) {
	t.Helper()
	var o, l strings.Builder
	status = newProgram().To(&o, &l).Main(t.Context(), args)
	return status, o.String(), l.String()
}

func TestHelp(t *testing.T) {
	t.Parallel()
	for _, args := range [][]string{nil, {"help"}, {"-h"}, {"--help"}, {"help", "help"}} {
		status, out, log := bully(t, args...)
		require.Equal(t, cli.OK, status)
		require.Empty(t, log, "help goes to standard output")
		for _, c := range newProgram().Commands {
			require.Contains(t, out, "  "+c.Name+" ", args)
		}
	}
	for _, c := range newProgram().Commands {
		status, out, log := bully(t, "help", c.Name)
		require.Equal(t, cli.OK, status)
		require.Empty(t, log, "help goes to standard output")
		require.Contains(t, out, "Usage: bully ")
	}
	status, out, _ := bully(t, "run", "-h")
	require.Equal(t, cli.OK, status)
	require.Contains(t, out, "-trace-bytes")
}

func TestVersion(t *testing.T) {
	t.Parallel()
	status, out, _ := bully(t, "version")
	require.Equal(t, cli.OK, status)
	require.Contains(t, out, "built with go")
	require.Contains(t, out, "\nspec "+spec.Version+", wire 3, trace 3\n")
}

func TestUsage(t *testing.T) {
	t.Parallel()
	for want, args := range map[string][]string{
		`bully: unknown command "stauts"; did you mean status?`:                         {"stauts"},
		`bully: unknown command "xyzzy"` + "\n":                                         {"xyzzy"},
		`bully help: unknown command "versoin"; did you mean version?`:                  {"help", "versoin"},
		`bully version: unexpected argument "now" ("bully help version" lists the flag`: {"version", "now"},
		`bully repair: flag provided but not defined: -fast ("bully help repair"`:       {"repair", "-fast"},
	} {
		status, out, log := bully(t, args...)
		require.Equal(t, cli.Misused, status, args)
		require.Empty(t, out, args)
		require.Contains(t, log, want)
		require.Equal(t, 1, strings.Count(log, "\n"), "one line: %s", log)
	}
}
