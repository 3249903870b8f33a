package suites

import (
	"context"
	"errors"
	"slices"

	"github.com/seed-fdf591db/bully/conformance"
	"github.com/seed-fdf591db/bully/conformance/check"
	"github.com/seed-fdf591db/bully/conformance/port"
	"github.com/seed-fdf591db/bully/spec"
)

// watch holds each step of a port's nodes to that of the model, which is given the same inputs, while something else drives them:
// package cluster, sim or paths. These make a violation of a panic; what was wrong is kept here.
type watch struct {
	ctx     context.Context
	port    *port.Process
	model   *conformance.Model
	failure *port.Failure
	only    *port.Failure // what fails in another way than this is taken as if it had not; nil: nothing is
	started *port.Process // in the place of a port that has died
}

func newWatch(ctx context.Context, p *port.Process) *watch {
	return &watch{ctx: ctx, port: p, model: &conformance.Model{}}
}

// maker makes nodes of the port that are watched. A node that is made after a failure is one of another run: if the port has died
// of it, it is started again.
func (w *watch) maker() conformance.Maker {
	ports, models := w.port.Maker(), conformance.NodeOf(func() conformance.Subject { return w.model })
	return func(id spec.NodeID, members []spec.NodeID) conformance.Node {
		if w.failure != nil {
			w.failure = nil
			if !w.port.Usable() {
				w.revive()
				ports = w.port.Maker()
			}
		}
		return &watched{watch: w, port: ports(id, members), model: models(id, members),
			c: conformance.Case{ID: id, Members: members, Before: spec.State{Role: spec.Follower}}}
	}
}

// revive starts the port again, if that is possible.
func (w *watch) revive() {
	again, err := w.port.Again(w.ctx)
	if err != nil {
		return // it goes on failing
	}
	w.close()
	w.port, w.started = again, again
}

// close ends what was started.
func (w *watch) close() {
	if w.started != nil {
		w.started.Close()
	}
}

// other reports whether a failure is not the one that is looked for.
func (w *watch) other(f *port.Failure) bool {
	return w.only != nil && f != nil && (f.Rule != w.only.Rule || f.Kind != w.only.Kind)
}

// err returns what was wrong of the port; or else what whoever drives it has found, of which the rule is the one given.
func (w *watch) err(rule string, found error) error {
	switch {
	case w.failure != nil:
		return w.failure
	case w.ctx.Err() != nil:
		return w.ctx.Err()
	case found != nil:
		return w.port.Wrong(rule, found.Error())
	}
	return nil
}

// watched is a node of the port, and the model beside it.
type watched struct {
	watch       *watch
	port, model conformance.Node
	c           conformance.Case
	want        spec.Step
}

func (n *watched) Start(first spec.Configuration, out *spec.Step) {
	n.c.Before = check.Survivor(spec.Durable{Configuration: first})
	n.model.Start(first, &n.want)
	n.step(spec.Input{Call: spec.StartCall}, out, func() { n.port.Start(first, out) })
}

func (n *watched) Restart(promise spec.Durable, out *spec.Step) {
	n.c.Before = check.Survivor(promise)
	n.model.Restart(promise, &n.want)
	n.step(spec.Input{Call: spec.RestartCall}, out, func() { n.port.Restart(promise, out) })
}

func (n *watched) Step(in *spec.Input, out *spec.Step) {
	n.model.Step(in, &n.want)
	n.step(*in, out, func() { n.port.Step(in, out) })
}

// step lets the port take a step, and panics with what is wrong of it.
func (n *watched) step(in spec.Input, out *spec.Step, take func()) {
	if err := n.watch.ctx.Err(); err != nil {
		panic(err)
	}
	n.c.Input = in
	n.c.Want = n.want
	n.watch.port.Took(check.RuleOf(&n.c))
	failure := judged(n.watch.port, &n.c, &n.want, out, port.Guard(take))
	if n.watch.other(failure) {
		failure = nil
		*out = n.want
		out.State, out.Sent = n.want.State.Clone(), slices.Clone(n.want.Sent)
	}
	if failure != nil {
		if n.watch.failure == nil {
			n.watch.failure = failure
		}
		panic(errors.New(failure.Problem))
	}
	n.c.Before = out.State.Clone()
}
