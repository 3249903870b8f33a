package diagram

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/seed-fdf591db/bully/conformance/contest"
	"github.com/seed-fdf591db/bully/conformance/contest/chart/svg"
)

// drawNotes writes what happens, beside the moments.
func (p *picture) drawNotes() {
	for _, r := range p.rows {
		y := r.y
		if len(r.lines) > 0 {
			p.rule("grid", p.side-6, r.y, p.side-2, r.y)
		}
		for _, l := range r.lines {
			p.Text(p.side, y+p.text.Rise()/2, l.style, l.text)
			y += p.text.Line()
		}
	}
}

// entry is a line of the key: a sign, and what it means.
type entry struct {
	is   bool // there is such a sign in the picture
	text string
	draw func(x, y float64)
}

// drawFoot writes what is not drawn, and the key, and returns where they end.
func (p *picture) drawFoot() float64 {
	y := p.bottom
	for _, r := range p.rows {
		y = max(y, r.y+p.text.Line()*float64(len(r.lines)))
	}
	y += 8
	p.rule("grid", margin, y, p.width-margin, y)
	y += 5
	soft := p.text
	soft.Class = svg.Soft
	for _, text := range p.leftOut() {
		for _, line := range svg.Wrap(text, p.width-2*margin, soft) {
			p.Text(margin, y+soft.Rise(), soft, line)
			y += soft.Line()
		}
	}
	const sign = 26
	x := float64(margin)
	for _, e := range p.key() {
		width := sign + svg.Width(e.text, soft)
		if !e.is {
			continue
		}
		if x > margin && x+width > p.width-margin {
			x, y = margin, y+1.25*soft.Line()
		}
		e.draw(x, y+soft.Line()/2)
		p.Text(x+sign, y+soft.Line()/2+soft.Rise()/2-0.5, soft, e.text)
		x += width + 14
	}
	return y + soft.Line()
}

// leftOut says which messages are not drawn.
func (p *picture) leftOut() (text []string) {
	if p.left.notes > 0 {
		text = append(text, fmt.Sprintf("This ends before %s ms: %d more lines of text are left out.", stamp(p.left.ends), p.left.notes))
	}
	if p.left.later > 0 {
		text = append(text, fmt.Sprintf("%d more messages, from %s ms on, are not drawn.", p.left.later, stamp(cmp.Or(p.left.since, p.left.ends))))
	}
	if p.left.upkeep > 0 {
		text = append(text, fmt.Sprintf("Not drawn: %d messages of upkeep, such as heartbeats.", p.left.upkeep))
	}
	return append(text, "Time is not to scale.")
}

// key returns the signs that there are.
func (p *picture) key() []entry {
	status := func(is func(s state) bool) bool {
		return slices.ContainsFunc(p.states, func(all []state) bool { return slices.ContainsFunc(all, is) })
	}
	span := func(paused bool) bool {
		return slices.ContainsFunc(p.spans, func(s span) bool { return s.paused == paused })
	}
	line := func(s contest.Status) func(x, y float64) {
		return func(x, y float64) { p.piece(s, false, x+9, y-7, y+7) }
	}
	leader := 1
	if len(p.reigns) > 0 {
		leader = p.reigns[0].Leader
	}
	return []entry{
		{len(p.reigns) > 0, "leads", func(x, y float64) { p.box("f"+hue(leader), "leads", x+9, y-7, y+7, 12, "rx", "3") }},
		{len(p.reigns) > 0, "follows the leader of that colour", line(contest.Status{Leader: leader})},
		{true, "knows of no leader", line(contest.Status{})},
		{status(func(s state) bool { return s.Standing }), "stands for election", line(contest.Status{Standing: true})},
		{len(p.dots) > 0, "decides", func(x, y float64) { p.Add("circle", "class", "ink", "cx", svg.N(x+9), "cy", svg.N(y), "r", "2.75") }},
		{slices.ContainsFunc(p.arrows, func(a arrow) bool { return a.lost }), "message that is lost", func(x, y float64) { p.drawKeyLost(x, y) }},
		{span(false), "down", func(x, y float64) { p.box("shade", "down", x+9, y-7, y+7, 16, "rx", "2"); p.cross(x+9, y, 4) }},
		{span(true), "paused", func(x, y float64) {
			p.box("shade", "paused", x+9, y-7, y+7, 16, "stroke", "#888888", "stroke-dasharray", "3 3", "rx", "2")
		}},
		{len(p.cuts) > 0, "cut", func(x, y float64) {
			p.rule("wrong", x+9, y-7, x+9, y+7, "stroke-width", "2", "stroke-dasharray", "7 4")
		}},
		{len(p.many) > 0, "more than one leads", func(x, y float64) {
			p.box("alarm", "more than one leads", x+9, y-7, y+7, 18)
			p.rule("wrong", x, y-7, x, y+7, "stroke-width", "3")
		}},
		{p.Servers > 0, "S: a server", func(x, y float64) { p.rule("axis", x+9, y-7, x+9, y+7, "stroke-width", "1.5") }},
	}
}

// drawKeyLost draws the sign of a message that is lost.
func (p *picture) drawKeyLost(x, y float64) {
	p.rule("wrong", x, y-3, x+16, y+2, "stroke-width", "1.25")
	p.cross(x+16, y+2, 3)
}
