package chart

import (
	"fmt"
	"math"
	"slices"

	"github.com/seed-fdf591db/bully/conformance/contest/chart/svg"
)

// drawAxes draws the grid, and the numbers of both axes.
func (p *plot) drawAxes() {
	tick := p.fonts.tick
	left := tick
	left.Anchor = svg.Right
	for _, v := range p.yTicks() {
		y := p.y.at(v)
		p.rule("grid", p.left, y, p.right, y)
		p.Text(p.left-6, y+tick.Rise()/2-1, left, Number(v))
	}
	if p.strip < p.top {
		p.Text(p.left-6, p.top-neverBase+tick.Rise()/2-1, left, "never")
		p.Add("line", "class", "axis", "stroke-dasharray", "2 4", "x1", svg.N(p.left), "x2", svg.N(p.right), "y1", svg.N(p.top), "y2", svg.N(p.top))
	}
	p.rule("axis", p.left, p.bottom, p.right, p.bottom)
	middle := tick
	middle.Anchor = svg.Middle
	for _, t := range p.x.xTicks(p.numbers, middle) {
		p.rule("axis", t.at, p.bottom, t.at, p.bottom+4)
		p.Text(t.at, p.bottom+8+tick.Rise(), middle, Number(t.value))
	}
}

// rule draws a straight line.
func (p *plot) rule(class string, x1, y1, x2, y2 float64) {
	p.Add("line", "class", class, "x1", svg.N(x1), "y1", svg.N(y1), "x2", svg.N(x2), "y2", svg.N(y2))
}

// sample draws a piece of the line of a series, with its mark.
func (p *plot) sample(i int, x, y float64) {
	p.line(i, []float64{x, y, x + p.sampleWidth(), y})
	mark(&p.Drawing, point{x + p.sampleWidth()/2, y, p.style(i), p.Series[i].Strong, p.Series[i].Name}, 0)
}

// line draws a line of a series. A single point is none.
func (p *plot) line(i int, at []float64) {
	if len(at) < 4 {
		return
	}
	width := "1.75"
	if p.Series[i].Strong {
		width = "3.25"
	}
	p.Add("polyline", "class", "line s"+hue(p.style(i)), "stroke-width", width, "stroke-dasharray", dash(p.style(i)), "points", svg.Points(at...))
}

// drawSeries draws ranges, lines and marks of a series, and says where its label wants to be.
func (p *plot) drawSeries(i int) {
	s, style := p.Series[i], p.style(i)
	l := p.labels[i]
	l.wanted = p.bottom
	points := s.sorted()
	p.drawRanges(i, points)
	var run, before []float64 // the line without a break, and where the last value was
	for _, q := range points {
		if !q.measured() {
			p.line(i, run)
			run = nil
		}
		if math.IsNaN(q.Y) {
			before = nil
			continue
		}
		x, y := p.x.at(q.X)+p.shift[i], 0.0
		if q.Y == Never {
			y = p.top - neverBase - neverStep*float64(p.rows[q.X])
			p.rows[q.X]++
			if before != nil {
				p.Add("line", "class", "s"+hue(style), "stroke-opacity", "0.6", "stroke-dasharray", "1 4", "x1", svg.N(before[0]), "y1", svg.N(before[1]), "x2", svg.N(x), "y2", svg.N(y))
			}
		} else {
			y = p.y.at(q.Y)
			run = append(run, x, y)
		}
		before = []float64{x, y}
		l.wanted, l.from = y, []float64{x + 6, y}
		p.marks = append(p.marks, point{x, y, style, s.Strong, p.told(s, q)})
	}
	p.line(i, run)
}

// point is a mark that is to be drawn.
type point struct {
	x, y   float64
	style  int
	strong bool
	title  string
}

// drawMarks draws the marks of all series. Those that others will cover are larger, so that all can be seen.
func (p *plot) drawMarks() {
	covered := make([]int, len(p.marks))
	over := map[[2]int]int{}
	for i, m := range slices.Backward(p.marks) {
		place := [2]int{int(math.Round(m.x)), int(math.Round(m.y))}
		covered[i] = over[place]
		over[place]++
	}
	for i, m := range p.marks {
		mark(&p.Drawing, m, 2*float64(min(covered[i], 3)))
	}
}

