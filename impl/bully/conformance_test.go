package bully_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/seed-fdf591db/bully/conformance"
	"github.com/seed-fdf591db/bully/impl/bully"
	"github.com/seed-fdf591db/bully/spec"
)

// subject is the core, put into the state of each question.
type subject struct{}

func (subject) Step(id spec.NodeID, members []spec.NodeID, before spec.State, in spec.Input) spec.Step {
	node, input, err := toInput(id, members, before, in)
	if err != nil {
		panic(fmt.Sprintf("%s in %s: %v", id, before, err))
	}
	out := node.Step(input)
	return spec.Step{Ignored: out.Action == "", State: node.State(), Sent: slices.Clone(out.Send)}
}

// toInput returns a node that is where the question says, and its input. A node that starts is a new one.
func toInput(id spec.NodeID, members []spec.NodeID, before spec.State, in spec.Input) (*bully.Node, bully.Input, error) {
	if !in.Starts() {
		node, err := bully.At(id, members, before)
		return node, bully.InputOf(spec.Input{Message: in.Message, Timer: in.Timer, Call: in.Call, Configuration: in.Configuration, Names: in.Names, Hold: in.Hold}), err
	}
	first, input := before.Configuration, bully.Start()
	if in.Call == spec.RestartCall {
		first, input = spec.EmptyConfiguration(), bully.Restart(before.Durable())
	}
	if !before.Configuration.IsNone() {
		node, err := bully.NewChanging(id, first)
		return node, input, err
	}
	node, err := bully.New(id, members)
	return node, input, err
}

// TestConformance compares the core with the model, and what its steps come to for the host with sections 9 and 10.
func TestConformance(t *testing.T) {
	core := &dutiful{t: t, actions: map[spec.Action]int{}}
	conformance.Run(t, func() conformance.Subject { return core })
	core.enough()
}
