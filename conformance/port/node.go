package port

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"

	"github.com/seed-fdf591db/bully/conformance"
	"github.com/seed-fdf591db/bully/conformance/check"
	"github.com/seed-fdf591db/bully/spec"
)

// Maker makes nodes of the port, for the packages sim, cluster and paths. What they do is checked as far as the protocol
// goes: the order of duties (section 10), timers that are cancelled and armed (R36), what users are told (R39). A port that
// fails makes a node panic with a *Failure; see [Guard]. Nodes of one process know nothing of each other, or the port is wrong.
func (p *Process) Maker() conformance.Maker {
	p.nodes++ // nodes that are made later are others, whatever their ids
	run := p.nodes
	return func(id spec.NodeID, members []spec.NodeID) conformance.Node {
		return &node{process: p, id: id, members: members, name: strconv.Itoa(run) + "/" + id.String(), state: spec.State{Role: spec.Follower}}
	}
}

// node is a node of a port.
type node struct {
	process *Process
	id      spec.NodeID
	members []spec.NodeID
	name    string
	state   spec.State // after the last step
	request Request
}

func (n *node) Start(first spec.Configuration, out *spec.Step) {
	n.step(StartOf(n.name, n.id, n.members, first), &spec.Input{Call: spec.StartCall}, out)
}

func (n *node) Restart(promise spec.Durable, out *spec.Step) {
	n.state = check.Survivor(promise)
	n.step(RestartOf(n.name, n.id, n.members, promise), &spec.Input{Call: spec.RestartCall}, out)
}

func (n *node) Step(in *spec.Input, out *spec.Step) {
	n.step(InputOf(n.name, in), in, out)
}

// StartOf returns how a port is told to start a node for the first time.
func StartOf(name string, id spec.NodeID, members []spec.NodeID, first spec.Configuration) Request {
	if !first.IsNone() {
		return Request{Op: Begin, Node: name, Me: &id, Configuration: rawConfiguration(first)}
	}
	return Request{Op: Begin, Node: name, Me: &id, Members: members}
}

// RestartOf returns how a port is told to start a node with a promise.
func RestartOf(name string, id spec.NodeID, members []spec.NodeID, promise spec.Durable) Request {
	return Request{Op: Restart, Node: name, Me: &id, Members: fixed(members, promise.Configuration), Promise: &promise}
}

// fixed returns the members if they are fixed, and else none: a configuration says who they are.
func fixed(members []spec.NodeID, c spec.Configuration) []spec.NodeID {
	if !c.IsNone() {
		return nil
	}
	return members
}

// InputOf returns how a port is given an input that is no start.
func InputOf(name string, in *spec.Input) Request {
	switch {
	case in.Timer != "":
		return Request{Op: End, Node: name, Timer: in.Timer}
	case in.Call != "":
		q := Request{Op: Call, Node: name, Call: in.Call, Configuration: rawConfiguration(in.Configuration), Hold: in.Hold}
		if !in.Names.IsNone() {
			names := in.Names
			q.Names = &names
		}
		return q
	}
	return Request{Op: Receive, Node: name, Message: rawMessage(&in.Message)}
}

// rawMessage writes a message, well formed or not.
func rawMessage(m *spec.Message) json.RawMessage {
	id := func(id spec.NodeID) string {
		if id.IsNone() {
			return "null"
		}
		return strconv.Quote(id.String())
	}
	text := fmt.Sprintf(`{"type":%q,"from":%s,"to":%s,"epoch":%d,"question":%d`, string(m.Type), id(m.From), id(m.To), uint64(m.Epoch), uint64(m.Question))
	if m.Type == spec.Election || !m.Keeps.IsNone() {
		text += `,"keeps":` + id(m.Keeps)
	}
	if g := m.Granted; g != (spec.Granted{}) {
		text += fmt.Sprintf(`,"granted":{"by":%s,"epoch":%d,"question":%d}`, id(g.By), uint64(g.Epoch), uint64(g.Question))
	}
	if !m.Names.IsNone() {
		text += `,"names":` + id(m.Names)
	}
	if m.Hold != 0 {
		text += fmt.Sprintf(`,"hold":%d`, uint64(m.Hold))
	}
	if c := rawConfiguration(m.Configuration); c != nil {
		text += `,"configuration":` + string(c)
	}
	return json.RawMessage(text + "}")
}

