package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"text/tabwriter"

	"github.com/seed-fdf591db/bully/conformance/history"
	"github.com/seed-fdf591db/bully/impl/internal/cli"
)

const historyHelp = `
Checks histories. A history says what clients did, between which moments, and what came of it. Three things are checked:

  registers     each epoch has one leader, and nobody is told of a leader who does not lead yet, or of another one
  NoStaleWrite  no resource admits an epoch that is lower than one it has admitted before
  fence         each resource is a linearizable register: a write of a lower epoch than the highest admitted is fenced,
                and a read returns what was admitted last. A write without an answer may have been done, or not

A history is a file of JSON lines: a header, then one operation a line. "go doc conformance/history.Write" has an
example. Most take less than a second; -timeout ends a check that takes long.

Exit status: 0 if all histories are linearizable; 1 if one is refused, is empty, or cannot be read; 2 if the command was
called wrongly; 3 if none is refused, but the time was up before everything was checked.

`

// exitInconclusive is the exit status of workbench history if the time was up before there was a verdict.
const exitInconclusive = 3

// histories checks histories.
func histories(_ context.Context, p program, args []string) error {
	var page string
	var o history.Options
	flags := p.Flags("history")
	flags.StringVar(&page, "html", "", "draw the history on a page for browsers, to this `file`: who led, who was told, and each resource, with the order that was found")
	flags.DurationVar(&o.Timeout, "timeout", history.DefaultTimeout, "give each check up to this `time`")
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
func (p program) checkHistories(names []string, page string, o history.Options) error {
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
			if err = report.Err(); err != nil && report.Verdict() == history.Inconclusive {
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
func (p program) checkHistory(name, page string, o history.Options) (history.Report, error) {
	file, err := os.Open(name)
	if err != nil {
		return history.Report{}, err
	}
	h, ops, err := history.Read(file)
	if err = errors.Join(err, file.Close()); err != nil {
		return history.Report{}, err
	}
	report, err := history.Check(h, ops, o)
	if err != nil || page == "" {
		return report, err
	}
	return report, writePage(page, func(w io.Writer) error { return history.Visualise(w, h, ops, o) })
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
