package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/seed-fdf591db/bully/impl/host"
	"github.com/seed-fdf591db/bully/impl/internal/cli"
	"github.com/seed-fdf591db/bully/impl/internal/localcluster"
)

// What befalls a leader besides the faults of localcluster.
const (
	// faultDisk is kill -9 where the disks of all nodes are slow.
	faultDisk localcluster.Fault = "disk"
	// faultProgram is kill -9 of the program that leads by a node beside it.
	faultProgram localcluster.Fault = "program"
	// faultBoth is kill -9 of that program and of the node beside it, at the same moment.
	faultBoth localcluster.Fault = "both"
)

// strikes returns what is done to a node for a fault.
func strikes(fault localcluster.Fault) localcluster.Fault {
	if fault == faultDisk || fault == faultProgram || fault == faultBoth {
		return localcluster.FaultKill
	}
	return fault
}

// slowDisk is how much longer a save takes then.
const slowDisk = 20 * time.Millisecond

// teardowns is how often the end of a node is measured by itself.
const teardowns = 3

// contestant is a program that is measured.
type contestant struct {
	name      string
	command   []string
	inner     string      // that faults befall, if the command starts it; "" is the command itself
	guarded   bool        // by a guard, which kills it when it hangs
	beside    bool        // beside a program that leads by it
	ours      bool        // with profile lan
	embedding *contestant // the same in a program that embeds the host, where more can go wrong; or nil
}

// ours returns our own nodes: bully run, or within and beside programs of the sizes that are asked for. Each is without a guard, and comes
// again with one if that is asked for.
func (f benchFlags) ours() (all []contestant, err error) {
	add := func(name string, command []string, inner string, guarded bool) {
		all = append(all, contestant{name: name, command: command, inner: inner, guarded: guarded, ours: true})
	}
	sizes := f.ballast
	if sizes == nil {
		sizes = []int{0}
	}
	var node, self string
	if f.ballast == nil || f.guard || f.beside {
		if node, err = findProgram("bully"); err != nil {
			return nil, err
		}
	}
	if f.ballast != nil || strings.Contains(f.faults, string(localcluster.FaultStuck)) || strings.Contains(f.faults, string(faultDisk)) {
		if self, err = findProgram("workbench"); err != nil {
			return nil, err
		}
	}
	for _, size := range sizes {
		name := fmt.Sprintf("bully and %d MiB", size)
		embeds := []string{self, "node", "-ballast", strconv.Itoa(size)}
		if f.ballast == nil {
			name, embeds = "bully", append(embeds, "-hold") // as bully run does
		}
		add(name, embeds, "", false)
		if f.ballast != nil && f.hold {
			add(name+", held", append(slices.Clone(embeds), "-hold"), "", false)
		}
		if f.guard {
			add(name+", guarded", append([]string{node, "guard", "--"}, embeds...), "workbench", true)
		}
		if f.beside {
			name := fmt.Sprintf("bully beside %d MiB", size)
			beside := append(slices.Clone(embeds), "-beside")
			add(name, beside, "bully", false)
			all[len(all)-1].beside = true
			if f.hold {
				add(name+", held", append(slices.Clone(beside), "-hold"), "bully", false)
				all[len(all)-1].beside = true
			}
		}
	}
	for i := range all {
		embedding := all[i]
		all[i].embedding = &embedding
		if f.ballast != nil {
			continue
		}
		all[i].command = []string{node, "run", "-cluster", "bench", "-insecure", "-profile", "lan", "-preempt", "never"}
		if all[i].guarded {
			all[i].command, all[i].inner = append(all[i].command, "-guard"), "bully"
		}
	}
	return all, nil
}

// against returns how a contestant runs where a fault is to befall it, and whether that fault can be measured of it.
func (c contestant) against(fault localcluster.Fault) (contestant, bool) {
	switch {
	case fault == faultProgram && c.beside:
		c.inner = "workbench"
		return c, true
	case fault == faultBoth && c.beside:
		c.inner = "" // what has started both, and they die with it
		return c, true
	case fault == faultProgram, fault == faultBoth, c.beside && fault != localcluster.FaultKill, fault == localcluster.FaultResign && !c.ours:
		return c, false
	case fault != localcluster.FaultStuck && fault != faultDisk:
		return c, true
	case c.embedding == nil:
		return c, false
	}
	of := *c.embedding
	of.name = c.name
	if fault == faultDisk {
		of.command = append(slices.Clone(of.command), "-save", slowDisk.String())
	}
	return of, true
}

