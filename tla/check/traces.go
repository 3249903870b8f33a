package main

import (
	"context"
	"fmt"
	"os"
	"path"
	"strconv"
	"text/tabwriter"
	"time"

	"github.com/seed-fdf591db/bully/tla/check/tlc"
	"github.com/seed-fdf591db/bully/tla/check/traces"
)

// slowJob is how long TLC may take over a batch of traces without a line of its own.
const slowJob = 10 * time.Second

// checkTraces has TLC replay recorded traces, and compares what it says with what must become of them.
func (a *app) checkTraces(ctx context.Context) error {
	files, err := traces.Find(a.files...)
	if err != nil {
		return err
	}
	r, clean, err := a.runner(ctx)
	if err != nil {
		return err
	}
	defer clean()
	begin := time.Now()
	var shown *board
	checker := traces.Checker{Runner: r, Modules: os.DirFS(a.dir), Chunk: a.chunk, Watch: func(runs int) tlc.Hooks {
		shown = a.newBoard("TLC", slowJob, plan{tasks: runs})
		return tlc.Hooks{
			Started:  func(j tlc.Job) { shown.started(path.Dir(j.Name)) },
			Finished: func(o tlc.Outcome) { shown.finished(path.Dir(o.Job.Name), fmt.Sprintf("%.1fs", o.Report.Seconds)) },
		}
	}}
	report, err := checker.Check(ctx, files)
	if shown != nil {
		shown.close()
	}
	if err != nil {
		return err
	}
	found := tally(report, time.Since(begin))
	if a.json {
		err = a.printTracesJSON(report, found)
	} else {
		a.printTraces(report, found)
	}
	if err == nil && found.Bad > 0 {
		err = fmt.Errorf("not as it must be: %d of %s", found.Bad, count(found.Traces, "trace"))
	}
	return err
}

// tracesFound counts what became of traces.
type tracesFound struct {
	OK        bool    `json:"ok"`
	Traces    int     `json:"traces"`
	Accepted  int     `json:"accepted"`
	Refused   int     `json:"refused"`   // by TLC
	Malformed int     `json:"malformed"` // refused by the reader
	Bad       int     `json:"bad"`       // not as they must be
	Events    int     `json:"events"`    // that TLC was given
	Seconds   float64 `json:"seconds"`   // all together, without getting TLC ready
	Rate      float64 `json:"events_per_second"`
}

func tally(report *traces.Report, took time.Duration) tracesFound {
	n := tracesFound{Traces: len(report.Verdicts), Seconds: took.Seconds()}
	for i := range report.Verdicts {
		v := &report.Verdicts[i]
		switch {
		case v.Refused == nil:
			n.Accepted++
		case v.Refused.Part == traces.FormPart:
			n.Malformed++
		default:
			n.Refused++
		}
		if !v.OK() {
			n.Bad++
		}
	}
	for _, g := range report.Groups {
		n.Events += g.Events
	}
	n.OK, n.Rate = n.Bad == 0, float64(n.Events)/n.Seconds
	return n
}

// printTraces prints a table of what TLC did, then every trace that is not as it must be, or with -v all that are refused.
func (a *app) printTraces(report *traces.Report, n tracesFound) {
	w := tabwriter.NewWriter(a.out, 0, 0, 2, ' ', tabwriter.AlignRight)
	_, _ = fmt.Fprintln(w, "\nmembers\ttraces\tevents\tchunks\taccepted\trefused\tseconds\tevents/s\t")
	for _, g := range report.Groups {
		members := strconv.Itoa(g.Members)
		if g.Changing {
			members = "changing, of " + members
		}
		_, _ = fmt.Fprintf(w, "%s\t%d\t%d\t%d\t%d\t%d\t%.1f\t%.0f\t\n", members, g.Traces, g.Events, g.Chunks,
			g.Traces-g.Refused, g.Refused, g.Seconds, float64(g.Events)/g.Seconds)
	}
	_ = w.Flush()
	for i := range report.Verdicts {
		if v := &report.Verdicts[i]; !v.OK() || a.verbose && v.Refused != nil {
			_, _ = fmt.Fprintf(a.out, "\n%s\n", v)
		}
	}
	text := fmt.Sprintf("%s: %d accepted, %d refused", count(n.Traces, "trace"), n.Accepted, n.Refused)
	if n.Malformed > 0 {
		text += fmt.Sprintf(", %d refused by the reader as malformed", n.Malformed)
	}
	_, _ = fmt.Fprintf(a.out, "\n%s. As it must be: %d.\n%s on %s in %.1fs: %.0f events/s.\n",
		text, n.Traces-n.Bad, count(n.Events, "event"), count(a.lanes, "JVM"), n.Seconds, n.Rate)
}

// count says how many there are of something.
func count(n int, thing string) string {
	if n != 1 {
		thing += "s"
	}
	return fmt.Sprintf("%d %s", n, thing)
}

// printTracesJSON prints everything that was found.
func (a *app) printTracesJSON(report *traces.Report, n tracesFound) error {
	return a.printAsJSON(struct {
		tracesFound
		Groups   []traces.Group   `json:"groups"`
		Verdicts []traces.Verdict `json:"verdicts"`
	}{n, report.Groups, report.Verdicts})
}
