package diagram

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"time"

	"github.com/seed-fdf591db/bully/conformance/contest"
	"github.com/seed-fdf591db/bully/conformance/contest/chart/svg"
)

// drawHead writes the ids of the nodes, above their lines and where lines are broken; S is a server.
func (p *picture) drawHead() {
	for i, y := range p.headsAt {
		if i > 0 {
			p.Add("rect", "class", "paper", "x", svg.N(p.first-p.step/2), "y", svg.N(y-p.head.Rise()-3), "width", svg.N(p.side-8-p.first+p.step/2), "height", svg.N(p.headHeight()+2))
		}
		p.Text(p.first-p.step/2-4, y, p.time, "ms")
		for node := 1; node <= p.lines(); node++ {
			name := p.name(node)
			if p.staggered() && node%2 == 0 {
				p.Text(p.x(node), y+p.head.Line(), p.head, name)
				continue
			}
			p.Text(p.x(node), y, p.head, name)
		}
	}
}

// drawTime writes moments, as many as there is room for, and those that have notes first.
func (p *picture) drawTime() {
	taken := slices.Clone(p.headsAt)
	write := func(r row) {
		y := r.y + p.time.Rise()/2
		for _, other := range taken {
			if math.Abs(y-other) < p.time.Line() {
				return
			}
		}
		taken = append(taken, y)
		p.Text(p.first-p.step/2-4, y, p.time, stamp(r.at))
		p.rule("grid", p.first-p.step/2, r.y, p.side-6, r.y)
	}
	for _, noted := range []bool{true, false} {
		for _, r := range p.rows {
			if noted == (len(r.lines) > 0) {
				write(r)
			}
		}
	}
}

// rule draws a straight line.
func (p *picture) rule(class string, x1, y1, x2, y2 float64, more ...string) {
	p.Add("line", append([]string{"class", class, "x1", svg.N(x1), "y1", svg.N(y1), "x2", svg.N(x2), "y2", svg.N(y2)}, more...)...)
}

// box draws a rectangle from y to y round the line of a node.
func (p *picture) box(class, title string, x, y1, y2, width float64, more ...string) {
	p.Titled("rect", title, append([]string{"class", class, "x", svg.N(x - width/2), "y", svg.N(y1), "width", svg.N(width), "height", svg.N(max(y2-y1, 2))}, more...)...)
}

// within returns the part of a time that is drawn, if there is any.
func (p *picture) within(from, to time.Duration) (y1, y2 float64, ok bool) {
	if to < p.from || from > p.to {
		return 0, 0, false
	}
	y1, y2 = p.y(max(from, p.from)), p.y(to)
	if to >= p.to {
		y2 = p.bottom
	}
	return y1, y2, true
}

// drawGround draws what lies behind the lines: when too many lead, who is down or paused, what is cut.
func (p *picture) drawGround() {
	left, right := p.first-p.step/2, p.side-6
	for _, m := range p.many {
		if y1, y2, ok := p.within(m.from, m.to); ok {
			title := fmt.Sprintf("%d lead at once, from %s to %s ms", m.node, stamp(m.from), stamp(m.to))
			p.box("alarm", title, (left+right)/2, y1, y2, right-left)
			p.rule("wrong", left, y1, left, max(y2, y1+2), "stroke-width", "3")
		}
	}
	for _, s := range p.spans {
		y1, y2, ok := p.within(s.from, s.to)
		if !ok {
			continue
		}
		what, more := "is down", []string{"rx", "2"}
		if s.paused {
			what, more = "is paused", []string{"stroke", "#888888", "stroke-dasharray", "3 3", "rx", "2"}
		}
		p.box("shade", fmt.Sprintf("%s %s from %s to %s ms", p.name(s.node), what, stamp(s.from), stamp(s.to)), p.x(s.node), y1, y2, 0.74*p.step, more...)
	}
	for _, c := range p.cuts {
		p.drawCut(c)
	}
}

// drawCut draws a wall between neighbours that cannot reach each other; or, if only nodes that stand apart cannot, a line
// from one to the other, where it begins.
func (p *picture) drawCut(c cut) {
	y1, y2, ok := p.within(c.from, c.to)
	if !ok {
		return
	}
	walls := 0
	for a := 1; a < p.lines(); a++ {
		there, back := c.is(a, a+1), c.is(a+1, a)
		if !there && !back {
			continue
		}
		walls++
		dashes, title := "7 4", fmt.Sprintf("%s and %s cannot reach each other", p.name(a), p.name(a+1))
		if !back {
			dashes, title = "2 5", fmt.Sprintf("%s cannot reach %s", p.name(a), p.name(a+1))
		} else if !there {
			dashes, title = "2 5", fmt.Sprintf("%s cannot reach %s", p.name(a+1), p.name(a))
		}
		x := p.x(a) + p.step/2
		p.Titled("line", title, "class", "wrong", "stroke-width", "2", "stroke-dasharray", dashes, "x1", svg.N(x), "x2", svg.N(x), "y1", svg.N(y1), "y2", svg.N(y2))
	}
	if walls > 0 {
		return
	}
	for a := 1; a <= p.lines(); a++ {
		for b := a + 1; b <= p.lines(); b++ {
			if c.is(a, b) || c.is(b, a) {
				p.Titled("line", p.name(a)+" and "+p.name(b)+" are cut off, in one direction or both", "class", "wrong", "stroke-width", "1.5", "stroke-dasharray", "7 4", "x1", svg.N(p.x(a)), "x2", svg.N(p.x(b)), "y1", svg.N(y1), "y2", svg.N(y1))
			}
		}
	}
}

