package behaviour

import (
	"bytes"
	"errors"
	"fmt"
	"slices"

	"github.com/seed-fdf591db/bully/conformance"
	"github.com/seed-fdf591db/bully/model/rules"
	"github.com/seed-fdf591db/bully/spec"
	"github.com/seed-fdf591db/bully/traces/film"
)

// Trace returns the behaviour as a trace (section 14 of the specification). The error is why it is none: it is of another
// module than Cluster, or has a state that no trace can have. A behaviour of a mutant may be a trace that the rules refuse.
func (b *Behaviour) Trace() ([]byte, error) {
	if !slices.Equal(moduleOf(b).variables, clusterModule().variables) {
		return nil, errors.New("it is no behaviour of module Cluster, and only those are traces")
	}
	n := tupleNodes("node")(b)
	if n > rules.MaxIDs {
		return nil, fmt.Errorf("%d nodes: the rules know up to %d", n, rules.MaxIDs)
	}
	r := recorder{}
	for i := range n {
		r.members = append(r.members, spec.IntegerID(uint64(i+1)))
	}
	for i := range b.Steps {
		if err := r.check(&b.Steps[i]); err != nil {
			return nil, fmt.Errorf("state %d: %w", i+1, err)
		}
	}
	if err := r.begin(&b.Steps[0]); err != nil {
		return nil, err
	}
	for i := 1; i < len(b.Steps); i++ {
		if err := r.step(&b.Steps[i-1], &b.Steps[i]); err != nil {
			return nil, fmt.Errorf("state %d: %w", i+1, err)
		}
	}
	var out bytes.Buffer
	w := spec.NewTraceWriter(&out, spec.Header{Members: r.members, Commit: "counterexample"})
	for i := range r.events {
		r.events[i].Seq = uint64(i + 1)
		if err := w.Write(&r.events[i]); err != nil {
			return nil, err
		}
	}
	err := w.Flush()
	return out.Bytes(), err
}

// recorder makes events of steps.
type recorder struct {
	members []spec.NodeID
	events  []spec.Event
	rules   conformance.Model
}

// id returns the node of a number; 0 is none.
func (r *recorder) id(t term) spec.NodeID { return spec.IntegerID(uint64(max(0, t.number()))) }

// state returns the state of a node. One that is none has no role.
func (r *recorder) state(t term) spec.State {
	s := spec.State{Role: spec.Role(t.field("role").word()), Leader: r.id(t.field("leader")), Epoch: spec.Epoch(max(0, t.field("epoch").number())),
		Grantee: r.id(t.field("grantee"))}
	for _, other := range t.field("support").items {
		s.Support = append(s.Support, r.id(other))
	}
	slices.SortFunc(s.Support, spec.NodeID.Compare)
	for _, id := range append([]spec.NodeID{s.Leader, s.Grantee}, s.Support...) {
		if !id.IsNone() && !slices.Contains(r.members, id) {
			return spec.State{}
		}
	}
	if s.Validate() != nil {
		return spec.State{}
	}
	return s
}

// check says what of a state of the cluster a trace cannot have.
func (r *recorder) check(s *Step) error {
	for i := range r.members {
		if r.state(s.terms["node"].at(i+1)).Role == "" {
			return fmt.Errorf("node %d is in no state that there is", i+1)
		}
	}
	for _, l := range append(sortedLinks(queues(s.terms["net"], messagePacket)), cutOf(s.terms["cut"])...) {
		if !inRange(l, len(r.members)) {
			return fmt.Errorf("there is no link from %d to %d", l[0]+1, l[1]+1)
		}
	}
	return nil
}

// begin starts all nodes. A trace can begin with no other state than the first of all.
func (r *recorder) begin(s *Step) error {
	blank := spec.State{Role: spec.Follower}
	for i, id := range r.members {
		if !r.state(s.terms["node"].at(i+1)).Equal(blank) || !s.terms["up"].has(id.String()) {
			return errors.New("it does not begin with the first start of all nodes")
		}
		r.events = append(r.events, spec.Event{Node: id, Action: spec.StartAction, State: blank})
	}
	if len(s.terms["cut"].items) > 0 {
		r.events = append(r.events, r.cut(s))
	}
	return nil
}

