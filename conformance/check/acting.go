package check

import (
	"fmt"

	"github.com/seed-fdf591db/bully/model"
	"github.com/seed-fdf591db/bully/spec"
)

// act remembers whether node i acts as leader after its step, and looks at OneActing if that is asked.
func (r *replay) act(i model.ID) *TraceError {
	if !r.nodes[i].leads {
		r.acting = r.acting.Without(i)
		return nil
	}
	r.acting = r.acting.With(i)
	if r.acting.Len() < 2 || !r.options.OneActing {
		return nil
	}
	fault := &TraceError{Rule: string(spec.OneActing), Problem: "two nodes act as leader"}
	for j := range r.members {
		if id := model.ID(j + 1); r.acting.Has(id) {
			if fault.Got != "" {
				fault.Got += "\n"
			}
			fault.Got += fmt.Sprintf("node %s leads epoch %d", r.members[j], r.nodes[id].epoch)
		}
	}
	return fault
}
