package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/seed-fdf591db/bully/tla"
	"github.com/seed-fdf591db/bully/tla/check/explorer"
	"github.com/seed-fdf591db/bully/tla/check/tlc"
)

// times says how long each half took.
type times struct{ tlc, explorer time.Duration }

// runBoth runs TLC and then the explorer, and puts their outcomes into all. Without Java it runs
// the explorer alone, if that will do.
func (a *app) runBoth(ctx context.Context, all []comparison) (took times, err error) {
	r, clean, err := a.runner(ctx)
	switch {
	case errors.Is(err, tlc.ErrNoJava) && a.mayGoWithout(os.Getenv):
		a.skipped, err = err, nil
	case err != nil:
		return took, err
	default:
		defer clean()
	}
	toTLC, toExplorer := a.plans(all)
	_, _ = fmt.Fprintln(a.log, agenda(len(all), toTLC, toExplorer))
	begin := time.Now()
	if a.skipped == nil {
		err = a.runTLC(ctx, r, all, toTLC)
		took.tlc = time.Since(begin)
	}
	if err != nil {
		return took, err
	}
	begin = time.Now()
	err = a.runExplorer(ctx, all, toExplorer)
	took.explorer = time.Since(begin)
	return took, err
}

// runTLC runs TLC on all that it can do.
func (a *app) runTLC(ctx context.Context, r tlc.Runner, all []comparison, p plan) error {
	index := map[string]int{}
	var jobs []tlc.Job
	for i, c := range all {
		index[c.entry.Name] = i
		if c.byTLC() {
			jobs = append(jobs, jobOf(c.entry))
		}
	}
	b := a.newBoard("TLC", 0, p)
	defer b.close()
	return r.Run(ctx, jobs, tlc.Hooks{
		Started: func(j tlc.Job) { b.started(j.Name) },
		Finished: func(o tlc.Outcome) {
			all[index[o.Job.Name]].tlc = &o
			b.finished(o.Job.Name, describe(o.Report.Result))
		},
	})
}

// jobOf returns the job that checks e.
func jobOf(e tla.Entry) tlc.Job {
	return tlc.Job{
		Name:       e.Name,
		Module:     e.Module,
		Properties: e.Configuration.Properties,
		Seconds:    e.Seconds,
		Dump:       e.States != "",
	}
}

// slowExplorer is how long the explorer may take without a line of its own.
const slowExplorer = 5 * time.Second

// runExplorer runs the explorer on all that have a model in Go.
func (a *app) runExplorer(ctx context.Context, all []comparison, p plan) error {
	b := a.newBoard("explorer", slowExplorer, p)
	defer b.close()
	for i := range all {
		e := all[i].entry
		if e.Explorer == tla.None {
			continue
		}
		b.started(e.Name)
		o := explorer.Run(ctx, e, explorer.Options{Open: a.open})
		if err := ctx.Err(); err != nil {
			return err
		}
		all[i].explorer = &o
		b.finished(e.Name, describe(o.Result))
	}
	return nil
}

// describe says in a few words what was found.
func describe(r tla.Result) string {
	if r.Verdict == tla.Failed {
		return "no verdict"
	}
	return fmt.Sprintf("%s, %d distinct, %.1fs", verdictOf(r), r.Distinct, r.Seconds)
}

// verdictOf names the verdict, and the property if one is violated.
func verdictOf(r tla.Result) string {
	if r.Verdict == tla.Violates {
		return string(r.Verdict) + " " + r.Property
	}
	return string(r.Verdict)
}

// missing is how many of the states that only one side has are shown.
const missing = 3

// compare returns everything in which c is not as it must be.
func compare(c comparison) []string {
	var d []string
	if o := c.tlc; o != nil {
		switch {
		case o.Err != nil:
			d = append(d, "TLC: "+o.Err.Error())
		case o.Report.Verdict == tla.Failed:
			d = append(d, o.Report.Message)
		default:
			for _, x := range c.entry.Compare(o.Report.Result) {
				d = append(d, "TLC: "+x)
			}
		}
	}
	if c.explorer == nil {
		return d
	}
	for _, x := range c.explorer.Differences() {
		d = append(d, "explorer: "+x)
	}
	if c.tlc == nil || c.tlc.States == nil || c.explorer.States == nil {
		return d
	}
	for _, s := range c.tlc.States.Missing(c.explorer.States, missing) {
		d = append(d, "only TLC has the state  "+s)
	}
	for _, s := range c.explorer.States.Missing(c.tlc.States, missing) {
		d = append(d, "only the explorer has the state  "+s)
	}
	return d
}