// drawRanges draws what the values of a series varied between: a band, or whiskers if there would be too many bands.
func (p *plot) drawRanges(i int, points []Point) {
	class := hue(p.style(i))
	var upper, lower []float64
	flush := func() {
		if len(upper) >= 4 {
			for k := len(lower) - 2; k >= 0; k -= 2 {
				upper = append(upper, lower[k], lower[k+1])
			}
			p.Add("polygon", "class", "f"+class, "fill-opacity", "0.16", "points", svg.Points(upper...))
		}
		upper, lower = nil, nil
	}
	for _, q := range points {
		if !q.measured() || !q.ranged() {
			flush()
			continue
		}
		x := p.x.at(q.X) + p.shift[i]
		high, low := p.edge(q.High), p.edge(q.Low)
		if p.banded {
			upper, lower = append(upper, x, high), append(lower, x, low)
		}
		if p.banded && q.High != Never && len(points) > 1 {
			continue
		}
		p.Add("line", "class", "s"+class, "stroke-width", "1.25", "stroke-opacity", "0.75", "x1", svg.N(x), "y1", svg.N(low), "x2", svg.N(x), "y2", svg.N(high))
		if q.High == Never {
			p.Titled("polygon", "some never", "class", "f"+class, "points", svg.Points(x, high-5, x+4, high+3, x-4, high+3))
			continue
		}
		p.Add("line", "class", "s"+class, "stroke-width", "1.25", "x1", svg.N(x-2), "y1", svg.N(high), "x2", svg.N(x+2), "y2", svg.N(high))
	}
	flush()
}

// edge returns where the end of a range is: at the edge of the plot if the number is beyond.
func (p *plot) edge(v float64) float64 {
	if v == Never {
		return p.top
	}
	if p.Y.Log && v < p.y.min {
		return p.bottom
	}
	return p.y.at(v)
}

// told tells a point to who points at it.
func (p *plot) told(s Series, q Point) string {
	text := fmt.Sprintf("%s: %s at %s", s.Name, p.Y.told(q.Y), p.X.told(q.X))
	if q.measured() && q.ranged() {
		text += fmt.Sprintf(", from %s to %s", p.Y.told(q.Low), p.Y.told(q.High))
	}
	if q.N > 0 {
		text += fmt.Sprintf(", of %d runs", q.N)
	}
	return text
}

// drawBound draws a bound as far as it is within the plot, and says where its label wants to be. Its halo, below the series,
// shows a bound that a series follows exactly.
func (p *plot) drawBound(i int, halo bool) {
	c, l := p.Bounds[i], p.labels[len(p.Series)+i]
	l.wanted = p.top
	if end := p.height(c.At(p.x.max)); !math.IsNaN(end) {
		l.wanted = max(p.top, min(end, p.bottom))
	}
	var run []float64
	flush := func() {
		if len(run) >= 4 {
			if halo {
				p.Add("polyline", "class", "line bound", "stroke-width", "6", "stroke-opacity", "0.2", "points", svg.Points(run...))
			} else {
				p.Add("polyline", "class", "line bound", "stroke-width", "1.5", "stroke-dasharray", boundDash(i), "points", svg.Points(run...))
			}
			x, y := run[len(run)-2], run[len(run)-1]
			l.wanted, l.from = y, nil
			if x >= p.x.to-1 {
				l.from = []float64{x + 2, y}
			}
		}
		run = nil
	}
	var before []float64
	for k := range samples + 1 {
		v := p.x.mid(float64(k) / samples)
		at := []float64{p.x.at(v), p.height(c.At(v))}
		if math.IsNaN(at[1]) {
			flush()
			before = nil
			continue
		}
		if before != nil {
			a, b, ok := clip(before, at, p.top, p.bottom)
			if ok && len(run) == 0 {
				run = append(run, a...)
			}
			if ok {
				run = append(run, b...)
			}
			if !ok || b[1] != at[1] {
				flush()
			}
		}
		before = at
	}
	flush()
}

// height returns where a value of a bound is; it is no number where the bound has none. What is far beyond the plot is put
// less far beyond it, so that it can be computed with.
func (p *plot) height(v float64) float64 {
	if math.IsNaN(v) || math.IsInf(v, 0) || p.Y.Log && v <= 0 {
		return math.NaN()
	}
	return max(-1e6, min(1e6, p.y.at(v)))
}

// clip returns the part of a segment whose y is from top to bottom, if there is any.
func clip(a, b []float64, top, bottom float64) (from, to []float64, ok bool) {
	if max(a[1], b[1]) < top || min(a[1], b[1]) > bottom {
		return nil, nil, false
	}
	bring := func(p, q []float64) []float64 {
		y := max(top, min(p[1], bottom))
		if y == p[1] {
			return p
		}
		return []float64{p[0] + (q[0]-p[0])*(y-p[1])/(q[1]-p[1]), y}
	}
	return bring(a, b), bring(b, a), true
}
