package main

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed-fdf591db/bully/conformance"
	"github.com/seed-fdf591db/bully/conformance/sim"
	"github.com/seed-fdf591db/bully/conformance/sim/batch"
	"github.com/seed-fdf591db/bully/impl/internal/cli"
	"github.com/seed-fdf591db/bully/impl/internal/subject"
	"github.com/seed-fdf591db/bully/impl/trace"
	"github.com/seed-fdf591db/bully/spec"
	"github.com/seed-fdf591db/bully/tla"
)

// TestSim runs a few seeds of all profiles: nothing is broken, and the table has a row for each profile and size.
func TestSim(t *testing.T) {
	t.Parallel()
	status, out, log := workbench(t, "sim", "-seeds", "1-3", "-nodes", "1,3")
	require.Equal(t, cli.OK, status, log)
	lines := strings.Split(strings.TrimSpace(out), "\n")
	require.Len(t, lines, 1+2*len(sim.Profiles()))
	require.Equal(t, []string{"profile", "nodes", "seeds", "steps", "steps/s", "reigns", "elections", "lost", "crashes", "settle", "median", "worst", "violations"},
		strings.Fields(lines[0]))
	for i, profile := range sim.Profiles() {
		for j, nodes := range []string{"1", "3"} {
			fields := strings.Fields(lines[1+2*i+j])
			require.Equal(t, []string{string(profile), nodes, "3"}, fields[:3])
			steps, err := strconv.Atoi(fields[3])
			require.NoError(t, err)
			require.Greater(t, steps, 100)
			require.Equal(t, "0", fields[len(fields)-1])
		}
	}
	require.Contains(t, log, "36 runs in ")

	_, again, _ := workbench(t, "sim", "-seeds", "1-3", "-nodes", "1,3", "-workers", "3", "-model")
	without := func(table string) (rest []string) { // what steps/s there are is never the same
		for line := range strings.Lines(table) {
			fields := strings.Fields(line)
			rest = append(rest, strings.Join(append(fields[:4:4], fields[5:]...), " "))
		}
		return rest
	}
	require.Equal(t, without(out), without(again), "the model does the same")
}

// TestSimTrace writes the trace of one seed twice: it is the same, and can be shown. Then it writes that of its plan.
func TestSimTrace(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	var traces []string
	for _, name := range []string{"a", "b"} {
		file := filepath.Join(dir, name)
		status, out, log := workbench(t, "sim", "-seeds", "81", "-nodes", "3", "-profile", "crash", "-trace", file)
		require.Equal(t, cli.OK, status, log)
		require.Contains(t, out, "3 nodes [1 2 3], seed 81, faults until ")
		text, err := os.ReadFile(file)
		require.NoError(t, err)
		traces = append(traces, string(text))
	}
	require.Equal(t, traces[0], traces[1])
	require.Contains(t, traces[0], `"members":["1","2","3"],"seed":81,`)
	var shown strings.Builder
	require.NoError(t, trace.Showing{}.Show(&shown, strings.NewReader(traces[0])))
	require.Contains(t, shown.String(), "epoch  leader")

	plan, err := sim.Generate(81, 3, sim.CrashProfile)
	require.NoError(t, err)
	text, err := json.Marshal(plan)
	require.NoError(t, err)
	file := filepath.Join(dir, "plan.json")
	require.NoError(t, os.WriteFile(file, text, 0o600))
	status, out, log := workbench(t, "sim", "-plan", file, "-trace", filepath.Join(dir, "c"))
	require.Equal(t, cli.OK, status, log)
	require.Contains(t, out, "seed 81, faults until ")
	require.Contains(t, out, "reigns: 3 (1)")
	again, err := os.ReadFile(filepath.Join(dir, "c"))
	require.NoError(t, err)
	require.Equal(t, traces[0], string(again))

	status, out, log = workbench(t, "sim", "-plan", file, "-json")
	require.Equal(t, cli.OK, status, log)
	var result sim.Result
	require.NoError(t, json.Unmarshal([]byte(out), &result))
	require.Positive(t, result.Steps)
}

