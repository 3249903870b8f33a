package suites

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/seed-fdf591db/bully/conformance/check"
	"github.com/seed-fdf591db/bully/conformance/cluster"
	"github.com/seed-fdf591db/bully/conformance/kit"
	"github.com/seed-fdf591db/bully/conformance/port"
	"github.com/seed-fdf591db/bully/spec"
)

// crashCase lets the port's own nodes do what a script says, and go on from every crash. No model is asked: a port that sends before it
// saves, or forgets to save, breaks a promise there, whatever else it does.
func crashCase(name string, script *cluster.Script) kit.Case {
	return kit.Case{
		ID: "crashes-" + name, Suite: CutsSuite, Must: true, Needs: ofScript(script).needs,
		Title: fmt.Sprintf("%d nodes go on, as they will, after one has crashed after any prefix of what it does where its promise changes: no promise is broken", len(script.Members)),
		Rules: []string{"R4", "R17", "R30"},
		Run: func(ctx context.Context, p *port.Process) error {
			return exact(ctx, p, func(p *port.Process) error { return (&crasher{ctx: ctx, script: script}).all(p) })
		},
	}
}

// crasher crashes nodes of a port in a script.
type crasher struct {
	ctx     context.Context
	lenient bool
	script  *cluster.Script
	ops     []cluster.Op
	names   []string
	runs    []func(*talk) error
}

// all crashes each node that changes its promise, after every prefix of what it does.
func (k *crasher) all(p *port.Process) (err error) {
	if k.ops, _, err = (&cutter{script: k.script}).whole(); err != nil {
		return err
	}
	steps, err := k.whole(alone(p))
	if err != nil {
		return err
	}
	for i := range steps {
		for most := 0; most <= len(steps[i].effects); most++ {
			if most == 0 || steps[i].effects[most-1].Save != nil || steps[i].effects[most-1].Send != nil { // else nobody sees the difference
				k.crash(&steps[i], most)
			}
		}
	}
	return together(p, k.names, k.runs)
}

// crashable is a step that can be cut.
type crashable struct {
	op      int // its number
	node    spec.NodeID
	effects []port.Effect
}

// whole does all ops, and returns the steps that change what must survive, or save it.
func (k *crasher) whole(t *talk) (steps []crashable, err error) {
	h, err := k.hosts(t)
	for i := 0; i < len(k.ops) && err == nil; i++ {
		op := &k.ops[i]
		id := op.Node
		if op.Kind == cluster.Deliver || op.Kind == cluster.Repeat {
			id = op.Link.To
		}
		var before spec.Durable
		if !id.IsNone() {
			before = h.node(id).state.Durable()
		}
		var effects []port.Effect
		effects, err = h.do(*op, all)
		err = explained(err, "script %s", k.text(k.ops[:i+1]))
		if len(effects) == 0 || op.Crash != cluster.Whole {
			continue
		}
		saves := slices.ContainsFunc(effects, func(e port.Effect) bool { return e.Save != nil })
		if saves || h.node(id).state.Durable() != before {
			steps = append(steps, crashable{i, id, effects})
		}
	}
	return steps, err
}

// hosts makes the nodes.
func (k *crasher) hosts(t *talk) (*hosts, error) {
	h, err := newHosts(k.ctx, t, k.script, k.lenient)
	return h, explained(err, "script %s", k.text(nil))
}

// crash adds the runs in which a step is cut after so many of its effects. What was sent by then arrives; the node crashes, and is
// restarted; then all go on, or those whom these messages have not reached go on among themselves, and the others join them later.
func (k *crasher) crash(c *crashable, most int) {
	var reached []spec.NodeID
	for _, e := range c.effects[:most] {
		if e.Send != nil {
			reached = append(reached, e.Send.To)
		}
	}
	add := func(apart []spec.NodeID) {
		k.names = append(k.names, strconv.Itoa(len(k.runs)))
		k.runs = append(k.runs, func(t *talk) error { return k.run(t, c, most, apart) })
	}
	add(nil)
	if len(reached) > 0 && len(reached) < len(k.script.Members)-1 {
		add(reached)
	}
}

