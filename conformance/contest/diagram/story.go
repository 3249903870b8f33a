package diagram

import (
	"cmp"
	"slices"
	"sort"
	"time"

	"github.com/seed-fdf591db/bully/conformance/contest"
)

// story is what is drawn of a run.
type story struct {
	nodes    int // without servers
	from, to time.Duration
	arrows   []arrow
	notes    []note
	spans    []span // nodes that are down or paused
	reigns   []contest.Reign
	states   [][]state // of each node, in the order of time
	cuts     []cut
	many     []span // when more than one led; node is how many
	dots     []dot
	folds    []span // when what happens has just happened in the same way, and is left out
	left     left
}

// arrow is a message.
type arrow struct {
	contest.Entry
	lost bool
}

// span is a time in which a node is down, or paused.
type span struct {
	node     int
	from, to time.Duration
	paused   bool
}

// state is what a node takes itself for, from a moment on.
type state struct {
	at time.Duration
	contest.Status
}

// cut is a time in which links carry nothing.
type cut struct {
	is       func(from, to int) bool
	from, to time.Duration
}

// dot is a moment in which a node decides something, or in which a write goes wrong.
type dot struct {
	node int
	at   time.Duration
	bad  bool
}

// left is what is not drawn.
type left struct {
	upkeep int           // messages
	later  int           // messages beyond Most
	since  time.Duration // from when on
	notes  int           // notes beyond those that can be read
	ends   time.Duration // the moment before which the drawing ends
}

// gather finds what is to be drawn.
func (d *Diagram) gather() *story {
	s := &story{nodes: d.Scenario.Nodes, from: d.From, to: d.To, states: make([][]state, d.lines())}
	s.reigns = d.Result.Reigns
	if s.to == 0 || s.to > d.end() {
		s.to = d.end()
	}
	d.faults(s)
	for _, e := range d.Result.Timeline {
		if e.Kind == contest.Becomes && e.At <= s.to {
			s.states[e.Node-1] = append(s.states[e.Node-1], state{e.At, e.Status})
		}
		if e.Kind == contest.Happens && e.Node > 0 && e.Text == "crashes" {
			s.states[e.Node-1] = append(s.states[e.Node-1], state{e.At, contest.Status{}})
		}
		if e.At < s.from || e.At > s.to {
			continue
		}
		switch {
		case e.Kind == contest.Sends && !slices.Contains(d.Leave, e.Text):
			s.arrows = append(s.arrows, arrow{e, e.Arrives < 0})
		case e.Kind == contest.Decides:
			s.dots = append(s.dots, dot{e.Node, e.At, false})
		case e.Kind == contest.Writes:
			s.dots = append(s.dots, dot{e.Node, e.At, true})
		}
	}
	s.tell(d)
	s.count()
	s.fold(breakAfter * s.flight())
	s.limit(cmp.Or(d.Most, usualMost))
	s.left.upkeep = d.upkeep()
	s.together()
	s.skip()
	return s
}

// limit leaves out messages beyond those that can be drawn, and ends the story where there are more notes than can be read.
func (s *story) limit(most int) {
	if len(s.arrows) > most {
		s.left.since = s.arrows[most].At
		early := func(at time.Duration) bool { return at < s.left.since }
		all := len(s.arrows)
		s.arrows = slices.DeleteFunc(s.arrows, func(a arrow) bool { return !early(a.At) })
		s.left.later = all - len(s.arrows)
		s.notes = slices.DeleteFunc(s.notes, func(n note) bool { return n.to != nil && !early(n.at) })
	}
	if len(s.notes) > mostNotes {
		s.left.ends = s.notes[mostNotes].at
		s.left.notes = len(s.notes) - mostNotes
		s.to = max(s.from, s.left.ends-1)
		s.notes = slices.DeleteFunc(s.notes, func(n note) bool { return n.at > s.to })
		all := len(s.arrows)
		s.arrows = slices.DeleteFunc(s.arrows, func(a arrow) bool { return a.At > s.to })
		s.left.later += all - len(s.arrows)
	}
}

