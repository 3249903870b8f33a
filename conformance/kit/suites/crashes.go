package suites

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

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
