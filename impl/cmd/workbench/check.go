package main

import (
	"context"
	"fmt"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/seed-fdf591db/bully/impl/internal/cli"
	"github.com/seed-fdf591db/bully/model/explore"
	"github.com/seed-fdf591db/bully/tla"
	"github.com/seed-fdf591db/bully/tla/check/explorer"
)

// checkHelp is what workbench help check says before the flags.
const checkHelp = `
Explores the configurations of the specification (tla/models.json) with the models in Go, and compares what it finds with
the list: which property is violated, and how many states there are. It needs nothing but this program: TLC, which
"make check" runs as well, needs Java.

  workbench check -config ClusterStar   # one configuration, in a second or two; its counterexample if it has one
  workbench check                       # all quick ones: about a minute of one processor
  workbench check -deep                 # the large ones too, which take much longer

`

// checkFlags are the flags of workbench check.
type checkFlags struct {
	config, recording   string
	json, deep, verbose bool
	workers             int
	maxBytes            int64
}

// check explores configurations with the models in Go, without TLC.
func check(ctx context.Context, p program, args []string) error {
	var f checkFlags
	flags := p.Flags("check")
	flags.StringVar(&f.config, "config", "", "explore only the configuration of this `name`, with or without its folder")
	flags.StringVar(&f.recording, "recording", "", "with -config: write the counterexample to this `file` as a recording, which workbench view opens")
	flags.BoolVar(&f.json, "json", false, "print the results as JSON")
	flags.BoolVar(&f.deep, "deep", false, "explore the deep configurations too")
	flags.BoolVar(&f.verbose, "v", false, "print all counterexamples")
	flags.IntVar(&f.workers, "workers", 0, "explore with this many `goroutines`; 0 means one for each processor")
	flags.Int64Var(&f.maxBytes, "max-bytes", 0, "give up rather than take more `bytes` of memory; 0 means no bound")
	if err := p.ParseSome(flags, args, cli.Manual{Text: checkHelp}); err != nil {
		return err
	}
	if flags.NArg() > 0 {
		return cli.Usage(fmt.Sprintf("unexpected argument %q (\"workbench help check\" lists the flags)", flags.Arg(0)))
	}
	if f.workers < 0 || f.maxBytes < 0 {
		return cli.Usage("-workers and -max-bytes cannot be negative")
	}
	if f.recording != "" && f.config == "" {
		return cli.Usage("-recording is of one configuration: -config says which")
	}
	entries, err := tla.Load(p.files)
	if err != nil {
		return err
	}
	chosen, err := choose(entries, f)
	if err != nil {
		return err
	}
	return p.explore(ctx, chosen, f)
}

// choose returns the entries that the flags ask for.
func choose(entries []tla.Entry, f checkFlags) ([]tla.Entry, error) {
	var chosen []tla.Entry
	var all []string
	for _, e := range entries {
		all = append(all, e.Name)
		switch {
		case f.config == "" && (e.Effort == tla.Quick || f.deep) && e.Explorer != tla.None,
			f.config != "" && (e.Name == f.config || strings.HasSuffix(e.Name, "/"+f.config)):
			chosen = append(chosen, e)
		}
	}
	switch {
	case f.config == "" && len(chosen) == 0:
		return nil, fmt.Errorf("%s lists nothing to explore", tla.ListFile)
	case len(chosen) == 0:
		return nil, cli.Usage(fmt.Sprintf("unknown configuration %q%s", f.config, cli.Suggest(f.config, all)))
	case f.config != "" && len(chosen) > 1:
		return nil, cli.Usage(fmt.Sprintf("%q is ambiguous: %s or %s", f.config, chosen[0].Name, chosen[1].Name))
	case f.config != "" && chosen[0].Explorer == tla.None:
		return nil, cli.Usage(fmt.Sprintf("%s has no model in Go: %s", chosen[0].Name, chosen[0].Why))
	}
	return chosen, nil
}

