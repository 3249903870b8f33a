package check_test

import (
	"fmt"
	"slices"

	"github.com/seed-fdf591db/bully/conformance"
	"github.com/seed-fdf591db/bully/spec"
)

// oracle says whether events are a run, in the simplest way there is: it keeps every message of its own, and all that can be
// under way on a link, given that any message may have been lost. It knows no promise: they follow from the rules.
type oracle struct {
	members []spec.NodeID
	model   conformance.Model
	states  map[spec.NodeID]spec.State // of those that have started; of one that is down, what survives
	up      map[spec.NodeID]bool
	cut     []spec.Link
	links   map[spec.Link][][]spec.Message // all that can be under way; none stands for nothing
	first   spec.Configuration             // of those that have started for the first time, and do not join
	// fifo says that a Lose is of the first message on its link. Else it may be of any.
	fifo bool
}

// verdict returns the number of the first event that is not as it must be, or 0.
func verdict(members []spec.NodeID, events []spec.Event, fifo bool) (uint64, error) {
	o := &oracle{members: members, states: map[spec.NodeID]spec.State{}, up: map[spec.NodeID]bool{}, links: map[spec.Link][][]spec.Message{}, fifo: fifo}
	for i := range events {
		if err := o.event(&events[i]); err != nil {
			return events[i].Seq, err
		}
	}
	return 0, nil
}

func (o *oracle) event(e *spec.Event) error {
	before, started := o.states[e.Node]
	in := e.Given()
	switch e.Action {
	case spec.LoseAction:
		return o.lose(e.Input.Message)
	case spec.CutAction:
		return o.setCut(e.Input.Cut)
	case spec.CrashAction:
		return o.crash(e, before, started)
	case spec.StartAction:
		if started {
			return fmt.Errorf("it has a record")
		}
		if err := o.begin(e); err != nil {
			return err
		}
		before = conformance.Survivor(spec.Durable{Configuration: e.State.Configuration})
	case spec.RestartAction:
		if o.up[e.Node] {
			return fmt.Errorf("it runs")
		}
		if !started {
			before = conformance.Survivor(e.State.Durable())
		}
	default:
		if !o.up[e.Node] {
			return fmt.Errorf("it is down")
		}
	}
	if in.Message != (spec.Message{}) {
		if err := o.receive(in.Message); err != nil {
			return err
		}
	}
	out := o.model.Step(e.Node, o.members, before, in)
	if out.Ignored || !out.Equal(spec.Step{State: e.State, Sent: e.Sent}) {
		return fmt.Errorf("another step: %v", out)
	}
	o.states[e.Node], o.up[e.Node] = e.State, true
	for _, m := range e.Sent {
		o.send(m)
	}
	return nil
}

// begin looks at what a node begins with (R49).
func (o *oracle) begin(e *spec.Event) error {
	c := e.State.Configuration
	if c.IsNone() || c.IsEmpty() {
		return nil
	}
	if _, is := c.Member(e.Node); !is || c.Epoch != 0 || c.Version != 1 || !o.first.IsNone() && o.first != c {
		return fmt.Errorf("nobody begins with %s", c)
	}
	o.first = c
	return nil
}

func (o *oracle) crash(e *spec.Event, before spec.State, started bool) error {
	if !e.State.Equal(conformance.Survivor(e.State.Durable())) || started && before.Durable() != e.State.Durable() {
		return fmt.Errorf("something else survives")
	}
	o.states[e.Node], o.up[e.Node] = e.State, false
	for l := range o.links {
		if l.From == e.Node || l.To == e.Node {
			delete(o.links, l)
		}
	}
	return nil
}

func (o *oracle) setCut(cut []spec.Link) error {
	if slices.Equal(cut, o.cut) {
		return fmt.Errorf("no change")
	}
	o.cut = slices.Clone(cut)
	for _, l := range cut {
		delete(o.links, l)
	}
	return nil
}

func (o *oracle) send(m spec.Message) {
	l := spec.Link{From: m.From, To: m.To}
	if !o.up[m.To] || slices.Contains(o.cut, l) {
		return
	}
	if len(o.links[l]) == 0 {
		o.links[l] = [][]spec.Message{nil}
	}
	for i, q := range o.links[l] {
		o.links[l][i] = append(slices.Clip(q), m)
	}
}

// receive goes on with all that can be left under way after m.
func (o *oracle) receive(m spec.Message) error {
	return o.change(m, func(q []spec.Message, i int) []spec.Message { return q[i+1:] })
}

func (o *oracle) lose(m spec.Message) error {
	if o.fifo {
		return o.receive(m)
	}
	return o.change(m, func(q []spec.Message, i int) []spec.Message { return slices.Concat(q[:i], q[i+1:]) })
}

func (o *oracle) change(m spec.Message, left func(q []spec.Message, i int) []spec.Message) error {
	l := spec.Link{From: m.From, To: m.To}
	var all [][]spec.Message
	for _, q := range o.links[l] {
		for i := range q {
			if next := left(q, i); q[i] == m && !slices.ContainsFunc(all, func(r []spec.Message) bool { return slices.Equal(r, next) }) {
				all = append(all, next)
			}
		}
	}
	if len(all) == 0 {
		return fmt.Errorf("%s is not under way", m)
	}
	o.links[l] = all
	return nil
}
