package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

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
		{Program: "bully", Nodes: 5, Fault: localcluster.FaultKill, Rounds: 20, Median: 6.91, P99: 9.5, Max: 9.5, Messages: 21, Bytes: 822, Saves: 4},
		{Program: "other", Nodes: 5, Fault: localcluster.FaultKill, Rounds: 20, Median: 691, P99: 900, Max: 900, Ratio: 100},
	}))
	require.Regexp(t, `fault +nodes +program +rounds +median ms +p99 +max +messages +bytes +saves +times as long`, out.String())
	require.Regexp(t, `kill +5 +bully +20 +6\.9 +9\.5 +9\.5 +21\.0 +822 +4\.0 *\n`, out.String())
	require.Regexp(t, `kill +5 +other +20 +691\.0 +900\.0 +900\.0 +- +- +- +100\.0\n`, out.String())
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
