package chart

import (
	"errors"
	"fmt"
	"math"
	"strings"

	"github.com/seed-fdf591db/bully/conformance/contest/chart/svg"
)

// Bars is a chart of bars: for each category a panel, for each series a row with a bar and its number in each panel. A 0 is
// written like any other number.
type Bars struct {
	Title      string
	Note       string
	Value      Axis     // of the numbers; never logarithmic, since a bar begins at 0
	Categories []string // the panels: what is varied
	Rows       []Row
	// Limit is the most that is right, such as one leader: a line in each panel, and what is above it is drawn as wrong.
	// 0: there is none, unless LimitName is given.
	Limit     float64
	LimitName string // such as "at most one"
	// Apart gives each panel a scale of its own. Else bars can be compared across panels.
	Apart bool
}

// Row is the numbers of one thing, one for each category.
type Row struct {
	Name   string
	Values []float64 // may be Never or Unknown
	Notes  []string  // told to who points at the bar; nil, or one for each value
	Strong bool      // it is what the chart is about
}

// check says what is wrong with a chart.
func (b Bars) check(width int) error {
	if err := checkWidth(width); err != nil {
		return err
	}
	switch {
	case len(b.Categories) == 0:
		return errors.New("chart: no categories: give Bars.Categories at least one")
	case len(b.Rows) == 0:
		return errors.New("chart: no rows: give Bars.Rows at least one")
	case b.Value.Log:
		return errors.New("chart: Bars.Value.Log is set: a bar begins at 0, which a logarithmic axis has not; draw Lines")
	case !(b.Limit >= 0) || b.Limit > largest:
		return fmt.Errorf("chart: Bars.Limit is %v: it must be from 0 to %v", b.Limit, largest)
	}
	for _, r := range b.Rows {
		if len(r.Values) != len(b.Categories) {
			return fmt.Errorf("chart: row %q has %d values: it needs one for each of %d categories", r.Name, len(r.Values), len(b.Categories))
		}
		if r.Notes != nil && len(r.Notes) != len(r.Values) {
			return fmt.Errorf("chart: row %q has %d notes for %d values", r.Name, len(r.Notes), len(r.Values))
		}
		for i, v := range r.Values {
			if v < 0 || v > largest && v != Never {
				return fmt.Errorf("chart: row %q, %q: the value is %v: it must be from 0 to %v, Never or Unknown", r.Name, b.Categories[i], v, largest)
			}
		}
	}
	return nil
}

// limited says whether there is a limit.
func (b Bars) limited() bool { return b.Limit > 0 || b.LimitName != "" }

// grid is a chart of bars that is being drawn.
type grid struct {
	svg.Drawing
	Bars
	width   float64
	fonts   fonts
	names   float64    // how wide the names are
	lines   [][]string // of each name
	columns int        // how many panels stand side by side
	panel   float64    // how wide one is
	numbers float64    // how wide the widest number is
}

// SVG draws the chart, as wide as said and as high as it needs, in CSS pixels. 360 suits a phone, 760 a page.
func (b Bars) SVG(width int) ([]byte, error) {
	if err := b.check(width); err != nil {
		return nil, err
	}
	g := &grid{Bars: b, width: float64(width), fonts: newFonts(width)}
	y := header(&g.Drawing, width, b.Title, b.Note, g.fonts)
	y = paragraph(&g.Drawing, margin, y, g.width-2*margin, b.Value.caption(), g.fonts.tick) + 4
	g.layout()
	for first := 0; first < len(b.Categories); first += g.columns {
		y = g.drawPanels(first, min(first+g.columns, len(b.Categories)), y) + 10
	}
	if b.LimitName != "" {
		g.Add("line", "class", "wrong", "stroke-width", "1.5", "stroke-dasharray", "4 3", "x1", svg.N(margin+3), "x2", svg.N(margin+3), "y1", svg.N(y), "y2", svg.N(y+12))
		y = paragraph(&g.Drawing, margin+12, y, g.width-2*margin-12, b.LimitName, g.fonts.tick)
	}
	return g.Document(svg.Head{Title: b.Title, Description: b.describe(), Width: g.width, Height: math.Ceil(y + margin)}), nil
}

// gap is the space between two panels.
const gap = 14

// layout says how wide everything is.
func (g *grid) layout() {
	for _, r := range g.Rows {
		lines := svg.Wrap(r.Name, 0.32*g.width, g.nameStyle(r))
		g.lines = append(g.lines, lines)
		for _, line := range lines {
			g.names = max(g.names, svg.Width(line, g.nameStyle(r)))
		}
		for _, v := range r.Values {
			g.numbers = max(g.numbers, svg.Width(Number(v), g.numberStyle(true)))
		}
	}
	room := g.width - 2*margin - g.names - 8
	least := g.numbers + 70
	n := len(g.Categories)
	g.columns = max(1, min(n, int((room+gap)/(least+gap))))
	if g.width < 500 && n > 1 {
		g.columns = max(1, min(g.columns, 2))
	}
	lines := (n + g.columns - 1) / g.columns
	g.columns = (n + lines - 1) / lines
	g.panel = (room - gap*float64(g.columns-1)) / float64(g.columns)
}

