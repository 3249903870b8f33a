package trace

import (
	"errors"
	"fmt"
	"slices"

	"github.com/seed-fdf591db/bully/spec"
)

// run takes the recorded steps again, one after the other, over links that behave as those of section 2.
type run struct {
	*merger
	edges   edges
	lenient bool  // takes messages that were not sent, rather than being stuck
	next    []int // for each record, the step to be taken next
	links   [][]queue
	merged  []spec.Event
}

// queue is what is under way on a link: a range of what is sent on it in the whole trace.
type queue struct {
	head, tail int // under way is sends[head:tail]
	delivered  int // sends[delivered:head] were lost by crashes
	searched   int // sends[head:searched] are not what the receiver waits for
	losses     []loss
}

// loss is a crash that has emptied a queue.
type loss struct {
	head int // up to which of sends all is lost
	at   ref // the Crash of either end, or the start of the receiver
}

// stuck says why a run cannot go on, and what would have helped.
type stuck struct {
	err         error
	first, then ref // if first had come before then, all might be well
	helps       bool
}

// learn adds the edge that would have helped, and reports whether there is one.
func (s *stuck) learn(e edges) bool { return s.helps && e.add(s.first, s.then) }

func newRun(m *merger, e edges, lenient bool) *run {
	r := &run{merger: m, edges: e, lenient: lenient, next: make([]int, len(m.records)), links: make([][]queue, len(m.records))}
	for i := range r.links {
		r.links[i] = make([]queue, len(m.records))
	}
	return r
}

// all takes all steps, in the order of their times as far as they can be taken, or until it is stuck.
func (r *run) all() *stuck {
	for {
		best, waiting := -1, -1
		for node := range r.records {
			switch {
			case r.next[node] == len(r.records[node].steps):
			case r.ready(node):
				if best < 0 || r.before(node, best) {
					best = node
				}
			case waiting < 0 || r.before(node, waiting):
				waiting = node
			}
		}
		switch {
		case r.lenient && waiting >= 0 && (best < 0 || r.head(waiting).time+patience < r.head(best).time):
			best = waiting
			r.summary.Unsent++
		case best < 0 && waiting < 0:
			return nil
		case best < 0:
			return r.stuck()
		}
		if s := r.take(best); s != nil {
			return s
		}
	}
}

// patience is how long a lenient run waits for a message to be sent, by the clock of its receiver, in microseconds.
const patience = 1_000_000

// head returns the step that a node takes next.
func (r *run) head(node int) *step { return &r.records[node].steps[r.next[node]] }

// before reports whether the next step of a comes before that of b, if both can be taken. At the same time a crash
// comes last: others may still receive what the node sent before its crash.
func (r *run) before(a, b int) bool {
	s, t := r.head(a), r.head(b)
	if s.time != t.time {
		return s.time < t.time
	}
	return s.Action != spec.CrashAction && t.Action == spec.CrashAction
}

// ready reports whether a node can take its next step.
func (r *run) ready(node int) bool {
	for _, first := range r.edges[ref{node, r.next[node]}] {
		if r.next[first.node] <= first.step {
			return false
		}
	}
	s := r.head(node)
	if s.Input.Message == (spec.Message{}) {
		return true
	}
	from, q := r.link(node, s)
	return q != nil && r.find(from, node, q, s.Input.Message)
}

// link returns where a message to be received comes from, and what is under way from there; nil if there is no record
// of that node.
func (r *run) link(node int, s *step) (from int, q *queue) {
	from = slices.IndexFunc(r.records, func(x record) bool { return x.node == s.Input.Message.From })
	if from < 0 {
		return from, nil
	}
	return from, &r.links[from][node]
}

// find moves q.searched to a message that is under way, and reports whether it is. The first of several that are the
// same is always as good as any other.
func (r *run) find(from, to int, q *queue, m spec.Message) bool {
	sends := r.merger.links[from][to].sends
	q.searched = max(q.searched, q.head)
	for q.searched < q.tail && sends[q.searched].message != m {
		q.searched++
	}
	return q.searched < q.tail
}

