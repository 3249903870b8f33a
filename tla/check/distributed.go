package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"text/tabwriter"
	"time"

	"github.com/seed-fdf591db/bully/tla"
	"github.com/seed-fdf591db/bully/tla/check/tlc"
)

const (
	// distributedWorkers is the number of worker processes.
	distributedWorkers = 2
	// distributedStates bounds the configurations that are picked: what goes over the
	// loopback interface takes several times as long as what stays in one process.
	distributedStates = 30_000
)

// distribute checks some configurations with TLC's server and two workers, as three processes,
// and compares the counts with those of a single process, which models.json has.
func (a *app) distribute(ctx context.Context) error {
	entries, err := tla.Load(os.DirFS(a.dir))
	if err != nil {
		return err
	}
	chosen, err := a.distributable(entries)
	if err != nil {
		return err
	}
	r, clean, err := a.runner(ctx)
	if err != nil {
		return err
	}
	defer clean()
	r.Lanes = distributedWorkers + 1 // They share the memory.
	w := tabwriter.NewWriter(a.out, 0, 0, 2, ' ', 0)
	_, _ = fmt.Fprintln(w, "configuration\tone process: distinct\tgenerated\tserver and workers: distinct\tgenerated\tseconds\t")
	b := a.newBoard("distributed", len(chosen), 0)
	var wrong []error
	for _, e := range chosen {
		b.started(e.Name)
		report, err := r.Distributed(ctx, jobOf(e), e.Configuration.CheckDeadlock, distributedWorkers)
		if err == nil {
			err = sameCounts(e, report)
		}
		if err != nil {
			wrong = append(wrong, err)
		}
		b.finished(e.Name, describe(report.Result))
		_, _ = fmt.Fprintf(w, "%s\t%d\t%d\t%d\t%d\t%.1f\t\n", e.Name,
			e.Distinct, e.Generated, report.Distinct, report.Generated, report.Seconds)
		if ctx.Err() != nil {
			break
		}
	}
	b.close()
	_ = w.Flush()
	if len(wrong) == 0 {
		_, _ = fmt.Fprintf(a.out, "\nTLC's server and %d workers found on all %d what one process finds, in %s.\n",
			distributedWorkers, len(chosen), seconds(time.Since(a.begin)))
	}
	return errors.Join(wrong...)
}

// sameCounts says what a distributed run found otherwise than a single process.
func sameCounts(e tla.Entry, report tlc.Report) error {
	if report.Verdict != tla.Holds {
		return fmt.Errorf("%s: distributed, it does not hold: %s", e.Name, report.Message)
	}
	if report.Distinct != e.Distinct || report.Generated != e.Generated {
		return fmt.Errorf("%s: distributed, TLC finds %d distinct states of %d generated; in one process, %d of %d",
			e.Name, report.Distinct, report.Generated, e.Distinct, e.Generated)
	}
	return nil
}

// distributable returns the configurations for a distributed run: of each module the largest
// that is not too large, or those that -run names. TLC's server checks safety only, and
// counts no violation.
func (a *app) distributable(entries []tla.Entry) ([]tla.Entry, error) {
	best := map[string]tla.Entry{}
	var named, chosen []tla.Entry
	for _, e := range entries {
		if e.Verdict != tla.Holds || e.Configuration.Specification != "Spec" || !e.TLC {
			continue
		}
		if a.pattern != "" && a.filter.MatchString(e.Name) {
			named = append(named, e)
		}
		if e.Distinct <= distributedStates && e.Distinct > best[e.Module].Distinct {
			best[e.Module] = e
		}
	}
	for _, e := range entries {
		if a.pattern == "" && best[e.Module].Name == e.Name {
			chosen = append(chosen, e)
		}
	}
	chosen = append(chosen, named...)
	if len(chosen) == 0 {
		return nil, errors.New("there is no safety configuration that holds, or -run names none")
	}
	return chosen, nil
}
