package chart

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/seed-fdf591db/bully/conformance/contest/chart/svg"
)

// threadWidth returns the room between plot and labels.
func (p *plot) threadWidth() float64 {
	if p.width < 500 {
		return 13
	}
	return 18
}

// neverStep is how far marks above the plot are apart, and neverBase how far the lowest is above it.
const (
	neverStep = 11
	neverBase = 16
)

// plot is a chart of lines that is being drawn.
type plot struct {
	svg.Drawing
	Lines
	width         int
	fonts         fonts
	x, y          scale
	left, right   float64
	top, bottom   float64 // of the plot, without the strip of what was never
	strip         float64 // where the strip above it begins; top if there is none
	labels        []*label
	marks         []point
	rows          map[float64]int // how many marks stand above an x
	banded        bool            // ranges are drawn as bands, not as whiskers
	shift         []float64       // by how much each series is moved to the right
	numbers, high []float64       // all x, and what of y must be seen
}

// SVG draws the chart, as wide as said and as high as it needs, in CSS pixels. 360 suits a phone, 760 a page.
func (l Lines) SVG(width int) ([]byte, error) {
	if err := l.check(width); err != nil {
		return nil, err
	}
	p := &plot{Lines: l, width: width, fonts: newFonts(width), rows: map[float64]int{}}
	p.measure()
	y := header(&p.Drawing, width, l.Title, l.Note, p.fonts)
	y = paragraph(&p.Drawing, margin, y, float64(width)-2*margin, l.Y.caption(), p.fonts.tick) + 8
	p.layout(y)
	p.drawAxes()
	for i := range l.Bounds {
		p.drawBound(i, true)
	}
	for _, strong := range []bool{false, true} {
		for i, s := range l.Series {
			if s.Strong == strong {
				p.drawSeries(i)
			}
		}
	}
	for i := range l.Bounds {
		p.drawBound(i, false)
	}
	p.drawMarks()
	spread(p.labels, p.strip, p.bottom)
	p.drawLabels()
	end := p.bottom + 8 + p.fonts.tick.Line()
	end = paragraph(&p.Drawing, p.left, end, float64(width)-p.left-margin, l.X.caption(), p.fonts.tick)
	return p.Document(svg.Head{Title: l.Title, Description: l.describe(), Width: float64(width), Height: math.Ceil(end + margin)}), nil
}

// measure finds what has to be seen: all values, and bounds as far as they are not far from these.
func (p *plot) measure() {
	ranges, stacked := 0, 0
	above := map[float64]int{}
	for _, s := range p.Series {
		ranged := false
		for _, q := range s.Points {
			p.numbers = append(p.numbers, q.X)
			if q.Y == Never {
				above[q.X]++
				stacked = max(stacked, above[q.X])
			}
			if !q.measured() {
				continue
			}
			p.high = append(p.high, q.Y)
			if q.ranged() {
				ranged = true
				for _, v := range []float64{q.Low, q.High} {
					if v != Never && (!p.Y.Log || v >= smallest) {
						p.high = append(p.high, v)
					}
				}
			}
		}
		if ranged {
			ranges++
		}
	}
	p.banded = ranges <= 2
	p.x = newScale(p.X, p.numbers)
	if len(p.high) > 0 {
		p.high = append(p.high, p.nearBounds()...)
	}
	p.y = newScale(p.Y, p.high).rounded(5)
	p.strip = float64(stacked) * neverStep // how high it is, for now
	if stacked > 0 {
		p.strip += neverBase
	}
}

// nearBounds returns the values of bounds that are not far from those measured.
func (p *plot) nearBounds() []float64 {
	low, high := slices.Min(p.high), slices.Max(p.high)
	from, to := low-(high-low)/2, high+(high-low)/2
	if p.Y.Log {
		from, to = low/10, high*10
	}
	var near []float64
	for _, c := range p.Bounds {
		for i := range samples + 1 {
			v := c.At(p.x.mid(float64(i) / samples))
			if v >= from && v <= to && p.Y.check("", v) == nil {
				near = append(near, v)
			}
		}
	}
	return near
}

// samples is at how many places a bound is computed.
const samples = 64