// upkeep counts the messages that are left out because they are upkeep, told by the timeline or not.
func (d *Diagram) upkeep() int {
	told, all := 0, 0
	for _, e := range d.Result.Timeline {
		if e.Kind == contest.Sends && !slices.Contains(d.Leave, e.Text) {
			told++
		}
	}
	for _, n := range d.Result.Messages {
		all += n
	}
	return max(0, all-told)
}

// faults finds when nodes are down or paused, and links cut.
func (d *Diagram) faults(s *story) {
	for i, result := range d.Result.Faults {
		f := d.Scenario.Faults[i]
		if result.Began < 0 {
			continue
		}
		to := result.Began + f.For
		if f.For == 0 {
			to = s.to
		}
		switch f.Kind {
		case contest.Crash, contest.Pause:
			if result.Node > 0 {
				s.spans = append(s.spans, span{result.Node, result.Began, to, f.Kind == contest.Pause})
			}
		case contest.Cut:
			leader := s.leader(result.Began)
			meant := func(id, node int) bool { return id == 0 || id == node || id == contest.Leader && node == leader }
			s.cuts = append(s.cuts, cut{func(from, to int) bool {
				return slices.ContainsFunc(f.Links, func(l contest.Link) bool { return meant(l.From, from) && meant(l.To, to) })
			}, result.Began, to})
		}
	}
	// Another fault may end what this one has begun: a crash ends a pause.
	for i := range s.spans {
		for _, other := range s.spans {
			if a := &s.spans[i]; a.paused && !other.paused && a.node == other.node && other.from > a.from && other.from < a.to {
				a.to = other.from
			}
		}
	}
}

// leader returns who leads at a moment: of many, who has begun last; or 0.
func (s *story) leader(at time.Duration) int {
	found := 0
	for _, r := range s.reigns {
		if r.Begin <= at && at <= r.End {
			found = r.Leader
		}
	}
	return found
}

// paused says whether a node is paused at a moment.
func (s *story) paused(node int, at time.Duration) bool {
	return slices.ContainsFunc(s.spans, func(p span) bool { return p.paused && p.node == node && p.from <= at && at < p.to })
}

// together finds when more than one led, of those that were not paused.
func (s *story) together() {
	var moments []time.Duration
	for _, r := range s.reigns {
		moments = append(moments, r.Begin, r.End)
	}
	for _, p := range s.spans {
		moments = append(moments, p.from, p.to)
	}
	moments = append(moments, s.from, s.to)
	slices.Sort(moments)
	moments = slices.Compact(moments)
	for i, at := range moments {
		if at < s.from || at >= s.to || i+1 == len(moments) {
			continue
		}
		n := 0
		for _, r := range s.reigns {
			if r.Begin <= at && at < r.End && !s.paused(r.Leader, at) {
				n++
			}
		}
		last := len(s.many) - 1
		switch {
		case n < 2:
		case last >= 0 && s.many[last].to == at && s.many[last].node == n:
			s.many[last].to = moments[i+1]
		default:
			s.many = append(s.many, span{node: n, from: at, to: moments[i+1]})
		}
	}
}

// skip leaves out of the story what is wholly within a fold.
func (s *story) skip() {
	within := func(from, to time.Duration) bool {
		return slices.ContainsFunc(s.folds, func(f span) bool { return f.from <= from && to <= f.to })
	}
	s.reigns = slices.DeleteFunc(slices.Clone(s.reigns), func(r contest.Reign) bool { return within(r.Begin, r.End) })
	s.many = slices.DeleteFunc(s.many, func(m span) bool { return within(m.from, m.to) })
	s.dots = slices.DeleteFunc(s.dots, func(d dot) bool { return within(d.at, d.at) })
}

// status returns what a node took itself for at a moment, after all that happened in it.
func (s *story) status(node int, at time.Duration) contest.Status {
	all := s.states[node-1]
	i := sort.Search(len(all), func(i int) bool { return all[i].at > at })
	if i == 0 {
		return contest.Status{}
	}
	return all[i-1].Status
}
