package behaviour

import (
	"errors"
	"fmt"
	"slices"

	"github.com/seed-fdf591db/bully/conformance"
	"github.com/seed-fdf591db/bully/model/rules"
	"github.com/seed-fdf591db/bully/spec"
	"github.com/seed-fdf591db/bully/traces"
	"github.com/seed-fdf591db/bully/traces/recording"
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
	r := recorder{way: map[recording.Link][]spec.Message{}}
	for i := range n {
		r.members = append(r.members, spec.IntegerID(uint64(i+1)))
	}
	for i := range b.Steps {
		if err := r.check(&b.Steps[i]); err != nil {
			return nil, fmt.Errorf("state %d: %w", b.number(i), err)
		}
	}
	if err := r.begin(&b.Steps[0]); err != nil {
		return nil, err
	}
	for i := 1; i < len(b.Steps); i++ {
		if err := r.step(&b.Steps[i-1], &b.Steps[i]); err != nil {
			return nil, fmt.Errorf("state %d: %w", b.number(i), err)
		}
	}
	for i := range r.events {
		r.events[i].Seq = uint64(i + 1)
	}
	return traces.Write(spec.Header{Members: r.members, Commit: "counterexample"}, r.events)
}

// recorder makes events of steps.
type recorder struct {
	members []spec.NodeID
	events  []spec.Event
	rules   conformance.Model
	now     []spec.State                      // of each node, as the trace has it
	way     map[recording.Link][]spec.Message // what is under way, as the trace has it
	strict  bool                              // what the rules do not allow is refused
}

// id returns the node of a number; 0 is none.
func (r *recorder) id(t term) spec.NodeID { return spec.IntegerID(uint64(max(0, t.number()))) }

// seen returns the state of a node, without its numbers. One that is none has no role.
func (r *recorder) seen(t term) spec.State {
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
	if !s.Role.Valid() || !s.Epoch.Valid() {
		return spec.State{}
	}
	return s
}

// place returns the place of a node among the members, from 0; -1 of none.
func (r *recorder) place(id spec.NodeID) int { return slices.Index(r.members, id) }

// check says what of a state of the cluster a trace cannot have.
func (r *recorder) check(s *Step) error {
	for i := range r.members {
		t := s.terms["node"].at(i + 1)
		if r.seen(t).Role == "" {
			return fmt.Errorf("node %d is in no state that there is", i+1)
		}
		if c := t.field("conf"); c.field("epoch").text != "0" || len(c.field("voters").items) != len(r.members) {
			return errors.New("its members change, or are not all voters: a trace of it is not written here")
		}
	}
	for _, link := range s.terms["net"].items {
		if link.open == '{' {
			return errors.New("its messages are heard again and again, in any order: that is no trace of queues")
		}
	}
	for _, l := range append(sortedLinks(queues(s.terms["net"])), cutOf(s.terms["cut"])...) {
		if !inRange(l, len(r.members)) {
			return fmt.Errorf("there is no link from %d to %d", l[0]+1, l[1]+1)
		}
	}
	return nil
}

// begin starts all nodes. A trace can begin with no other state than the first of all.
func (r *recorder) begin(s *Step) error {
	for i, id := range r.members {
		start := spec.Event{Node: id, Action: spec.StartAction}
		start.State = r.rules.Step(id, r.members, spec.State{Role: spec.Follower}, start.Trigger()).State
		if !same(r.seen(s.terms["node"].at(i+1)), start.State) || !s.terms["up"].has(id.String()) {
			return errors.New("it does not begin with the first start of all nodes")
		}
		r.now = append(r.now, start.State)
		r.events = append(r.events, start)
	}
	if len(s.terms["cut"].items) > 0 {
		r.events = append(r.events, r.cut(s))
	}
	return nil
}

// same reports whether two states are the same but for their numbers.
func same(a, b spec.State) bool {
	return a.Role == b.Role && a.Leader == b.Leader && a.Epoch == b.Epoch && a.Grantee == b.Grantee && slices.Equal(a.Support, b.Support)
}

func (r *recorder) cut(s *Step) spec.Event {
	e := spec.Event{Action: spec.CutAction}
	for _, l := range cutOf(s.terms["cut"]) {
		e.Input.Cut = append(e.Input.Cut, spec.Link{From: r.members[l[0]], To: r.members[l[1]]})
	}
	slices.SortFunc(e.Input.Cut, spec.Link.Compare)
	return e
}

// step adds the event of a step.
func (r *recorder) step(before, s *Step) error {
	if s.Action == "" {
		return r.find(before, s)
	}
	e := spec.Event{Action: spec.Action(s.Action)}
	if !e.Action.Valid() {
		return fmt.Errorf("%s is no action of a trace", s.Action)
	}
	changes := differences(queues(before.terms["net"]), queues(s.terms["net"]), true)
	took, err := r.input(&e, before, s, changes)
	if err != nil {
		return err
	}
	for _, c := range changes {
		if len(c.gone) > len(r.way[c.link]) {
			return fmt.Errorf("%s takes what is not under way", s.Action)
		}
		r.way[c.link] = slices.Clone(r.way[c.link][len(c.gone):])
	}
	if took {
		if err := r.take(&e, s, changes); err != nil {
			return err
		}
	}
	r.events = append(r.events, e)
	return nil
}

