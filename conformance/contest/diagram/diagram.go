package diagram

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"time"

	"github.com/seed-fdf591db/bully/conformance/contest"
	"github.com/seed-fdf591db/bully/conformance/contest/chart/svg"
)

// Diagram is a run that can be drawn.
type Diagram struct {
	Title    string
	Scenario *contest.Scenario
	Result   *contest.Result // with its Timeline
	Servers  int             // how many servers there are beside the nodes
	Leave    []string        // kinds of messages that are not drawn, such as Algorithm.Upkeep
	From, To time.Duration   // what is drawn of the run; To 0: to its end
	Most     int             // how many messages are drawn at most, the first ones; 0: 400
}

// The narrowest and the widest drawing, in CSS pixels, and how many nodes and servers can be told apart.
const (
	Narrowest = 300
	Widest    = 2000
	MostNodes = 20
)

// usualMost is how many messages are drawn if Most is 0, and mostNotes how many lines of text.
const (
	usualMost = 400
	mostNotes = 400
)

// margin is the empty space round a diagram.
const margin = 10

// SVG draws the run, as wide as said and as high as it needs, in CSS pixels. 360 suits a phone, 520 half a page.
func (d Diagram) SVG(width int) ([]byte, error) {
	if err := d.check(width); err != nil {
		return nil, err
	}
	p := &picture{Diagram: d, width: float64(width), story: d.gather()}
	if err := p.place(); err != nil {
		return nil, err
	}
	p.drawTime()
	p.drawGround()
	p.drawNodes()
	p.drawBreaks()
	p.drawArrows()
	p.drawHead()
	p.drawNotes()
	end := p.drawFoot()
	return p.Document(svg.Head{Title: d.Title, Description: p.describe(), Width: p.width, Height: math.Ceil(end + margin)}), nil
}

// check says what is wrong with a diagram.
func (d *Diagram) check(width int) error {
	switch {
	case d.Scenario == nil || d.Result == nil:
		return errors.New("diagram: Scenario or Result is nil: give both")
	case len(d.Result.Timeline) == 0:
		return errors.New("diagram: the result has no timeline: run the scenario with contest.Options{Timeline: true}")
	case width < Narrowest || width > Widest:
		return fmt.Errorf("diagram: a width of %d: it must be from %d to %d", width, Narrowest, Widest)
	case d.Scenario.Nodes < 1 || d.Servers < 0 || d.Scenario.Nodes+d.Servers > MostNodes:
		return fmt.Errorf("diagram: %d nodes and %d servers: there must be a node, and more than %d lines cannot be told apart", d.Scenario.Nodes, d.Servers, MostNodes)
	case d.From < 0 || d.To < 0 || d.To > 0 && d.To <= d.From:
		return fmt.Errorf("diagram: from %s to %s: To must be after From, or 0", d.From, d.To)
	case d.From >= d.end():
		return fmt.Errorf("diagram: from %s to the end of the run, at %s: From must be before it", d.From, d.end())
	case d.Most < 0:
		return fmt.Errorf("diagram: Most is %d: it must not be below 0", d.Most)
	}
	for i, e := range d.Result.Timeline {
		if e.Node < 0 || e.Node > d.lines() || (e.Kind == contest.Sends && (e.Node == 0 || e.Other < 1 || e.Other > d.lines())) {
			return fmt.Errorf("diagram: entry %d of the timeline is about %d and %d: there are nodes and servers from 1 to %d: is this another scenario's result?", i, e.Node, e.Other, d.lines())
		}
	}
	for i, r := range d.Result.Reigns {
		if r.Leader < 1 || r.Leader > d.lines() {
			return fmt.Errorf("diagram: reign %d is of node %d: there are nodes from 1 to %d", i, r.Leader, d.Scenario.Nodes)
		}
	}
	if n := len(d.Result.Faults); n > len(d.Scenario.Faults) {
		return fmt.Errorf("diagram: the result has %d faults, and its scenario %d: is this another scenario's result?", n, len(d.Scenario.Faults))
	}
	return nil
}

// end returns when the run ended.
func (d *Diagram) end() time.Duration { return cmp.Or(d.Result.Ended, d.Scenario.Length) }

// lines returns how many nodes and servers there are.
func (d *Diagram) lines() int { return d.Scenario.Nodes + d.Servers }
