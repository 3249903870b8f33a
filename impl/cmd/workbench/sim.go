package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/seed-fdf591db/bully/conformance"
	"github.com/seed-fdf591db/bully/conformance/sim"
	"github.com/seed-fdf591db/bully/conformance/sim/batch"
	"github.com/seed-fdf591db/bully/impl/internal/cli"
	"github.com/seed-fdf591db/bully/impl/internal/subject"
	"github.com/seed-fdf591db/bully/impl/trace"
	"github.com/seed-fdf591db/bully/spec"
)

// simHelp is what bully help sim says before the flags.
const simHelp = `
Runs simulated clusters. A seed decides who the members are, how long timers run, and which faults come when. Every run
checks the promises of the protocol at every step, and that a leader settles when the faults are over. The same seed is
the same run on any machine.

If a promise is broken, the exit status is 1. Then sim looks for the smallest plan of faults that still breaks it, and
writes that plan to a file.

  workbench sim -seeds 1-20                             # the quick form, in about a second
  workbench sim -seeds 1-10000 -nodes 3,5               # all profiles: two to three minutes of one processor
  workbench sim -seeds 81 -nodes 5 -profile crash -trace run.ndjson
  workbench sim -plan sim-crash-5-81.json               # run again what has failed
  workbench sim -seeds 1-1000000 -shard 2/8 -json >2    # the second of eight parts, on the second of eight machines
  workbench sim -merge 1 2 3 4 5 6 7 8                  # the results of all parts as one

Profiles: lossy (messages are lost), partition (links are cut), crash (nodes and disks fail), drift (clocks run wrong),
swarm (all of these, and clocks worse than promised) and changing (the same while members come and go).

Columns: lost is how many messages were lost, elections how often a follower stood for leader, settle how long after the
last fault a leader was there to stay, and steps/s is the speed of one processor.

`

// simFlags are the flags of workbench sim.
type simFlags struct {
	seeds, nodes, profile, shard, trace, plan, out string
	json, shrink, model, merge                     bool
	workers                                        int

	subject string
	maker   conformance.Maker
}

// simulate runs simulated clusters, one, or many.
func simulate(ctx context.Context, p program, args []string) error {
	f := simFlags{subject: "core", maker: subject.New}
	flags := p.Flags("sim")
	flags.StringVar(&f.seeds, "seeds", "1-1000", "run these seeds: `A-B`, or one")
	flags.StringVar(&f.nodes, "nodes", "5", "a `list` of sizes of clusters, from 1 to 7")
	flags.StringVar(&f.profile, "profile", "all", "which faults there are: a `list` of lossy, partition, crash, drift, swarm and changing, or all")
	flags.StringVar(&f.shard, "shard", "1/1", "of the seeds, run part `i/n`: each n-th")
	flags.BoolVar(&f.json, "json", false, "print the results as JSON, which -merge reads")
	flags.BoolVar(&f.merge, "merge", false, "run nothing, and put the results in the files of the arguments together")
	flags.StringVar(&f.plan, "plan", "", "run the plan in this `file`, and no seeds")
	flags.StringVar(&f.trace, "trace", "", "write the trace of the run, which must be one, to this `file`")
	flags.BoolVar(&f.shrink, "shrink", true, "look for the smallest plan that fails, and write it to a file")
	flags.StringVar(&f.out, "out", ".", "write plans that fail to this `folder`")
	flags.BoolVar(&f.model, "model", false, "run the model, and not the core")
	flags.IntVar(&f.workers, "workers", 0, "run with this many `goroutines`; 0 means one for each processor")
	if err := p.ParseSome(flags, args, cli.Manual{Arguments: " [file…]", Text: simHelp}); err != nil {
		return err
	}
	if flags.NArg() > 0 && !f.merge {
		return cli.Usage(fmt.Sprintf("unexpected argument %q (\"workbench help sim\" lists the flags)", flags.Arg(0)))
	}
	if f.workers < 0 {
		return cli.Usage("-workers cannot be negative")
	}
	if f.model {
		f.subject, f.maker = "model", conformance.NodeOf(func() conformance.Subject { return &conformance.Model{} })
	}
	switch {
	case f.merge:
		return p.mergeTotals(f, flags.Args())
	case f.plan != "":
		return p.simulatePlan(f)
	}
	return p.simulateSeeds(ctx, f)
}

