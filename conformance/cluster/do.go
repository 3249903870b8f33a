package cluster

import (
	"fmt"
	"slices"

	"github.com/seed-fdf591db/bully/conformance/check"
	"github.com/seed-fdf591db/bully/spec"
)

// NotPossible says that an op cannot happen now. Nothing has changed.
type NotPossible struct {
	Op     Op
	Reason string
}

func (e *NotPossible) Error() string { return fmt.Sprintf("%s: %s", e.Op, e.Reason) }

// settled is after how many messages a Settle gives up: no cluster that keeps the rules sends so many without a timer.
const settled = 10_000

// Do lets one thing happen. It returns nil; or a [NotPossible], and then nothing has changed; or a [Violation], or an
// error of the trace, and then every further Do returns the same.
func (c *Cluster) Do(op Op) error {
	if c.failed != nil {
		return c.failed
	}
	if op.Kind != Settle {
		return c.do(op)
	}
	for n := 0; ; n++ {
		link, busy := c.oldest()
		if !busy {
			return nil
		}
		if n == settled {
			c.breaks("R36", "%d messages have been delivered without the end of a timer, and there are still more", n)
			return c.failed
		}
		if err := c.do(Op{Kind: Deliver, Link: link}); err != nil {
			return err
		}
	}
}

// oldest returns the link on which the message is under way that was sent first of all, and whether there is one.
func (c *Cluster) oldest() (link spec.Link, busy bool) {
	first := c.sent
	for i, row := range c.links {
		for j, q := range row {
			if len(q) > 0 && q[0].number < first {
				first, link, busy = q[0].number, spec.Link{From: c.members[i], To: c.members[j]}, true
			}
		}
	}
	return link, busy
}

// do is Do for all but Settle.
func (c *Cluster) do(op Op) error {
	if reason := c.whyNot(&op); reason != "" {
		return &NotPossible{op, reason}
	}
	c.done = append(c.done, op)
	switch op.Kind {
	case Deliver, Repeat:
		m := c.pop(op.Link)
		if op.Kind == Repeat {
			c.send([]spec.Message{m})
		}
		c.take(c.hosts[c.index(op.Link.To)], &spec.Input{Message: m}, &op)
	case Lose:
		c.write(&spec.Event{Action: spec.LoseAction, Input: spec.Input{Message: c.pop(op.Link)}})
	case Cut, Heal:
		c.setCut(op.Cut)
	case Expect:
		c.expect(&op)
	default:
		c.doTo(c.hosts[c.index(op.Node)], &op)
	}
	return c.failed
}

// doTo does what happens to one node.
func (c *Cluster) doTo(h *host, op *Op) {
	switch op.Kind {
	case Start, Restart:
		c.start(h, op)
	case End:
		h.timers &^= spec.TimersOf(op.Timer)
		c.take(h, &spec.Input{Timer: op.Timer}, op)
	case Late:
		c.take(h, &spec.Input{Timer: op.Timer}, op)
	case Resign:
		c.take(h, &spec.Input{Call: spec.ResignCall, Names: op.Names}, op)
	case Dead:
		c.take(h, &spec.Input{Call: spec.HolderDeadCall}, op)
	case Change:
		c.take(h, &spec.Input{Call: spec.ChangeCall, Configuration: op.Wanted(&h.state)}, op)
	case Crash:
		c.crash(h)
	}
}

// Wanted returns the configuration that a Change calls a node to change to which is in this state: one of epoch 0 stands for the
// next one of its epoch.
func (op *Op) Wanted(s *spec.State) spec.Configuration {
	if op.Configuration.Epoch != 0 {
		return op.Configuration
	}
	return op.Configuration.At(s.Epoch, s.Configuration.Version+1)
}

// whyNot returns why an op cannot happen now, or "" if it can.
func (c *Cluster) whyNot(op *Op) string {
	switch op.Kind {
	case Deliver, Repeat, Lose:
		i, j := c.index(op.Link.From), c.index(op.Link.To)
		if i < 0 || j < 0 || len(c.links[i][j]) == 0 {
			return "nothing is under way there"
		}
		return ""
	case Cut, Heal:
		if slices.ContainsFunc(op.Cut, func(l spec.Link) bool { return c.index(l.From) < 0 || c.index(l.To) < 0 }) {
			return "there is no such link"
		}
		if slices.Equal(c.cut, op.Cut) {
			return "it is so already"
		}
		return ""
	}
	i := c.index(op.Node)
	switch {
	case i < 0, !op.Names.IsNone() && c.index(op.Names) < 0:
		return "it is no member"
	case op.Kind == Change && c.options.First.IsNone():
		return "members are fixed"
	case op.Kind == Change && (checkKnown(op.Configuration, c.members) != nil || op.Wanted(&c.hosts[i].state).Validate() != nil):
		return "there is no such configuration"
	}
	return c.hosts[i].whyNot(op)
}