// run makes one run.
func (k *crasher) run(t *talk, c *crashable, most int, apart []spec.NodeID) error {
	h, err := k.hosts(t)
	for i := 0; i < c.op && err == nil; i++ {
		_, err = h.do(k.ops[i], all)
	}
	if err != nil {
		return explained(err, "script %s", k.text(k.ops[:c.op]))
	}
	var after []cluster.Op
	if err = k.cut(h, c, most); err == nil {
		after = append(after, h.begin(h.node(c.node)))
		if len(apart) > 0 {
			after = append([]cluster.Op{{Kind: cluster.Cut, Cut: between(apart, k.script.Members)}}, after...)
			after = append(append(after, aftermath(k.script.Members, c.node)...), cluster.Op{Kind: cluster.Heal})
		}
		after = append(after, aftermath(k.script.Members, c.node)...)
	}
	done := 0
	for ; done < len(after) && err == nil; done++ {
		_, err = h.do(after[done], all)
	}
	return explained(err, "script %s\ncut %s crashes after %d of the %d effects of %q: %s\nthen %s",
		k.text(k.ops[:c.op]), c.node, most, len(c.effects), k.ops[c.op], joined(", ", c.effects), joined("; ", after[:done]))
}

// cut does so many of the effects of a step, lets the messages among them arrive, and the node crash.
func (k *crasher) cut(h *hosts, c *crashable, most int) error {
	effects, err := h.do(k.ops[c.op], most)
	for _, e := range effects[:min(most, len(effects))] {
		if e.Send == nil {
			continue
		}
		op := cluster.Op{Kind: cluster.Deliver, Link: spec.Link{From: c.node, To: e.Send.To}}
		for err == nil && slices.Contains(h.underWay, *e.Send) {
			_, err = h.do(op, all)
		}
	}
	if err != nil {
		return err
	}
	return h.crash(h.node(c.node))
}

// between returns the links between some members and the others.
func between(some, members []spec.NodeID) (links []spec.Link) {
	for _, a := range members {
		for _, b := range members {
			if slices.Contains(some, a) != slices.Contains(some, b) {
				links = append(links, spec.Link{From: a, To: b})
			}
		}
	}
	return links
}

// explained says of a failure in which run it was.
func explained(err error, format string, args ...any) error {
	var failure *port.Failure
	if errors.As(err, &failure) {
		failure.Problem += "\n" + fmt.Sprintf(format, args...)
	}
	return err
}

// text returns the script with these ops.
func (k *crasher) text(ops []cluster.Op) string {
	s := cluster.Script{Members: k.script.Members, First: k.script.First, Records: k.script.Records, Unstarted: k.script.Unstarted, Ops: ops}
	return s.OneLine()
}

// joined joins what things are called.
func joined[T fmt.Stringer](by string, things []T) string {
	words := make([]string, len(things))
	for i := range things {
		words[i] = things[i].String()
	}
	return strings.Join(words, by)
}

// seen holds what others see of a node to what its disk has, and to what they have seen before.
func (h *hosts) seen(n *hosted, m *spec.Message) error {
	if err := h.shows(n, m.Configuration); err != nil {
		return err
	}
	if err := h.asks(n, m); err != nil {
		return err
	}
	kept := n.kept()
	bound, to := kept.Epoch, spec.NodeID{}
	switch m.Type {
	case spec.Claim: // of the next epoch, which it promises to nobody before it wins
		bound++
	case spec.Grant:
		to = m.To
	case spec.Coordinator, spec.Heartbeat:
		to = n.id
	}
	switch {
	case h.lenient:
	case m.Epoch > bound:
		return h.talk.wrong("R4", fmt.Sprintf("the message %s leaves while the disk of %s has the epoch %d: a crash now, and that epoch is forgotten", m, n.id, kept.Epoch))
	case !to.IsNone() && (kept.Epoch != m.Epoch || kept.Grantee != to) && !(m.Type == spec.Heartbeat && kept.Epoch > m.Epoch):
		return h.talk.wrong("R4", fmt.Sprintf("the message %s leaves while the disk of %s has the epoch %d, promised to %s: a crash now, and that promise is forgotten",
			m, n.id, kept.Epoch, named(kept.Grantee)))
	}
	if to.IsNone() {
		return nil
	}
	if err := h.promise(n, m.Epoch, to); err != nil || to != n.id {
		return err
	}
	return h.leads(n, m.Epoch)
}