// nameStyle returns how the name of a row looks.
func (g *grid) nameStyle(r Row) svg.Style {
	s := g.fonts.label
	s.Bold = r.Strong
	return s
}

// numberStyle returns how the number of a bar looks.
func (g *grid) numberStyle(wrong bool) svg.Style {
	s := g.fonts.tick
	s.Class = svg.Ink
	if wrong {
		s.Class, s.Bold = svg.Bad, true
	}
	return s
}

// drawPanels draws some panels side by side, with the names of the rows, and returns where they end.
func (g *grid) drawPanels(from, to int, y float64) float64 {
	head := g.fonts.label
	head.Bold = true
	begin := y
	for i := from; i < to; i++ {
		begin = max(begin, paragraph(&g.Drawing, g.panelAt(i-from), y, g.panel, g.Categories[i], head))
	}
	begin += 3
	y = begin
	var bars []func() // over the limits
	for k, r := range g.Rows {
		s := g.nameStyle(r)
		height := max(1.7*s.Size, s.Line()*float64(len(g.lines[k]))+4)
		middle := y + height/2
		base := middle - s.Line()*float64(len(g.lines[k]))/2 + (s.Line()+s.Rise()-s.Fall())/2
		for _, line := range g.lines[k] {
			g.Text(margin, base, s, line)
			base += s.Line()
		}
		bars = append(bars, func() {
			for i := from; i < to; i++ {
				g.drawBar(k, i, g.panelAt(i-from), middle)
			}
		})
		y += height
	}
	for i := from; i < to; i++ {
		x := g.panelAt(i - from)
		g.Add("line", "class", "axis", "x1", svg.N(x), "x2", svg.N(x), "y1", svg.N(begin), "y2", svg.N(y))
		if g.limited() {
			x += g.length(i, g.Limit)
			g.Add("line", "class", "wrong", "stroke-width", "1.5", "stroke-dasharray", "4 3", "x1", svg.N(x), "x2", svg.N(x), "y1", svg.N(begin), "y2", svg.N(y))
		}
	}
	for _, draw := range bars {
		draw()
	}
	return y
}

// panelAt returns where a panel begins.
func (g *grid) panelAt(column int) float64 {
	return margin + g.names + 8 + float64(column)*(g.panel+gap)
}

// length returns how long the bar of a value is in a panel.
func (g *grid) length(category int, v float64) float64 {
	most := g.Limit
	for _, r := range g.Rows {
		for i, w := range r.Values {
			if (i == category || !g.Apart) && w != Never && w > most {
				most = w
			}
		}
	}
	room := g.panel - g.numbers - 8
	if v == Never {
		return room
	}
	if !(most > 0) || !(v > 0) {
		return 0
	}
	return max(1.5, room*v/most)
}

// drawBar draws the bar of a row in a panel, and its number.
func (g *grid) drawBar(k, category int, x, middle float64) {
	r := g.Rows[k]
	v := r.Values[category]
	wrong := v == Never || g.limited() && v > g.Limit
	class := "mild"
	switch {
	case wrong:
		class = "bad"
	case r.Strong:
		class = "f0"
	}
	title := fmt.Sprintf("%s, %s: %s", r.Name, g.Categories[category], g.Value.told(v))
	if math.IsNaN(v) {
		title = fmt.Sprintf("%s, %s: not measured", r.Name, g.Categories[category])
	}
	if r.Notes != nil && r.Notes[category] != "" {
		title += ", " + r.Notes[category]
	}
	length, thick := g.length(category, v), g.fonts.label.Size
	if v == Never {
		// A frame, not a length: nothing was measured that could be as long.
		g.Titled("rect", title, "class", "paper wrong", "stroke-dasharray", "3 2", "x", svg.N(x), "y", svg.N(middle-thick/2), "width", svg.N(length), "height", svg.N(thick))
	} else if length > 0 {
		g.Titled("rect", title, "class", class, "x", svg.N(x), "y", svg.N(middle-thick/2), "width", svg.N(length), "height", svg.N(thick))
	}
	s := g.numberStyle(wrong)
	if !math.IsNaN(v) && g.limited() { // the limit may go through the number
		g.Add("rect", "class", "paper", "x", svg.N(x+length+3), "y", svg.N(middle-thick/2), "width", svg.N(svg.Width(Number(v), s)+2), "height", svg.N(thick))
	}
	g.Text(x+length+5, middle+(s.Rise()-s.Fall())/2+0.5, s, Number(v))
}

// describe tells the chart to who cannot see it.
func (b Bars) describe() string {
	var t strings.Builder
	fmt.Fprintf(&t, "%s.", b.Value.caption())
	for i, c := range b.Categories {
		fmt.Fprintf(&t, " %s: ", c)
		for k, r := range b.Rows {
			if k > 0 {
				t.WriteString(", ")
			}
			t.WriteString(r.Name + " " + Number(r.Values[i]))
		}
		t.WriteString(".")
	}
	if b.LimitName != "" {
		fmt.Fprintf(&t, " Limit: %s.", b.LimitName)
	}
	return t.String()
}
