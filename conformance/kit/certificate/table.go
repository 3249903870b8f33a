package certificate

import (
	_ "embed" // for the page
	"errors"
	"fmt"
	"html/template"
	"io"
	"slices"
	"strings"

	"github.com/seed-fdf591db/bully/conformance/kit"
	"github.com/seed-fdf591db/bully/conformance/port"
)

// Table is certificates beside each other, a column each: of several ports, or of the releases of one.
type Table struct {
	Title   string
	Columns []string // what they are called
	Parts   []Part   // what there is to say at all; of each suite; and of each rule
	corner  string   // above the names of the lines
}

// Part is some lines of a table, one below the other.
type Part struct {
	Name  string
	Lines []Line
}

// Line is a suite or a rule, and what each column has passed of it.
type Line struct {
	Name, Says string
	Cells      []Cell
}

// Cell is what one column says: Class is good, bad, or none if it was not asked; and "" where nothing is to be passed.
type Cell struct {
	Text, Class string
	News        string // since the column before: better, worse or ""
	First       string // what failed first, and the rule that it names, where that is known
}

// column is a certificate in a table.
type column struct {
	*Certificate
	name  string
	first map[string]string // of suites that have failed
}

// PortsOf puts what ports have passed beside each other.
func PortsOf(reports []*kit.Report, k Kit) *Table {
	var columns []column
	for _, r := range reports {
		c := column{Of(r, k), r.Port.Name + " " + r.Port.Version, map[string]string{}}
		for i := range r.Verdicts {
			v := &r.Verdicts[i]
			if _, has := c.first[v.Suite]; !has && v.Failed() {
				c.first[v.Suite] = strings.TrimSpace(v.Case + " " + v.Rule)
			}
		}
		columns = append(columns, c)
	}
	return tableOf("Ports of the protocol", "port", columns)
}

// ReleasesOf puts certificates of one port into the order of its releases: by version, number by number; and of one version, which may have
// been certified by several kits, in the order given. It says what has become better or worse. The error is that there are none, or of which
// ports they are.
func ReleasesOf(certificates []*Certificate) (*Table, error) {
	if len(certificates) == 0 {
		return nil, errors.New("there are no certificates")
	}
	name := certificates[0].Port.Name
	var columns []column
	for _, c := range certificates {
		if c.Port.Name != name {
			return nil, fmt.Errorf("these are of several ports, %s and %s: give those of one; bullytest matrix shows several beside each other", name, c.Port.Name)
		}
		columns = append(columns, column{c, c.Port.Version, nil})
	}
	slices.SortStableFunc(columns, func(a, b column) int { return compareVersions(a.Port.Version, b.Port.Version) })
	t := tableOf(name+": releases", name, columns)
	for _, part := range t.Parts {
		for _, l := range part.Lines {
			for k := range l.Cells[1:] {
				l.Cells[k+1].since(&l.Cells[k])
			}
		}
	}
	return t, nil
}

// since says whether a cell is better or worse than the one before.
func (c *Cell) since(before *Cell) {
	switch {
	case before.Class == "good" && c.Class == "bad":
		c.News = "worse"
	case before.Class == "bad" && c.Class == "good":
		c.News = "better"
	}
}

// members says for which members a port was certified.
func (c *Certificate) members() string {
	if slices.Contains(c.Features, port.FeatureMembers) {
		return "changing"
	}
	return "fixed"
}

// tableOf puts certificates beside each other. Suites and rules are in the order of the last one that has them.
func tableOf(title, corner string, columns []column) *Table {
	t := &Table{Title: title, corner: corner, Parts: []Part{{Name: ""}, {Name: "suites"}, {Name: "rules"}}}
	var suites, rules []string
	for _, c := range slices.Backward(columns) {
		for _, s := range c.Suites {
			if !slices.Contains(suites, s.Suite) {
				suites = append(suites, s.Suite)
			}
		}
		for _, r := range c.Rules {
			if r.Cases > 0 && !slices.Contains(rules, r.Rule) {
				rules = append(rules, r.Rule)
			}
		}
	}
	add := func(part int, name string, cell func(c *column) Cell) {
		l := Line{Name: name, Says: kit.RuleText(name)}
		for i := range columns {
			l.Cells = append(l.Cells, cell(&columns[i]))
		}
		t.Parts[part].Lines = append(t.Parts[part].Lines, l)
	}
	for _, c := range columns {
		t.Columns = append(t.Columns, c.name)
	}
	add(0, "language", func(c *column) Cell { return Cell{Text: c.Port.Language} })
	add(0, "level", func(c *column) Cell { return Cell{Text: c.Level} })
	add(0, "members", func(c *column) Cell { return Cell{Text: c.members()} })
	add(0, "specification", func(c *column) Cell { return Cell{Text: c.Spec} })
	add(0, "kit", func(c *column) Cell { return Cell{Text: c.Kit} })
	add(0, "digest", func(c *column) Cell { return Cell{Text: c.Vectors[:min(8, len(c.Vectors))]} })
	for _, name := range suites {
		add(1, name, func(c *column) Cell { return c.suite(name) })
	}
	for _, name := range rules {
		add(2, name, func(c *column) Cell { return c.rule(name) })
	}
	return t
}

// notAsked is a cell of what a port was not asked.
var notAsked = Cell{Text: "–", Class: "none"}

// judged is a cell of what was asked.
func judged(text string, bad bool) Cell {
	if bad {
		return Cell{Text: text, Class: "bad"}
	}
	return Cell{Text: text, Class: "good"}
}

// suite says what was passed of a suite.
func (c *column) suite(name string) Cell {
	k := slices.IndexFunc(c.Suites, func(s Suite) bool { return s.Suite == name })
	if k < 0 {
		return notAsked
	}
	s := &c.Suites[k]
	cell := judged(fmt.Sprintf("%d/%d", s.Passed, s.Cases), s.Passed+s.Unsupported < s.Cases)
	cell.First = c.first[name]
	return cell
}

// rule says what was passed of a rule. It is bad if a case says that it is broken.
func (c *column) rule(name string) Cell {
	k := slices.IndexFunc(c.Rules, func(r Rule) bool { return r.Rule == name })
	if k < 0 || c.Rules[k].Cases == 0 {
		return notAsked
	}
	r := &c.Rules[k]
	text := fmt.Sprintf("%d/%d", r.Passed, r.Cases)
	if r.Failed > 0 {
		text += fmt.Sprintf(" (%d fail)", r.Failed)
	}
	return judged(text, r.Failed > 0)
}

// String returns the table for a terminal, its cells in columns.
func (t *Table) String() string {
	rows := [][]string{append([]string{t.corner}, t.Columns...)}
	for _, part := range t.Parts {
		for _, l := range part.Lines {
			row := []string{l.Name}
			for _, c := range l.Cells {
				row = append(row, strings.TrimSpace(c.Text+" "+c.News))
			}
			rows = append(rows, row)
		}
	}
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

//go:embed table.html
var pageText string

var page = template.Must(template.New("table").Parse(pageText))

// HTML writes the table as a page.
func (t *Table) HTML(w io.Writer) error {
	if err := page.Execute(w, t); err != nil {
		return fmt.Errorf("certificate: %w", err)
	}
	return nil
}
