package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/seed-fdf591db/bully/impl/internal/cli"
	"github.com/seed-fdf591db/bully/impl/internal/localcluster"
)

// benchFlags are the flags of workbench bench.
type benchFlags struct {
	nodes, faults string
	rounds        int
	looks         time.Duration
	ballast       []int
	json          bool
	command       string
	against       []string
}

// contestant is a program that is measured.
type contestant struct {
	name    string
	command []string
}

// benchHelp is what bully help bench says before the flags.
const benchHelp = `
Measures clusters of real processes on this machine. Say which measurement first, then flags:

  workbench bench failover   # the leader fails again and again: how long until all others name the next?
  workbench bench idle       # what a node uses that has nothing to do; Linux only

  workbench bench failover -rounds 3 -nodes 3 -fault kill   # the quick form, in a few seconds
  workbench bench failover                                  # 20 rounds of 3 sizes and 3 faults: some minutes
  workbench bench failover -fault kill -ballast 0,256       # the host within a small program, and one of 256 MiB more

For kill it measures the floor too, in the same run: the end of a process of that size until its address refuses, five messages, and two saves, as ours needs.

Other programs can be measured beside ours. They must take the flags -id, -members, -data and -http, and serve
GET /events and GET /status as bully run does:

  workbench bench failover -against "raftnode -profile fast"

`

// benchmark measures clusters of real processes: how long a failover takes, or what a node costs that has nothing to
// do.
func benchmark(ctx context.Context, p program, args []string) error {
	f := benchFlags{}
	flags := p.Flags("bench")
	flags.StringVar(&f.faults, "fault", "kill,stop,cut", "failover: a `list` of what befalls the leader: kill (kill -9), stop (SIGSTOP), cut (off the network; needs root)")
	flags.IntVar(&f.rounds, "rounds", 20, "failover: let the leader fail this `often`, for each size and fault")
	flags.DurationVar(&f.looks, "for", 10*time.Second, "idle: look for this `time`")
	flags.StringVar(&f.nodes, "nodes", "", "a `list` of sizes of clusters; 3,5,7 for failover and 5 for idle if empty")
	flags.Func("ballast", "failover: nodes are programs that embed the host, with so many `MiB` of memory besides; or a list of that", f.setBallast)
	flags.BoolVar(&f.json, "json", false, "print the results as JSON")
	flags.StringVar(&f.command, "command", "", "the `command` line of a node; bully run if empty")
	flags.Func("against", "measure this `command` line too, and compare; may be given again", func(s string) error {
		f.against = append(f.against, s)
		return nil
	})
	what := ""
	if len(args) > 0 && !strings.HasPrefix(args[0], "-") {
		what, args = args[0], args[1:]
	}
	if err := p.ParseSome(flags, args, cli.Manual{Text: benchHelp}); err != nil {
		return err
	}
	if flags.NArg() > 0 {
		return cli.Usage(fmt.Sprintf("unexpected argument %q (\"workbench help bench\" lists the flags)", flags.Arg(0)))
	}
	switch what {
	case "failover":
		return p.failovers(ctx, f)
	case "idle":
		return p.idle(ctx, f)
	case "":
		return cli.Usage("measure what? Say workbench bench failover or workbench bench idle first, then flags")
	}
	return cli.Usage(fmt.Sprintf("unknown benchmark %q: there are failover and idle", what))
}

// contestants returns the programs that are to be measured, ours first.
func (f benchFlags) contestants() ([]contestant, error) {
	var others []contestant
	for _, given := range f.against {
		command := strings.Fields(given)
		if len(command) == 0 {
			return nil, cli.Usage("-against needs a command line")
		}
		others = append(others, contestant{shortName(command), command})
	}
	ours := contestant{"bully", strings.Fields(f.command)}
	switch {
	case len(ours.command) > 0 && f.ballast != nil:
		return nil, cli.Usage("-ballast is for our own nodes, and -command says that they are others")
	case len(ours.command) > 0:
		ours.name = shortName(ours.command)
	case f.ballast != nil:
		large, err := f.large()
		return append(large, others...), err
	default:
		node, err := findProgram("bully")
		if err != nil {
			return nil, err
		}
		ours.command = []string{node, "run", "-cluster", "bench", "-profile", "lan", "-preempt", "never"}
	}
	return append([]contestant{ours}, others...), nil
}

