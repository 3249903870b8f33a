package main

import (
	"encoding/json"
	"fmt"
	"strings"
	"text/tabwriter"
	"time"
)

// none stands where nothing is known.
const none = "–"

// report prints the table: mutant, killed by, smallest run.
func (a *app) report(results []*result) error {
	if a.json {
		return a.reportJSON(results)
	}
	w := tabwriter.NewWriter(a.out, 0, 0, 2, ' ', 0)
	_, _ = fmt.Fprintln(w, "mutant\tkilled by\tsmallest run")
	for _, r := range results {
		_, _ = fmt.Fprintf(w, "%s\t%s\t%s\n", r.Name, r.verdict(), orNone(r.Smallest))
	}
	if err := w.Flush(); err != nil {
		return err
	}
	_, err := fmt.Fprintf(a.out, "%d mutants, %s (%.0f s)\n", len(results), counts(results), time.Since(a.begin).Seconds())
	return err
}

func (a *app) reportJSON(results []*result) error {
	e := json.NewEncoder(a.out)
	e.SetIndent("", "  ")
	return e.Encode(results)
}

// verdict returns what killed a mutant, or why nothing did.
func (r *result) verdict() string {
	switch r.Status {
	case killed:
		return r.By
	case hung:
		return r.By + " (time limit)"
	}
	return strings.ToUpper(string(r.Status))
}

func orNone(text string) string {
	if text == "" {
		return none
	}
	return text
}

// counts returns how many there are of each status.
func counts(results []*result) string {
	var words []string
	for _, s := range []status{killed, hung, survived, unbuilt, failed} {
		n := 0
		for _, r := range results {
			if r.Status == s {
				n++
			}
		}
		if n > 0 {
			words = append(words, fmt.Sprintf("%d %s", n, s))
		}
	}
	return strings.Join(words, ", ")
}

func (r *result) isKilled() bool { return r.Status == killed || r.Status == hung }

// verdict returns an error that names every mutant that was not killed.
func verdict(results []*result) error {
	var problems []string
	for _, r := range results {
		switch {
		case r.isKilled():
		case r.made:
			problems = append(problems, fmt.Sprintf("%s (%s), in %s:\n\t-%s\n\t+%s", r.Name, r.Status, r.Breaks, r.Hunks[0].Old, r.Hunks[0].New))
		default:
			problems = append(problems, fmt.Sprintf("%s (%s): %s", r.Name, r.Status, r.Breaks))
		}
	}
	if len(problems) == 0 {
		return nil
	}
	return fmt.Errorf("%d of %d mutants were not killed: the tests have a hole, or the table a mistake\n%s",
		len(problems), len(results), strings.Join(problems, "\n"))
}
