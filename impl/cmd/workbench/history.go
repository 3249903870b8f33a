package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"text/tabwriter"

	checking "github.com/seed-fdf591db/bully/conformance/check"
	"github.com/seed-fdf591db/bully/impl/internal/cli"
)

const historyHelp = `
Checks histories: what clients did, between which moments, and what came of it. Each is checked in three ways:

  registers     an epoch has one leader, and nobody is told of another, or of one that does not lead yet
  NoStaleWrite  no resource admits an epoch below one that it had admitted before
  fence         each fenced resource is a linearizable register: a write of an epoch below the highest admitted is
                fenced, and a read returns what was admitted last; what was not answered may have been done, or not

A history is NDJSON, a header and then operations, one a line; "go doc conformance/check.WriteHistory" shows it.

It exits with 0 if all histories are linearizable; with 1 if one is refused, has no operations, or cannot be read; with 2
if it was called wrongly; with 3 if none is refused, but the time was up before all was known.

`

// exitInconclusive is the exit status of workbench history if the time was up before there was a verdict.
const exitInconclusive = 3

// histories checks histories.
func histories(_ context.Context, p program, args []string) error {
	var page string
	var o checking.HistoryOptions
	flags := p.Flags("history")
	flags.StringVar(&page, "html", "", "draw the history on a page for browsers, to this `file`")
	flags.DurationVar(&o.Timeout, "timeout", checking.DefaultHistoryTimeout, "give each check up to this `time`")
	var names []string
	for {
		if err := p.ParseSome(flags, args, cli.Manual{Arguments: " file…", Text: historyHelp}); err != nil {
			return err
		}
		if flags.NArg() == 0 {
			break
		}
		names, args = append(names, flags.Arg(0)), flags.Args()[1:]
	}
	switch {
	case len(names) == 0:
		return cli.Usage("no file is given: workbench history [flags] file…")
	case page != "" && len(names) > 1:
		return cli.Usage(fmt.Sprintf("-html draws one history, and %d files are given", len(names)))
	case o.Timeout <= 0:
		return cli.Usage("-timeout must be above 0")
	}
	return p.checkHistories(names, page, o)
}

// checkHistories checks all files, prints what was found, and draws the page if there is to be one.
func (p program) checkHistories(names []string, page string, o checking.HistoryOptions) error {
	var wrong []error
	inconclusive := 0
	w := tabwriter.NewWriter(p.Out, 0, 0, 2, ' ', 0)
	_, _ = fmt.Fprintln(w, "history\tcheck\toperations\tparts\tverdict\tseconds")
	for _, name := range names {
		report, err := p.checkHistory(name, page, o)
		for _, f := range report.Findings {
			_, _ = fmt.Fprintf(w, "%s\t%s\t%d\t%d\t%s\t%.3f\n", name, f.Check, f.Operations, f.Parts, f.Verdict, f.Took.Seconds())
		}
		if err == nil {
			if err = report.Err(); err != nil && report.Verdict() == checking.Inconclusive {
				inconclusive++
			}
		}
		if err != nil {
			wrong = append(wrong, fmt.Errorf("%s: %w", name, err))
		}
	}
	_ = w.Flush()
	err := errors.Join(wrong...)
	if inconclusive > 0 && inconclusive == len(wrong) {
		_, _ = fmt.Fprintf(p.Log, "workbench history: %v\n", err)
		return cli.ExitError{Status: exitInconclusive}
	}
	return err
}

// checkHistory checks one file.
func (p program) checkHistory(name, page string, o checking.HistoryOptions) (checking.HistoryReport, error) {
	file, err := os.Open(name)
	if err != nil {
		return checking.HistoryReport{}, err
	}
	h, ops, err := checking.ReadHistory(file)
	if err = errors.Join(err, file.Close()); err != nil {
		return checking.HistoryReport{}, err
	}
	report, err := checking.History(h, ops, o)
	if err != nil || page == "" {
		return report, err
	}
	return report, writePage(page, func(w io.Writer) error { return checking.Visualise(w, h, ops, o) })
}

// writePage writes a file. What it has begun it takes away if something goes wrong.
func writePage(name string, write func(io.Writer) error) error {
	file, err := os.Create(name)
	if err != nil {
		return err
	}
	if err := errors.Join(write(file), file.Close()); err != nil {
		return errors.Join(err, os.Remove(name))
	}
	return nil
}