// TestSimMerge splits seeds into shards: the merged results are those of all seeds, and a shard that is missing is named.
func TestSimMerge(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	args := []string{"sim", "-seeds", "1-6", "-nodes", "3", "-profile", "lossy,swarm", "-json"}
	status, out, log := workbench(t, args...)
	require.Equal(t, cli.OK, status, log)
	whole, err := batch.ParseTotals([]byte(out))
	require.NoError(t, err)
	var files []string
	for _, shard := range []string{"2/2", "1/2"} {
		status, out, log = workbench(t, append(args, "-shard", shard)...)
		require.Equal(t, cli.OK, status, log)
		files = append(files, filepath.Join(dir, shard[:1]))
		require.NoError(t, os.WriteFile(files[len(files)-1], []byte(out), 0o600))
	}
	status, out, log = workbench(t, append([]string{"sim", "-merge", "-json"}, files...)...)
	require.Equal(t, cli.OK, status, log)
	merged, err := batch.ParseTotals([]byte(out))
	require.NoError(t, err)
	for i := range merged.Rows {
		merged.Rows[i].Busy, whole.Rows[i].Busy = 0, 0
	}
	require.Equal(t, whole.Rows, merged.Rows)

	status, out, log = workbench(t, "sim", "-merge", files[0])
	require.Equal(t, cli.OK, status, log)
	require.Contains(t, out, "missing: seeds 1-6, shard 1/2, nodes 3, lossy swarm\n")
	for want, args := range map[string][]string{
		"-merge: " + files[0] + ": batch: the runs of seed 1 are in both":      {files[0], files[0]},
		"-merge: open " + filepath.Join(dir, "none"):                           {filepath.Join(dir, "none")},
		"-merge: no file is given: nothing would be merged":                    {},
		"-merge: " + filepath.Join(dir, "bad") + ": batch: these are no total": {filepath.Join(dir, "bad")},
	} {
		require.NoError(t, os.WriteFile(filepath.Join(dir, "bad"), []byte("{"), 0o600))
		status, _, log = workbench(t, append([]string{"sim", "-merge"}, args...)...)
		require.NotEqual(t, cli.OK, status)
		require.Contains(t, log, want)
	}
}

// forgetful makes nodes of the core that forget their promise when they restart.
func forgetful(id spec.NodeID, members []spec.NodeID) conformance.Node {
	return &forgetfulNode{subject.New(id, members)}
}

type forgetfulNode struct{ conformance.Node }

func (n *forgetfulNode) Restart(_ spec.Durable, out *spec.Step) {
	n.Node.Restart(spec.Durable{}, out)
}

// TestSimFails runs nodes that are wrong: the promise, how to see it again and the smallest plan are printed, and the plan
// is in a file, which fails as well.
func TestSimFails(t *testing.T) {
	t.Parallel()
	var o, l strings.Builder
	p := program{Program: cli.Program{Out: &o, Log: &l}}
	f := simFlags{seeds: "1-40", nodes: "3", profile: "crash", shard: "1/1", shrink: true, out: t.TempDir(), subject: "forgetful", maker: forgetful}
	err := p.simulateSeeds(t.Context(), f)
	require.ErrorContains(t, err, "of the runs broke a promise; the first: EpochMonotonic: the epoch of node ")
	require.ErrorContains(t, err, " — workbench sim -seeds 1 -nodes 3 -profile crash")
	log := l.String()
	require.Contains(t, log, "EpochMonotonic: the epoch of node ")
	file := filepath.Join(f.out, "sim-crash-3-1.json")
	require.Contains(t, log, "  smallest run: 1 faults, 4 steps (seed 1), after ")
	require.Contains(t, log, "node 1 crashes between steps, and restarts ")
	require.Contains(t, log, "  again: workbench sim -plan "+file+"\n")
	require.Equal(t, 1, strings.Count(log, "smallest run: "), "one of each property")
	require.Equal(t, 10, strings.Count(log, " — workbench sim -seeds "), "ten are listed")

	o.Reset()
	l.Reset()
	f.plan = file
	require.EqualError(t, p.simulatePlan(f), "EpochMonotonic is broken")
	require.Contains(t, o.String(), "node 1 crashes between steps, and restarts ")
	require.Contains(t, l.String(), "EpochMonotonic: the epoch of node 1 goes back from 1 to 0, with restart")
	require.FileExists(t, filepath.Join(f.out, "sim-crash-3-1-smaller.json"))
	status, _, _ := workbench(t, "sim", "-plan", file)
	require.Equal(t, cli.OK, status, "the core holds")
}

