package check

import (
	"fmt"

	"github.com/seed-fdf591db/bully/model"
	"github.com/seed-fdf591db/bully/spec"
)

// node is what is known of a node.
type node struct {
	state   model.State // of a node that is down, what survives
	up      bool
	started bool // it has a record
}

// crash takes the Crash of node i. What is under way to it and from it is lost; the promise is kept (R4).
//
// A node that is down may crash: it was about to start again, and that was no step yet.
func (r *replay) crash(i model.ID, e *spec.Event) *TraceError {
	n := &r.nodes[i]
	r.adopt(n, e)
	survives := r.rules.Survives(n.state)
	if !r.isState(&survives, &e.State) {
		return r.broken(i, e, &TraceError{
			Rule: "R4", Problem: fmt.Sprintf("Crash of node %s: something else survives", e.Node),
			Before: r.specState(&n.state).String(), Expected: r.specState(&survives).String(), Got: e.State.String(),
		})
	}
	before := n.state
	n.state, n.up = survives, false
	r.links.clear(i)
	r.acting = r.acting.Without(i)
	return r.promises(i, &before, &survives)
}

// adopt takes the promise of a node that nothing is known of from its first event, if that is a Crash or a Restart. The
// node had a record before the trace began: it may be any.
func (r *replay) adopt(n *node, e *spec.Event) {
	if !n.started {
		n.started, n.state = true, model.State{Epoch: e.State.Epoch, Grantee: r.rank(e.State.Grantee)}
	}
}

// start takes the first start of node i (R32), or a later one (R30).
func (r *replay) start(i model.ID, e *spec.Event) *TraceError {
	n, first := &r.nodes[i], e.Action == spec.StartAction
	switch {
	case n.up:
		return &TraceError{Rule: ruleOfStart(first), Problem: fmt.Sprintf("%s of node %s, which runs", e.Action, e.Node)}
	case first && n.started:
		return &TraceError{Rule: "R32", Problem: fmt.Sprintf("Start of node %s, which has started before: it has a record, and this would be a Restart", e.Node)}
	}
	step := model.Step{}
	if !first {
		r.adopt(n, e)
		step = r.rules.Restart(i, n.state)
	}
	if fault := r.compare(i, e, &step); fault != nil {
		return fault
	}
	n.up, n.started = true, true
	return r.take(i, e, &step)
}

func ruleOfStart(first bool) string {
	if first {
		return "R32"
	}
	return "R30"
}