func (r *recorder) cut(s *Step) spec.Event {
	e := spec.Event{Action: spec.CutAction}
	for _, l := range cutOf(s.terms["cut"]) {
		e.Input.Cut = append(e.Input.Cut, spec.Link{From: r.members[l[0]], To: r.members[l[1]]})
	}
	slices.SortFunc(e.Input.Cut, spec.Link.Compare)
	return e
}

// message returns a packet as a message.
func (r *recorder) message(l film.Link, p packet) spec.Message {
	return spec.Message{Type: spec.MessageType(p.kind), From: r.members[l[0]], To: r.members[l[1]], Epoch: spec.Epoch(p.epoch)}
}

// step adds the event of a step.
func (r *recorder) step(before, s *Step) error {
	e := spec.Event{Action: spec.Action(s.Action)}
	if !e.Action.Valid() {
		return fmt.Errorf("%s is no action of a trace", s.Action)
	}
	changes := differences(queues(before.terms["net"], messagePacket), queues(s.terms["net"], messagePacket), true)
	switch {
	case e.Action == spec.CutAction:
		r.events = append(r.events, r.cut(s))
		return nil
	case e.Action == spec.LoseAction || e.Action.Receipt() != "":
		at := slices.IndexFunc(changes, func(c difference) bool { return len(c.gone) > 0 })
		if at < 0 {
			return fmt.Errorf("%s takes nothing from any link", s.Action)
		}
		e.Input.Message = r.message(changes[at].link, changes[at].gone[0])
		e.Node = e.Input.Message.To
	default:
		place, err := r.whose(before, s, changes)
		if err != nil {
			return err
		}
		e.Node, e.Input.Timer = r.members[place], e.Action.Timer()
	}
	if e.Action == spec.LoseAction {
		e.Node = spec.NodeID{}
		r.events = append(r.events, e)
		return nil
	}
	place := slices.Index(r.members, e.Node)
	e.State = r.state(s.terms["node"].at(place + 1))
	switch e.Action {
	case spec.ResignAction:
		e.Input.Call = spec.ResignCall
	case spec.HolderDeadAction:
		e.Input.Call = spec.HolderDeadCall
	}
	if e.Action != spec.CrashAction {
		e.Sent = r.sent(before, s, &e, place, changes)
	}
	r.events = append(r.events, e)
	return nil
}

// whose returns whose step it is, a place: the only node that has changed, comes or goes, or sends.
func (r *recorder) whose(before, s *Step, changes []difference) (int, error) {
	if len(s.Args) > 0 && s.Args[0] > 0 && s.Args[0] <= len(r.members) {
		return s.Args[0] - 1, nil
	}
	for i, id := range r.members {
		if before.terms["up"].has(id.String()) != s.terms["up"].has(id.String()) || before.terms["node"].at(i+1).text != s.terms["node"].at(i+1).text {
			return i, nil
		}
	}
	for _, c := range changes {
		if len(c.added) > 0 {
			return c.link[0], nil
		}
	}
	return 0, fmt.Errorf("it cannot be told whose step %s is: nothing changes", s.Action)
}

// sent returns what a step has sent. The module leaves out what can make no difference: what goes over a cut link, or to a
// node that is down, or is a heartbeat that tells nothing new. If the rules of the protocol say the same of all else, all
// is what they say; else the step is one of a mutant, and has sent what can be seen.
func (r *recorder) sent(before, s *Step, e *spec.Event, place int, changes []difference) []spec.Message {
	seen := map[film.Link][]spec.Message{}
	var all []spec.Message
	for _, c := range changes {
		if c.link[0] == place {
			for _, p := range c.added {
				seen[c.link] = append(seen[c.link], r.message(c.link, p))
				all = append(all, r.message(c.link, p))
			}
		}
	}
	want := r.rules.Step(e.Node, r.members, r.state(before.terms["node"].at(place+1)), e.Given())
	if want.Ignored || !want.State.Equal(e.State) {
		return all
	}
	cut := cutOf(s.terms["cut"])
	rest := slices.Clone(all)
	for _, m := range want.Sent {
		link := film.Link{place, slices.Index(r.members, m.To)}
		if !s.terms["up"].has(m.To.String()) || slices.Contains(cut, link) {
			continue
		}
		at := slices.Index(rest, m)
		switch {
		case at >= 0:
			rest = slices.Delete(rest, at, at+1)
		case m.Type != spec.Heartbeat:
			return all
		}
	}
	if len(rest) > 0 {
		return all
	}
	return slices.Clone(want.Sent)
}
