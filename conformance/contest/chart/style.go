package chart

import (
	"math"

	"github.com/seed-fdf591db/bully/conformance/contest/chart/svg"
)

// margin is the empty space round a chart.
const margin = 10

// fonts are the styles of the texts of a chart.
type fonts struct{ title, note, tick, label svg.Style }

// newFonts returns texts of one size, on wide and on narrow drawings: what is shown on a phone is drawn narrow.
func newFonts(width int) fonts {
	size := 13.0
	if width < 500 {
		size = 12
	}
	return fonts{
		title: svg.Style{Size: size + 3, Bold: true, Class: svg.Ink},
		note:  svg.Style{Size: size, Class: svg.Soft},
		tick:  svg.Style{Size: size - 1, Class: svg.Soft},
		label: svg.Style{Size: size, Class: svg.Ink},
	}
}

// paragraph writes text below y, in as many lines as it takes, and returns where these end.
func paragraph(d *svg.Drawing, x, y, width float64, text string, s svg.Style) float64 {
	for _, line := range svg.Wrap(text, width, s) {
		d.Text(x, y+s.Rise(), s, line)
		y += s.Line()
	}
	return y
}

// header writes title and note, and returns where these end.
func header(d *svg.Drawing, width int, title, note string, f fonts) float64 {
	y := paragraph(d, margin, margin, float64(width)-2*margin, title, f.title)
	return paragraph(d, margin, y+2, float64(width)-2*margin, note, f.note) + 6
}

// caption returns what an axis is, with its unit.
func (a Axis) caption() string {
	if a.Unit == "" {
		return a.Label
	}
	return a.Label + " (" + a.Unit + ")"
}

// told returns a number with its unit.
func (a Axis) told(v float64) string {
	if a.Unit == "" || math.IsInf(v, 0) || math.IsNaN(v) {
		return Number(v)
	}
	return Number(v) + " " + a.Unit
}

// hue returns the number in the classes of a style, counted from 0.
func hue(style int) string { return string(rune('0' + style%svg.Hues)) }

// dash returns the dashes of the line of a style. With the marks they make lines differ without colours.
func dash(style int) string {
	return []string{"", "8 3", "3 3", "10 3 2 3"}[(style%svg.Hues+style/svg.Hues)%4]
}

// boundDash returns the dashes of a bound. No series has them.
func boundDash(i int) string {
	return []string{"5 5", "1 4", "12 5", "7 4 1 4 1 4"}[i%4]
}

// mark draws the mark of a style round a point, by so much larger, and tells a title to who points at it.
func mark(d *svg.Drawing, p point, larger float64) {
	r := 3.75 + larger
	if p.strong {
		r++
	}
	hue := hue(p.style)
	line := []string{"class", "s" + hue + " f" + hue, "stroke-width", "1.5"}
	shape := p.style % svg.Hues
	if p.style/svg.Hues%2 == 1 { // a second series of the colour: hollow
		line[1] = "s" + hue + " paper"
	}
	if shape == 5 || shape == 6 { // lines only
		line[1] = "line s" + hue
	}
	if shape == 0 {
		d.Titled("circle", p.title, append(line, "cx", svg.N(p.x), "cy", svg.N(p.y), "r", svg.N(r))...)
		return
	}
	d.Titled("polygon", p.title, append(line, "points", svg.Points(outline(p.x, p.y, r, shape)...))...)
}

// outline returns the corners of a mark.
func outline(x, y, r float64, shape int) []float64 {
	switch shape {
	case 1: // a square
		return []float64{x - r, y - r, x + r, y - r, x + r, y + r, x - r, y + r}
	case 2: // a triangle that points up
		return []float64{x, y - 1.2*r, x + 1.15*r, y + 0.8*r, x - 1.15*r, y + 0.8*r}
	case 3: // a diamond
		return []float64{x, y - 1.3*r, x + 1.3*r, y, x, y + 1.3*r, x - 1.3*r, y}
	case 4: // a triangle that points down
		return []float64{x, y + 1.2*r, x + 1.15*r, y - 0.8*r, x - 1.15*r, y - 0.8*r}
	case 5: // a cross: there and back, through the middle
		return []float64{x - r, y - r, x + r, y + r, x, y, x + r, y - r, x - r, y + r, x, y}
	case 6: // a plus
		return []float64{x, y - 1.2*r, x, y + 1.2*r, x, y, x + 1.2*r, y, x - 1.2*r, y, x, y}
	case 7: // a flat one
		return []float64{x - 1.3*r, y - 0.5*r, x + 1.3*r, y - 0.5*r, x + 1.3*r, y + 0.5*r, x - 1.3*r, y + 0.5*r}
	}
	return []float64{x - 0.5*r, y - 1.3*r, x + 0.5*r, y - 1.3*r, x + 0.5*r, y + 1.3*r, x - 0.5*r, y + 1.3*r} // a tall one
}
