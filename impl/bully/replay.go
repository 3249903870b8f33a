package bully

import "github.com/seed-fdf591db/bully/spec"

// Replay takes the step of a node that is in a given state, and returns which it is, the state after, and what is sent.
// The action is "" if the input makes no step, and if no node can be in that state (At).
func Replay(id spec.NodeID, members []spec.NodeID, before spec.State, in spec.Input) (spec.Action, spec.State, []spec.Message) {
	node, err := At(id, members, before)
	if err != nil {
		return "", spec.State{}, nil
	}
	out := node.Step(Given(in))
	return out.Action, node.State(), out.Send
}