// rawConfiguration writes a configuration, well formed or not; of none, nothing.
func rawConfiguration(c spec.Configuration) json.RawMessage {
	if c.IsNone() {
		return nil
	}
	if text, err := c.MarshalJSON(); err == nil {
		return text
	}
	text, err := json.Marshal(c.At(0, uint64(min(c.Len(), 1)))) // the members are good, whatever is wrong
	if err != nil {
		panic(fmt.Sprintf("port: %v: %v", c, err))
	}
	_, members, _ := strings.Cut(string(text), `"members"`)
	return json.RawMessage(fmt.Sprintf(`{"epoch":%d,"version":%d,"members"%s`, uint64(c.Epoch), c.Version, members))
}

// step lets the port take a step, and panics if what it does is none.
func (n *node) step(request Request, in *spec.Input, out *spec.Step) {
	n.request = request
	reply, err := n.process.Ask(&n.request)
	if err != nil {
		panic(err)
	}
	if failure := n.process.understand(reply, n.id, &n.state, in, out); failure != nil {
		panic(failure)
	}
	n.state = out.State.Clone()
}

// understand makes an output of a reply. The failure says which duty of a host the reply does not let it do; what the output says of
// the state, and of what is sent, is good then too.
func (p *Process) understand(reply *Reply, id spec.NodeID, before *spec.State, in *spec.Input, out *spec.Step) *Failure {
	switch {
	case reply.Error != "":
		return p.fail(Erred, "the port says: "+reply.Error)
	case reply.Unsupported != "":
		return p.fail(Missing, "the port does not support this: "+reply.Unsupported)
	}
	*out = spec.Step{Sent: out.Sent[:0], State: *reply.State, Ignored: reply.Ignored != ""}
	if out.Ignored {
		return nil
	}
	for k := range reply.Effects { // whatever else is wrong, what it sends is known
		if m := reply.Effects[k].Send; m != nil {
			out.Sent = append(out.Sent, *m)
		}
	}
	var over spec.Epoch
	var told *Leadership
	if rule, problem := Disorder(reply.Effects); problem != "" {
		return p.wrong(rule, reply, problem)
	}
	for k := range reply.Effects {
		e := &reply.Effects[k]
		switch {
		case e.Save != nil:
			out.Save = true
			if *e.Save != out.State.Durable() {
				return p.wrong("R4", reply, "what it saves is not what the state after the step says: epoch and grantee, and the configuration, where members change")
			}
		case e.Over != nil:
			over = *e.Over
		case e.Cancel != "":
			out.Cancel |= spec.TimersOf(e.Cancel)
		case e.Arm != "":
			out.Arm |= spec.TimersOf(e.Arm)
		case e.Tell != nil:
			told = e.Tell
		}
	}
	if ended := spec.TimersOf(in.Timer); ended != 0 { // to cancel it is as good as not to
		out.Cancel &^= ended
		if !conformance.Running(id, &out.State).Has(in.Timer) {
			out.Cancel |= ended
		}
	}
	return p.users(reply, id, before, in, out, over, told)
}