// setBallast reads -ballast.
func (f *benchFlags) setBallast(list string) error {
	for text := range strings.SplitSeq(list, ",") {
		size, err := strconv.Atoi(text)
		if err != nil || size < 0 || size > mostBallast {
			return fmt.Errorf("%q is not a number from 0 to %d", text, mostBallast)
		}
		f.ballast = append(f.ballast, size)
	}
	return nil
}

// large returns our nodes within programs of all sizes that are asked for.
func (f benchFlags) large() (all []contestant, err error) {
	self, err := findProgram("workbench")
	for _, size := range f.ballast {
		all = append(all, contestant{fmt.Sprintf("bully and %d MiB", size), []string{self, "node", "-ballast", strconv.Itoa(size)}})
	}
	return all, err
}

// findProgram returns the program bully or workbench: that beside this one, or else that of the path.
func findProgram(name string) (string, error) {
	if self, err := os.Executable(); err == nil {
		if beside := filepath.Join(filepath.Dir(self), name); isFile(beside) {
			return beside, nil
		}
	}
	found, err := exec.LookPath(name)
	if err != nil {
		return "", errors.New("there is no program " + name + " beside this one, nor in the path: build both into one folder (go build -o .cache/ ./impl/cmd/bully " +
			"./impl/cmd/workbench), or say with -command what a node is")
	}
	return found, nil
}

// isFile reports whether there is a file of this name.
func isFile(name string) bool {
	info, err := os.Stat(name)
	return err == nil && info.Mode().IsRegular()
}

// ms returns a length of time in milliseconds.
func ms(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }

// shortName returns how a command line is called in a table.
func shortName(command []string) string {
	return strings.Join(append([]string{filepath.Base(command[0])}, command[1:]...), " ")
}

// sizes reads the sizes of clusters, those given or else the usual ones.
func (f benchFlags) sizes(usual string) ([]int, error) {
	var all []int
	for text := range strings.SplitSeq(cmp.Or(f.nodes, usual), ",") {
		n, err := strconv.Atoi(text)
		if err != nil || n < 1 || n > 64 {
			return nil, cli.Usage(fmt.Sprintf("-nodes %q: %q is not a size from 1 to 64", f.nodes, text))
		}
		all = append(all, n)
	}
	return all, nil
}

// failoverResult is what was measured of one program, size and fault. All times are in milliseconds.
type failoverResult struct {
	Program  string             `json:"program"`
	Nodes    int                `json:"nodes"`
	Fault    localcluster.Fault `json:"fault"`
	Rounds   int                `json:"rounds"`
	Median   float64            `json:"median_ms"`
	P99      float64            `json:"p99_ms"`
	Max      float64            `json:"max_ms"`
	Ratio    float64            `json:"ratio,omitempty"`       // the median by that of the first program
	Floor    float64            `json:"floor_ms,omitempty"`    // what a failover after kill cannot do without, and of that
	Teardown float64            `json:"teardown_ms,omitempty"` // the end of a process
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
	for _, reason := range skipped {
		_, _ = fmt.Fprintln(p.Log, reason)
	}
	var results []failoverResult
	for _, fault := range faults {
		for _, n := range sizes {
			var median float64
			for i, one := range contestants {
				r, err := p.failover(ctx, one, n, fault, f.rounds)
				if err != nil {
					return fmt.Errorf("%s, %d nodes, %s: %w", one.name, n, fault, err)
				}
				if i == 0 {
					median = r.Median
				} else if median > 0 {
					r.Ratio = r.Median / median
				}
				results = append(results, r)
			}
		}
	}
	p.Clear()
	if f.json {
		return p.JSON(struct {
			machine
			Skipped   []string         `json:"skipped"`
			Failovers []failoverResult `json:"failovers"`
		}{thisMachine(), skipped, results})
	}
	return p.printFailovers(results)
}

