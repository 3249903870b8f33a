package check

import (
	"fmt"

	"github.com/seed-fdf591db/bully/model/rules"
	"github.com/seed-fdf591db/bully/spec"
)

// node is what is known of a node, besides what the rules know.
type node struct {
	up      bool
	started bool // it has a record
	line    int  // of its last event
	said    int  // how many messages have been put on links to it since
	// The same one for as long as it stays the same; nil before the first event, and where members are fixed.
	configuration *spec.Configuration
}

// becomes makes the state of an event that of node i. Its promises have just been asked.
func (r *replay) becomes(i rules.ID, e *spec.Event) {
	r.monitor.Note(int(i)-1, &r.view)
	n := &r.nodes[i]
	if e.State.Configuration.IsNone() || n.configuration != nil && *n.configuration == e.State.Configuration {
		return
	}
	c := e.State.Configuration
	n.configuration = &c
}

// crash takes the Crash of node i. Its record is kept (R4, R42).
//
// A node that is down may crash: it was about to start again, and that was no step yet.
func (r *replay) crash(i rules.ID, e *spec.Event) *TraceError {
	n := &r.nodes[i]
	r.adopt(i, e)
	r.rules.reserves(i, e.State.Latest)
	if !r.rules.step(i, rules.None, e) {
		before, survives := r.rules.state(i), r.rules.wanted().State
		rule := "R4"
		if survives.Configuration != e.State.Configuration {
			rule = "R42"
		}
		return r.broken(i, e, &TraceError{
			Rule: rule, Problem: fmt.Sprintf("Crash of node %s: something else survives", e.Node),
			Before: before.String(), Expected: survives.String(), Got: e.State.String(),
		})
	}
	if fault := r.promises(i, e); fault != nil {
		return fault
	}
	r.rules.keep(i)
	r.becomes(i, e)
	n.up = false
	return nil
}

// adopt takes the promise of a node that nothing is known of from its first event, if that is a Crash or a Restart. The
// node had a record before the trace began: it may be any.
func (r *replay) adopt(i rules.ID, e *spec.Event) {
	if n := &r.nodes[i]; !n.started {
		n.started = true
		promise := e.State.Durable()
		if e.Action == spec.RestartAction {
			promise.Reserved = e.State.Latest - 1
		}
		promise.Reserved = max(promise.Reserved, spec.Block) // as each record has
		r.rules.begin(i, promise)
	}
}

// start takes the first start of node i (R32, R49), or a later one (R30).
func (r *replay) start(i rules.ID, e *spec.Event) *TraceError {
	n, first := &r.nodes[i], e.Action == spec.StartAction
	switch {
	case n.up:
		return &TraceError{Rule: ruleOfStart(first), Problem: fmt.Sprintf("%s of node %s, which runs", e.Action, e.Node)}
	case first && n.started:
		return &TraceError{Rule: "R32", Problem: fmt.Sprintf("Start of node %s, which has started before: it has a record, and this would be a Restart", e.Node)}
	case first:
		if fault := mayBeFirst(e); fault != nil {
			return fault
		}
		r.rules.begin(i, spec.Durable{Configuration: e.State.Configuration})
	default:
		r.adopt(i, e)
		r.rules.reserves(i, e.State.Latest-1)
	}
	if !r.rules.step(i, rules.None, e) {
		return r.wrong(i, e)
	}
	n.up, n.started = true, true
	return r.take(i, e)
}

func ruleOfStart(first bool) string {
	if first {
		return "R32"
	}
	return "R30"
}