// failoverResult is what was measured of one program, size and fault. All times are in milliseconds.
type failoverResult struct {
	Program  string             `json:"program"`
	Guarded  bool               `json:"guarded,omitempty"`
	Nodes    int                `json:"nodes"`
	Fault    localcluster.Fault `json:"fault"`
	Rounds   int                `json:"rounds"`
	Median   float64            `json:"median_ms"`
	P99      float64            `json:"p99_ms"`
	Max      float64            `json:"max_ms"`
	Ratio    float64            `json:"ratio,omitempty"`       // the median by that of the first program
	Ended    float64            `json:"ended_ms,omitempty"`    // of that, until the address refused, where something ends the node
	Floor    float64            `json:"floor_ms,omitempty"`    // what a failover cannot do without, and of that
	Wait     float64            `json:"wait_ms,omitempty"`     // what the timing makes everybody wait for
	Teardown float64            `json:"teardown_ms,omitempty"` // the end of a process
	Message  float64            `json:"message_ms,omitempty"`  // one of five
	Save     float64            `json:"save_ms,omitempty"`     // one of two
	Messages float64            `json:"messages"`              // sent by all survivors, a failover
	ByType   map[string]float64 `json:"messages_by_type"`
	Bytes    float64            `json:"bytes"`
	Saves    float64            `json:"saves"`
	Samples  []float64          `json:"samples_ms"`
}

// failovers measures how long it takes until the survivors of a leader's fault name the next leader.
func (p program) failovers(ctx context.Context, f benchFlags) error {
	sizes, err := f.sizes("3,5,7")
	if err != nil {
		return err
	}
	if f.rounds < 1 {
		return cli.Usage("-rounds must be at least 1: no rounds measure nothing")
	}
	faults, skipped, err := f.chooseFaults()
	if err != nil {
		return err
	}
	for _, n := range sizes {
		if n < 3 {
			return cli.Usage(fmt.Sprintf("-nodes %d: the others need a quorum without their leader, so at least 3", n))
		}
	}
	contestants, err := f.contestants()
	if err != nil {
		return err
	}
	for _, fault := range faults {
		for _, one := range contestants {
			if _, can := one.against(fault); !can {
				skipped = append(skipped, fmt.Sprintf("%s is not measured of %s: it cannot befall that", fault, one.name))
			}
		}
	}
	for _, reason := range skipped {
		_, _ = fmt.Fprintln(p.Log, reason)
	}
	var results []failoverResult
	for _, fault := range faults {
		for _, n := range sizes {
			of, err := p.failoversOf(ctx, contestants, n, fault, f.rounds)
			if err != nil {
				return err
			}
			results = append(results, of...)
		}
	}
	p.Clear()
	if f.plot != "" {
		if err := drawFailovers(f.plot, results); err != nil {
			return err
		}
	}
	if f.json {
		return p.JSON(struct {
			machine
			Skipped   []string         `json:"skipped"`
			Failovers []failoverResult `json:"failovers"`
		}{thisMachine(), skipped, results})
	}
	return p.printFailovers(results)
}

// failoversOf measures one size and fault of all contestants.
func (p program) failoversOf(ctx context.Context, contestants []contestant, n int, fault localcluster.Fault, rounds int) (results []failoverResult, err error) {
	for _, one := range contestants {
		one, can := one.against(fault)
		if !can {
			continue
		}
		r, err := p.failover(ctx, one, n, fault, rounds)
		if err != nil {
			return nil, fmt.Errorf("%s, %d nodes, %s: %w", one.name, n, fault, err)
		}
		if len(results) > 0 && results[0].Median > 0 {
			r.Ratio = r.Median / results[0].Median
		}
		results = append(results, r)
	}
	return results, nil
}

// allFaults are those that can be asked for.
func allFaults() []localcluster.Fault {
	return append(localcluster.Faults(), localcluster.FaultResign, faultDisk, faultProgram, faultBoth)
}

// chooseFaults returns the faults that are asked for and can be measured here, and why the others cannot.
func (f benchFlags) chooseFaults() (faults []localcluster.Fault, skipped []string, err error) {
	for name := range strings.SplitSeq(f.faults, ",") {
		fault := localcluster.Fault(name)
		if !slices.Contains(allFaults(), fault) {
			return nil, nil, cli.Usage(fmt.Sprintf("unknown fault %q: there are kill, stop, stuck, disk, cut, program, both and resign", name))
		}
		if fault == localcluster.FaultCut {
			if err := localcluster.CanNamespace(); err != nil {
				skipped = append(skipped, fmt.Sprintf("cut is not measured: %v", err))
				continue
			}
		}
		faults = append(faults, fault)
	}
	if len(faults) == 0 {
		return nil, nil, errors.New(strings.Join(skipped, "; "))
	}
	return faults, skipped, nil
}

