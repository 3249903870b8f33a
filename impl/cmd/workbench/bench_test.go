package main

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed-fdf591db/bully/impl/internal/cli"
	"github.com/seed-fdf591db/bully/impl/internal/localcluster"
)

// TestBenchFailover measures this command against itself, with real processes.
func TestBenchFailover(t *testing.T) {
	node := buildNode(t)
	t.Setenv("PATH", filepath.Dir(node)+string(os.PathListSeparator)+os.Getenv("PATH"))
	status, out, log := workbench(t, "bench", "failover", "-nodes", "3", "-rounds", "2", "-fault", "kill", "-json",
		"-against", node+" run -cluster other -preempt never")
	require.Equal(t, cli.OK, status, log)
	var report struct {
		machine
		Skipped   []string
		Failovers []failoverResult
	}
	require.NoError(t, json.Unmarshal([]byte(out), &report))
	require.Positive(t, report.Cores)
	require.Len(t, report.Failovers, 2)
	for i, r := range report.Failovers {
		require.Equal(t, 3, r.Nodes)
		require.Equal(t, localcluster.FaultKill, r.Fault)
		require.Equal(t, 2, r.Rounds)
		require.Len(t, r.Samples, 2)
		require.Positive(t, r.Median)
		require.LessOrEqual(t, r.Median, r.P99)
		require.LessOrEqual(t, r.P99, r.Max)
		require.Positive(t, r.ByType["ELECTION"], "no failover without one")
		require.Positive(t, r.Messages)
		require.Positive(t, r.Bytes)
		require.GreaterOrEqual(t, r.Saves, 2.0, "both survivors promise")
		require.Equal(t, i > 0, r.Ratio > 0)
	}
	require.Equal(t, "bully", report.Failovers[0].Program)
	require.Contains(t, report.Failovers[1].Program, " run -cluster other -preempt never")
	require.Contains(t, log, "round 2 of 2", "progress")
}

// TestBenchBallast measures nodes within a large program, and the floor: the end of such a process takes most of a failover.
func TestBenchBallast(t *testing.T) {
	self := filepath.Join(t.TempDir(), "workbench")
	out, err := exec.Command("go", "build", "-o", self, ".").CombinedOutput()
	require.NoError(t, err, string(out))
	t.Setenv("PATH", filepath.Dir(self)+string(os.PathListSeparator)+os.Getenv("PATH"))
	status, text, log := workbench(t, "bench", "failover", "-nodes", "3", "-rounds", "1", "-fault", "kill", "-ballast", "64", "-json")
	require.Equal(t, cli.OK, status, log)
	var report struct{ Failovers []failoverResult }
	require.NoError(t, json.Unmarshal([]byte(text), &report))
	require.Len(t, report.Failovers, 1)
	r := report.Failovers[0]
	require.Equal(t, "bully and 64 MiB", r.Program)
	require.Positive(t, r.Median)
	require.Positive(t, r.Teardown)
	require.Greater(t, r.Floor, r.Teardown, "messages and saves are added")
}

// TestNodeInALargeProcess: a node has the memory that it is told to have.
func TestNodeInALargeProcess(t *testing.T) {
	if _, err := os.Stat("/proc/self/schedstat"); err != nil {
		t.Skip("what a process uses is read from /proc: ", err)
	}
	self := filepath.Join(t.TempDir(), "workbench")
	out, err := exec.Command("go", "build", "-o", self, ".").CombinedOutput()
	require.NoError(t, err, string(out))
	idle, err := localcluster.MeasureIdle(t.Context(), localcluster.Config{Nodes: 1, Command: []string{self, "node", "-ballast", "100"}}, 10*time.Millisecond)
	require.NoError(t, err)
	require.Greater(t, idle[0].Resident, int64(100<<20))
	for want, args := range map[string][]string{
		"-ballast: -1 is not from 0 to 65536":                        {"node", "-ballast", "-1"},
		"-data and -http are needed":                                 {"node", "-id", "1"},
		"-id: node id: ":                                             {"node", "-data", "x", "-http", "y"},
		`unexpected argument "x"`:                                    {"node", "x"},
		"-ballast: \"65537\" is not a number from 0 to 65536":        {"bench", "failover", "-ballast", "1,65537"},
		"-ballast is for our own nodes, and -command says that they": {"bench", "failover", "-fault", "kill", "-ballast", "1", "-command", "x"},
	} {
		status, _, log := workbench(t, args...)
		require.Equal(t, cli.Misused, status, log)
		require.Contains(t, log, want)
	}
}

