package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed-fdf591db/bully/conformance/kit"
	"github.com/seed-fdf591db/bully/conformance/vectors"
)

// TestSim runs seeds, keeps what fails, replays it, and makes it small.
func TestSim(t *testing.T) {
	dir := t.TempDir()
	status, out, _ := bullytest(t, "model", "sim", "-seeds", "1-10", "-out", dir)
	require.Equal(t, exitOK, status, out)
	require.Contains(t, out, "10 cases: 10 pass")

	status, out, _ = bullytest(t, "mute", "sim", "-seeds", "81", "-nodes", "4", "-profile", "crash", "-out", dir)
	require.Equal(t, exitFailed, status)
	plan := filepath.Join(dir, "sim-crash-4-81.json")
	for _, says := range []string{"FAIL sim-crash-4-81", "R27", "message 1 that is sent: expected", "again    bullytest replay " + plan + " -- "} {
		require.Contains(t, out, says)
	}
	status, out, _ = bullytest(t, "mute", "replay", plan)
	require.Equal(t, exitFailed, status)
	require.Contains(t, out, "R27")
	status, out, _ = bullytest(t, "model", "replay", plan)
	require.Equal(t, exitOK, status, out)

	small := filepath.Join(dir, "small.json")
	status, out, _ = bullytest(t, "mute", "shrink", "-runs", "100", "-out", small, plan)
	require.Equal(t, exitOK, status, out)
	require.Contains(t, out, `"members":["1"`)
	before, err := os.ReadFile(plan)
	require.NoError(t, err)
	after, err := os.ReadFile(small)
	require.NoError(t, err)
	require.Less(t, len(after), len(before))
	status, out, _ = bullytest(t, "mute", "replay", small)
	require.Equal(t, exitFailed, status, out)
	status, _, log := bullytest(t, "model", "shrink", small)
	require.Equal(t, exitUndecided, status)
	require.Contains(t, log, "nothing to shrink")
}

// TestReplay replays each kind of file that there is.
func TestReplay(t *testing.T) {
	dir := t.TempDir()
	script := "script members 1 2 3; end 3 patience; settle; end 3 election; settle; end 3 heartbeat; settle"
	for _, c := range []struct {
		name, text, how string
		status          int
		says            string
	}{
		{"script", script, "model", exitOK, "does what it must"},
		{"script", script, "mute", exitFailed, "R27"},
		{"vector", vectors.All()[0].Stdin(), "model", exitOK, `< {"id":`},
		{"requests", vectors.Named("R27-heartbeats").Stdin(), "mute", exitFailed, "R27"},
		{"requests", vectors.Named("R38-epoch-that-is-none").Stdin(), "model", exitOK, "does what it must"},
		{"requests", `{"op":"reset","id":1}`, "model", exitUsage, "request 1 is no JSON object that begins with its id"},
		{"requests", `{"id":1,"op":"hello","protocol":1}`, "model", exitUsage, "none is more than hello and bye"},
		{"plan", `{"plan":1}`, "model", exitUsage, "is no plan"},
		{"nothing", "dance", "model", exitUsage, "is no plan"},
		{"script", script, "silent", exitNoPort, "has ended"},
	} {
		file := filepath.Join(dir, c.name)
		require.NoError(t, os.WriteFile(file, []byte(c.text), 0o644))
		status, out, log := bullytest(t, c.how, "replay", file)
		require.Equal(t, c.status, status, out+log)
		require.Contains(t, out+log, c.says)
	}
	file := filepath.Join(dir, "script")
	require.NoError(t, os.WriteFile(file, []byte(script), 0o644))
	status, out, _ := bullytest(t, "mute", "shrink", file)
	require.Equal(t, exitOK, status)
	require.True(t, strings.HasPrefix(out, "members 1 2\n"), out)
}

// TestMatrix writes results and a certificate, and puts them into a table.
func TestMatrix(t *testing.T) {
	dir := t.TempDir()
	results, certificate, badge, page := filepath.Join(dir, "r.json"), filepath.Join(dir, "c.json"), filepath.Join(dir, "b.json"), filepath.Join(dir, "m.html")
	status, out, _ := bullytest(t, "model", "test", "-run", "R27-*,sim-[!n]*-3-1", "-json", results, "-certificate", certificate, "-badge", badge)
	require.Equal(t, exitOK, status, out)
	for file, says := range map[string]string{certificate: `"level":"none"`, badge: `"message":"none"`, results: `"R27-`} {
		text, err := os.ReadFile(file)
		require.NoError(t, err)
		require.Contains(t, string(text), says, "some cases are no level")
	}
	status, out, _ = bullytest(t, "", "matrix", "-html", page, results)
	require.Equal(t, exitOK, status)
	require.Regexp(t, `(?s)model 1\.0\nlanguage +Go\nlevel +none\nmembers +changing\n.*vectors +\d/\d\nsim +1/1\n`, out)
	text, err := os.ReadFile(page)
	require.NoError(t, err)
	require.Contains(t, string(text), "model 1.0")

	all := heldTo()
	require.Len(t, all.Levels, 3)
	r := &kit.Report{}
	for _, l := range all.Levels {
		for _, c := range l.Cases {
			r.Verdicts = append(r.Verdicts, kit.Verdict{Case: c.ID, Suite: c.Suite, Must: c.Must, Outcome: kit.Pass})
		}
	}
	require.Greater(t, len(r.Verdicts), 2500)
}

// TestSelftest tries a mutant that a vector refuses.
func TestSelftest(t *testing.T) {
	if err := exec.Command("python3", "-c", "from enum import StrEnum").Run(); err != nil {
		t.Skipf("needs Python: the mutants are written in it: %v", err)
	}
	status, out, log := bullytest(t, "", "selftest", "-run", "fence-too-*", "-suite", "fence")
	require.Equal(t, exitOK, status, log)
	require.Contains(t, log, "Of mutants there are 2, of which 0 are not refused")
	require.Regexp(t, `fence-too-lax +R38 +fence-in-order`, out)
	status, out, _ = bullytest(t, "", "selftest", "-run", "fence-too-lax", "-suite", "fence", "-markdown")
	require.Equal(t, exitOK, status)
	require.Contains(t, out, "| `fence-too-lax` |")
}

// TestUsage calls these commands wrongly.
func TestUsage(t *testing.T) {
	for args, says := range map[string]string{
		"sim -seeds 1-5":             "say how the port is started",
		"sim -seeds 5-1 -- x":        "the first not above the last",
		"sim -seeds x -- x":          "the first not above the last",
		"sim -profile calm -- x":     "there are lossy, partition",
		"sim -nodes 8 -- x":          "give 1 to 7, or 0",
		"replay":                     "give a file",
		"replay nofile -- x":         "nofile",
		"shrink nofile":              "give a file",
		"matrix":                     "give the results",
		"matrix nofile":              "nofile",
		"selftest -run nothing-such": "no mutant that matches",
		"selftest -run [":            "one glob",
		"selftest -suite nothing":    `no suite "nothing"`,
		"selftest -python":           "flag needs an argument",
	} {
		status, out, log := bullytest(t, "", strings.Fields(args)...)
		require.Equal(t, exitUsage, status, "%s: %s%s", args, out, log)
		require.Contains(t, log, says, args)
	}
	status, _, _ := bullytest(t, "silent", "sim", "-seeds", "1")
	require.Equal(t, exitNoPort, status)
	status, _, log := bullytest(t, "", "selftest", "-run", "fence-too-lax", "-python", "/no/such/python")
	require.Equal(t, exitNoPort, status)
	require.Contains(t, log, "/no/such/python does not start as Python 3.11")
}
