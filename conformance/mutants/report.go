package main

import (
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
		return r.By + timeLimit
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

// The table of mutants stands between these two lines of TABLE.md.
const (
	tableBegin = "<!-- mutants:begin -->\n"
	tableEnd   = "<!-- mutants:end -->\n"
)

const tableHead = "| mutant | breaks | killed by | smallest run |\n|---|---|---|---|\n"

// row is a row of that table, in the words that stand there: a mutant that was killed.
type row struct{ name, breaks, by, smallest string }

// rowOf returns the row of a mutant that was killed. It says nothing that differs from run to run.
func rowOf(r *result) row {
	return row{r.Name, cell(r.Breaks), "`" + cell(r.verdict()) + "`", cell(shortened(r.Smallest))}
}

func (r row) String() string {
	return fmt.Sprintf("| `%s` | %s | %s | %s |\n", r.name, r.breaks, r.by, r.smallest)
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

// updateTable brings the table of mutants up to date: a row for each mutant that was killed now, the old row of each that was not
// tried, and none of what is no mutant any more.
func updateTable(file string, all []*mutant, results []*result) error {
	before, old, after, err := readTableOf(file)
	if err != nil {
		return err
	}
	rows := merged(all, old, results)
	return os.WriteFile(file, []byte(before+tableBegin+markdown(rows)+tableEnd+after), 0o644)
}

// merged returns the rows of a table, in the order of the mutants.
func merged(all []*mutant, old map[string]row, results []*result) (rows []row) {
	tried := map[string]*result{}
	for _, r := range results {
		tried[r.Name] = r
	}
	for _, m := range all {
		r, now := tried[m.Name]
		before, listed := old[m.Name]
		switch {
		case now && r.isKilled():
			rows = append(rows, rowOf(r))
		case !now && listed:
			before.breaks = cell(m.Breaks)
			rows = append(rows, before)
		}
	}
	return rows
}

// markdown returns the table as it is in TABLE.md.
func markdown(rows []row) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%d mutants, all killed.\n\n%s", len(rows), tableHead)
	for _, r := range rows {
		b.WriteString(r.String())
	}
	return b.String()
}

// readRows returns the rows of the table of mutants, by the names of the mutants.
func readRows(file string) (map[string]row, error) {
	_, rows, _, err := readTableOf(file)
	return rows, err
}

// readTableOf returns the rows of the table of mutants, and what stands before and after its table.
func readTableOf(file string) (before string, rows map[string]row, after string, err error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return "", nil, "", err
	}
	before, rest, begins := strings.Cut(string(text), tableBegin)
	table, after, ends := strings.Cut(rest, tableEnd)
	if !begins || !ends {
		return "", nil, "", fmt.Errorf("%s has no place for the table: add the lines %q and %q", file, strings.TrimSpace(tableBegin), strings.TrimSpace(tableEnd))
	}
	rows = map[string]row{}
	_, lines, _ := strings.Cut(table, tableHead)
	for line := range strings.Lines(lines) {
		cells := strings.Split(strings.TrimSuffix(strings.TrimPrefix(line, "| "), " |\n"), " | ")
		if len(cells) != 4 {
			return "", nil, "", fmt.Errorf("%s: the table has a row of %d cells, not 4: %q", file, len(cells), line)
		}
		name := strings.Trim(cells[0], "`")
		rows[name] = row{name, cells[1], cells[2], cells[3]}
	}
	return before, rows, after, nil
}

// timeLimit is said behind the test that ran when the time limit was over.
const timeLimit = " (time limit)"

// killer returns the test that killed a mutant, or that ran when the time limit was over; no test where a row names none that can be run
// alone: a program that ended.
func (r row) killer() (w where) {
	dir, test, found := strings.Cut(strings.TrimSuffix(strings.Trim(r.by, "`"), timeLimit), " ")
	if !found || strings.ContainsAny(test, " (") {
		return where{}
	}
	test, _, _ = strings.Cut(test, "/") // the name of what is below it may differ from run to run
	return where{dir: "./" + dir, run: "^" + test + "$"}
}

// remember tells each mutant which test killed it last.
func remember(all []*mutant, rows map[string]row) {
	for _, m := range all {
		m.last = rows[m.Name].killer()
	}
}
