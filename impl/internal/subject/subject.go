// Package subject is the core, package bully, as the subject of package conformance: what a command or a test hands to
// the simulator.
//
//	result, err := sim.Run(plan, subject.New, sim.Options{})
package subject

import (
	"github.com/seed-fdf591db/bully/conformance"
	"github.com/seed-fdf591db/bully/impl/bully"
	"github.com/seed-fdf591db/bully/spec"
)

// New makes a node of the core. It panics if id or the members, or the configuration that it starts with, are not what
// bully.New and bully.NewChanging take: who asks makes them.
func New(id spec.NodeID, members []spec.NodeID) conformance.Node {
	core, err := bully.New(id, members)
	if err != nil {
		panic(err)
	}
	return &node{id, core}
}

// At makes a node of the core that is in a state, as if it had come to it. An error says what of the state no node can have.
func At(id spec.NodeID, members []spec.NodeID, s spec.State) (conformance.Node, error) {
	core, err := bully.At(id, members, s)
	if err != nil {
		return nil, err
	}
	return &node{id, core}, nil
}

type node struct {
	id   spec.NodeID
	core *bully.Node // of fixed members, until it starts with a configuration
}

var _ conformance.Maker = New

func (n *node) Start(first spec.Configuration, out *spec.Step) {
	n.change(first)
	n.step(bully.Start(), out)
}

func (n *node) Restart(promise spec.Durable, out *spec.Step) {
	if !promise.Configuration.IsNone() {
		n.change(spec.EmptyConfiguration())
	}
	n.step(bully.Restart(promise), out)
}

// change makes the node one of changing members, which begins with a configuration; with none it stays as it is.
func (n *node) change(first spec.Configuration) {
	if first.IsNone() {
		return
	}
	core, err := bully.NewChanging(n.id, first)
	if err != nil {
		panic(err)
	}
	n.core = core
}

func (n *node) Step(in *spec.Input, out *spec.Step) { n.step(bully.InputOf(*in), out) }

// step copies what the core does.
func (n *node) step(in bully.Input, out *spec.Step) {
	did := n.core.Step(in)
	out.Ignored = did.Action == ""
	out.Save, out.Cancel, out.Arm = did.Save, did.Cancel, did.Arm
	out.Sent = append(out.Sent[:0], did.Send...)
	n.core.CopyState(&out.State)
}
