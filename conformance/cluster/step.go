package cluster

import (
	"github.com/seed-fdf591db/bully/conformance"
	"github.com/seed-fdf591db/bully/conformance/monitor"
	"github.com/seed-fdf591db/bully/spec"
)

// take lets a node take a step, checks it, and does what the node asks, in the order of section 10. Without an input it is
// the start that op is.
func (c *Cluster) take(h *host, in *spec.Input, op *Op) {
	c.ask(h, h.node, in, op, &c.out)
	if c.failed == nil && c.options.Like != nil {
		c.ask(h, h.like, in, op, &c.like)
	}
	if c.failed != nil {
		return
	}
	c.observe(h, in, op)
	if c.check(h, in, op); c.failed != nil {
		return
	}
	if c.out.Ignored {
		if op.Crash != Whole {
			c.crash(h)
		}
		return
	}
	if op.Crash == BeforeSave {
		c.crash(h)
		return
	}
	if c.out.Save {
		record := c.out.State.Durable()
		h.record = &record
	}
	support, answered := append(h.state.Support[:0], c.out.State.Support...), append(h.state.Answered[:0], c.out.State.Answered...)
	h.state = c.out.State
	h.state.Support, h.state.Answered = support, answered
	h.timers = h.timers&^c.out.Cancel | c.out.Arm
	c.note(h)
	asked := asked(in, op)
	c.write(&spec.Event{Node: h.id, Action: asked.Action(), Input: asked.Written(), Sent: c.out.Sent, State: h.state})
	c.send(c.out.Sent[:c.leaves(op)])
	if op.Crash != Whole && c.failed == nil {
		c.crash(h)
	}
}

// leaves returns how many of the messages of a step leave before its node crashes.
func (c *Cluster) leaves(op *Op) int {
	if op.Crash < AfterSave {
		return len(c.out.Sent)
	}
	return min(len(c.out.Sent), int(op.Crash-AfterSave))
}

// ask puts the input to a node. A panic is a violation.
func (c *Cluster) ask(h *host, node conformance.Node, in *spec.Input, op *Op, out *spec.Step) {
	c.guard(h, func() {
		switch {
		case in != nil:
			given := *in
			node.Step(&given, out)
		case op.Kind == Restart:
			node.Restart(*h.record, out)
		default:
			node.Start(h.first, out)
		}
	})
}

// guard makes a violation of a panic.
func (c *Cluster) guard(h *host, do func()) {
	defer func() {
		if p := recover(); p != nil {
			c.breaks("panic", "%s in %s: %v", h.id, h.state, p)
		}
	}()
	do()
}

// note remembers what is seen of a node.
func (c *Cluster) note(h *host) {
	now := monitor.ViewOf(&h.state)
	c.monitor.Note(c.index(h.id), &now)
}

// observe tells who observes what the node did.
func (c *Cluster) observe(h *host, in *spec.Input, op *Op) {
	if c.options.Observe == nil {
		return
	}
	c.seen = conformance.Case{
		ID: h.id, Members: c.members, Before: h.state, Input: asked(in, op),
		Want: spec.Step{Ignored: c.out.Ignored, State: c.out.State, Sent: c.out.Sent},
	}
	c.options.Observe(&c.seen)
}

// asked returns an input, with which a start is one.
func asked(in *spec.Input, op *Op) spec.Input {
	if in == nil {
		if op.Kind == Restart {
			return spec.Input{Call: spec.RestartCall}
		}
		return spec.Input{Call: spec.StartCall}
	}
	return *in
}
