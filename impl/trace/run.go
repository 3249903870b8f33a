package trace

import (
	"errors"
	"fmt"
	"slices"

	"github.com/seed-fdf591db/bully/spec"
)

// run takes the recorded steps again, one after the other, so that each comes after what it needs: a receipt after a sending of its
// message, and a crash after what explains the promise that is on the disk. What a step needs it needs for good, so whatever can be
// taken may be: if there is an order of all steps, this finds one.
type run struct {
	*merger
	lenient bool             // takes what is not ready, rather than being stuck
	next    []int            // for each record, the step to be taken next
	said    [][]spec.Message // what has been said to each node, in order
	gaps    []gap            // for each record, what comes before the crash that is to be taken next
	merged  []spec.Event
	summary Summary // of what was filled in, and of what came from nowhere
}

func newRun(m *merger, lenient bool) *run {
	n := len(m.records)
	return &run{merger: m, lenient: lenient, next: make([]int, n), said: make([][]spec.Message, n), gaps: make([]gap, n), summary: m.summary}
}

// all takes all steps, in the order of their times as far as they can be taken, or until it is stuck.
func (r *run) all() error {
	for {
		best, waiting := -1, -1
		for node := range r.records {
			switch {
			case r.next[node] == len(r.records[node].steps):
			case r.ready(node):
				if best < 0 || r.head(node).time < r.head(best).time {
					best = node
				}
			case waiting < 0 || r.head(node).time < r.head(waiting).time:
				waiting = node
			}
		}
		switch {
		case r.lenient && waiting >= 0 && (best < 0 || r.head(waiting).time+patience < r.head(best).time):
			if best = waiting; r.head(best).Action != spec.CrashAction {
				r.summary.Unsent++
			}
		case best < 0 && waiting < 0:
			return nil
		case best < 0:
			return r.stuck()
		}
		r.take(best)
	}
}

// patience is how long a lenient run waits for a message to be sent, by the clock of its receiver, in microseconds.
const patience = 1_000_000

// head returns the step that a node takes next.
func (r *run) head(node int) *step { return &r.records[node].steps[r.next[node]] }

// ready reports whether a node can take its next step.
func (r *run) ready(node int) bool {
	s := r.head(node)
	switch {
	case s.Action == spec.CrashAction:
		return r.explained(node)
	case s.Input.Message == (spec.Message{}):
		return true
	}
	sent, is := r.sent[s.Input.Message]
	return is && r.next[sent.first.node] > sent.first.step
}

// take takes the next step of a node.
func (r *run) take(node int) {
	s := r.head(node)
	if s.Action == spec.CrashAction {
		r.fill(node)
	}
	r.merged = append(r.merged, s.Event)
	for _, message := range s.Sent {
		if to := slices.IndexFunc(r.records, func(x record) bool { return x.node == message.To }); to >= 0 && len(r.records[to].crashes) > 0 {
			r.said[to] = append(r.said[to], message)
		}
	}
	r.next[node]++
}

// stuck says why no step can be taken.
func (r *run) stuck() error {
	text := "there is no order of all steps:"
	for node := range r.records {
		if r.next[node] == len(r.records[node].steps) {
			continue
		}
		s := r.head(node)
		if s.Action == spec.CrashAction {
			text += "\n\t" + r.unexplained(node)
			continue
		}
		text += fmt.Sprintf("\n\t%s: node %s receives %s, which node %s has not sent by then", s.place, s.Node, s.Input.Message, s.Input.Message.From)
	}
	return errors.New(text)
}
