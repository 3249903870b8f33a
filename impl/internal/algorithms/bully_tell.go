package algorithms

import (
	"fmt"

	"github.com/seed-fdf591db/bully/conformance"
	"github.com/seed-fdf591db/bully/conformance/check"
	"github.com/seed-fdf591db/bully/conformance/compare"
	"github.com/seed-fdf591db/bully/impl/bully"
	"github.com/seed-fdf591db/bully/spec"
)

// bullyStep is the last step of a node of ours, as far as it is told of.
type bullyStep struct {
	was   spec.State
	input spec.Input
	did   bully.Output
}

// Ours is a node of our own protocol. It tells of its last step as the specification does; the memory is the node's, until its
// next step.
type Ours interface {
	Teller
	Case() conformance.Case         // the step as a question, and what the node has answered
	Event() (e spec.Event, ok bool) // the step as a trace has it (section 14), without its number and its time; or false: there was none
}

var _ Ours = (*bullyNode)(nil)

// Tell tells the role and the epoch: the rest of the state is in the Case of the last step.
func (n *bullyNode) Tell() Telling {
	s := &n.state
	return Telling{Role: string(s.Role), Epoch: uint64(s.Epoch), Waits: s.Role == spec.Electing, Stands: s.Role == spec.Claimant}
}

// Kept tells a promise.
func (n *bullyNode) Kept(saved any) string {
	promise, ok := saved.(spec.Durable)
	switch {
	case !ok:
		return ""
	case promise.Grantee.IsNone():
		return fmt.Sprintf("epoch %d, promised to nobody", promise.Epoch)
	}
	return fmt.Sprintf("epoch %d, promised to %s", promise.Epoch, promise.Grantee)
}

// About tells the epoch.
func (n *bullyNode) About(m compare.Message) (epoch uint64, text string) {
	message, _ := m.Body.(spec.Message)
	return uint64(message.Epoch), ""
}

// Event is the last step as a trace has it (section 14), without its number and its time. It reports false if there was no step.
// The memory is the node's, until its next step.
func (n *bullyNode) Event() (e spec.Event, ok bool) {
	did := &n.last.did
	if did.Action == "" || did.Ignored != "" {
		return spec.Event{}, false
	}
	return spec.Event{Node: n.members[n.config.ID-1], Action: did.Action, Input: n.last.input, Sent: did.Send, State: n.state}, true
}

// Case is the last step as a question, and what the node has answered. The memory is the node's, until its next step.
func (n *bullyNode) Case() conformance.Case {
	last := &n.last
	in := last.input
	if last.did.Action == spec.StartAction || last.did.Action == spec.RestartAction {
		in.Call = last.did.Action.Call()
	}
	return conformance.Case{ID: n.members[n.config.ID-1], Members: n.members, Before: last.was, Input: in, Want: spec.Step{Ignored: last.did.Action == "", State: n.state, Sent: last.did.Send}}
}

// Did tells of the last step only which it is, and the rule that it follows from: the rest is in its Case.
func (n *bullyNode) Did() Step {
	c := n.Case()
	return Step{Action: string(n.last.did.Action), Rule: check.RuleOf(&c)}
}
