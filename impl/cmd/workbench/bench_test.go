package main

import (
	"encoding/json"
	"encoding/xml"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed-fdf591db/bully/impl/internal/cli"
	"github.com/seed-fdf591db/bully/impl/internal/localcluster"
)

// TestBenchFailover measures this command against itself, with real processes.
func TestBenchFailover(t *testing.T) {
	t.Parallel()
	node := buildNode(t)
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
		require.Equal(t, i > 0, r.Ratio > 0, "%+v", r)
	}
	require.Equal(t, "bully", report.Failovers[0].Program)
	require.Contains(t, report.Failovers[1].Program, " run -cluster other -preempt never")
	require.Contains(t, log, "round 2 of 2", "progress")
}

// benched runs workbench bench failover with one round on three nodes, and returns what it has measured, by fault and program.
func benched(t *testing.T, args ...string) (results map[string]failoverResult, skipped []string) {
	status, text, log := workbench(t, append([]string{"bench", "failover", "-nodes", "3", "-rounds", "1", "-json"}, args...)...)
	require.Equal(t, cli.OK, status, log)
	var report struct {
		Skipped   []string
		Failovers []failoverResult
	}
	require.NoError(t, json.Unmarshal([]byte(text), &report))
	results = map[string]failoverResult{}
	for _, r := range report.Failovers {
		require.Positive(t, r.Median)
		results[string(r.Fault)+" "+r.Program] = r
	}
	return results, report.Skipped
}

// TestBenchBallast measures nodes within a large program and beside one, and the floor: the end of such a process takes most of a failover.
func TestBenchBallast(t *testing.T) {
	t.Parallel()
	if runtime.GOOS != "linux" {
		t.Skip("needs Linux: a node beside a program is found in /proc")
	}
	buildBoth(t)
	results, skipped := benched(t, "-fault", "kill,program,both", "-ballast", "64", "-beside", "-hold")
	require.Len(t, results, 8)
	require.Len(t, skipped, 4)
	require.Equal(t, []string{"program is not measured of bully and 64 MiB: it cannot befall that",
		"program is not measured of bully and 64 MiB, held: it cannot befall that"}, skipped[:2])
	for _, name := range []string{"kill bully and 64 MiB", "kill bully and 64 MiB, held", "kill bully beside 64 MiB", "kill bully beside 64 MiB, held"} {
		r := results[name]
		require.Positive(t, r.Teardown, name)
		require.InDelta(t, r.Teardown+5*r.Message+2*r.Save, r.Floor, 1e-3, name)
		require.Zero(t, r.Wait, name)
	}
	for _, fault := range []string{"program", "both"} {
		require.Zero(t, results[fault+" bully beside 64 MiB"].Floor, "another leads when the last of both acts no more")
	}
}

// TestBenchGuard counts what guards do to nodes to which nothing is done.
func TestBenchGuard(t *testing.T) {
	t.Parallel()
	if runtime.GOOS != "linux" {
		t.Skip("needs Linux: for a guard")
	}
	buildBoth(t)
	status, text, log := workbench(t, "bench", "guard", "-nodes", "3", "-for", "1ms", "-profile", "busy,wan", "-json")
	require.Equal(t, cli.OK, status, log)
	var report struct{ Guarded []guardedResult }
	require.NoError(t, json.Unmarshal([]byte(text), &report))
	require.Len(t, report.Guarded, 2)
	for _, r := range report.Guarded {
		require.Equal(t, 3, r.Nodes)
	}
	for says, args := range map[string][]string{"-for must be above 0": {"-for", "0s"}, `there is none of the name "fast"`: {"-profile", "busy,fast"}} {
		status, _, log := workbench(t, append([]string{"bench", "guard"}, args...)...)
		require.Equal(t, cli.Misused, status)
		require.Contains(t, log, says)
	}
}

