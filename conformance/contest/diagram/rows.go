package diagram

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"github.com/seed-fdf591db/bully/conformance/contest/chart/svg"
)

// picture is a diagram that is being drawn.
type picture struct {
	svg.Drawing
	Diagram
	*story
	width            float64
	text, bold, time svg.Style
	head             svg.Style
	first, step      float64 // where the first line is, and how far lines are apart
	side             float64 // where notes begin
	top, bottom      float64 // of the lines
	rows             []row
	headsAt          []float64 // where the ids of the nodes stand
}

// row is a moment, and where it is.
type row struct {
	at    time.Duration
	y     float64
	lines []line        // of its notes
	quiet time.Duration // how much time is left out before it; 0: none
	gap   float64       // where that is said
}

// line is a line of a note.
type line struct {
	text  string
	style svg.Style
}

// The least and the greatest distance of two moments, that of a message's sending and arrival, and that of the sending of
// very many messages and the next moment.
const (
	nearest  = 5
	usual    = 22
	farthest = 38
	crowded  = 70
)

// breakAfter says how many times as long as a message takes a time is that is left out.
const breakAfter = 6

// place says where everything is.
func (p *picture) place() error {
	size := 12.5
	if p.width < 500 {
		size = 11.5
	}
	p.text = svg.Style{Size: size, Class: svg.Ink}
	p.bold = svg.Style{Size: size, Class: svg.Ink, Bold: true}
	p.time = svg.Style{Size: size - 1, Class: svg.Soft, Anchor: svg.Right}
	p.head = svg.Style{Size: size, Class: svg.Ink, Bold: true, Anchor: svg.Middle}
	n := float64(p.lines())
	stamps := margin + svg.Width(stamp(p.to+time.Second/10000), p.time) + 4
	p.step = max(10, min((0.5*p.width-stamps)/n, 62))
	p.first = stamps + p.step/2
	p.side = p.first + p.step*(n-0.5) + 10
	if p.width-margin-p.side < 100 {
		return fmt.Errorf("diagram: a width of %v: %d nodes and servers need more", p.width, p.lines())
	}
	y := float64(margin)
	title := svg.Style{Size: size + 2.5, Class: svg.Ink, Bold: true}
	for _, line := range svg.Wrap(p.Title, p.width-2*margin, title) {
		p.Text(margin, y+title.Rise(), title, line)
		y += title.Line()
	}
	p.headsAt = []float64{y + 4 + p.head.Rise()}
	p.top = y + 4 + p.headHeight() + 4
	p.placeRows()
	return nil
}

// headHeight returns how high the ids of the nodes are: a line, or two if they have no room side by side.
func (p *picture) headHeight() float64 {
	if p.staggered() {
		return 2 * p.head.Line()
	}
	return p.head.Line()
}

// staggered says whether each other id stands below.
func (p *picture) staggered() bool {
	widest := 0.0
	for node := 1; node <= p.lines(); node++ {
		widest = max(widest, svg.Width(p.name(node), p.head))
	}
	return p.step < widest+3
}

// moments returns all times at which something happens, in order.
func (p *picture) moments() []time.Duration {
	all := []time.Duration{p.from, p.to}
	add := func(at time.Duration) {
		if at >= p.from && at <= p.to && !slices.ContainsFunc(p.folds, func(f span) bool { return f.from < at && at <= f.to }) {
			all = append(all, at)
		}
	}
	for _, a := range p.arrows {
		add(a.At)
		if !a.lost {
			add(a.Arrives)
		}
	}
	for _, n := range p.notes {
		add(n.at)
	}
	for _, s := range slices.Concat(p.spans, p.many) {
		add(s.from)
		add(s.to)
	}
	for _, r := range p.reigns {
		add(r.Begin)
		add(r.End)
	}
	for _, c := range p.cuts {
		add(c.from)
		add(c.to)
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// flight returns how long a message takes: half of those that arrive take longer.
func (s *story) flight() time.Duration {
	var all []time.Duration
	for _, a := range s.arrows {
		if took := a.Arrives - a.At; !a.lost && took > 0 {
			all = append(all, took)
		}
	}
	if len(all) == 0 {
		return time.Millisecond
	}
	slices.Sort(all)
	return all[len(all)/2]
}

// placeRows says where each moment is: as far below the one before as time has passed, within bounds, and below its notes.
func (p *picture) placeRows() {
	flight := p.story.flight()
	sent := map[time.Duration]int{}
	for _, a := range p.arrows {
		sent[a.At]++
	}
	free := p.top // where the next note may begin
	for i, at := range p.moments() {
		r := row{at: at, y: p.top + p.text.Rise()}
		if i > 0 {
			before := p.rows[i-1]
			passed := at - before.at
			r.y = before.y + max(nearest, min(usual*float64(passed)/float64(flight), farthest), min(float64(sent[before.at])/2, crowded))
			if passed >= breakAfter*flight {
				r.quiet = passed
				r.gap = max(before.y+farthest/2, free+p.text.Line()/2)
				r.y = max(r.y, r.gap+farthest/2)
				if last := p.headsAt[len(p.headsAt)-1]; r.gap-last > 700 {
					p.headsAt = append(p.headsAt, r.gap+10+p.head.Rise())
					r.y += p.headHeight() + 6
				}
				free = r.gap + p.text.Line()
			}
		}
		r.lines = p.wrap(at)
		if len(r.lines) > 0 {
			r.y = max(r.y, free+p.text.Rise())
			free = r.y - p.text.Rise() + float64(len(r.lines))*p.text.Line() + 2
		}
		p.rows = append(p.rows, r)
	}
	p.bottom = p.rows[len(p.rows)-1].y + 8
}

// wrap returns the notes of a moment as lines.
func (p *picture) wrap(at time.Duration) (all []line) {
	i, _ := slices.BinarySearchFunc(p.notes, at, func(n note, at time.Duration) int { return cmp.Compare(n.at, at) })
	for ; i < len(p.notes) && p.notes[i].at == at; i++ {
		style := p.text
		if p.notes[i].bold {
			style = p.bold
		}
		style.Class = p.notes[i].class
		for k, text := range svg.Wrap(p.story.text(p.notes[i]), p.width-margin-p.side-8, style) {
			if k > 0 {
				text = string(svg.NoBreak) + string(svg.NoBreak) + text
			}
			all = append(all, line{text, style})
		}
	}
	return all
}

// y returns where a moment is. Moments between two rows are between them; those outside of what is drawn are at its edge.
func (p *picture) y(at time.Duration) float64 {
	i, found := slices.BinarySearchFunc(p.rows, at, func(r row, at time.Duration) int { return cmp.Compare(r.at, at) })
	switch {
	case found:
		return p.rows[i].y
	case i == 0:
		return p.rows[0].y
	case i == len(p.rows):
		return p.bottom
	}
	a, b := p.rows[i-1], p.rows[i]
	return a.y + (b.y-a.y)*float64(at-a.at)/float64(b.at-a.at)
}

// x returns where the line of a node is.
func (p *picture) x(node int) float64 { return p.first + p.step*float64(node-1) }
