package check

import (
	"fmt"
	"slices"
	"strings"

	"github.com/seed-fdf591db/bully/model/rules"
	"github.com/seed-fdf591db/bully/spec"
)

// actions are in the order of replay.counts.
var actions = spec.Actions()

// replay takes the steps of a trace again, by the rules, which know nodes by their rank.
type replay struct {
	options Options
	rules   *rulebook
	members []spec.NodeID
	nodes   []node // by rank; none is 0
	links   links
	monitor *Monitor // of the promises; it knows a node by its rank less one
	view    View     // of the node whose promises were asked last
	seen    Case

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
func (r *replay) step(i rules.ID, e *spec.Event) *TraceError {
	if n := &r.nodes[i]; !n.up {
		return &TraceError{Rule: nodesAndLinks, Problem: fmt.Sprintf("%s of node %s, which %s", e.Action, e.Node, whyDown(n))}
	}
	from := rules.None
	if m := &e.Input.Message; m.Type != "" {
		from = r.rank(m.From)
		if !r.links.may(from, i, m) {
			return r.notUnderWay(e, m)
		}
	}
	if !r.rules.step(i, from, e) {
		return r.wrong(i, e)
	}
	return r.take(i, e)
}

func whyDown(n *node) string {
	if n.started {
		return "is down"
	}
	return "has not started"
}

// wrong says how an event is not the step of node i that the rules want.
func (r *replay) wrong(i rules.ID, e *spec.Event) *TraceError {
	want := r.rules.wanted()
	c := Case{ID: e.Node, Members: r.members, Before: r.rules.state(i), Input: e.Trigger(), Want: want}
	got := spec.Step{State: e.State, Sent: e.Sent}
	fault := &TraceError{
		Rule:   brokenRule(&c, &got),
		Before: c.Before.String(), Expected: say(&want), Got: say(&got),
	}
	how := "in another way than the rules"
	if want.Ignored {
		how = "though that is no step in its state"
	}
	fault.Problem = fmt.Sprintf("node %s of %s takes %s %s", e.Node, MemberText(r.members), what(e), how)
	return r.broken(i, e, fault)
}

// broken makes a fault of node i one of the promises, if what is recorded breaks one: that is the greater evil.
func (r *replay) broken(i rules.ID, e *spec.Event, fault *TraceError) *TraceError {
	if promise := r.promises(i, e); promise != nil {
		fault.Problem = fmt.Sprintf("%s; %s: %s", promise.Problem, fault.Rule, fault.Problem)
		fault.Rule = promise.Rule
	}
	return fault
}

// brokenRule returns the rule that a wrong step breaks: the first that the right one follows from, unless the wrong one is a
// win, or a claim, that there should not have been, or says of members what it should not.
func brokenRule(c *Case, got *spec.Step) string {
	claims := got.State.Role == spec.Claimant && c.Want.State.Role != spec.Claimant
	wins := c.Before.Role != spec.Leader && c.Want.State.Role == spec.Leader && c.Input.Call != spec.RestartCall
	switch {
	case wins && got.State.Role == spec.Leader && got.State.Configuration != c.Want.State.Configuration:
		return "R48"
	case c.Input.Message.Type == spec.Grant && c.Before.Role != spec.Leader && got.State.Role == spec.Leader:
		return "R20"
	case claims && c.Before.Epoch == spec.MaxEpoch:
		return "R2"
	case got.State.Equal(c.Want.State) && saysOther(got, &c.Want):
		return "R43"
	case got.State.Equal(c.Want.State) && c.Input.Call != spec.ChangeCall && tellsOthers(got, &c.Want):
		return "R46"
	}
	return RuleOf(c)
}

// saysOther reports whether something is sent with another configuration than that of the state after the step, though it is sent
// to the same nodes.
func saysOther(got, want *spec.Step) bool {
	if len(got.Sent) != len(want.Sent) {
		return false
	}
	other := false
	for i := range got.Sent {
		m := got.Sent[i]
		other = other || m.Configuration != want.Sent[i].Configuration
		if m.Configuration = want.Sent[i].Configuration; m != want.Sent[i] {
			return false
		}
	}
	return other
}

// tellsOthers reports whether the same is said to all, of one type, but not to the nodes that are told. Where members are fixed,
// who they are is no question.
func tellsOthers(got, want *spec.Step) bool {
	said := map[spec.MessageType]bool{}
	for _, m := range slices.Concat(got.Sent, want.Sent) {
		said[m.Type] = true
	}
	return !got.State.Configuration.IsNone() && len(said) == 1 && len(want.Sent) > 1 && len(got.Sent) != len(want.Sent)
}

// take is what node i has become, and what it has sent, once its step is known to be right.
func (r *replay) take(i rules.ID, e *spec.Event) *TraceError {
	if fault := r.promises(i, e); fault != nil {
		return fault
	}
	n := &r.nodes[i]
	r.becomes(i, e)
	n.line, n.said = int(e.Seq)+1, 0
	to := rules.None
	for k := range e.Sent {
		to = r.rankAfter(to, e.Sent[k].To)
		if r.links.send(i, to, &e.Sent[k], n.configuration) {
			r.nodes[to].said++
		}
	}
	if r.options.Observe != nil {
		r.seen = Case{ID: e.Node, Members: r.members, Before: r.rules.state(i), Input: e.Trigger(),
			Want: spec.Step{State: e.State, Sent: e.Sent}}
		r.seen.Rule = RuleOf(&r.seen)
		r.options.Observe(&r.seen)
	}
	r.rules.keep(i)
	return nil
}

// rank returns the rank of a member, and 0 for none.
func (r *replay) rank(id spec.NodeID) rules.ID { return r.rules.names.ID(id) }

// rankAfter is rank, and looks after rank i first: what is said to all is said in ascending order.
func (r *replay) rankAfter(i rules.ID, id spec.NodeID) rules.ID {
	for k := int(i); k < len(r.members); k++ {
		if r.members[k] == id {
			return rules.ID(k + 1)
		}
	}
	return r.rank(id)
}

// what says which step an event is: OnClaim (1→2 CLAIM epoch:4).
func what(e *spec.Event) string {
	if e.Input.Message == (spec.Message{}) {
		return string(e.Action)
	}
	return string(e.Action) + " (" + e.Input.Message.String() + ")"
}

// say says what a step comes to, one thing a line.
func say(o *spec.Step) string {
	if o.Ignored {
		return "no step"
	}
	return strings.Join(Lines(o), "\n")
}

// node is what is known of a node, besides what the rules know.
type node struct {
	up      bool
	started bool // it has a record
	line    int  // of its last event
	said    int  // how many messages have been put on links to it since
	// The same one for as long as it stays the same; nil before the first event, and where members are fixed.
	configuration *spec.Configuration
}

// becomes makes the state of an event that of node i. Its promises have just been asked.
func (r *replay) becomes(i rules.ID, e *spec.Event) {
	r.monitor.Note(int(i)-1, &r.view)
	n := &r.nodes[i]
	if e.State.Configuration.IsNone() || n.configuration != nil && *n.configuration == e.State.Configuration {
		return
	}
	c := e.State.Configuration
	n.configuration = &c
}

// crash takes the Crash of node i. Its record is kept (R4, R42).
//
// A node that is down may crash: it was about to start again, and that was no step yet.
func (r *replay) crash(i rules.ID, e *spec.Event) *TraceError {
	n := &r.nodes[i]
	r.adopt(i, e)
	r.rules.reserves(i, e.State.Latest)
	if !r.rules.step(i, rules.None, e) {
		before, survives := r.rules.state(i), r.rules.wanted().State
		rule := "R4"
		if survives.Configuration != e.State.Configuration {
			rule = "R42"
		}
		return r.broken(i, e, &TraceError{
			Rule: rule, Problem: fmt.Sprintf("Crash of node %s: something else survives", e.Node),
			Before: before.String(), Expected: survives.String(), Got: e.State.String(),
		})
	}
	if fault := r.promises(i, e); fault != nil {
		return fault
	}
	r.rules.keep(i)
	r.becomes(i, e)
	n.up = false
	return nil
}

// adopt takes the promise of a node that nothing is known of from its first event, if that is a Crash or a Restart. The
// node had a record before the trace began: it may be any.
func (r *replay) adopt(i rules.ID, e *spec.Event) {
	if n := &r.nodes[i]; !n.started {
		n.started = true
		promise := e.State.Durable()
		if e.Action == spec.RestartAction {
			promise.Reserved = e.State.Latest - 1
		}
		promise.Reserved = max(promise.Reserved, spec.Block) // as each record has
		r.rules.begin(i, promise)
	}
}

// start takes the first start of node i (R32, R49), or a later one (R30).
func (r *replay) start(i rules.ID, e *spec.Event) *TraceError {
	n, first := &r.nodes[i], e.Action == spec.StartAction
	switch {
	case n.up:
		return &TraceError{Rule: ruleOfStart(first), Problem: fmt.Sprintf("%s of node %s, which runs", e.Action, e.Node)}
	case first && n.started:
		return &TraceError{Rule: "R32", Problem: fmt.Sprintf("Start of node %s, which has started before: it has a record, and this would be a Restart", e.Node)}
	case first:
		if fault := mayBeFirst(e); fault != nil {
			return fault
		}
		r.rules.begin(i, spec.Durable{Configuration: e.State.Configuration})
	default:
		r.adopt(i, e)
		r.rules.reserves(i, e.State.Latest-1)
	}
	if !r.rules.step(i, rules.None, e) {
		return r.wrong(i, e)
	}
	n.up, n.started = true, true
	return r.take(i, e)
}

func ruleOfStart(first bool) string {
	if first {
		return "R32"
	}
	return "R30"
}

// mayBeFirst says what is wrong with the configuration of a first start (R49): nothing, where members are fixed.
func mayBeFirst(e *spec.Event) *TraceError {
	c := &e.State.Configuration
	_, isMember := c.Member(e.Node)
	if c.IsNone() || c.IsEmpty() || c.Epoch == 0 && c.Version == 1 && isMember {
		return nil
	}
	return &TraceError{
		Rule: "R49", Problem: fmt.Sprintf("Start of node %s with a configuration that it cannot begin with", e.Node),
		Expected: "the empty configuration, or one of version 1 and epoch 0 that the node is in", Got: c.String(),
	}
}