// TestSimStopped stops a long batch: what there is is printed.
func TestSimStopped(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	var o, l strings.Builder
	var made atomic.Int64
	f := simFlags{seeds: "1-100000000", nodes: "3", profile: "all", shard: "1/1", subject: "core",
		maker: func(id spec.NodeID, members []spec.NodeID) conformance.Node {
			if made.Add(1) == 100 {
				cancel()
			}
			return subject.New(id, members)
		}}
	require.ErrorIs(t, program{Program: cli.Program{Out: &o, Log: &l}}.simulateSeeds(ctx, f), context.Canceled)
	require.Contains(t, o.String(), "lossy")
	require.Contains(t, o.String(), "missing: the last ")
	require.Contains(t, l.String(), " runs in ")

	o.Reset()
	require.Equal(t, cli.Mismatch, newProgram(tla.FS()).To(&o, &l).Main(ctx, []string{"sim"}))
	require.Contains(t, l.String(), "workbench sim: interrupted")
	require.Empty(t, o.String())
}

func TestSimRefuses(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	bad := filepath.Join(dir, "bad.json")
	require.NoError(t, os.WriteFile(bad, []byte(`{"plan":1}`), 0o600))
	for want, args := range map[string][]string{
		`-seeds: "a" are no seeds: give 1-1000, or 81`:                       {"-seeds", "a"},
		`-seeds: "5-" are no seeds`:                                          {"-seeds", "5-"},
		"-seeds: 5-4 is no seed at all: nothing would be tested":             {"-seeds", "5-4"},
		"-seeds: 9007199254740992 is above 9007199254740991":                 {"-seeds", "1-9007199254740992"},
		`-nodes "8": "8" is not a size from 1 to 7`:                          {"-nodes", "8"},
		`-nodes "3,x": "x" is not a size`:                                    {"-nodes", "3,x"},
		`-nodes "3,3": "3" is not a size from 1 to 7, or there twice`:        {"-nodes", "3,3"},
		`-profile: unknown "crush"; did you mean crash?`:                     {"-profile", "crush"},
		"-profile: crash is there twice":                                     {"-profile", "crash,crash"},
		`-shard: "3" is no part of a whole: give 1/4 for the first of four`:  {"-shard", "3"},
		`-shard: "5/4" is no part of a whole`:                                {"-shard", "5/4"},
		"-shard: none of the seeds 1 to 2 is in shard 1 of 3":                {"-seeds", "1-2", "-shard", "1/3"},
		"-shard: shard 1 of 200000: they are from 1 to at most 100000":       {"-shard", "1/200000"},
		"-trace: a trace is of one run, and these are 6: give one seed, one": {"-seeds", "1", "-trace", filepath.Join(dir, "t")},
		`unexpected argument "now"`:                                          {"now"},
		"-workers cannot be negative":                                        {"-workers", "-1"},
	} {
		status, out, log := workbench(t, append([]string{"sim"}, args...)...)
		require.Equal(t, cli.Misused, status, args)
		require.Empty(t, out)
		require.Contains(t, log, "workbench sim: "+want)
	}
	for want, args := range map[string][]string{
		"-plan: open ":                      {"-plan", filepath.Join(dir, "none.json")},
		"-plan: " + bad + ": seed: is miss": {"-plan", bad},
		"-trace: open ":                     {"-seeds", "1", "-profile", "crash", "-trace", filepath.Join(dir, "no", "such")},
	} {
		status, _, log := workbench(t, append([]string{"sim"}, args...)...)
		require.Equal(t, cli.Mismatch, status, args)
		require.Contains(t, log, "workbench sim: "+want)
	}
}