// TestBenchFaults measures what befalls a leader besides its end, with a guard and without one, and draws it.
func TestBenchFaults(t *testing.T) {
	t.Parallel()
	if runtime.GOOS != "linux" {
		t.Skip("needs Linux: for a guard")
	}
	node := buildBoth(t)
	file := filepath.Join(t.TempDir(), "faults.svg")
	results, skipped := benched(t, "-fault", "stop,stuck,disk", "-guard", "-plot", file, "-against", node+" node")
	require.Len(t, results, 7)
	require.Len(t, skipped, 2, "nobody can tell another program that it is to hang")
	for _, fault := range []string{"stop", "stuck"} {
		alone, guarded := results[fault+" bully"], results[fault+" bully, guarded"]
		require.Zero(t, alone.Ended+alone.Teardown, "nothing ends it")
		require.InDelta(t, 104, alone.Wait, 1e-3)
		require.Positive(t, guarded.Ended)
		require.Positive(t, guarded.Teardown)
		require.True(t, guarded.Guarded, "%s: %+v", fault, guarded)
		require.Equal(t, map[string]float64{"stop": 0, "stuck": 24}[fault], guarded.Wait)
	}
	require.Zero(t, results["stop workbench node"].Floor, "of others nobody knows it")
	for _, name := range []string{"disk bully", "disk bully, guarded"} {
		require.Greater(t, results[name].Median, 2*ms(slowDisk), "two saves wait for each other")
		require.Greater(t, results[name].Save, ms(slowDisk))
	}
	text, err := os.ReadFile(file)
	require.NoError(t, err)
	require.Equal(t, 7, strings.Count(string(text), "<circle "))
	require.Equal(t, 6, strings.Count(string(text), `class="floor"`))
}

// TestBenchCut measures nodes that are off the network: these have addresses of their own, which are no loopback addresses.
func TestBenchCut(t *testing.T) {
	t.Parallel()
	if runtime.GOOS != "linux" {
		t.Skip("needs Linux: for a guard")
	}
	buildBoth(t)
	results, skipped := benched(t, "-fault", "cut", "-guard")
	if len(skipped) > 0 {
		t.Skip("needs ip: ", skipped[0])
	}
	for _, name := range []string{"cut bully", "cut bully, guarded"} {
		require.InDelta(t, 104, results[name].Wait, 1e-3, "%s: silence is all that shows it, guard or no guard", name)
	}
}

// TestPlot draws times where they belong, and what is drawn is XML.
func TestPlot(t *testing.T) {
	t.Parallel()
	results := []failoverResult{
		{Program: "a <&> b", Nodes: 5, Fault: localcluster.FaultKill, Median: 10, Max: 100, Floor: 5, Samples: []float64{0.1, 1, 10, 100}},
		{Program: "guarded", Guarded: true, Nodes: 5, Fault: localcluster.FaultStop, Median: 10, Max: 10, Samples: []float64{10}},
	}
	var drawing struct {
		Circles []struct {
			X    float64 `xml:"cx,attr"`
			Y    int     `xml:"cy,attr"`
			Fill string  `xml:"fill,attr"`
		} `xml:"circle"`
		Texts []string `xml:"text"`
		Lines []struct {
			Class string  `xml:"class,attr"`
			X     float64 `xml:"x1,attr"`
		} `xml:"line"`
		Paths []struct {
			D string `xml:"d,attr"`
		} `xml:"path"`
	}
	require.NoError(t, xml.Unmarshal([]byte(plotFailovers(results)), &drawing))
	require.Len(t, drawing.Circles, 5)
	at := drawing.Circles
	require.InDelta(t, plotNames, at[0].X, 0.1, "what is below the scale is at its edge")
	require.InDelta(t, at[1].X, at[0].X, 0.1)
	require.InDelta(t, at[2].X-at[1].X, at[3].X-at[2].X, 0.2, "ten times as long is as far")
	require.Less(t, at[3].X, float64(plotNames+plotTimes))
	require.InDelta(t, at[2].X, at[4].X, 0.1)
	require.Equal(t, plotRow, at[4].Y-at[0].Y)
	require.NotEqual(t, at[0].Fill, at[4].Fill, "a guard shows")
	require.Contains(t, drawing.Texts, "kill, 5 nodes: a <&> b")
	require.Contains(t, drawing.Texts, "10.0, 2.0 times the floor")
	require.Contains(t, drawing.Texts, "10.0")
	require.Len(t, drawing.Paths, 1)
	require.Equal(t, 2, strings.Count(plotFailovers(results), `class="median"`))
	for _, line := range drawing.Lines {
		if line.Class == "median" {
			require.InDelta(t, at[2].X, line.X, 0.1)
		}
	}
	require.Error(t, drawFailovers(filepath.Join(t.TempDir(), "no", "such"), results))
}

