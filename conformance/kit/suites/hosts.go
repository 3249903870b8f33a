package suites

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/seed-fdf591db/bully/conformance/check"
	"github.com/seed-fdf591db/bully/conformance/cluster"
	"github.com/seed-fdf591db/bully/conformance/port"
	"github.com/seed-fdf591db/bully/spec"
)

// hosts are what is round the nodes of a port: they do what its replies say, one effect after the other, and know no model. What they
// hold the port to is what its users rely on: what others have seen of a promise is never broken, whoever crashes when.
type hosts struct {
	ctx      context.Context
	talk     *talk
	lenient  bool               // messages may leave before what they say is saved: only what comes of that is an error
	members  []spec.NodeID      // all nodes, where members change
	first    spec.Configuration // of who is a member from the first; none: members are fixed
	nodes    []*hosted          // in the order of the members
	underWay []spec.Message
	cut      []spec.Link
	promised map[vote]spec.NodeID // as messages have said
	shown    *check.Monitor       // of what others have seen of nodes: which epoch a node leads, and its configuration
	states   *check.Monitor       // of what a node was before a step
}

// vote is whom a promise is of.
type vote struct {
	by    spec.NodeID
	epoch spec.Epoch
}

// hosted is a node, its disk and its timers.
type hosted struct {
	id     spec.NodeID
	place  int // among the members
	up     bool
	record *spec.Durable // nil: there is none
	timers spec.TimerSet
	state  spec.State
	broken []vote        // what others have seen of it, and was not on its disk when it crashed
	asked  spec.Question // the greatest number of its own that others have seen
	used   spec.Question // ... before it crashed last
	forgot bool          // the newest configuration that others have seen of it was not on its disk when it crashed
	// unreserved says that a number that others have seen was not reserved on its disk when it crashed.
	unreserved bool
}

// settled is how many messages are delivered without the end of a timer, at most.
const settled = 1000

// newHosts makes the hosts of a script, and does what comes before its first op.
func newHosts(ctx context.Context, t *talk, s *cluster.Script, lenient bool) (*hosts, error) {
	h := &hosts{ctx: ctx, talk: t, lenient: lenient, members: s.Members, first: s.First,
		promised: map[vote]spec.NodeID{}, shown: check.NewMonitor(check.MonitorOptions{Members: s.Members})}
	h.states = check.NewMonitor(check.MonitorOptions{Members: s.Members, Asked: func(p *check.Promise) bool { return p.Own }})
	h.shown.Late() // timers end when the script says
	for i, id := range s.Members {
		n := &hosted{id: id, place: i}
		if i < len(s.Records) && s.Records[i] != nil {
			record := *s.Records[i]
			n.record = &record
		}
		h.nodes = append(h.nodes, n)
	}
	for _, n := range h.nodes {
		if s.Unstarted {
			break
		}
		if _, err := h.do(h.begin(n), all); err != nil {
			return nil, err
		}
	}
	return h, nil
}

// begin returns how a node starts that is down.
func (h *hosts) begin(n *hosted) cluster.Op {
	if n.record == nil {
		return cluster.Op{Kind: cluster.Start, Node: n.id}
	}
	return cluster.Op{Kind: cluster.Restart, Node: n.id}
}

func (h *hosts) node(id spec.NodeID) *hosted {
	return h.nodes[slices.Index(h.members, id)]
}

// all is how many effects of a step are done if its node does not crash.
const all = -1

// do lets something happen, if it can. If a node takes a step, the effects are returned that its host would do; if only so many are
// done, messages among them arrive, and the node crashes.
func (h *hosts) do(op cluster.Op, most int) (effects []port.Effect, err error) {
	if err := h.ctx.Err(); err != nil {
		return nil, err
	}
	switch op.Kind {
	case cluster.Deliver, cluster.Repeat, cluster.Lose:
		i := slices.IndexFunc(h.underWay, func(m spec.Message) bool { return m.From == op.Link.From && m.To == op.Link.To })
		if i < 0 {
			return nil, nil
		}
		m := h.underWay[i]
		h.underWay = slices.Delete(h.underWay, i, i+1)
		switch op.Kind {
		case cluster.Lose:
			return nil, nil
		case cluster.Repeat:
			h.underWay = append(h.underWay, m)
		}
		return h.receive(m, &op, most)
	case cluster.Cut, cluster.Heal:
		h.cut = slices.Clone(op.Cut)
		h.lose(func(m *spec.Message) bool { return slices.Contains(h.cut, spec.Link{From: m.From, To: m.To}) })
		return nil, nil
	case cluster.Settle:
		return nil, h.settle()
	case cluster.Expect:
		return nil, nil
	}
	n := h.node(op.Node)
	q := port.Request{Node: n.id.String()}
	switch {
	case (op.Kind == cluster.Start || op.Kind == cluster.Restart) == n.up:
		return nil, nil
	case op.Kind == cluster.Crash:
		return nil, h.crash(n)
	case !n.up && n.record != nil:
		q = port.RestartOf(q.Node, n.id, h.members, *n.record)
	case !n.up:
		q = port.StartOf(q.Node, n.id, h.members, check.FirstOf(h.first, n.id))
	case op.Kind == cluster.Change:
		q = port.InputOf(q.Node, &spec.Input{Call: spec.ChangeCall, Configuration: op.Wanted(&n.state)})
	case op.Kind == cluster.Resign:
		q.Op, q.Call = port.Call, spec.ResignCall
	case op.Kind == cluster.Dead:
		q.Op, q.Call = port.Call, spec.HolderDeadCall
	case op.Kind == cluster.End != n.timers.Has(op.Timer):
		return nil, nil
	default:
		q.Op, q.Timer = port.End, op.Timer
		n.timers &^= spec.TimersOf(op.Timer)
	}
	return h.step(n, &q, &op, most)
}