// job reads the flags that say what to run.
func (f *simFlags) job() (job batch.Job, err error) {
	job.Subject = f.subject
	first, last, isRange := strings.Cut(f.seeds, "-")
	if !isRange {
		last = first
	}
	var wrong [2]error
	job.First, wrong[0] = strconv.ParseUint(first, 10, 64)
	job.Last, wrong[1] = strconv.ParseUint(last, 10, 64)
	switch {
	case wrong[0] != nil || wrong[1] != nil:
		return job, cli.Usage(fmt.Sprintf("-seeds: %q are no seeds: give 1-1000, or 81", f.seeds))
	case job.Last > sim.MaxSeed:
		return job, cli.Usage(fmt.Sprintf("-seeds: %d is above %d", job.Last, uint64(sim.MaxSeed)))
	case job.First > job.Last:
		return job, cli.Usage(fmt.Sprintf("-seeds: %s is no seed at all: nothing would be tested", f.seeds))
	}
	for text := range strings.SplitSeq(f.nodes, ",") {
		n, err := strconv.Atoi(text)
		if err != nil || n < 1 || n > sim.MaxNodes || slices.Contains(job.Nodes, n) {
			return job, cli.Usage(fmt.Sprintf("-nodes %q: %q is not a size from 1 to %d, or there twice", f.nodes, text, sim.MaxNodes))
		}
		job.Nodes = append(job.Nodes, n)
	}
	if job.Profiles, err = profiles(f.profile); err != nil {
		return job, err
	}
	i, n, isPart := strings.Cut(f.shard, "/")
	job.Shard, wrong[0] = strconv.Atoi(i)
	job.Shards, wrong[1] = strconv.Atoi(n)
	if !isPart || wrong[0] != nil || wrong[1] != nil || job.Shard < 1 || job.Shard > job.Shards {
		return job, cli.Usage(fmt.Sprintf("-shard: %q is no part of a whole: give 1/4 for the first of four", f.shard))
	}
	if err := job.Validate(); err != nil { // no seed is left, or too many shards
		return job, cli.Usage("-shard: " + strings.TrimPrefix(err.Error(), "batch: "))
	}
	if f.trace != "" && job.Runs() != 1 {
		return job, cli.Usage(fmt.Sprintf("-trace: a trace is of one run, and these are %d: give one seed, one size and one profile", job.Runs()))
	}
	return job, nil
}

// profiles reads a list of profiles.
func profiles(text string) (list []sim.Profile, err error) {
	if text == "all" {
		return sim.Profiles(), nil
	}
	var names []string
	for _, p := range append(sim.Profiles(), "all") {
		names = append(names, string(p))
	}
	for name := range strings.SplitSeq(text, ",") {
		profile := sim.Profile(name)
		if !profile.Valid() {
			return nil, cli.UnknownChoice("profile", name, names)
		}
		if slices.Contains(list, profile) {
			return nil, cli.Usage(fmt.Sprintf("-profile: %s is there twice", name))
		}
		list = append(list, profile)
	}
	return list, nil
}