// chooseFaults returns the faults that are asked for and can be measured here, and why the others cannot.
func (f benchFlags) chooseFaults() (faults []localcluster.Fault, skipped []string, err error) {
	for name := range strings.SplitSeq(f.faults, ",") {
		fault := localcluster.Fault(name)
		if !slices.Contains(localcluster.Faults(), fault) {
			return nil, nil, cli.Usage(fmt.Sprintf("unknown fault %q: there are kill, stop and cut", name))
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
	r := failoverResult{Program: one.name, Nodes: nodes, Fault: fault, ByType: map[string]float64{}}
	var times []time.Duration
	next := time.Now()
	plan := localcluster.Failovers{
		Config: localcluster.Config{Nodes: nodes, Command: one.command}, Fault: fault, Rounds: rounds,
		Each: func(round int, f localcluster.Failover) {
			times = append(times, f.Took)
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
	r.Max = ms(slices.Max(times))
	if fault != localcluster.FaultKill {
		return r, nil
	}
	floor, err := localcluster.MeasureFloor(all)
	r.Floor, r.Teardown = ms(floor.Total()), ms(floor.Teardown)
	return r, err
}

// printFailovers prints the table, and what its columns are.
func (p program) printFailovers(results []failoverResult) error {
	w := tabwriter.NewWriter(p.Out, 0, 0, 2, ' ', 0)
	_, _ = fmt.Fprintln(w, "fault\tnodes\tprogram\trounds\tmedian ms\tp99\tmax\tmessages\tbytes\tsaves\ttimes as long\tfloor ms\tof that the end\ttimes the floor")
	for _, r := range results {
		ratio, floor := "", ""
		if r.Ratio > 0 {
			ratio = fmt.Sprintf("%.1f", r.Ratio)
		}
		if r.Floor > 0 {
			floor = fmt.Sprintf("%.1f\t%.1f\t%.1f", r.Floor, r.Teardown, r.Median/r.Floor)
		}
		_, _ = fmt.Fprintf(w, "%s\t%d\t%s\t%d\t%.1f\t%.1f\t%.1f\t%s\t%s\t%s\t%s\t%s\n", r.Fault, r.Nodes, r.Program, r.Rounds,
			r.Median, r.P99, r.Max, counted(r.Messages, 1), counted(r.Bytes, 0), counted(r.Saves, 1), ratio, floor)
	}
	if err := w.Flush(); err != nil {
		return err
	}
	_, err := fmt.Fprintf(p.Out, "\nFrom the fault until the last survivor names the next leader. kill: kill -9; stop: SIGSTOP; cut: off the network.\n"+
		"Messages and bytes sent, and waits for a disk, of all survivors together, a failover. The floor is the end of such a process until its address refuses, "+
		"five messages and two saves, each measured by itself in the same run. %s.\n", thisMachine())
	return err
}

// counted writes a number, or that nobody has counted.
func counted(n float64, digits int) string {
	if n == 0 {
		return "-"
	}
	return strconv.FormatFloat(n, 'f', digits, 64)
}

// machine is where something was measured.
type machine struct {
	OS    string `json:"os"`
	Arch  string `json:"arch"`
	Cores int    `json:"cores"`
	Go    string `json:"go"`
}

// thisMachine describes this one.
func thisMachine() machine {
	return machine{runtime.GOOS, runtime.GOARCH, runtime.NumCPU(), runtime.Version()}
}

// String returns m as a person would say it.
func (m machine) String() string {
	return fmt.Sprintf("Measured on %s/%s, %d cores, all nodes on one machine, built with %s", m.OS, m.Arch, m.Cores, m.Go)
}
