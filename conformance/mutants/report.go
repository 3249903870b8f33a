package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
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

// verdict returns an error that names every mutant that was not killed.
func verdict(results []*result) error {
	var problems []string
	for _, r := range results {
		if r.Status != killed && r.Status != hung {
			problems = append(problems, fmt.Sprintf("%s (%s): %s", r.Name, r.Status, r.Breaks))
		}
	}
	if len(problems) == 0 {
		return nil
	}
	return fmt.Errorf("%d of %d mutants were not killed: the tests have a hole, or the table a mistake\n%s",
		len(problems), len(results), strings.Join(problems, "\n"))
}

// The table in the README stands between these two lines.
const (
	tableBegin = "<!-- mutants:begin -->\n"
	tableEnd   = "<!-- mutants:end -->\n"
)

// updateReadme writes the table into the file, between the two lines that it has for it.
func updateReadme(file string, results []*result) error {
	text, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	before, rest, begins := bytes.Cut(text, []byte(tableBegin))
	_, after, ends := bytes.Cut(rest, []byte(tableEnd))
	if !begins || !ends {
		return fmt.Errorf("%s has no place for the table: add the lines %q and %q", file, strings.TrimSpace(tableBegin), strings.TrimSpace(tableEnd))
	}
	var b bytes.Buffer
	b.Write(before)
	b.WriteString(tableBegin)
	b.WriteString(markdown(results))
	b.WriteString(tableEnd)
	b.Write(after)
	return os.WriteFile(file, b.Bytes(), 0o644)
}

// markdown returns the table as it is in the README. It says nothing that differs from run to run.
func markdown(results []*result) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%d mutants, all killed.\n\n", len(results))
	b.WriteString("| mutant | breaks | killed by | smallest run |\n|---|---|---|---|\n")
	for _, r := range results {
		fmt.Fprintf(&b, "| `%s` | %s | `%s` | %s |\n", r.Name, cell(r.Breaks), cell(r.verdict()), cell(shortened(r.Smallest)))
	}
	return b.String()
}

// shortened returns a smallest run as far as it fits into a cell: "5 ops: members 1 2; …", or "18 ops" alone.
func shortened(run string) string {
	size, _, _ := strings.Cut(run, ":")
	switch {
	case run == "":
		return none
	case len(run) > 100:
		return size
	}
	return "`" + run + "`"
}

// cell returns text as it may stand in a cell.
func cell(text string) string { return strings.ReplaceAll(text, "|", `\|`) }
