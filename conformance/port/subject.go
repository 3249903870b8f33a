package port

import (
	"fmt"

	"github.com/seed-fdf591db/bully/conformance"
	"github.com/seed-fdf591db/bully/spec"
)

// Subject returns the port as what answers single questions. It panics with a *Failure, as nodes do.
func (p *Process) Subject() conformance.Subject { return subject{p} }

type subject struct{ process *Process }

const asked = "asked" // the name of the node that questions are about

func (s subject) Step(id spec.NodeID, members []spec.NodeID, before spec.State, in spec.Input) spec.Step {
	requests := questionOf(id, members, &before, &in)
	var reply *Reply
	for k := range requests {
		var err error
		if reply, err = s.process.Ask(&requests[k]); err != nil {
			panic(err)
		}
	}
	outcome, failure := s.process.judge(reply, id, &before, &in)
	if failure != nil {
		panic(failure)
	}
	return outcome
}

// questionOf returns what a port is asked for one step from a state.
func questionOf(id spec.NodeID, members []spec.NodeID, before *spec.State, in *spec.Input) []Request {
	switch {
	case in.Call == spec.StartCall:
		return []Request{StartOf(asked, id, members, before.Configuration)}
	case in.Call == spec.RestartCall:
		return []Request{RestartOf(asked, id, members, before.Durable())}
	}
	state := before.Clone()
	return []Request{{Op: Load, Node: asked, Me: &id, Members: fixed(members, before.Configuration), State: &state}, InputOf(asked, in)}
}

// judge makes an outcome of a reply, and compares its duties with those of R4 and R36.
func (p *Process) judge(reply *Reply, id spec.NodeID, before *spec.State, in *spec.Input) (spec.Step, *Failure) {
	var out spec.Step
	failure := p.understand(reply, id, before, in, &out)
	outcome := spec.Step{Ignored: out.Ignored, State: out.State.Clone(), Sent: out.Sent}
	if failure != nil || out.Ignored {
		return outcome, failure
	}
	save, cancel, arm := conformance.Duties(id, before, in, &outcome.State, outcome.Sent)
	switch {
	case out.Save != save:
		return outcome, p.wrong("R4", reply, fmt.Sprintf("the step is saved: %t; it must be: %t", out.Save, save))
	case out.Cancel != cancel:
		return outcome, p.wrong("R36", reply, fmt.Sprintf("it cancels %s, and must cancel %s", out.Cancel, cancel))
	case out.Arm != arm:
		return outcome, p.wrong("R36", reply, fmt.Sprintf("it arms %s, and must arm %s", out.Arm, arm))
	}
	return outcome, nil
}