// simulateSeeds runs a batch, and prints what came of it.
func (p program) simulateSeeds(ctx context.Context, f simFlags) error {
	job, err := f.job()
	if err != nil {
		return err
	}
	if job.Runs() == 1 {
		plan, err := sim.Generate(job.Args(0))
		if err != nil {
			return err
		}
		if !f.json {
			_, _ = fmt.Fprintln(p.Out, plan.String())
		}
		if f.trace != "" {
			if _, err := runPlan(f, &plan); err != nil {
				return err
			}
		}
	}
	begin := time.Now()
	totals, err := batch.Run(ctx, job, f.maker, batch.Options{Workers: f.workers, Every: p.Every(),
		Progress: func(progress batch.Progress) { p.Progress(progress.String()) }})
	p.Clear()
	if err != nil {
		return err
	}
	if totals.Jobs[0].Done == 0 {
		return errors.New("stopped before the first run")
	}
	took := time.Since(begin)
	if err := p.printTotals(f, &totals); err != nil {
		return err
	}
	_, _ = fmt.Fprintf(p.Log, "%d runs in %s\n", totals.Jobs[0].Done, took.Round(time.Millisecond))
	if err := ctx.Err(); err != nil {
		return err
	}
	return p.failures(f, &totals)
}

// runPlan runs one plan, and writes its trace if that is asked for.
func runPlan(f simFlags, plan *sim.Plan) (result sim.Result, err error) {
	if f.trace == "" {
		return sim.Run(plan, f.maker, sim.Options{})
	}
	file, err := os.Create(f.trace)
	if err != nil {
		return result, fmt.Errorf("-trace: %w", err)
	}
	buffered := bufio.NewWriter(file)
	result, err = sim.Run(plan, f.maker, sim.Options{Trace: buffered, Commit: trace.Plain(cli.Revision())})
	return result, errors.Join(err, buffered.Flush(), file.Close())
}

// simulatePlan runs the plan of a file.
func (p program) simulatePlan(f simFlags) error {
	data, err := os.ReadFile(f.plan)
	if err != nil {
		return fmt.Errorf("-plan: %w", err)
	}
	var plan sim.Plan
	if err := json.Unmarshal(data, &plan); err != nil {
		return fmt.Errorf("-plan: %s: %w", f.plan, err)
	}
	result, err := runPlan(f, &plan)
	if err != nil {
		return fmt.Errorf("-plan: %s: %w", f.plan, err)
	}
	if f.json {
		if err := p.JSON(result); err != nil {
			return err
		}
	} else {
		_, _ = fmt.Fprintf(p.Out, "%s\n%d steps, %d messages, %d of them lost; reigns:", plan.String(), result.Steps, result.Messages, result.Lost)
		for _, r := range result.Reigns {
			_, _ = fmt.Fprintf(p.Out, " %s (%d)", r.Leader, r.Epoch)
		}
		_, _ = fmt.Fprintf(p.Out, "\nsettled %s after the faults\n", result.Settled)
	}
	v := result.Violation
	if v == nil {
		return nil
	}
	_, _ = fmt.Fprintf(p.Log, "%s: %s\n  at %s, step %d\n", v.Property, v.Explanation, v.At, v.Step)
	if f.shrink {
		p.shrink(f, plan, v, strings.TrimSuffix(filepath.Base(f.plan), ".json")+"-smaller.json")
	}
	return fmt.Errorf("%s is broken", v.Property)
}

// mergeTotals puts results that were printed as JSON together.
func (p program) mergeTotals(f simFlags, files []string) error {
	if len(files) == 0 {
		return cli.Usage("-merge: no file is given: nothing would be merged")
	}
	var whole batch.Totals
	for i, name := range files {
		data, err := os.ReadFile(name)
		if err != nil {
			return fmt.Errorf("-merge: %w", err)
		}
		part, err := batch.ParseTotals(data)
		if err == nil && i > 0 {
			part, err = whole.Merge(&part)
		}
		if err != nil {
			return fmt.Errorf("-merge: %s: %w", name, err)
		}
		whole = part
	}
	f.shrink = false
	if err := p.printTotals(f, &whole); err != nil {
		return err
	}
	return p.failures(f, &whole)
}

