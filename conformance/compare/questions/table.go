package questions

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"text/tabwriter"
)

// Table returns the answer as tables, one for each measure: a line for each algorithm, a column for each setting. Where runs
// differ, the median comes with the 99th percentile behind it.
func (a *Answer) Table(q *Question) string {
	var b strings.Builder
	for m := range q.Measures {
		if m > 0 {
			b.WriteByte('\n')
		}
		b.WriteString(q.Measures[m].heading(q.Single))
		if q.X != "" {
			fmt.Fprintf(&b, ", by %s", q.X)
		}
		b.WriteByte('\n')
		w := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
		for _, line := range a.lines(q, m) {
			_, _ = fmt.Fprintln(w, "  "+strings.Join(line, "\t"))
		}
		_ = w.Flush()
	}
	return b.String()
}

// lines returns the table of one measure, its head first.
func (a *Answer) lines(q *Question, measure int) [][]string {
	head := []string{"algorithm"}
	for k := range q.Settings {
		head = append(head, q.Settings[k].Name)
	}
	lines := [][]string{head}
	for i := range a.Rows {
		row := &a.Rows[i]
		if last := len(lines) - 1; last == 0 || lines[last][0] != row.Algorithm {
			lines = append(lines, []string{row.Algorithm})
		}
		last := &lines[len(lines)-1]
		*last = append(*last, row.cell(q, measure))
	}
	return lines
}

// heading says what a table shows.
func (m *Measure) heading(single bool) string {
	switch {
	case single:
		return m.name()
	case m.Stat == Median:
		return m.name() + ": median (99th percentile)"
	}
	return m.name() + ": " + string(m.Stat)
}

// cell is what a table shows of a row.
func (r *Row) cell(q *Question, measure int) string {
	if r.Runs == 0 {
		return "-"
	}
	m, v := &q.Measures[measure], r.Values[measure]
	text := Number(v.Of(m.Stat))
	if !q.Single && m.Stat == Median {
		text += " (" + Number(v.P99) + ")"
	}
	return text
}

// Number writes a measure as a person reads it.
func Number(v float64) string {
	switch {
	case math.IsInf(v, 0):
		return "never"
	case math.IsNaN(v):
		return "–"
	case v == math.Trunc(v), v >= 100:
		return strconv.FormatFloat(math.Round(v), 'f', 0, 64)
	case v < 1:
		return strconv.FormatFloat(v, 'f', 2, 64)
	}
	return strconv.FormatFloat(v, 'f', 1, 64)
}
