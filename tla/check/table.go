package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"text/tabwriter"

	"github.com/seed-fdf591db/bully/tla"
)

// conclude prints what was found, and returns an error if anything is not as it must be.
func (a *app) conclude(all []comparison, took times) error {
	bad := 0
	for _, c := range all {
		if len(c.differences) > 0 {
			bad++
		}
	}
	missing := a.unchecked(all)
	if a.json {
		if err := a.printJSON(all, missing, took); err != nil {
			return err
		}
	} else {
		a.printTable(all)
		if a.verbose {
			a.printRuns(all)
		}
		a.printDifferences(all)
		a.printSummary(all, took)
	}
	if a.skipped != nil {
		a.sayWithoutTLC(all)
	}
	var errs []error
	if bad > 0 {
		errs = append(errs, fmt.Errorf("%d of %d configurations are not as %s says", bad, len(all), tla.ListFile))
	}
	for _, m := range missing {
		errs = append(errs, errors.New(m))
	}
	return errors.Join(errs...)
}

// printTable prints what TLC and the explorer found, side by side.
func (a *app) printTable(all []comparison) {
	legend := "A = A: both found it. A / –: only TLC can tell, or stops earlier than the explorer.\n" +
		"– / A: TLC leaves it to make check-deep, or cannot do it."
	if a.skipped != nil {
		legend = "– / A: the explorer found it, and TLC did not run. –: only TLC can tell."
	}
	w := tabwriter.NewWriter(a.out, 0, 0, 2, ' ', 0)
	_, _ = fmt.Fprintln(w, "\nTLC = explorer\tverdict\tdistinct\tgenerated\tdepth\tstates\t")
	for _, c := range all {
		if c.tlc == nil && c.explorer == nil {
			continue
		}
		mark := ""
		if len(c.differences) > 0 {
			mark = "  <-- differs"
		}
		_, _ = fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s\t%s\t%s\n", c.entry.Name,
			c.verdict(),
			c.cell(func(r tla.Result) string { return strconv.Itoa(r.Distinct) }, c.comparable()),
			c.cell(func(r tla.Result) string { return strconv.Itoa(r.Generated) }, c.comparable()),
			c.cell(func(r tla.Result) string { return strconv.Itoa(r.Depth) },
				c.entry.Explorer == tla.Full || c.entry.Verdict == tla.Holds),
			c.states(), mark)
	}
	_ = w.Flush()
	_, _ = fmt.Fprintln(a.out, "\n"+legend)
}

// comparable reports whether the two must agree on the counts of c; see Entry.CompareExplorer.
func (c comparison) comparable() bool {
	return c.entry.Verdict == tla.Holds || c.entry.Explorer == tla.Counts
}

// verdict returns what each of the two makes of c, and words that are the same only once.
func (c comparison) verdict() string {
	cell := c.cell(verdictOf, c.entry.Explorer == tla.Full)
	if _, both, same := strings.Cut(cell, " = "); same {
		return "both: " + both
	}
	return cell
}

// cell returns what each of the two found.
func (c comparison) cell(of func(tla.Result) string, comparable bool) string {
	left, right := "–", "–"
	if c.tlc != nil && c.tlc.Report.Verdict != tla.Failed {
		left = of(c.tlc.Report.Result)
	}
	if c.explorer != nil && c.explorer.Err == nil && comparable {
		right = of(c.explorer.Result)
	}
	switch {
	case left == "–" && right == "–":
		return "–"
	case left == right:
		return left + " = " + right
	case left == "–" || right == "–":
		return left + " / " + right
	}
	return left + " ≠ " + right
}

// states says whether the sets of states were compared.
func (c comparison) states() string {
	switch {
	case c.entry.States == "" || c.tlc == nil || c.explorer == nil:
		return ""
	case c.tlc.Report.States == c.explorer.Result.States && c.explorer.Result.States != "":
		return "same"
	}
	return "differ"
}

// printRuns prints the counterexamples.
func (a *app) printRuns(all []comparison) {
	for _, c := range all {
		if c.tlc != nil && len(c.tlc.Report.Run) > 0 {
			r := c.tlc.Report
			_, _ = fmt.Fprintf(a.out, "\n%s: %s\nTLC: %s\n%s\n", c.entry.Name, c.entry.Question,
				verdictOf(r.Result), strings.Join(r.Run, "\n"))
			if r.Loop != "" {
				_, _ = fmt.Fprintln(a.out, "and then:", r.Loop)
			}
		}
		if c.explorer != nil && c.explorer.Violation != nil {
			_, _ = fmt.Fprintf(a.out, "\n%s\nexplorer: %s", c.entry.Name, c.explorer.Violation)
		}
	}
}

// printDifferences prints everything that is not as it must be.
func (a *app) printDifferences(all []comparison) {
	for _, c := range all {
		if len(c.differences) == 0 {
			continue
		}
		_, _ = fmt.Fprintf(a.out, "\n%s: %s\n", c.entry.Name, c.entry.Question)
		for _, d := range c.differences {
			_, _ = fmt.Fprintln(a.out, "  "+strings.ReplaceAll(d, "\n", "\n    "))
		}
		_, _ = fmt.Fprintf(a.out, "  To see it: go run ./tla/check -v -run '^%s$'\n", c.entry.Name)
	}
}

// found is one configuration in the JSON output.
type found struct {
	Name        string      `json:"name"`
	Expected    tla.Result  `json:"expected"`
	TLC         *tla.Result `json:"tlc,omitempty"`
	Explorer    *tla.Result `json:"explorer,omitempty"`
	Differences []string    `json:"differences,omitempty"`
}

// printJSON prints everything that was found.
func (a *app) printJSON(all []comparison, missing []string, took times) error {
	report := struct {
		OK              bool     `json:"ok"`
		TLCSkipped      string   `json:"tlc_skipped,omitempty"`
		TLCSeconds      float64  `json:"tlc_seconds"`
		ExplorerSeconds float64  `json:"explorer_seconds"`
		Unchecked       []string `json:"unchecked,omitempty"`
		Configurations  []found  `json:"configurations"`
	}{OK: len(missing) == 0, TLCSeconds: took.tlc.Seconds(), ExplorerSeconds: took.explorer.Seconds(), Unchecked: missing}
	if a.skipped != nil {
		report.TLCSkipped = a.skipped.Error()
	}
	for _, c := range all {
		f := found{Name: c.entry.Name, Expected: c.entry.Result, Differences: c.differences}
		if c.tlc != nil {
			f.TLC = &c.tlc.Report.Result
		}
		if c.explorer != nil {
			f.Explorer = &c.explorer.Result
		}
		report.OK = report.OK && len(c.differences) == 0
		report.Configurations = append(report.Configurations, f)
	}
	return a.printAsJSON(report)
}

// printAsJSON prints what -json is to print.
func (a *app) printAsJSON(report any) error {
	encoder := json.NewEncoder(a.out)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", "  ")
	return encoder.Encode(report)
}
