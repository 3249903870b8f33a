package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode"

	"github.com/seed-fdf591db/bully/conformance/history"

	"github.com/stretchr/testify/require"

	"github.com/seed-fdf591db/bully/impl/internal/cli"
	"github.com/seed-fdf591db/bully/spec"
)

// historyFile writes a history of writes of node 3 that were done in these epochs, one after the other.
func historyFile(t *testing.T, name string, epochs ...spec.Epoch) string {
	t.Helper()
	var ops []history.Op
	for i, e := range epochs {
		ops = append(ops, history.Op{Client: "3", Kind: history.WriteOp, Epoch: e, Resource: "r", Value: uint64(i + 1), Outcome: history.Done,
			Call: int64(2 * i), Return: int64(2*i + 1)})
	}
	return writeHistory(t, name, ops)
}

func writeHistory(t *testing.T, name string, ops []history.Op) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	file, err := os.Create(path)
	require.NoError(t, err)
	require.NoError(t, history.Write(file, history.Header{Source: "a test", Commit: "none"}, ops))
	require.NoError(t, file.Close())
	return path
}

func TestHistory(t *testing.T) {
	t.Parallel()
	good, bad := historyFile(t, "good", 1, 1, 2), historyFile(t, "bad", 2, 1)
	page := filepath.Join(t.TempDir(), "page.html")
	status, out, log := workbench(t, "history", good, "-html", page)
	require.Equal(t, cli.OK, status, log)
	require.Empty(t, log)
	lines := strings.Split(out, "\n")
	require.Equal(t, []string{"history", "check", "operations", "parts", "verdict", "seconds"}, strings.Fields(lines[0]))
	for i, want := range [][]string{{"registers", "2", "2"}, {"NoStaleWrite", "3", "1"}, {"fence", "3", "1"}} {
		require.Equal(t, append([]string{good}, append(want, "linearizable")...), strings.Fields(lines[i+1])[:5])
	}
	text, err := os.ReadFile(page)
	require.NoError(t, err)
	require.Contains(t, string(text), "a test")

	status, out, log = workbench(t, "history", "-html", page, bad)
	require.Equal(t, cli.Mismatch, status)
	require.Contains(t, out, "refused")
	require.Contains(t, log, "workbench history: "+bad+": NoStaleWrite: r had admitted epoch 2 (node 3 writes 1 of epoch 2")
	require.Contains(t, log, "R38: no order of the 2 operations on r explains what came of them")

	// One that is refused counts, whatever the others are.
	status, out, _ = workbench(t, "history", good, bad, good)
	require.Equal(t, cli.Mismatch, status)
	require.Equal(t, 3*3+1, strings.Count(out, "\n"))
}

// TestHistoryInconclusive tells a search that was given up from one that has found something.
func TestHistoryInconclusive(t *testing.T) {
	t.Parallel()
	ops := []history.Op{}
	for i := range 26 {
		ops = append(ops, history.Op{Client: "3", Kind: history.WriteOp, Epoch: 1, Resource: "r", Value: uint64(i + 1), Outcome: history.Done, Call: 1, Return: 1000})
	}
	for i := range 2 {
		ops = append(ops, history.Op{Client: "x", Kind: history.ReadOp, Epoch: 1, Resource: "r", Value: uint64(i + 1), Call: int64(2000 + i), Return: int64(2000 + i)})
	}
	hard := writeHistory(t, "hard", ops)
	status, out, log := workbench(t, "history", "-timeout", "10ms", hard)
	require.Equal(t, exitInconclusive, status)
	require.Contains(t, out, "inconclusive")
	require.Contains(t, log, "workbench history: "+hard+": fence: inconclusive: the time of 10ms was up at r")
	status, _, _ = workbench(t, "history", "-timeout", "10ms", hard, historyFile(t, "bad", 2, 1))
	require.Equal(t, cli.Mismatch, status)
}

func TestHistoryUsage(t *testing.T) {
	t.Parallel()
	good, folder := historyFile(t, "good", 1), t.TempDir()
	for want, args := range map[string][]string{
		"no file is given: workbench history [flags] file…": {},
		"-html draws one history, and 2 files are given":    {"-html", "x", good, good},
		"-timeout must be above 0":                          {"-timeout", "0s", good},
		"flag provided but not defined: -htm; did you me":   {good, "-htm", "x"},
	} {
		status, _, log := workbench(t, append([]string{"history"}, args...)...)
		require.Equal(t, cli.Misused, status, args)
		require.Contains(t, log, "workbench history: "+want)
	}
	for want, args := range map[string][]string{
		"the history has no operations: it shows nothing": {historyFile(t, "none")},
		"no such file": {filepath.Join(folder, "none")},
		"line 1: ":     {os.Args[0]},
		"is a dir":     {"-html", folder, good},
	} {
		status, _, log := workbench(t, append([]string{"history"}, args...)...)
		require.Equal(t, cli.Mismatch, status, args)
		require.Contains(t, log, want)
	}
	page := filepath.Join(folder, "page.html")
	status, _, log := workbench(t, "history", "-html", page, historyFile(t, "none"))
	require.Equal(t, cli.Mismatch, status)
	require.Contains(t, log, "nothing to draw")
	require.NoFileExists(t, page)
}

// TestForeignText reads a history that would act on the terminal: it is printed, and does nothing.
func TestForeignText(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "evil\x1b[2J\u009b31m\u202e.ndjson")
	require.NoError(t, os.WriteFile(file, []byte("\x1b]0;root\x07\x1b[2J\r3\tLEADER\n"), 0o600))
	status, out, log := workbench(t, "history", file)
	require.Equal(t, cli.Mismatch, status)
	for _, r := range out + log {
		require.True(t, unicode.IsPrint(r) || r == '\n' || r == '\t', "%U in %q", r, out+log)
	}
}
