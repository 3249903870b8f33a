package check

import (
	"github.com/seed-fdf591db/bully/conformance/monitor"
	"github.com/seed-fdf591db/bully/model/rules"
	"github.com/seed-fdf591db/bully/spec"
)

// watch returns a monitor of the promises that are asked of a trace.
func watch(members []spec.NodeID, o Options) *monitor.Monitor {
	m := monitor.New(monitor.Options{Members: members})
	if !o.OneActing {
		m.Late()
	}
	return m
}

// viewOf returns what an event shows of its node.
func viewOf(e *spec.Event) monitor.View {
	v := monitor.ViewOf(&e.State)
	if e.Action == spec.CrashAction {
		return v.Down()
	}
	return v
}

// promises says which promise is broken if the state of node i becomes that of an event, and remembers what the event shows of it.
func (r *replay) promises(i rules.ID, e *spec.Event) *TraceError {
	r.view = viewOf(e)
	breach := r.monitor.Breaks(int(i)-1, &r.view)
	if breach == nil {
		return nil
	}
	return &TraceError{Rule: string(breach.Promise.Name), Problem: breach.Problem, Got: breach.Got}
}