// layout says where the plot is, below y.
func (p *plot) layout(y float64) {
	f := p.fonts
	w := float64(p.width)
	widest, total := 0.0, 0.0
	for i, s := range p.Series {
		name := s.Name
		if !slices.ContainsFunc(s.Points, func(q Point) bool { return !math.IsNaN(q.Y) }) {
			name += " (not measured)"
		}
		style := f.label
		style.Bold = s.Strong
		p.addLabel(name, style, func(x, y float64) { p.sample(i, x, y) }, func(at ...float64) {
			p.Add("polyline", "class", "line s"+hue(p.style(i)), "stroke-opacity", "0.55", "stroke-dasharray", "2 2", "points", svg.Points(at...))
		})
	}
	for i, c := range p.Bounds {
		style := f.label
		style.Class = svg.Soft
		p.addLabel(c.Name, style, func(x, y float64) {
			p.Add("line", "class", "bound", "stroke-width", "1.5", "stroke-dasharray", boundDash(i), "x1", svg.N(x), "x2", svg.N(x+p.sampleWidth()), "y1", svg.N(y), "y2", svg.N(y))
		}, func(at ...float64) {
			p.Add("polyline", "class", "line bound", "stroke-opacity", "0.55", "stroke-dasharray", "2 2", "points", svg.Points(at...))
		})
	}
	for _, l := range p.labels {
		total += l.height
		for _, line := range l.lines {
			widest = max(widest, svg.Width(line, l.style))
		}
	}
	p.right = w - margin - max(widest+p.sampleWidth()+5+p.threadWidth(), svg.Width(Number(p.x.max), f.tick)/2)
	height := max(min(0.62*(p.right-margin), 330), total-p.strip, 230)
	if len(p.high) == 0 { // nothing ever came
		height = max(total-p.strip, 40)
	}
	p.top = y + p.strip
	p.bottom = p.top + height
	p.strip = y
	p.y.from, p.y.to = p.bottom-markRoom, p.top // so that marks of what is least do not stand in the numbers below
	p.left = margin + p.tickWidth() + 8
	p.x.from, p.x.to = p.left+8, p.right-6
	p.shift = p.shifts()
}

// addLabel adds a label that has no place yet.
func (p *plot) addLabel(name string, s svg.Style, draw func(x, y float64), thread func(...float64)) {
	lines := svg.Wrap(name, 0.29*float64(p.width), s)
	p.labels = append(p.labels, &label{lines: lines, height: s.Line()*float64(max(1, len(lines))) + 3, style: s, draw: draw, thread: thread})
}

// markRoom is how far the least number stands above the axis.
const markRoom = 9

// style returns the style of a series, counted from 0.
func (p *plot) style(i int) int {
	if p.Series[i].Style > 0 {
		return p.Series[i].Style - 1
	}
	return i
}

// tickWidth returns how wide the numbers at the left are, and half of the first below the plot.
func (p *plot) tickWidth() float64 {
	widest := svg.Width("never", p.fonts.tick)
	for _, v := range p.yTicks() {
		widest = max(widest, svg.Width(Number(v), p.fonts.tick))
	}
	return max(widest, svg.Width(Number(p.x.min), p.fonts.tick)/2)
}

// yTicks returns the numbers at the left.
func (p *plot) yTicks() []float64 {
	if len(p.high) == 0 {
		return nil
	}
	return p.y.ticks(max(2, int((p.bottom-p.top)/48)))
}

// shifts returns by how much each series is moved to the right, so that whiskers stand side by side.
func (p *plot) shifts() []float64 {
	all := make([]float64, len(p.Series))
	if p.banded {
		return all
	}
	room := 0.5 * (p.x.to - p.x.from)
	at := distinct(p.numbers)
	for i := 1; i < len(at); i++ {
		room = min(room, 0.6*(p.x.at(at[i])-p.x.at(at[i-1])))
	}
	step := min(5, room/float64(len(all)))
	for i := range all {
		all[i] = step * (float64(i) - float64(len(all)-1)/2)
	}
	// Those at the ends must stay within the plot.
	most := all[len(all)-1]
	p.x.from, p.x.to = p.x.from+most, p.x.to-most
	return all
}

// describe tells the chart to who cannot see it.
func (l Lines) describe() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s against %s, a line each: ", l.Y.caption(), l.X.caption())
	for i, s := range l.Series {
		if i > 0 {
			b.WriteString("; ")
		}
		b.WriteString(s.Name)
		points := s.sorted()
		if len(points) == 0 {
			b.WriteString(", not measured")
			continue
		}
		first, last := points[0], points[len(points)-1]
		fmt.Fprintf(&b, ", from %s at %s to %s at %s", l.Y.told(first.Y), l.X.told(first.X), l.Y.told(last.Y), l.X.told(last.X))
	}
	for i, c := range l.Bounds {
		if i == 0 {
			b.WriteString(". Bounds: ")
		} else {
			b.WriteString("; ")
		}
		b.WriteString(c.Name)
	}
	b.WriteString(".")
	return b.String()
}
