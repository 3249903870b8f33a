package certificate

import (
	"fmt"
	"html"
	"slices"
	"strings"

	"github.com/seed-fdf591db/bully/conformance/kit"
	"github.com/seed-fdf591db/bully/conformance/port"
)

// Row is a port in a matrix.
type Row struct {
	Certificate *Certificate
	Source      string            // where the report is, for people
	Failed      map[string]string // of suites that have failed: the first case, and its rule
}

// Matrix is ports beside each other: what each has passed of each suite.
type Matrix struct {
	Suites []string
	Rows   []Row
}

// MatrixOf makes a matrix of reports.
func MatrixOf(reports []*kit.Report, sources []string, k Kit) *Matrix {
	m := &Matrix{}
	for i, r := range reports {
		row := Row{Certificate: Of(r, k), Source: sources[i], Failed: map[string]string{}}
		for j := range r.Verdicts {
			v := &r.Verdicts[j]
			if _, has := row.Failed[v.Suite]; !has && v.Failed() {
				row.Failed[v.Suite] = strings.TrimSpace(v.Case + " " + v.Rule)
			}
		}
		for _, s := range row.Certificate.Suites {
			if !slices.Contains(m.Suites, s.Suite) {
				m.Suites = append(m.Suites, s.Suite)
			}
		}
		m.Rows = append(m.Rows, row)
	}
	return m
}

// cell says what a port has passed of a suite.
func (r *Row) cell(suite string) (text string, good bool) {
	i := slices.IndexFunc(r.Certificate.Suites, func(s Suite) bool { return s.Suite == suite })
	if i < 0 {
		return "–", true
	}
	s := &r.Certificate.Suites[i]
	text = fmt.Sprintf("%d/%d", s.Passed, s.Cases)
	return text, s.Passed+s.Unsupported == s.Cases
}

// members says for which members a port was certified.
func (c *Certificate) members() string {
	if slices.Contains(c.Features, port.FeatureMembers) {
		return "changing"
	}
	return "fixed"
}

// Text returns the matrix as a table for a terminal.
func (m *Matrix) Text() string {
	rows := [][]string{append([]string{"port", "language", "level", "members"}, m.Suites...)}
	for i := range m.Rows {
		c := m.Rows[i].Certificate
		line := []string{c.Port.Name + " " + c.Port.Version, c.Port.Language, c.Level, c.members()}
		for _, s := range m.Suites {
			text, _ := m.Rows[i].cell(s)
			line = append(line, text)
		}
		rows = append(rows, line)
	}
	return columns(rows)
}

// columns writes rows below each other, their cells in columns.
func columns(rows [][]string) string {
	widths := make([]int, len(rows[0]))
	for _, row := range rows {
		for k, cell := range row {
			widths[k] = max(widths[k], len([]rune(cell)))
		}
	}
	var b strings.Builder
	for _, row := range rows {
		line := ""
		for k, cell := range row {
			line += cell + strings.Repeat(" ", widths[k]-len([]rune(cell))+2)
		}
		b.WriteString(strings.TrimRight(line, " ") + "\n")
	}
	return b.String()
}

// HTML returns the matrix as a page.
func (m *Matrix) HTML() string {
	var b strings.Builder
	b.WriteString("<!doctype html>\n<html lang=\"en\"><meta charset=\"utf-8\"><title>Ports of the protocol</title>\n" +
		"<style>body{font:15px system-ui,sans-serif;margin:2em}td,th{padding:.4em .8em;border-bottom:1px solid #ccc;text-align:left}" +
		".good{color:#176b2c}.bad{color:#a11;font-weight:600}</style>\n<h1>Ports of the protocol</h1>\n<table><tr><th>port<th>language<th>level<th>members")
	for _, s := range m.Suites {
		b.WriteString("<th>" + html.EscapeString(s))
	}
	b.WriteString("\n")
	for i := range m.Rows {
		r := &m.Rows[i]
		c := r.Certificate
		fmt.Fprintf(&b, "<tr><td title=%q>%s<td>%s<td>%s<td>%s", html.EscapeString(r.Source),
			html.EscapeString(c.Port.Name+" "+c.Port.Version), html.EscapeString(c.Port.Language), html.EscapeString(c.Level), c.members())
		for _, s := range m.Suites {
			text, good := r.cell(s)
			class := "good"
			if !good {
				class = "bad"
			}
			fmt.Fprintf(&b, `<td class=%q title=%q>%s`, class, html.EscapeString(r.Failed[s]), text)
		}
		b.WriteString("\n")
	}
	b.WriteString("</table>\n<p>Cases passed, of how many. Members are fixed, or changing too: of a port for fixed members nothing of R42 to R49 is asked. Point at a cell to see what has failed first.\n</html>\n")
	return b.String()
}
