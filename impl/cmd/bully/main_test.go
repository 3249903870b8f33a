package main

import (
	"context"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed-fdf591db/bully/spec"
)

// bully runs the command, and returns its exit status and both outputs.
func bully(t *testing.T, args ...string) (status int, out, log string) {
	t.Helper()
	var o, l strings.Builder
	status = program{out: &o, log: &l}.main(t.Context(), args)
	return status, o.String(), l.String()
}

func TestHelp(t *testing.T) {
	for _, args := range [][]string{nil, {"help"}, {"-h"}, {"--help"}, {"help", "help"}} {
		status, out, log := bully(t, args...)
		require.Equal(t, exitOK, status)
		require.Empty(t, log)
		for _, c := range commands() {
			require.Contains(t, out, "  "+c.name+" ", args)
		}
	}
	for _, c := range commands() {
		status, out, log := bully(t, "help", c.name)
		require.Equal(t, exitOK, status)
		require.Empty(t, log)
		require.Contains(t, out, "Usage: bully ")
	}
	status, out, _ := bully(t, "check", "-h")
	require.Equal(t, exitOK, status)
	require.Contains(t, out, "-max-bytes")
}

func TestVersion(t *testing.T) {
	status, out, _ := bully(t, "version")
	require.Equal(t, exitOK, status)
	require.Contains(t, out, "built with go")
	require.Contains(t, out, "\nspec "+spec.Version+", wire 3, trace 3\n")
}

func TestUsage(t *testing.T) {
	for want, args := range map[string][]string{
		`bully: unknown command "chekc"; did you mean check?`:                           {"chekc"},
		`bully: unknown command "xyzzy"` + "\n":                                         {"xyzzy"},
		`bully help: unknown command "versoin"; did you mean version?`:                  {"help", "versoin"},
		`bully version: unexpected argument "now" ("bully help version" lists the flag`: {"version", "now"},
		`bully check: flag provided but not defined: -fast ("bully help check"`:         {"check", "-fast"},
		`bully check: -workers and -max-bytes cannot be negative`:                       {"check", "-workers", "-1"},
	} {
		status, out, log := bully(t, args...)
		require.Equal(t, exitUsage, status, args)
		require.Empty(t, out, args)
		require.Contains(t, log, want)
		require.Equal(t, 1, strings.Count(log, "\n"), "one line: %s", log)
	}
}

func TestInterrupted(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	var o, l strings.Builder
	require.Equal(t, exitMismatch, program{out: &o, log: &l, files: files(t, bench(t))}.main(ctx, []string{"check"}))
	require.Equal(t, "bully check: interrupted\n", l.String())
}

func TestSuggest(t *testing.T) {
	names := []string{"models/ClusterOneCrash", "models/ClusterOneWay", "mutants/ClusterB06DoubleVote"}
	require.Equal(t, "; did you mean models/ClusterOneCrash or models/ClusterOneWay?", suggest("ClusterOneCarsh", names))
	require.Equal(t, "; did you mean models/ClusterOneCrash or models/ClusterOneWay?", suggest("clusterone", names))
	require.Equal(t, "; did you mean mutants/ClusterB06DoubleVote?", suggest("B06", names))
	require.Empty(t, suggest("Unrelated", names))
	require.Equal(t, 3, edits("kitten", "sitting"))
}
