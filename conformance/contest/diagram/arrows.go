package diagram

import (
	"fmt"
	"math"

	"github.com/seed-fdf591db/bully/conformance/contest/chart/svg"
)

// drawArrows draws the messages, from where they are sent to where they are taken.
func (p *picture) drawArrows() {
	width, opacity := "1.25", "0.8"
	if len(p.arrows) > 150 {
		width, opacity = "1", "0.5"
	}
	p.Begin("g", "class", "arrow", "stroke-width", width, "stroke-opacity", opacity)
	for _, a := range p.arrows {
		if !a.lost {
			p.Titled("line", p.told(a)+", taken at "+stamp(a.Arrives)+" ms",
				"x1", svg.N(p.x(a.Node)), "y1", svg.N(p.y(a.At)), "x2", svg.N(p.x(a.Other)), "y2", svg.N(p.y(a.Arrives)))
		}
	}
	p.End()
	p.Begin("g", "class", "head")
	for _, a := range p.arrows {
		if !a.lost && a.Arrives <= p.to {
			p.Add("polygon", "points", svg.Points(tip(p.x(a.Node), p.y(a.At), p.x(a.Other), p.y(a.Arrives))...))
		}
	}
	p.End()
	for _, a := range p.arrows {
		if a.lost {
			p.drawLost(p.x(a.Node), p.y(a.At), p.x(a.Other), p.told(a)+": lost")
		}
	}
}

// told tells a message.
func (p *picture) told(a arrow) string {
	return fmt.Sprintf("%s sends %s to %s at %s ms", p.name(a.Node), a.Text, p.name(a.Other), stamp(a.At))
}

// drawLost draws a message that is lost: it ends half-way to its node, with a cross.
func (p *picture) drawLost(x1, y1, x2 float64, title string) {
	// It ends before the line of the next node, so that nobody takes that for where it went.
	part := max(0.45*p.step, min(0.5*math.Abs(x2-x1), 0.75*p.step))
	x := x1 + math.Copysign(part, x2-x1)
	y := min(y1+0.3*part, p.bottom)
	p.Titled("line", title, "class", "wrong", "stroke-width", "1.25", "x1", svg.N(x1), "y1", svg.N(y1), "x2", svg.N(x), "y2", svg.N(y))
	p.cross(x, y, 3)
}

// tip returns the corners of the head of an arrow, which touches the line of its node.
func tip(x1, y1, x2, y2 float64) []float64 {
	length := math.Hypot(x2-x1, y2-y1)
	if length == 0 {
		return []float64{x2, y2}
	}
	dx, dy := (x2-x1)/length, (y2-y1)/length
	return []float64{x2, y2, x2 - 7*dx - 2.75*dy, y2 - 7*dy + 2.75*dx, x2 - 7*dx + 2.75*dy, y2 - 7*dy - 2.75*dx}
}
