package cluster

import (
	"fmt"
	"slices"

	"github.com/seed-fdf591db/bully/conformance"
	"github.com/seed-fdf591db/bully/conformance/check"
	"github.com/seed-fdf591db/bully/model/rules"
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
	now := check.ViewOf(&h.state)
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

// Violation says which promise a step has broken.
type Violation struct {
	// Property is the promise, such as OneLeaderPerEpoch; or the rule of the specification, such as R4; or "like", if the
	// step is not that of the implementation that it is compared with; or "panic".
	Property    string
	Step        int // how many ops had been done, that one included
	Explanation string
}

func (v *Violation) Error() string {
	return fmt.Sprintf("%s: %s (op %d)", v.Property, v.Explanation, v.Step)
}

// breaks notes a violation, if it is the first.
func (c *Cluster) breaks(property, format string, args ...any) {
	if c.failed == nil {
		c.failed = &Violation{property, len(c.done), fmt.Sprintf(format, args...)}
	}
}

// check compares what a node says that it does with what any node must do, whatever the time. Nothing has been done of it
// yet: h is as it was before the step.
func (c *Cluster) check(h *host, in *spec.Input, op *Op) {
	out := &c.out
	what := func() string { return fmt.Sprintf("%s in %s: %s", h.id, h.state, asked(in, op)) }
	if out.Ignored {
		c.checkIgnored(h, in, what)
	} else {
		c.checkStep(h, in, op, what)
	}
	like := &c.like
	if c.options.Like == nil || c.failed != nil {
		return
	}
	if !out.State.Equal(like.State) || !slices.Equal(out.Sent, like.Sent) || out.Ignored != like.Ignored ||
		out.Save != like.Save || out.Cancel != like.Cancel || out.Arm != like.Arm {
		c.breaks("like", "%s\n  expected  %s\n  got       %s", what(), described(like), described(out))
	}
}

// checkIgnored looks at an input that the node says is no step.
func (c *Cluster) checkIgnored(h *host, in *spec.Input, what func() string) {
	out := &c.out
	switch {
	case in == nil || conformance.NoStep(h.id, &h.state, in) == "":
		c.breaks("section 11", "%s is ignored, and it should not be", what())
	case out.Save || out.Cancel|out.Arm != 0 || len(out.Sent) > 0 || !out.State.Equal(h.state):
		c.breaks("section 11", "%s is ignored, and yet something comes of it: %s", what(), described(out))
	}
}

// checkStep looks at a step.
func (c *Cluster) checkStep(h *host, in *spec.Input, op *Op, what func() string) {
	out := &c.out
	s := &out.State
	if problem := c.illegal(h.id, s); problem != "" {
		c.breaks("section 6", "%s: %s: %s", what(), described(out), problem)
		return
	}
	asked := asked(in, op)
	save, cancel, arm := conformance.Duties(h.id, &h.state, &asked, s, out.Sent)
	if rule := conformance.NoStep(h.id, &h.state, &asked); rule != "" {
		c.breaks(string(rule), "%s should be no step: %s", what(), described(out))
	}
	now := check.ViewOf(s)
	if breach := c.monitor.Breaks(c.index(h.id), &now); breach != nil {
		c.breaks(string(breach.Promise.Name), "%s: %s: %s", what(), breach.Text(), described(out))
	}
	switch {
	case op.Kind == Start && !s.Equal(spec.State{Role: spec.Follower, Latest: 1, Configuration: h.first}):
		c.breaks("R49", "%s: it is to begin with configuration %s, and no promise: %s", what(), h.first, described(out))
	case op.Kind == Restart && (s.Epoch != h.record.Epoch || s.Grantee != h.record.Grantee || s.Configuration != h.record.Configuration):
		c.breaks("R30", "%s: on disk are epoch %d and grantee %s: %s", what(), h.record.Epoch, h.record.Grantee, described(out))
	case op.Kind == Restart && s.Latest <= h.record.Reserved, op.Kind != Restart && s.Latest < h.state.Latest:
		c.breaks("R50", "%s: a number comes again: %s", what(), described(out))
	case s.Epoch == h.state.Epoch && !h.state.Grantee.IsNone() && s.Grantee != h.state.Grantee:
		c.breaks("R17", "%s: epoch %d was promised to %s: %s", what(), s.Epoch, h.state.Grantee, described(out))
	case out.Save != save:
		c.breaks("R4", "%s: saved %t, and it should be %t: %s", what(), out.Save, save, described(out))
	case out.Cancel != cancel || out.Arm != arm:
		c.breaks("R36", "%s: it should cancel %s and arm %s: %s", what(), cancel, arm, described(out))
	}
	for i := range out.Sent {
		m := &out.Sent[i]
		if m.Validate() != nil || m.From != h.id || c.index(m.To) < 0 {
			c.breaks("section 7", "%s: it sends %s", what(), m)
		}
		if m.Configuration != s.Configuration {
			c.breaks("R43", "%s: it sends %s, and its configuration is then %s", what(), m, s.Configuration)
		}
	}
}

// illegal says what is wrong with a state, or "" if a node can be in it.
func (c *Cluster) illegal(id spec.NodeID, s *spec.State) string {
	if err := rules.CheckState(id, *s); err != nil {
		return err.Error()
	}
	unknown := func(id spec.NodeID) bool { return !id.IsNone() && c.index(id) < 0 }
	switch {
	case unknown(s.Leader) || unknown(s.Grantee) || slices.ContainsFunc(s.Support, unknown):
		return "it names a node that is no member"
	case s.Role == spec.Leader && !check.Votes(&s.Configuration, id):
		return "a leader is an elector (R47)"
	}
	return ""
}

// described returns what a node does as a person would say it.
func described(out *spec.Step) string {
	text := out.State.String()
	if out.Ignored {
		text = "ignored, " + text
	}
	for _, m := range out.Sent {
		text += " | " + m.String()
	}
	if out.Save {
		text += " | save"
	}
	return fmt.Sprintf("%s | cancel %s arm %s", text, out.Cancel, out.Arm)
}