// receive gives a message to whom it is for, who runs: to others nothing is sent.
func (h *hosts) receive(m spec.Message, op *cluster.Op, most int) ([]port.Effect, error) {
	text, err := json.Marshal(m)
	if err != nil {
		return nil, err
	}
	return h.step(h.node(m.To), &port.Request{Op: port.Receive, Node: m.To.String(), Message: text}, op, most)
}

// settle delivers all that is under way, first sent first.
func (h *hosts) settle() error {
	for n := 0; len(h.underWay) > 0; n++ {
		if n == settled {
			return h.talk.wrong("R36", fmt.Sprintf("%d messages have been delivered without the end of a timer, and there are still more", n))
		}
		m := h.underWay[0]
		h.underWay = slices.Delete(h.underWay, 0, 1)
		if _, err := h.receive(m, &cluster.Op{}, all); err != nil {
			return err
		}
	}
	return nil
}

// lose takes away messages that are under way.
func (h *hosts) lose(which func(m *spec.Message) bool) {
	h.underWay = slices.DeleteFunc(h.underWay, func(m spec.Message) bool { return which(&m) })
}

// step lets a node take a step, and does so many of its effects; or all, unless the op says that the node crashes within the step.
func (h *hosts) step(n *hosted, q *port.Request, op *cluster.Op, most int) ([]port.Effect, error) {
	reply, err := h.talk.ask(q)
	switch {
	case err != nil:
		return nil, err
	case reply.Error != "" || reply.Unsupported != "":
		failure := h.talk.wrong("", "the port says: "+reply.Error+reply.Unsupported)
		failure.Kind = port.Erred
		return nil, failure
	}
	before := n.state
	n.up, n.state = true, *reply.State
	crashes := most == all && op.Crash != cluster.Whole
	switch {
	case crashes:
		most = until(op.Crash, reply.Effects)
	case most == all:
		most = len(reply.Effects)
		if err := h.stays(n, q, &before); err != nil {
			return nil, err
		}
	}
	for k := range reply.Effects[:most] {
		if err := h.effect(n, &reply.Effects[k]); err != nil {
			return nil, err
		}
	}
	if crashes {
		return reply.Effects, h.crash(n)
	}
	return reply.Effects, nil
}

// until returns how many effects are done before a node crashes.
func until(point cluster.Point, effects []port.Effect) int {
	sends := int(point - cluster.AfterSave)
	for k := range effects {
		switch {
		case effects[k].Save != nil && point == cluster.BeforeSave:
			return k
		case effects[k].Send != nil:
			if sends--; sends < 0 {
				return k
			}
		}
	}
	return len(effects)
}

// effect does one.
func (h *hosts) effect(n *hosted, e *port.Effect) error {
	switch {
	case e.Save != nil:
		record := *e.Save
		n.record = &record
	case e.Cancel != "":
		n.timers &^= spec.TimersOf(e.Cancel)
	case e.Arm != "":
		n.timers |= spec.TimersOf(e.Arm)
	case e.Send != nil:
		if err := h.seen(n, e.Send); err != nil {
			return err
		}
		m := *e.Send
		if i := slices.Index(h.members, m.To); i >= 0 && h.nodes[i].up && !slices.Contains(h.cut, spec.Link{From: n.id, To: m.To}) {
			h.underWay = append(h.underWay, m)
		}
	}
	return nil
}

// crash takes a node down, and what is under way to it and from it is lost (section 2).
func (h *hosts) crash(n *hosted) error {
	if !n.up {
		return nil
	}
	if _, err := h.talk.ask(&port.Request{Op: port.Crash, Node: n.id.String()}); err != nil {
		return err
	}
	n.up, n.timers, n.state = false, 0, spec.State{Role: spec.Follower}
	kept := n.kept()
	n.used, n.unreserved = n.asked, n.unreserved || n.asked > kept.Reserved
	for v, to := range h.promised {
		if v.by == n.id && (v.epoch > kept.Epoch || v.epoch == kept.Epoch && to != kept.Grantee) {
			n.broken = append(n.broken, v)
		}
	}
	n.forgot = n.forgot || h.shown.Seen(n.place).Configuration.Newer(kept.Configuration)
	h.lose(func(m *spec.Message) bool { return m.From == n.id || m.To == n.id })
	return nil
}

// kept returns what is on the disk of a node.
func (n *hosted) kept() spec.Durable {
	if n.record == nil {
		return spec.Durable{}
	}
	return *n.record
}
