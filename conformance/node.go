package conformance

import (
	"github.com/seed-fdf591db/bully/conformance/cases"
	"github.com/seed-fdf591db/bully/spec"
)

// Node is one node of an implementation, from a start to a crash: what a cluster of them is made of. A Subject becomes
// one by [NodeOf], without memory or timers of its own; an implementation that keeps its state, and says itself what it
// saves and which timers it wants, is asked about these too.
type Node interface {
	// Start is the first start (R32), and Restart a later one, with the promise that the disk has kept (R30). One of the
	// two is called, once, before anything else. Both say with which configuration the node starts (R49); with none, the
	// members are fixed, and are those that its Maker was given.
	Start(first spec.Configuration, out *spec.Step)
	Restart(promise spec.Durable, out *spec.Step)
	// Step takes a message, the end of a timer, or a call; whatever else an input of a trace may be is not given. What it
	// does belongs to who asks: the node sets every field, and may use the memory of the slices again.
	Step(in *spec.Input, out *spec.Step)
}

// Maker makes a node that has not started. The members are ascending, and id is one of them. If the node then starts with a
// configuration, they are all ids that occur, and who is a member is for the configuration to say.
type Maker func(id spec.NodeID, members []spec.NodeID) Node

// subjectNode is a Subject with the memory of one node.
type subjectNode struct {
	subject Subject
	id      spec.NodeID
	members []spec.NodeID
	state   spec.State
}

// NodeOf makes nodes of subjects, each of a new one. What they save, and which timers they want, is computed from the
// state before and after (R4, R36), as a host of such an implementation would.
func NodeOf(newSubject func() Subject) Maker {
	return func(id spec.NodeID, members []spec.NodeID) Node {
		return &subjectNode{subject: newSubject(), id: id, members: members, state: cases.Survivor(spec.Durable{})}
	}
}

// NodeIn makes a node of a subject that is in a state already, as if it had come to it.
func NodeIn(subject Subject, id spec.NodeID, members []spec.NodeID, s spec.State) Node {
	return &subjectNode{subject: subject, id: id, members: members, state: s}
}

func (n *subjectNode) Start(first spec.Configuration, out *spec.Step) {
	n.state.Configuration = first
	n.step(spec.Input{Call: spec.StartCall}, out)
}

func (n *subjectNode) Restart(promise spec.Durable, out *spec.Step) {
	n.state = cases.Survivor(promise)
	n.step(spec.Input{Call: spec.RestartCall}, out)
}

func (n *subjectNode) Step(in *spec.Input, out *spec.Step) {
	n.step(*in, out)
}

func (n *subjectNode) step(in spec.Input, out *spec.Step) {
	got := n.subject.Step(n.id, n.members, n.state, in)
	out.Ignored, out.Sent = got.Ignored, append(out.Sent[:0], got.Sent...)
	out.Save, out.Cancel, out.Arm = false, 0, 0
	if !got.Ignored {
		out.Save, out.Cancel, out.Arm = Duties(n.id, &n.state, &in, &got.State, got.Sent)
	}
	n.state = got.State.Clone()
	copyState(&out.State, &n.state)
}

// copyState makes s equal to t, in the memory of s.
func copyState(s, t *spec.State) {
	support, answered := append(s.Support[:0], t.Support...), append(s.Answered[:0], t.Answered...)
	*s = *t
	s.Support, s.Answered = support, answered
}
