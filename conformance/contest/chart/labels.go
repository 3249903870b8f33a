package chart

import (
	"cmp"
	"slices"

	"github.com/seed-fdf591db/bully/conformance/contest/chart/svg"
)

// label is the name of a line, beside the plot.
type label struct {
	lines  []string
	wanted float64 // where its middle would be best
	y      float64 // where it is
	height float64
	draw   func(x, y float64)      // the sample of its line
	from   []float64               // where its line ends; nil if that cannot be seen
	thread func(points ...float64) // draws what binds the line's end to the label
	style  svg.Style
}

// sampleWidth returns how wide the sample of a line before its name is.
func (p *plot) sampleWidth() float64 {
	if p.width < 500 {
		return 18
	}
	return 24
}

// cluster is a number of labels that touch each other.
type cluster struct {
	labels []*label
	top    float64
	height float64
}

// settle moves a cluster to where its labels are nearest to where they want to be, within bounds.
func (c *cluster) settle(top, bottom float64) {
	sum, above := 0.0, 0.0
	for _, l := range c.labels {
		sum += l.wanted - (above + l.height/2)
		above += l.height
	}
	c.height = above
	c.top = max(top, min(sum/float64(len(c.labels)), bottom-above))
}

// spread gives each label a place so that none overlaps another, all are between top and bottom if there is room, and each is
// as near as can be to where it wants to be.
func spread(labels []*label, top, bottom float64) {
	ordered := slices.Clone(labels)
	slices.SortStableFunc(ordered, func(a, b *label) int { return cmp.Compare(a.wanted, b.wanted) })
	var all []*cluster
	for _, l := range ordered {
		all = append(all, &cluster{labels: []*label{l}})
		all[len(all)-1].settle(top, bottom)
		for len(all) > 1 {
			a, b := all[len(all)-2], all[len(all)-1]
			if a.top+a.height <= b.top {
				break
			}
			a.labels = append(a.labels, b.labels...)
			a.settle(top, bottom)
			all = all[:len(all)-1]
		}
	}
	for _, c := range all {
		y := c.top
		for _, l := range c.labels {
			l.y = y + l.height/2
			y += l.height
		}
	}
}

// drawLabels writes the names beside the plot, each behind a sample of its line.
func (p *plot) drawLabels() {
	x := p.right + p.threadWidth()
	for _, l := range p.labels {
		if l.from != nil {
			l.thread(l.from[0], l.from[1], p.right+4, l.from[1])
			l.thread(p.right+4, l.from[1], x-2, l.y)
		}
		l.draw(x, l.y)
		step := l.style.Line()
		y := l.y - step*float64(len(l.lines))/2 + (step+l.style.Rise()-l.style.Fall())/2
		for _, line := range l.lines {
			p.Text(x+p.sampleWidth()+5, y, l.style, line)
			y += step
		}
	}
}