// explore explores all of chosen, and prints what it found.
func (p program) explore(ctx context.Context, chosen []tla.Entry, f checkFlags) error {
	begin := time.Now()
	var all []explorer.Outcome
	bad := 0
	for i, e := range chosen {
		progress := func(x explore.Progress) { p.Progress(fmt.Sprintf("%d/%d %s: %s", i+1, len(chosen), e.Name, x)) }
		o := explorer.Run(ctx, e, explorer.Options{Options: explore.Options{Workers: f.workers, MaxBytes: f.maxBytes,
			Progress: progress, ProgressEvery: p.Every()}})
		if err := ctx.Err(); err != nil {
			return err
		}
		p.Clear()
		all = append(all, o)
		if len(o.Differences()) > 0 {
			bad++
		}
	}
	if f.json {
		if err := p.printJSON(all, bad == 0); err != nil {
			return err
		}
	} else {
		p.print(all, f, time.Since(begin))
	}
	if f.recording != "" {
		if err := p.recordingCheck(&all[0], f.recording); err != nil {
			return err
		}
	}
	if bad > 0 {
		return fmt.Errorf("%d of %d configurations are not as %s says", bad, len(all), tla.ListFile)
	}
	return nil
}

// print prints a table of all outcomes, the counterexamples that were asked for, and what is
// not as it must be.
func (p program) print(all []explorer.Outcome, f checkFlags, took time.Duration) {
	w := tabwriter.NewWriter(p.Out, 0, 0, 2, ' ', 0)
	_, _ = fmt.Fprintln(w, "configuration\tverdict\tdistinct\tgenerated\tdepth\tseconds\tMiB\t")
	for _, o := range all {
		mark := "as listed"
		if len(o.Differences()) > 0 {
			mark = "<-- differs"
		}
		_, _ = fmt.Fprintf(w, "%s\t%s\t%d\t%d\t%d\t%.2f\t%.1f\t%s\n", o.Entry.Name, verdict(o),
			o.Result.Distinct, o.Result.Generated, o.Result.Depth, o.Result.Seconds, float64(o.PeakBytes)/(1<<20), mark)
	}
	_ = w.Flush()
	for _, o := range all {
		if o.Violation != nil && (f.verbose || f.config != "" || len(o.Differences()) > 0) {
			_, _ = fmt.Fprintf(p.Out, "\n%s: %s\n%s", o.Entry.Name, o.Entry.Question, o.Violation)
		}
	}
	for _, o := range all {
		for _, d := range o.Differences() {
			_, _ = fmt.Fprintf(p.Out, "\n%s: %s\n", o.Entry.Name, d)
		}
	}
	_, _ = fmt.Fprintf(p.Out, "\n%d configurations explored in %s.\n", len(all), took.Round(10*time.Millisecond))
}

// verdict says what was found, and what was not looked at.
func verdict(o explorer.Outcome) string {
	switch {
	case o.Err != nil:
		return "no verdict"
	case o.Violation != nil:
		return string(o.Result.Verdict) + " " + o.Result.Property
	case len(o.Unchecked) > 0:
		return "graph only, not " + strings.Join(o.Unchecked, ", ")
	}
	return string(o.Result.Verdict)
}

// found is one configuration in the JSON output.
type found struct {
	Name        string     `json:"name"`
	Expected    tla.Result `json:"expected"`
	Found       tla.Result `json:"found"`
	Unchecked   []string   `json:"unchecked,omitempty"`
	PeakBytes   int64      `json:"peak_bytes"`
	Run         []string   `json:"run,omitempty"` // the actions of the counterexample
	Differences []string   `json:"differences,omitempty"`
}

// printJSON prints everything that was found.
func (p program) printJSON(all []explorer.Outcome, ok bool) error {
	report := struct {
		OK             bool    `json:"ok"`
		Configurations []found `json:"configurations"`
	}{OK: ok}
	for _, o := range all {
		f := found{Name: o.Entry.Name, Expected: o.Entry.Result, Found: o.Result, Unchecked: o.Unchecked,
			PeakBytes: o.PeakBytes, Differences: o.Differences()}
		if o.Violation != nil {
			for _, event := range o.Violation.Run[1:] {
				f.Run = append(f.Run, event.Step.String())
			}
		}
		report.Configurations = append(report.Configurations, f)
	}
	return p.JSON(report)
}
