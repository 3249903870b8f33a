package check

import (
	"fmt"
	"slices"
	"strings"

	"github.com/seed-fdf591db/bully/conformance"
	"github.com/seed-fdf591db/bully/model"
	"github.com/seed-fdf591db/bully/spec"
)

// The words of package spec, by the numbers of package model.
var (
	actions      = spec.Actions()
	roles        = spec.Roles()
	messageTypes = spec.MessageTypes()
	timers       = spec.Timers()
)

// replay takes the steps of a trace again, by the rules of the model, which knows nodes by their rank.
type replay struct {
	options Options
	rules   *model.Rules
	members []spec.NodeID
	ids     [model.MaxNodes + 1]spec.NodeID // by rank; none is 0
	nodes   [model.MaxNodes + 1]node
	links   links
	leaders leaders
	acting  model.Set
	seen    conformance.Case

	events uint64
	counts [32]uint64 // of events, in the order of actions
}

// event takes one event. The error has no line yet.
func (r *replay) event(e *spec.Event) *TraceError {
	fault := r.dispatch(e)
	if fault == nil {
		r.events++
		r.counts[slices.Index(actions, e.Action)]++
	}
	return fault
}

func (r *replay) dispatch(e *spec.Event) *TraceError {
	switch e.Action {
	case spec.LoseAction:
		return r.lose(e)
	case spec.CutAction:
		return r.changeCut(e)
	}
	i := r.rank(e.Node)
	switch e.Action {
	case spec.CrashAction:
		return r.crash(i, e)
	case spec.StartAction, spec.RestartAction:
		return r.start(i, e)
	}
	return r.step(i, e)
}

// step takes a step of node i on an input.
func (r *replay) step(i model.ID, e *spec.Event) *TraceError {
	n := &r.nodes[i]
	if !n.up {
		return &TraceError{Rule: nodesAndLinks, Problem: fmt.Sprintf("%s of node %s, which %s", e.Action, e.Node, whyDown(n))}
	}
	var step model.Step
	switch {
	case e.Input.Timer != "":
		step = r.rules.Timeout(i, n.state, model.Timer(slices.Index(timers, e.Input.Timer)))
	case e.Input.Call == spec.ResignCall:
		step = r.rules.Resign(i, n.state)
	case e.Input.Call == spec.HolderDeadCall:
		step = r.rules.HolderDead(i, n.state)
	default:
		m, lost := r.message(&e.Input.Message), r.links.lost
		if !r.links.take(m.From, i, m.Type, m.Epoch) {
			return r.notUnderWay(e, &m)
		}
		if r.options.AllLosses && r.links.lost > lost {
			return &TraceError{Rule: traceFormat, Problem: fmt.Sprintf("%s: before %s, %d of the same link were lost, and no event says so",
				e.Action, e.Input.Message, r.links.lost-lost)}
		}
		step = r.rules.Hear(i, n.state, m)
	}
	if fault := r.compare(i, e, &step); fault != nil {
		return fault
	}
	return r.take(i, e, &step)
}

func whyDown(n *node) string {
	if n.started {
		return "is down"
	}
	return "has not started"
}

// compare says how an event is not the step of node i that the rules want.
func (r *replay) compare(i model.ID, e *spec.Event, want *model.Step) *TraceError {
	if !want.Ignored && r.isState(&want.State, &e.State) && r.areSent(want.Sent(), e.Sent) {
		return nil
	}
	c := conformance.Case{ID: e.Node, Members: r.members, Before: r.specState(&r.nodes[i].state), Input: inputOf(e), Want: r.outcome(want)}
	got := conformance.Outcome{After: e.State, Sent: e.Sent}
	fault := &TraceError{
		Rule:   ruleOf(&c, &got),
		Before: c.Before.String(), Expected: say(&c.Want), Got: say(&got),
	}
	how := "in another way than the rules"
	if want.Ignored {
		how = "though that is no step in its state"
	}
	fault.Problem = fmt.Sprintf("node %s of %s takes %s %s", e.Node, memberText(r.members), what(e), how)
	return r.broken(i, e, fault)
}

// broken makes a fault of node i one of the promises, if what is recorded breaks one: that is the greater evil.
func (r *replay) broken(i model.ID, e *spec.Event, fault *TraceError) *TraceError {
	after := model.State{Role: model.Role(slices.Index(roles, e.State.Role)), Epoch: e.State.Epoch}
	if promise := r.promises(i, &r.nodes[i].state, &after); promise != nil {
		fault.Problem = fmt.Sprintf("%s; %s: %s", promise.Problem, fault.Rule, fault.Problem)
		fault.Rule = promise.Rule
	}
	return fault
}