// hue returns the number, in the classes of colours, of a leader.
func hue(leader int) string { return strconv.Itoa((leader - 1) % svg.Hues) }

// drawNodes draws the lines of the nodes: whom each follows, and when it leads.
func (p *picture) drawNodes() {
	for node := 1; node <= p.lines(); node++ {
		p.drawLine(node)
	}
	width := min(14, 0.5*p.step)
	for _, r := range p.reigns {
		y1, y2, ok := p.within(r.Begin, r.End)
		if !ok {
			continue
		}
		title := fmt.Sprintf("%d leads from %s to %s ms", r.Leader, stamp(r.Begin), stamp(r.End))
		if r.Epoch > 0 {
			title += fmt.Sprintf(", epoch %d", r.Epoch)
		}
		p.box("f"+hue(r.Leader), title, p.x(r.Leader), y1, max(y2, y1+3), width, "rx", "3")
		for _, s := range p.spans { // a leader that is paused does not act
			if from, to, ok := p.within(max(s.from, r.Begin), min(s.to, r.End)); ok && s.paused && s.node == r.Leader && to > from {
				p.box("shade", title+", paused", p.x(r.Leader), from, to, width-4, "fill-opacity", "0.85")
			}
		}
	}
	for _, s := range p.spans {
		if s.from >= p.from && s.from <= p.to && !s.paused {
			p.cross(p.x(s.node), p.y(s.from), 5)
		}
	}
	for _, d := range p.dots {
		class, title := "ink", fmt.Sprintf("%s decides, at %s ms", p.name(d.node), stamp(d.at))
		if d.bad {
			class, title = "bad", fmt.Sprintf("a write of %d, at %s ms", d.node, stamp(d.at))
		}
		p.Titled("circle", title, "class", class, "cx", svg.N(p.x(d.node)), "cy", svg.N(p.y(d.at)), "r", "2.75")
	}
}

// cross draws a cross.
func (p *picture) cross(x, y, r float64) {
	p.rule("wrong", x-r, y-r, x+r, y+r, "stroke-width", "2")
	p.rule("wrong", x-r, y+r, x+r, y-r, "stroke-width", "2")
}

// drawLine draws the line of a node, in pieces: each as long as it takes the same node for its leader.
func (p *picture) drawLine(node int) {
	begin, now := p.from, p.status(node, p.from)
	flush := func(to time.Duration) {
		y1, y2, ok := p.within(begin, to)
		if ok && y2 > y1 && !p.down(node, begin) {
			p.piece(now, node > p.Scenario.Nodes, p.x(node), y1, y2)
		}
		begin = to
	}
	for _, r := range p.rows[1:] {
		next := p.status(node, r.at)
		if next.Leader != now.Leader || next.Standing != now.Standing || p.down(node, r.at) != p.down(node, begin) {
			flush(r.at)
			now = next
		}
	}
	flush(p.to + 1)
}

// down says whether a node is down at a moment.
func (s *story) down(node int, at time.Duration) bool {
	for _, x := range s.spans {
		if !x.paused && x.node == node && x.from <= at && at < x.to {
			return true
		}
	}
	return false
}

// piece draws a piece of the line of a node that takes itself for something.
func (p *picture) piece(s contest.Status, server bool, x, y1, y2 float64) {
	switch {
	case server:
		p.rule("axis", x, y1, x, y2, "stroke-width", "1.5")
	case s.Standing:
		p.rule("arrow", x, y1, x, y2, "stroke-width", "2.5", "stroke-dasharray", "5 3")
	case s.Leader > 0:
		p.rule("s"+hue(s.Leader), x, y1, x, y2, "stroke-width", "2.5")
	default:
		p.rule("axis", x, y1, x, y2, "stroke-width", "1.5", "stroke-dasharray", "1.5 4")
	}
}

// drawBreaks draws where time is left out.
func (p *picture) drawBreaks() {
	left, right := p.first-p.step/2-2, p.side-8
	for _, r := range p.rows {
		if r.quiet == 0 {
			continue
		}
		var upper, lower []float64
		for i, x := 0, left; x <= right; i, x = i+1, x+6 {
			y := r.gap + 2*float64(i%2*2-1)
			upper, lower = append(upper, x, y-3), append(lower, x, y+3)
		}
		area := append([]float64(nil), upper...)
		for k := len(lower) - 2; k >= 0; k -= 2 {
			area = append(area, lower[k], lower[k+1])
		}
		p.Add("polygon", "class", "paper", "points", svg.Points(area...))
		p.Add("polyline", "class", "line axis", "points", svg.Points(upper...))
		p.Add("polyline", "class", "line axis", "points", svg.Points(lower...))
		style := p.text
		style.Class = svg.Soft
		p.Text(p.side, r.gap+p.text.Rise()/2, style, stamp(r.quiet)+" ms later")
	}
}