// printTotals prints totals: as JSON, or as a table.
func (p program) printTotals(f simFlags, t *batch.Totals) error {
	if f.json {
		return p.JSON(t)
	}
	w := tabwriter.NewWriter(p.Out, 0, 0, 2, ' ', 0)
	_, _ = fmt.Fprintln(w, "profile\tnodes\tseeds\tsteps\tsteps/s\treigns\telections\tlost\tcrashes\tsettle median\tworst\tviolations")
	for i := range t.Rows {
		r := &t.Rows[i]
		_, _ = fmt.Fprintf(w, "%s\t%d\t%d\t%d\t%.0f\t%d\t%d\t%d\t%d\t%s\t%s (seed %d)\t%d\n", r.Profile, r.Nodes, r.Seeds, r.Steps,
			r.StepsPerSecond(), r.Reigns, r.Elections(), r.Lost, r.Actions[spec.CrashAction], r.Median().Round(time.Millisecond),
			r.Worst.Round(time.Millisecond), r.WorstSeed, r.Violations)
	}
	if err := w.Flush(); err != nil {
		return err
	}
	for _, missing := range t.Missing() {
		_, _ = fmt.Fprintf(p.Out, "missing: %s\n", missing)
	}
	return nil
}

// failures prints the failures, and shrinks the one of the lowest seed of each property. It returns an error if there is one.
func (p program) failures(f simFlags, t *batch.Totals) error {
	var count uint64
	for i := range t.Rows {
		count += t.Rows[i].Violations
	}
	shrunk := map[spec.Property]bool{}
	for i := range t.Failures {
		x := &t.Failures[i]
		_, _ = fmt.Fprintf(p.Log, "\n%s\n  at %s, step %d\n", f.replays(x), x.At, x.Step)
		if !f.shrink || shrunk[x.Property] {
			continue
		}
		shrunk[x.Property] = true
		plan, err := sim.Generate(x.Seed, x.Nodes, x.Profile)
		if err != nil {
			return err
		}
		p.shrink(f, plan, &sim.Violation{Property: x.Property}, fmt.Sprintf("sim-%s-%d-%d.json", x.Profile, x.Nodes, x.Seed))
	}
	if count > 0 {
		return fmt.Errorf("%d of the runs broke a promise; the first: %s", count, f.replays(&t.Failures[0]))
	}
	return nil
}

// replays says what a run has broken, and how to see it again.
func (f *simFlags) replays(x *batch.Failure) string {
	if f.model {
		return x.Error() + " -model"
	}
	return x.Error()
}

// shrink looks for the smallest plan that breaks the same, prints it, and writes it to a file.
func (p program) shrink(f simFlags, plan sim.Plan, v *sim.Violation, name string) {
	small, runs := sim.Shrink(plan, f.maker, v, sim.Shrinking{Progress: func(smallest *sim.Plan, runs int) {
		if p.Live {
			p.Progress(fmt.Sprintf("shrinking: %d faults, %d nodes, %d runs", len(smallest.Faults), len(smallest.Members), runs))
		}
	}})
	p.Clear()
	result, err := sim.Run(&small, f.maker, sim.Options{})
	if err != nil || result.Violation == nil {
		_, _ = fmt.Fprintf(p.Log, "  run again, it breaks nothing: what runs is not deterministic\n")
		return
	}
	_, _ = fmt.Fprintf(p.Log, "  smallest run: %d faults, %d steps (seed %d), after %d runs\n%s  %s\n", len(small.Faults), result.Steps, small.Seed,
		runs, small.String(), result.Violation)
	name = filepath.Join(f.out, name)
	data, err := small.MarshalJSON()
	if err == nil {
		err = os.WriteFile(name, append(data, '\n'), 0o644)
	}
	if err != nil {
		_, _ = fmt.Fprintf(p.Log, "  not written to %s: %v\n", name, err)
		return
	}
	replay := "workbench sim -plan " + name
	if f.model {
		replay += " -model"
	}
	_, _ = fmt.Fprintf(p.Log, "  again: %s\n", replay)
}
