package conformance

import (
	"slices"

	"github.com/seed-fdf591db/bully/conformance/cases"
	"github.com/seed-fdf591db/bully/spec"
)

// Subject is an implementation of the transition function of a node.
type Subject interface {
	// Step returns what the node id does in the state before with one input. The members are ascending, id is one of
	// them, and before is a state of section 6. Where members change, before has a configuration, which says who they
	// are; members is then just all ids that occur. Nothing else may count: the same question is asked more than once,
	// in any order. What Step is given stays the asker's: it must not be changed, nor kept.
	Step(id spec.NodeID, members []spec.NodeID, before spec.State, in spec.Input) spec.Step
}

// Case is a question, and the answer to it.
type Case = cases.Case

// put puts the case to a subject, and returns what it answers. The subject gets memory of its own, so that what it
// does with it is not seen by the next.
func put(c *Case, s Subject) spec.Step {
	return s.Step(c.ID, slices.Clone(c.Members), c.Before.Clone(), c.Input)
}