// failover measures one program, size and fault.
func (p program) failover(ctx context.Context, one contestant, nodes int, fault localcluster.Fault, rounds int) (failoverResult, error) {
	r := failoverResult{Program: one.name, Guarded: one.guarded, Nodes: nodes, Fault: fault, ByType: map[string]float64{}}
	var times, ends []time.Duration
	next := time.Now()
	plan := localcluster.Failovers{
		Config: localcluster.Config{Nodes: nodes, Command: one.command, Inner: one.inner}, Fault: strikes(fault), Rounds: rounds, Guarded: one.guarded,
		Each: func(round int, f localcluster.Failover) {
			times, ends = append(times, f.Took), append(ends, f.Teardown)
			if now := time.Now(); !now.Before(next) || round == rounds {
				next = now.Add(p.Every())
				p.Progress(fmt.Sprintf("%s, %d nodes, %s: round %d of %d, median %.1f ms", one.name, nodes, fault, round, rounds,
					ms(localcluster.Median(times))))
			}
		},
	}
	all, err := plan.Measure(ctx)
	if err != nil {
		return r, err
	}
	r.Rounds = len(all)
	each := 1 / float64(len(all))
	for _, f := range all {
		r.Samples = append(r.Samples, ms(f.Took))
		r.Messages += each * float64(f.Sent())
		r.Bytes += each * float64(f.Bytes)
		r.Saves += each * float64(f.Saves)
		for name, n := range f.Messages {
			r.ByType[name] += each * float64(n)
		}
	}
	r.Median, r.P99 = ms(localcluster.Median(times)), ms(localcluster.Quantile(times, 0.99))
	r.Max, r.Ended = ms(slices.Max(times)), ms(localcluster.Median(ends))
	floor, err := one.floor(ctx, plan.Config, fault, all)
	r.Floor, r.Wait, r.Teardown, r.Message, r.Save = ms(floor.Total()), ms(floor.Wait), ms(floor.Teardown), ms(floor.Message), ms(floor.Save)
	return r, err
}

// floor measures what these failovers could not do without; zero if that is not known.
func (c contestant) floor(ctx context.Context, config localcluster.Config, fault localcluster.Fault, all []localcluster.Failover) (f localcluster.Floor, err error) {
	kills := strikes(fault) == localcluster.FaultKill
	if fault == faultProgram || fault == faultBoth || fault == localcluster.FaultResign || !c.ours && !kills {
		return f, nil
	}
	if f, err = localcluster.MeasureFloor(all, strikes(fault)); err != nil {
		return f, err
	}
	lan := host.LAN()
	switch {
	case fault == faultDisk:
		f.Save += slowDisk
	case kills:
	case c.guarded && fault != localcluster.FaultCut:
		if fault == localcluster.FaultStuck {
			f.Wait = 2 * lan.Delay // until a guard is sure
		}
		f.Teardown, err = localcluster.MeasureTeardown(ctx, config, teardowns)
	default: // the last heartbeat was half of the interval ago, in the middle
		f.Wait = lan.Patience - lan.Heartbeat/2
	}
	return f, err
}

// printFailovers prints the table, and what its columns are.
func (p program) printFailovers(results []failoverResult) error {
	w := tabwriter.NewWriter(p.Out, 0, 0, 2, ' ', 0)
	_, _ = fmt.Fprintln(w, "fault\tnodes\tprogram\trounds\tmedian ms\tp99\tmax\tmessages\tbytes\tsaves\ttimes as long\tended ms\tfloor ms\tof that the wait\tthe end\ttimes the floor")
	for _, r := range results {
		ratio, floor := "", "\t\t\t"
		if r.Ratio > 0 {
			ratio = fmt.Sprintf("%.1f", r.Ratio)
		}
		if r.Floor > 0 {
			floor = fmt.Sprintf("%.1f\t%.1f\t%.1f\t%.1f", r.Floor, r.Wait, r.Teardown, r.Median/r.Floor)
		}
		_, _ = fmt.Fprintf(w, "%s\t%d\t%s\t%d\t%.1f\t%.1f\t%.1f\t%s\t%s\t%s\t%s\t%s\t%s\n", r.Fault, r.Nodes, r.Program, r.Rounds,
			r.Median, r.P99, r.Max, counted(r.Messages, 1), counted(r.Bytes, 0), counted(r.Saves, 1), ratio, counted(r.Ended, 1), floor)
	}
	if err := w.Flush(); err != nil {
		return err
	}
	_, err := fmt.Fprintf(p.Out, "\nFrom the fault until the last survivor names the next leader; workbench help bench says what the faults are.\n"+
		"Messages and bytes sent, and waits for a disk, of all survivors together, a failover. ended: until the address of the node refused. The floor is what\n"+
		"the timing makes everybody wait for, the end of such a process until its address refuses, five messages and two saves, each measured by itself in the same run. %s.\n",
		thisMachine())
	return err
}