// TestNodeInALargeProcess: a node has the memory that it is told to have.
func TestNodeInALargeProcess(t *testing.T) {
	t.Parallel()
	if _, err := os.Stat("/proc/self/schedstat"); err != nil {
		t.Skip("needs Linux: what a process uses is read from /proc: ", err)
	}
	self := buildBoth(t)
	idle, err := localcluster.MeasureIdle(t.Context(), localcluster.Config{Nodes: 1, Command: []string{self, "node", "-ballast", "100"}}, 10*time.Millisecond)
	require.NoError(t, err)
	require.Greater(t, idle[0].Resident, int64(100<<20))
	for want, args := range map[string][]string{
		"-ballast: -1 is not from 0 to 65536":                        {"node", "-ballast", "-1"},
		"-data and -http are needed":                                 {"node", "-id", "1"},
		"-id: node id: ":                                             {"node", "-data", "x", "-http", "y"},
		`unexpected argument "x"`:                                    {"node", "x"},
		"-ballast: \"65537\" is not a number from 0 to 65536":        {"bench", "failover", "-ballast", "1,65537"},
		"-ballast and -guard are for our own nodes, and -command sa": {"bench", "failover", "-fault", "kill", "-ballast", "1", "-command", "x"},
		"-beside: say with -ballast how large the program is":        {"bench", "failover", "-beside"},
		"-save: -1s is no time":                                      {"node", "-save", "-1s"},
	} {
		status, _, log := workbench(t, args...)
		require.Equal(t, cli.Misused, status, log)
		require.Contains(t, log, want)
	}
}

// TestBenchIdle measures this command at rest. Its profile keeps a reign on a busy machine.
func TestBenchIdle(t *testing.T) {
	t.Parallel()
	if _, err := os.Stat("/proc/self/schedstat"); err != nil {
		t.Skip("needs Linux: what a process uses is read from /proc: ", err)
	}
	status, out, log := workbench(t, "bench", "idle", "-nodes", "3", "-for", "300ms", "-command", buildNode(t)+" run -cluster bench -profile wan")
	require.Equal(t, cli.OK, status, log)
	lines := strings.Split(out, "\n")
	require.Regexp(t, `program +nodes +node +CPU % of a core +RSS MiB +private +peak MiB +messages/s`, lines[0])
	require.Regexp(t, `bully run -cluster bench -profile wan +3 +1 +\d+\.\d+ +\d+\.\d +\d+\.\d +\d+\.\d +\d+\.\d`, lines[1])
	require.Equal(t, 1, strings.Count(out, "leads"))
	require.Contains(t, out, "Measured on ")
}

// TestBenchTable prints what was measured.
func TestBenchTable(t *testing.T) {
	t.Parallel()
	var out strings.Builder
	require.NoError(t, program{Program: cli.Program{Out: &out}}.printFailovers([]failoverResult{
		{Program: "bully", Nodes: 5, Fault: localcluster.FaultKill, Rounds: 20, Median: 6.91, P99: 9.5, Max: 9.5, Messages: 21, Bytes: 822, Saves: 4, Ended: 1.5, Floor: 3.4, Wait: 0.7, Teardown: 1.2},
		{Program: "other", Nodes: 5, Fault: localcluster.FaultKill, Rounds: 20, Median: 691, P99: 900, Max: 900, Ratio: 100},
	}))
	require.Regexp(t, `fault +nodes +program +rounds +median ms +p99 +max +messages +bytes +saves +times as long +ended ms +floor ms +of that the wait +the end +times the floor`, out.String())
	require.Regexp(t, `kill +5 +bully +20 +6\.9 +9\.5 +9\.5 +21\.0 +822 +4\.0 +1\.5 +3\.4 +0\.7 +1\.2 +2\.0\n`, out.String())
	require.Regexp(t, `kill +5 +other +20 +691\.0 +900\.0 +900\.0 +- +- +- +100\.0 +- *\n`, out.String())
}

// TestBenchUsage sees what is said of what cannot be measured. It is not parallel: it changes the path of this process.
func TestBenchUsage(t *testing.T) {
	for want, args := range map[string][]string{
		"measure what? Say workbench bench failover, idle, guard or groups first":                {"bench", "-json"},
		`unknown benchmark "speed": there are failover, idle, guard and groups`:                  {"bench", "speed"},
		`-nodes "3,x": "x" is not a size from 1 to 64`:                                           {"bench", "failover", "-nodes", "3,x"},
		`"65" is not a size from 1 to 64`:                                                        {"bench", "idle", "-nodes", "65"},
		"-nodes 2: the others need a quorum without their leader":                                {"bench", "failover", "-nodes", "2"},
		`unknown fault "fire": there are kill, stop, stuck, disk, cut, program, both and resign`: {"bench", "failover", "-fault", "kill,fire"},
		"-rounds must be at least 1: no rounds measure nothing":                                  {"bench", "failover", "-rounds", "0"},
		"-for must be above 0":                                            {"bench", "idle", "-for", "0s"},
		"-against needs a command line":                                   {"bench", "idle", "-against", " "},
		`unexpected argument "now" ("workbench help bench" lists the fla`: {"bench", "idle", "now"},
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