// input finds what a step was given, and whose it is. It reports whether a node takes a step.
func (r *recorder) input(e *spec.Event, before, s *Step, changes []difference) (took bool, err error) {
	switch {
	case e.Action == spec.CutAction:
		*e = r.cut(s)
		return false, nil
	case e.Action == spec.LoseAction || e.Action.Receipt() != "":
		at := slices.IndexFunc(changes, func(c difference) bool { return len(c.gone) > 0 })
		if at < 0 || len(r.way[changes[at].link]) == 0 {
			return false, fmt.Errorf("%s takes nothing from any link", s.Action)
		}
		e.Input.Message = r.way[changes[at].link][0]
		if e.Action == spec.LoseAction {
			return false, nil
		}
		if e.Input.Message.Type != e.Action.Receipt() {
			return false, fmt.Errorf("%s takes the %s that is next on its link", s.Action, e.Input.Message.Type)
		}
		e.Node = e.Input.Message.To
	default:
		place, err := r.whose(before, s, changes)
		if err != nil {
			return false, err
		}
		e.Node, e.Input.Timer = r.members[place], e.Action.Timer()
	}
	switch e.Action {
	case spec.ResignAction:
		e.Input.Call = spec.ResignCall
	case spec.HolderDeadAction:
		e.Input.Call = spec.HolderDeadCall
	}
	return true, nil
}

// take finds the state after a step, and what it has sent: what the rules of the protocol say, if that is what is seen; else the
// step is one of a mutant, and its numbers are those that fit what is seen.
func (r *recorder) take(e *spec.Event, s *Step, changes []difference) error {
	i := r.place(e.Node)
	was := r.now[i]
	want := r.want(e, was)
	r.now[i], e.State = want.State, want.State
	if !want.Ignored && same(want.State, r.seen(s.terms["node"].at(i+1))) && latestFits(s.terms["node"], i) {
		if n, fits := r.numbers(s, -1); fits {
			if heard, ok := r.heard(s, n, want.Sent, i, changes); ok {
				e.Sent = slices.Clone(want.Sent)
				r.send(heard)
				return nil
			}
		}
	}
	if r.strict {
		return errors.New("the rules do not allow it")
	}
	n, fits := r.numbers(s, i)
	if !fits {
		return errors.New("the numbers of its questions fit no run")
	}
	return r.flawed(e, s, n, was, changes)
}

// want returns the step that the rules of the protocol want.
func (r *recorder) want(e *spec.Event, was spec.State) spec.Step {
	if e.Action == spec.CrashAction {
		d := was.Durable()
		return spec.Step{State: spec.State{Role: spec.Follower, Epoch: d.Epoch, Grantee: d.Grantee, Latest: d.Reserved}}
	}
	return r.rules.Step(e.Node, r.members, was, e.Trigger())
}

// numbers compares all nodes but one with the states of the trace, and what is under way that was sent before.
func (r *recorder) numbers(s *Step, but int) (numbering, bool) {
	n := make(numbering, len(r.members))
	for i := range r.members {
		if i != but && !n.fitState(i, s.terms["node"].at(i+1), &r.now[i], r.place) {
			return nil, false
		}
	}
	for link, way := range r.way {
		terms := queueOf(s, link)
		for k := range way {
			if k >= len(terms) || !n.fitMessage(terms[k], &way[k], r.place) {
				return nil, false
			}
		}
	}
	return n, true
}

// queueOf returns what is under way on a link after a step, as the module has it.
func queueOf(s *Step, l recording.Link) []term {
	return s.terms["net"].field(fmt.Sprintf("<<%d, %d>>", l[0]+1, l[1]+1)).items
}

func (r *recorder) send(sent []spec.Message) {
	for _, m := range sent {
		l := recording.Link{r.place(m.From), r.place(m.To)}
		r.way[l] = append(r.way[l], m)
	}
}

// heard returns which of what the rules want to be sent is under way. The module leaves out what can make no difference: what goes
// over a cut link, or to a node that is down, or is a heartbeat that tells nothing new. It reports whether that explains all.
func (r *recorder) heard(s *Step, n numbering, want []spec.Message, place int, changes []difference) (heard []spec.Message, ok bool) {
	added := map[recording.Link][]term{}
	for _, c := range changes {
		if len(c.added) > 0 {
			terms := queueOf(s, c.link)
			added[c.link] = terms[len(terms)-len(c.added):]
		}
	}
	cut := cutOf(s.terms["cut"])
	for k := range want {
		m := &want[k]
		l := recording.Link{place, r.place(m.To)}
		switch rest := added[l]; {
		case len(rest) > 0 && n.fitMessage(rest[0], m, r.place):
			added[l] = rest[1:]
			heard = append(heard, *m)
		case s.terms["up"].has(m.To.String()) && !slices.Contains(cut, l) && m.Type != spec.Heartbeat:
			return nil, false
		}
	}
	for _, rest := range added {
		if len(rest) > 0 {
			return nil, false
		}
	}
	return heard, true
}

// whose returns whose step it is, a place: the only node that comes or goes, has changed, or sends. That the numbers of others are
// given anew is no change.
func (r *recorder) whose(before, s *Step, changes []difference) (int, error) {
	if len(s.Args) > 0 && s.Args[0] > 0 && s.Args[0] <= len(r.members) {
		return s.Args[0] - 1, nil
	}
	nodes := func(s *Step, i int) term { return s.terms["node"].at(i + 1) }
	for _, differs := range []func(i int) bool{
		func(i int) bool {
			return before.terms["up"].has(r.members[i].String()) != s.terms["up"].has(r.members[i].String())
		},
		func(i int) bool { return !same(r.seen(nodes(before, i)), r.seen(nodes(s, i))) },
		func(i int) bool {
			return slices.ContainsFunc(changes, func(c difference) bool { return len(c.added) > 0 && c.link[0] == i })
		},
		func(i int) bool { return nodes(before, i).text != nodes(s, i).text },
	} {
		for i := range r.members {
			if differs(i) {
				return i, nil
			}
		}
	}
	return 0, fmt.Errorf("it cannot be told whose step %s is: nothing changes", s.Action)
}