// ruleOf returns the rule that a wrong step breaks: the first that the right one follows from, unless the wrong one is a
// win, or a claim, that there should not have been.
func ruleOf(c *conformance.Case, got *conformance.Outcome) string {
	claims := got.After.Role == spec.Claimant && c.Want.After.Role != spec.Claimant
	switch {
	case c.Input.Message.Type == spec.Grant && c.Before.Role != spec.Leader && got.After.Role == spec.Leader:
		return "R20"
	case claims && c.Before.Epoch == spec.MaxEpoch:
		return "R2"
	}
	return conformance.RuleOf(c)
}

// take is what node i has become, and what it has sent, once its step is known to be right.
func (r *replay) take(i model.ID, e *spec.Event, step *model.Step) *TraceError {
	n := &r.nodes[i]
	before := n.state
	n.state = step.State
	for j, m := range step.Sent() {
		if r.nodes[m.To].up {
			r.links.send(&step.Sent()[j])
		}
	}
	if fault := r.promises(i, &before, &step.State); fault != nil {
		return fault
	}
	if reignBegins(&before, &step.State) {
		r.leaders.lead(i, step.State.Epoch)
		r.leaders.forget(r.lowestEpoch())
	}
	if fault := r.act(i, &step.State); fault != nil {
		return fault
	}
	if r.options.Observe != nil {
		r.seen = conformance.Case{ID: e.Node, Members: r.members, Before: r.specState(&before), Input: inputOf(e),
			Want: conformance.Outcome{After: e.State, Sent: e.Sent}}
		r.seen.Rule = conformance.RuleOf(&r.seen)
		r.options.Observe(&r.seen)
	}
	return nil
}

// rank returns the rank of a member, and 0 for none.
func (r *replay) rank(id spec.NodeID) model.ID {
	for i := range r.members {
		if r.members[i] == id {
			return model.ID(i + 1)
		}
	}
	return model.None
}

// message returns the model's twin of a message between members.
func (r *replay) message(m *spec.Message) model.Message {
	return model.Message{Type: model.MessageType(slices.Index(messageTypes, m.Type)), From: r.rank(m.From), To: r.rank(m.To), Epoch: m.Epoch}
}

// isState reports whether two states are the same.
func (r *replay) isState(s *model.State, t *spec.State) bool {
	if roles[s.Role] != t.Role || s.Epoch != t.Epoch || r.ids[s.Leader] != t.Leader || r.ids[s.Grantee] != t.Grantee {
		return false
	}
	support := t.Support
	for i := range r.members {
		if s.Support.Has(model.ID(i + 1)) {
			if len(support) == 0 || support[0] != r.members[i] {
				return false
			}
			support = support[1:]
		}
	}
	return len(support) == 0
}

// areSent reports whether the same messages are sent in the same order.
func (r *replay) areSent(want []model.Message, got []spec.Message) bool {
	if len(want) != len(got) {
		return false
	}
	for k := range want {
		m, t := &want[k], &got[k]
		if m.Epoch != t.Epoch || r.ids[m.To] != t.To || r.ids[m.From] != t.From || messageTypes[m.Type] != t.Type {
			return false
		}
	}
	return true
}

// specState returns a state in the words of package spec.
func (r *replay) specState(s *model.State) spec.State {
	t := spec.State{Role: roles[s.Role], Leader: r.ids[s.Leader], Epoch: s.Epoch, Grantee: r.ids[s.Grantee]}
	for i, id := range r.members {
		if s.Support.Has(model.ID(i + 1)) {
			t.Support = append(t.Support, id)
		}
	}
	return t
}

func (r *replay) outcome(step *model.Step) conformance.Outcome {
	out := conformance.Outcome{Ignored: step.Ignored, After: r.specState(&step.State)}
	for _, m := range step.Sent() {
		out.Sent = append(out.Sent, spec.Message{Type: messageTypes[m.Type], From: r.ids[m.From], To: r.ids[m.To], Epoch: m.Epoch})
	}
	return out
}

// inputOf returns what the step of an event was taken on.
func inputOf(e *spec.Event) conformance.Input {
	return conformance.Input{
		Start: e.Action == spec.StartAction, Restart: e.Action == spec.RestartAction,
		Message: e.Input.Message, Timer: e.Input.Timer, Call: e.Input.Call,
	}
}

// what says which step an event is: OnClaim (1→2 CLAIM epoch:4).
func what(e *spec.Event) string {
	if e.Input.Message == (spec.Message{}) {
		return string(e.Action)
	}
	return string(e.Action) + " (" + e.Input.Message.String() + ")"
}

// say says what a step comes to, one thing a line.
func say(o *conformance.Outcome) string {
	if o.Ignored {
		return "no step"
	}
	lines := []string{o.After.String()}
	for _, m := range o.Sent {
		lines = append(lines, m.String())
	}
	return strings.Join(lines, "\n")
}

func memberText(members []spec.NodeID) string {
	words := make([]string, len(members))
	for i, id := range members {
		words[i] = id.String()
	}
	return "{" + strings.Join(words, " ") + "}"
}
