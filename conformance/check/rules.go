package check

import (
	"github.com/seed-fdf591db/bully/model"
	"github.com/seed-fdf591db/bully/spec"
)

// rules take the steps of nodes again. There are two: [fixed] and [changing], by what the header of a trace says of members.
// Nodes are known by their rank.
type rules interface {
	// begin gives node i what it has on disk before its first start, or before the first that the trace says of it.
	begin(i model.ID, promise spec.Durable)
	// step lets node i take the step of an event, a crash too, and reports whether the event says it as it is. From is who has
	// sent the message received, if there is one.
	step(i, from model.ID, e *spec.Event) bool
	// state returns the state of node i before that step, and wanted what the step is.
	state(i model.ID) spec.State
	wanted() spec.Step
	// keep makes what the step has come to the state of node i.
	keep(i model.ID)
}

var (
	_ rules = (*fixed)(nil)
	_ rules = (*changing)(nil)
)

// newRules returns the rules for nodes that have not started. It is an error if there are more than MaxNodes.
func newRules(h spec.Header) (rules, error) {
	if !h.Changing {
		return newFixed(h.Members)
	}
	return newChanging(h.Members)
}

// inputOf returns what the step of an event was taken on.
func inputOf(e *spec.Event) spec.Input {
	in := e.Given()
	return in
}
