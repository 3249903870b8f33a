package check

import (
	"fmt"

	"github.com/seed-fdf591db/bully/conformance"
	"github.com/seed-fdf591db/bully/model"
	"github.com/seed-fdf591db/bully/spec"
)

// changing is the rules of package model/changing, as conformance.Model puts them: in the words of package spec, for a trace
// in which every message and state has a configuration.
type changing struct {
	model   conformance.Model
	members []spec.NodeID                  // whoever is a member at any time
	states  [model.MaxNodes + 1]spec.State // of a node that is down, what survives
	taken   conformance.Outcome            // the last one
}

func newChanging(members []spec.NodeID) (*changing, error) {
	if len(members) > model.MaxNodes {
		return nil, fmt.Errorf("%d nodes", len(members))
	}
	return &changing{members: members}, nil
}

func (c *changing) begin(i model.ID, promise spec.Durable) {
	c.states[i] = conformance.Survivor(promise)
}

func (c *changing) step(i, _ model.ID, e *spec.Event) bool {
	if e.Action == spec.CrashAction {
		c.taken = conformance.Outcome{After: conformance.Survivor(c.states[i].Durable())}
	} else {
		c.taken = c.model.Step(c.members[i-1], c.members, c.states[i], inputOf(e))
	}
	return c.taken.Equal(conformance.Outcome{After: e.State, Sent: e.Sent})
}

func (c *changing) state(i model.ID) spec.State { return c.states[i] }

func (c *changing) wanted() conformance.Outcome { return c.taken }

func (c *changing) keep(i model.ID) { c.states[i] = c.taken.After }