func (h *host) whyNot(op *Op) string {
	switch op.Kind {
	case Start, Restart:
		switch {
		case h.node != nil:
			return "it runs"
		case op.Kind == Start && h.record != nil:
			return "it has a record: this would be a restart"
		case op.Kind == Restart && h.record == nil:
			return "it has no record: this would be a first start"
		}
		return ""
	}
	switch {
	case op.Kind == Expect:
		return ""
	case h.node == nil:
		return "it is down"
	case op.Kind == End && !h.timers.Has(op.Timer):
		return "the timer does not run"
	case op.Kind == Late && (h.timers.Has(op.Timer) || !op.Timer.Valid()):
		return "the timer runs"
	}
	switch op.Kind {
	case End, Late, Resign, Dead, Change, Crash:
		return ""
	}
	return "there is no such op"
}

// expect holds a node to what it should be.
func (c *Cluster) expect(op *Op) {
	h := c.hosts[c.index(op.Node)]
	is, want := h.state, &op.State
	if h.node == nil {
		is.Role = Down
	}
	other := !want.Configuration.IsNone() && is.Configuration != want.Configuration
	if is.Role != want.Role || is.Epoch != want.Epoch || is.Leader != want.Leader || other {
		c.breaks("expect", "%s: it is %s", op, is)
	}
}

// start makes a node, and starts it.
func (c *Cluster) start(h *host, op *Op) {
	c.guard(h, func() {
		h.node = c.newNode(h.id, c.members)
		if c.options.Like != nil {
			h.like = c.options.Like(h.id, c.members)
		}
	})
	if c.failed == nil {
		c.take(h, nil, op)
	}
}

// crash takes a node down, and loses what is under way to it and from it.
func (c *Cluster) crash(h *host) {
	h.node, h.like, h.timers = nil, nil, 0
	now := c.monitor.Seen(c.index(h.id)).Down()
	c.monitor.Note(c.index(h.id), &now)
	survives, support, answered := spec.Durable{Configuration: h.first}, h.state.Support[:0], h.state.Answered[:0]
	if h.record != nil {
		survives = *h.record
	}
	h.state = check.Survivor(survives)
	h.state.Support, h.state.Answered = support, answered
	for i := range c.members {
		me := c.index(h.id)
		c.links[i][me], c.links[me][i] = c.links[i][me][:0], c.links[me][i][:0]
	}
	if h.record != nil { // else it has never started, as far as anybody can tell
		c.write(&spec.Event{Node: h.id, Action: spec.CrashAction, State: h.state})
	}
}

// setCut changes which links carry nothing.
func (c *Cluster) setCut(links []spec.Link) {
	c.cut = slices.Clone(links)
	for _, l := range links {
		i, j := c.index(l.From), c.index(l.To)
		c.links[i][j] = c.links[i][j][:0]
	}
	c.write(&spec.Event{Action: spec.CutAction, Input: spec.Input{Cut: c.cut}})
}

// pop takes the first message off a link.
func (c *Cluster) pop(l spec.Link) spec.Message {
	q := &c.links[c.index(l.From)][c.index(l.To)]
	m := (*q)[0].message
	*q = append((*q)[:0], (*q)[1:]...)
	return m
}

// send puts messages on their way. What goes over a cut, or to a node that is down, is lost.
func (c *Cluster) send(messages []spec.Message) {
	for _, m := range messages {
		to := c.index(m.To)
		if c.hosts[to].node == nil || slices.Contains(c.cut, spec.Link{From: m.From, To: m.To}) {
			continue
		}
		q := &c.links[c.index(m.From)][to]
		*q = append(*q, underWay{m, c.sent})
		c.sent++
	}
}

// write writes an event, and numbers it.
func (c *Cluster) write(e *spec.Event) {
	c.events++
	if c.options.Trace == nil || c.failed != nil {
		return
	}
	e.Seq = c.events
	if err := c.options.Trace.Write(e); err != nil {
		c.failed = fmt.Errorf("trace: %w", err)
	}
}