// asks holds a number that others see of a node to what its disk has reserved, and to those that they have seen before its last crash: it must
// be above all of them (R50).
func (h *hosts) asks(n *hosted, m *spec.Message) error {
	switch m.Type {
	case spec.OK, spec.Assent, spec.Grant, spec.Refuse, spec.Ack: // the number is another node's
		return nil
	}
	kept := n.kept().Reserved
	switch {
	case m.Question > kept && !h.lenient:
		return h.talk.wrong("R4", fmt.Sprintf("the message %s leaves while the disk of %s has reserved numbers up to %d: a crash now, and that number is used again", m, n.id, kept))
	case m.Question <= n.used:
		rule := "R50"
		if n.unreserved {
			rule = "R4"
		}
		return h.talk.wrong(rule, fmt.Sprintf("the message %s is of a number that %s had used before it crashed, up to %d: old answers would count", m, n.id, n.used))
	}
	n.asked = max(n.asked, m.Question)
	return nil
}

// shows holds a configuration that others see of a node to its disk, to what they have seen of it before, and to all others that have
// been of this epoch and version.
func (h *hosts) shows(n *hosted, c spec.Configuration) error {
	kept := n.kept().Configuration
	switch {
	case h.first.IsNone():
		return nil
	case c.Newer(kept) && !h.lenient:
		return h.talk.wrong("R4", fmt.Sprintf("a message leaves with the configuration %s while the disk of %s has %s: a crash now, and it is forgotten", c, n.id, kept))
	}
	now := h.shown.Seen(n.place)
	now.Configuration = c
	return h.see(n, now)
}

// see takes what others see of a node, which breaks no promise.
func (h *hosts) see(n *hosted, now check.View) error {
	if breach := h.shown.Breaks(n.place, &now); breach != nil {
		return h.talk.wrong(h.blames(n, breach, now.Leads), breach.Text())
	}
	h.shown.Note(n.place, &now)
	return nil
}

// blames returns what is broken: the promise, unless that comes of what was forgotten in a crash.
func (h *hosts) blames(n *hosted, breach *check.Breach, epoch spec.Epoch) string {
	for _, voter := range h.nodes {
		if breach.Promise.Name == spec.OneLeaderPerEpoch && slices.ContainsFunc(voter.broken, func(v vote) bool { return v.epoch == epoch }) {
			return "R4"
		}
	}
	if breach.Promise.Name == spec.ConfigurationMonotonic && n.forgot {
		return "R4"
	}
	return string(breach.Promise.Name)
}

// promise keeps what others have seen of a promise, which must be the first for its epoch, or the same again.
func (h *hosts) promise(n *hosted, epoch spec.Epoch, to spec.NodeID) error {
	v := vote{n.id, epoch}
	if earlier, is := h.promised[v]; is && earlier != to {
		return h.talk.wrong(h.blamed(v), fmt.Sprintf("%s promises epoch %d to %s, and had promised it to %s: two nodes can lead it", n.id, epoch, to, earlier))
	}
	h.promised[v] = to
	return nil
}

// leads keeps that others see a node lead an epoch.
func (h *hosts) leads(n *hosted, epoch spec.Epoch) error {
	now := h.shown.Seen(n.place)
	now.Leads = epoch
	return h.see(n, now)
}

// blamed returns the rule by which a promise should have been kept.
func (h *hosts) blamed(v vote) string {
	if slices.Contains(h.node(v.by).broken, v) {
		return "R4" // it was forgotten in a crash
	}
	return "R17"
}

// stays holds the state after a step to the one before it: neither epoch nor configuration goes back, nor does what the disk has.
func (h *hosts) stays(n *hosted, q *port.Request, before *spec.State) error {
	s := &n.state
	is := s.Durable()
	if is.Reserved = 0; q.Op == port.Restart {
		is.Reserved = q.Promise.Reserved // it goes on behind these: asks sees to that
	}
	if q.Op == port.Restart && is != *q.Promise {
		return h.talk.wrong("R30", fmt.Sprintf("%s restarts with epoch %d, promised to %s%s, and its disk has epoch %d, promised to %s%s",
			n.id, s.Epoch, named(s.Grantee), of(s.Configuration), q.Promise.Epoch, named(q.Promise.Grantee), of(q.Promise.Configuration)))
	}
	was, now := check.ViewOf(before), check.ViewOf(s)
	h.states.Note(n.place, &was)
	if breach := h.states.Breaks(n.place, &now); breach != nil {
		return h.talk.wrong(string(breach.Promise.Name), breach.Text())
	}
	if s.Role == spec.Leader {
		return h.leads(n, s.Epoch)
	}
	return nil
}

// of says a configuration after something else, or nothing where members are fixed.
func of(c spec.Configuration) string {
	if c.IsNone() {
		return ""
	}
	return ", configuration " + c.String()
}

// named names a node, or none.
func named(id spec.NodeID) string {
	if id.IsNone() {
		return "nobody"
	}
	return id.String()
}
