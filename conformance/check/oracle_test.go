package check_test

import (
	"fmt"
	"slices"

	"github.com/seed-fdf591db/bully/conformance"
	"github.com/seed-fdf591db/bully/conformance/check"
	"github.com/seed-fdf591db/bully/spec"
)

// oracle says whether events are a run, in the simplest way there is: it keeps every message that has been sent, each of which may
// arrive at any time from then on, and again. It knows no promise: they follow from the rules.
type oracle struct {
	members []spec.NodeID
	model   conformance.Model
	states  map[spec.NodeID]spec.State // of those that have started; of one that is down, what survives
	up      map[spec.NodeID]bool
	cut     []spec.Link
	said    map[spec.Message]bool // what was put on a link that was not cut
	first   spec.Configuration    // of those that have started for the first time, and do not join
}

// verdict returns the number of the first event that is not as it must be, or 0.
func verdict(members []spec.NodeID, events []spec.Event) (uint64, error) {
	o := &oracle{members: members, states: map[spec.NodeID]spec.State{}, up: map[spec.NodeID]bool{}, said: map[spec.Message]bool{}}
	for i := range events {
		if err := o.event(&events[i]); err != nil {
			return events[i].Seq, err
		}
	}
	return 0, nil
}

func (o *oracle) event(e *spec.Event) error {
	before, started := o.states[e.Node]
	in := e.Trigger()
	switch e.Action {
	case spec.LoseAction:
		return o.receive(e.Input.Message)
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
		before = check.Survivor(spec.Durable{Configuration: e.State.Configuration})
	case spec.RestartAction:
		if o.up[e.Node] {
			return fmt.Errorf("it runs")
		}
		before = o.survives(e, before, started, e.State.Latest-1)
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

// survives returns what is on the disk of a node that is said to have reserved numbers up to q: of one that was never seen, what it
// says; and it may have reserved more than its trace says, by starts of which nothing was written.
func (o *oracle) survives(e *spec.Event, before spec.State, started bool, q spec.Question) spec.State {
	promise := before.Durable()
	if !started {
		promise = e.State.Durable()
	}
	if q%spec.Block == 0 && q > promise.Reserved || !started {
		promise.Reserved = max(q.Reserved(), spec.Block) // as each record has
	}
	return check.Survivor(promise)
}

func (o *oracle) crash(e *spec.Event, before spec.State, started bool) error {
	if !e.State.Equal(o.survives(e, before, started, e.State.Latest)) {
		return fmt.Errorf("something else survives")
	}
	o.states[e.Node], o.up[e.Node] = e.State, false
	return nil
}

func (o *oracle) setCut(cut []spec.Link) error {
	if slices.Equal(cut, o.cut) {
		return fmt.Errorf("no change")
	}
	o.cut = slices.Clone(cut)
	return nil
}

func (o *oracle) send(m spec.Message) {
	if !slices.Contains(o.cut, spec.Link{From: m.From, To: m.To}) {
		o.said[m] = true
	}
}

// receive takes a message that arrives, or is lost.
func (o *oracle) receive(m spec.Message) error {
	if !o.said[m] {
		return fmt.Errorf("%s was never sent", m)
	}
	return nil
}
