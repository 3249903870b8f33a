package check

import (
	"fmt"

	"github.com/seed-fdf591db/bully/spec"
)

// mayBeFirst says what is wrong with the configuration of a first start (R49): nothing, where members are fixed.
func mayBeFirst(e *spec.Event) *TraceError {
	c := &e.State.Configuration
	_, isMember := c.Member(e.Node)
	if c.IsNone() || c.IsEmpty() || c.Epoch == 0 && c.Version == 1 && isMember {
		return nil
	}
	return &TraceError{
		Rule: "R49", Problem: fmt.Sprintf("Start of node %s with a configuration that it cannot begin with", e.Node),
		Expected: "the empty configuration, or one of version 1 and epoch 0 that the node is in", Got: c.String(),
	}
}