// TestBenchIdle measures this command at rest.
func TestBenchIdle(t *testing.T) {
	if _, err := os.Stat("/proc/self/schedstat"); err != nil {
		t.Skip("what a process uses is read from /proc: ", err)
	}
	status, out, log := workbench(t, "bench", "idle", "-nodes", "3", "-for", "300ms", "-command", buildNode(t)+" run -cluster bench -profile lan")
	require.Equal(t, cli.OK, status, log)
	lines := strings.Split(out, "\n")
	require.Regexp(t, `program +nodes +node +CPU % of a core +RSS MiB +peak MiB +messages/s`, lines[0])
	require.Regexp(t, `bully run -cluster bench -profile lan +3 +1 +\d+\.\d+ +\d+\.\d +\d+\.\d +\d+\.\d`, lines[1])
	require.Equal(t, 1, strings.Count(out, "leads"))
	require.Contains(t, out, "Measured on ")
}

// TestBenchTable prints what was measured.
func TestBenchTable(t *testing.T) {
	var out strings.Builder
	require.NoError(t, program{Program: cli.Program{Out: &out}}.printFailovers([]failoverResult{
		{Program: "bully", Nodes: 5, Fault: localcluster.FaultKill, Rounds: 20, Median: 6.91, P99: 9.5, Max: 9.5, Messages: 21, Bytes: 822, Saves: 4, Floor: 3.4, Teardown: 1.2},
		{Program: "other", Nodes: 5, Fault: localcluster.FaultKill, Rounds: 20, Median: 691, P99: 900, Max: 900, Ratio: 100},
	}))
	require.Regexp(t, `fault +nodes +program +rounds +median ms +p99 +max +messages +bytes +saves +times as long +floor ms +of that the end +times the floor`, out.String())
	require.Regexp(t, `kill +5 +bully +20 +6\.9 +9\.5 +9\.5 +21\.0 +822 +4\.0 +3\.4 +1\.2 +2\.0\n`, out.String())
	require.Regexp(t, `kill +5 +other +20 +691\.0 +900\.0 +900\.0 +- +- +- +100\.0 *\n`, out.String())
}

// TestBenchUsage sees what is said of what cannot be measured.
func TestBenchUsage(t *testing.T) {
	for want, args := range map[string][]string{
		"measure what? Say workbench bench failover or workbench bench idle": {"bench", "-json"},
		`unknown benchmark "speed": there are failover and idle`:             {"bench", "speed"},
		`-nodes "3,x": "x" is not a size from 1 to 64`:                       {"bench", "failover", "-nodes", "3,x"},
		`"65" is not a size from 1 to 64`:                                    {"bench", "idle", "-nodes", "65"},
		"-nodes 2: the others need a quorum without their leader":            {"bench", "failover", "-nodes", "2"},
		`unknown fault "fire": there are kill, stop and cut`:                 {"bench", "failover", "-fault", "kill,fire"},
		"-rounds must be at least 1: no rounds measure nothing":              {"bench", "failover", "-rounds", "0"},
		"-for must be above 0":                                               {"bench", "idle", "-for", "0s"},
		"-against needs a command line":                                      {"bench", "idle", "-against", " "},
		`unexpected argument "now" ("workbench help bench" lists the fla`:    {"bench", "idle", "now"},
	} {
		status, _, log := workbench(t, args...)
		require.Equal(t, cli.Misused, status, args)
		require.Contains(t, log, "workbench bench: ", args)
		require.Contains(t, log, want)
	}
	status, _, log := workbench(t, "bench", "failover", "-nodes", "3", "-rounds", "1", "-fault", "kill", "-command", "/no/such/program")
	require.Equal(t, cli.Mismatch, status)
	require.Contains(t, log, "program, 3 nodes, kill: start node 1: ")

	t.Setenv("PATH", "")
	status, _, log = workbench(t, "bench", "idle")
	require.Equal(t, cli.Mismatch, status)
	require.Contains(t, log, "there is no program bully beside this one, nor in the path: build both into one folder")
}
