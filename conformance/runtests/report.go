package main

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"
	"text/tabwriter"
	"time"
)

// mostSlow is how many of the slowest tests are listed.
const mostSlow = 10

// report gathers what came of all stages.
type report struct {
	mu       sync.Mutex
	out      io.Writer
	begin    time.Time
	outcomes []*outcome
	skipped  skips
}

func newReport(out io.Writer) *report {
	return &report{out: out, begin: time.Now(), skipped: skips{}}
}

// say prints a line as soon as there is something to say. Stages that run side by side do not mix their lines.
func (r *report) say(format string, args ...any) {
	r.mu.Lock()
	defer r.mu.Unlock()
	fmt.Fprintf(r.out, format+"\n", args...)
}

// lacks notes a tool that this machine lacks.
func (r *report) lacks(tool string) {
	if tool != "" {
		r.skipped.add("needs "+tool, "")
	}
}

// add adds what came of a stage.
func (r *report) add(o *outcome) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.outcomes = append(r.outcomes, o)
	for _, t := range o.tests {
		if t.reason != "" {
			r.skipped.add(t.reason, t.pkg+" "+t.name)
		}
	}
}

// slowest returns the tests that took longest, the slowest first.
func (r *report) slowest() (all []test) {
	for _, o := range r.outcomes {
		for _, t := range o.tests {
			if t.took > 0 && !strings.Contains(t.name, "/") {
				all = append(all, t)
			}
		}
	}
	slices.SortStableFunc(all, func(a, b test) int { return int(b.took - a.took) })
	return all[:min(len(all), mostSlow)]
}

// print prints the tables, and returns an error that names what failed.
func (r *report) print(out io.Writer) error {
	r.stages(out)
	if slow := r.slowest(); len(slow) > 0 {
		fmt.Fprintf(out, "\nThe %d slowest tests:\n", len(slow))
		for _, t := range slow {
			fmt.Fprintln(out, t)
		}
	}
	unknown := r.skipped.print(out)
	var errs []error
	tested := 0
	for _, o := range r.outcomes {
		tested += o.ok
		errs = append(errs, o.err)
		for _, pkg := range o.failed {
			errs = append(errs, fmt.Errorf("FAIL %s (%s)", pkg, o.stage))
		}
		for _, pkg := range o.empty {
			errs = append(errs, fmt.Errorf("FAIL %s (%s): it tests nothing", pkg, o.stage))
		}
	}
	for _, reason := range unknown {
		errs = append(errs, fmt.Errorf("FAIL a test was skipped for a reason that skips.go does not know: %s", reason))
	}
	if err := errors.Join(errs...); err != nil {
		return err
	}
	fmt.Fprintf(out, "\nAll tests of %d packages passed in %s.\n", tested, seconds(time.Since(r.begin)))
	return nil
}

// stages prints how long each stage took.
func (r *report) stages(out io.Writer) {
	fmt.Fprintln(out)
	table := tabwriter.NewWriter(out, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(table, "stage\ttime\tpackages passed\tfrom the cache\tfailed\t")
	for _, o := range r.outcomes {
		fmt.Fprintf(table, "%s\t%s\t%d\t%d\t%d\t\n", o.stage, seconds(o.took), o.ok, o.cached, len(o.failed))
	}
	_ = table.Flush() // a writer to a terminal: nothing can be done
}