// users checks what users are told (R39).
func (p *Process) users(reply *Reply, id spec.NodeID, before *spec.State, in *spec.Input, out *spec.Step, over spec.Epoch, told *Leadership) *Failure {
	if in.Starts() {
		before = &spec.State{Role: spec.Follower}
	}
	was, now := leadershipOf(before), leadershipOf(&out.State)
	ended := spec.Epoch(0)
	if before.Role == spec.Leader && (out.State.Role != spec.Leader || out.State.Epoch != before.Epoch) {
		ended = before.Epoch
	}
	switch {
	case over != ended && ended == 0:
		return p.wrong("R39", reply, fmt.Sprintf("it says that the reign of epoch %d is over, and there was none, or it goes on", over))
	case over != ended:
		return p.wrong("R39", reply, fmt.Sprintf(`the reign of epoch %d is over, and its user must hear so before any message leaves: {"over":%d}`, ended, ended))
	case told == nil && was != now:
		return p.wrong("R39", reply, fmt.Sprintf("what users may be told has changed, from %s to %s, and they are told nothing", was, now))
	case told != nil && *told != now:
		return p.wrong("R39", reply, fmt.Sprintf("users are told %s, and may be told %s", *told, now))
	case told != nil && was == now:
		return p.wrong("R39", reply, fmt.Sprintf("users are told %s, which they know already", *told))
	}
	return nil
}

// leadershipOf returns what users may be told in a state (R39).
func leadershipOf(s *spec.State) Leadership {
	if !s.Leader.IsNone() && (s.Role == spec.Leader || s.Role == spec.Follower) {
		return Leadership{s.Leader, s.Epoch}
	}
	return Leadership{}
}

// String returns what users are told as a person would say it.
func (t Leadership) String() string {
	if t.Leader.IsNone() {
		return "of no leader"
	}
	return fmt.Sprintf("that %s leads epoch %d", t.Leader, t.Epoch)
}

// wrong makes a failure of an answer that a rule does not allow.
func (p *Process) wrong(rule string, reply *Reply, problem string) *Failure {
	text, _ := json.Marshal(reply)
	return p.failure(Wrong, rule, problem, p.lastRequest(), string(text))
}

// Subject returns the port as what answers single questions. It panics with a *Failure, as nodes do.
func (p *Process) Subject() conformance.Subject { return subject{p} }

type subject struct{ process *Process }

const asked = "asked" // the name of the node that questions are about

func (s subject) Step(id spec.NodeID, members []spec.NodeID, before spec.State, in spec.Input) spec.Step {
	requests := questionOf(id, members, &before, &in)
	var reply *Reply
	for k := range requests {
		var err error
		if reply, err = s.process.Ask(&requests[k]); err != nil {
			panic(err)
		}
	}
	outcome, failure := s.process.judge(reply, id, &before, &in)
	if failure != nil {
		panic(failure)
	}
	return outcome
}

// questionOf returns what a port is asked for one step from a state.
func questionOf(id spec.NodeID, members []spec.NodeID, before *spec.State, in *spec.Input) []Request {
	switch {
	case in.Call == spec.StartCall:
		return []Request{StartOf(asked, id, members, before.Configuration)}
	case in.Call == spec.RestartCall:
		return []Request{RestartOf(asked, id, members, before.Durable())}
	}
	state := before.Clone()
	return []Request{{Op: Load, Node: asked, Me: &id, Members: fixed(members, before.Configuration), State: &state}, InputOf(asked, in)}
}

// judge makes an outcome of a reply, and compares its duties with those of R4 and R36.
func (p *Process) judge(reply *Reply, id spec.NodeID, before *spec.State, in *spec.Input) (spec.Step, *Failure) {
	var out spec.Step
	failure := p.understand(reply, id, before, in, &out)
	outcome := spec.Step{Ignored: out.Ignored, State: out.State.Clone(), Sent: out.Sent}
	if failure != nil || out.Ignored {
		return outcome, failure
	}
	save, cancel, arm := conformance.Duties(id, before, in, &outcome.State, outcome.Sent)
	switch {
	case out.Save != save:
		return outcome, p.wrong("R4", reply, fmt.Sprintf("the step is saved: %t; it must be: %t", out.Save, save))
	case out.Cancel != cancel:
		return outcome, p.wrong("R36", reply, fmt.Sprintf("it cancels %s, and must cancel %s", out.Cancel, cancel))
	case out.Arm != arm:
		return outcome, p.wrong("R36", reply, fmt.Sprintf("it arms %s, and must arm %s", out.Arm, arm))
	}
	return outcome, nil
}