// take takes the next step of a node.
func (r *run) take(node int) *stuck {
	i := r.next[node]
	s := &r.records[node].steps[i]
	if s.Action == spec.CrashAction {
		if stuck := r.fill(node, i); stuck != nil && !r.lenient {
			return stuck
		}
	}
	if s.Action == spec.CrashAction || s.starts() {
		r.lose(node, i)
	}
	if m := s.Input.Message; m != (spec.Message{}) {
		if from, q := r.link(node, s); q != nil && r.find(from, node, q, m) {
			q.head = q.searched + 1
			q.delivered, q.searched, q.losses = q.head, q.head, q.losses[:0]
		}
	}
	for to := range r.links[node] {
		q, sends := &r.links[node][to], r.merger.links[node][to].sends
		for q.tail < len(sends) && sends[q.tail].step == i {
			q.tail++
		}
	}
	r.merged = append(r.merged, s.Event)
	r.next[node]++
	return nil
}

// lose empties the links to and from a node that crashes, or starts, at step i. While it was down nobody could receive
// what was sent to it.
func (r *run) lose(node, i int) {
	for other := range r.links {
		for _, q := range []*queue{&r.links[node][other], &r.links[other][node]} {
			if q.head < q.tail {
				q.head = q.tail
				q.losses = append(q.losses, loss{q.tail, ref{node, i}})
			}
		}
	}
}

// stuck says why no step can be taken. What helps is to receive before the sender crashes, or to start before it is sent.
func (r *run) stuck() *stuck {
	var order []int
	for node := range r.records {
		if r.next[node] < len(r.records[node].steps) {
			order = append(order, node)
		}
	}
	slices.SortStableFunc(order, func(a, b int) int {
		if r.before(a, b) {
			return -1
		}
		return 1
	})
	text := "no order of all steps was found:"
	for _, node := range order {
		why, help := r.blocked(node)
		if help != nil {
			return help
		}
		text += "\n\t" + why
	}
	return &stuck{err: errors.New(text)}
}

// blocked says why a node cannot take its next step, and what would have helped.
func (r *run) blocked(node int) (why string, help *stuck) {
	s := r.head(node)
	from, q := r.link(node, s)
	if q == nil || r.find(from, node, q, s.Input.Message) {
		why = fmt.Sprintf("%s: %s of node %s", s.place, s.Action, s.Node)
		for _, first := range r.edges[ref{node, r.next[node]}] {
			if before := r.records[first.node].steps[first.step]; r.next[first.node] <= first.step {
				why += fmt.Sprintf(" comes after %s of node %s at %s", before.Action, before.Node, before.place)
			}
		}
		return why, nil
	}
	sends := r.merger.links[from][node].sends
	why = fmt.Sprintf("%s: node %s receives %s, which node %s has not sent by then", s.place, s.Node, s.Input.Message, r.records[from].node)
	for i := q.head - 1; i >= q.delivered; i-- {
		if sends[i].message != s.Input.Message {
			continue
		}
		lost, send := q.lostAt(i), ref{from, sends[i].step}
		help = &stuck{helps: true, first: ref{node, r.next[node]}, then: lost, err: fmt.Errorf(
			"no order of all steps was found: %s: node %s receives %s, which was lost in a crash before %s", s.place, s.Node, s.Input.Message,
			r.records[lost.node].steps[lost.step].place)}
		if lost.node != from {
			start, _ := preceding(r.records[node].starts, r.next[node])
			help.first, help.then = ref{node, start}, send
		}
		return why, help
	}
	return why, nil
}

// lostAt returns the step in which a message was lost that is neither under way nor delivered.
func (q *queue) lostAt(i int) ref {
	return q.losses[slices.IndexFunc(q.losses, func(l loss) bool { return i < l.head })].at
}
