package conformance

import (
	"fmt"
	"slices"

	"github.com/seed-fdf591db/bully/conformance/check"
	"github.com/seed-fdf591db/bully/model/rules"
	"github.com/seed-fdf591db/bully/spec"
)

// Subject is an implementation of the transition function of a node.
type Subject interface {
	// Step returns what the node id does in the state before with one input. The members are ascending, id is one of
	// them, and before is a state of section 6. Where members change, before has a configuration, which says who they
	// are; members is then just all ids that occur. Nothing else may count: the same question is asked more than once,
	// in any order. What Step is given stays the asker's: it must not be changed, nor kept.
	Step(id spec.NodeID, members []spec.NodeID, before spec.State, in spec.Input) spec.Step
}

// Case is a question, and the answer to it.
type Case = check.Case

// put puts the case to a subject, and returns what it answers. The subject gets memory of its own, so that what it
// does with it is not seen by the next.
func put(c *Case, s Subject) spec.Step {
	return s.Step(c.ID, slices.Clone(c.Members), c.Before.Clone(), c.Input)
}

// Node is one node of an implementation, from a start to a crash: what a cluster of them is made of. A Subject becomes
// one by [NodeOf], without memory or timers of its own; an implementation that keeps its state, and says itself what it
// saves and which timers it wants, is asked about these too.
type Node interface {
	// Start is the first start (R32), and Restart a later one, with the promise that the disk has kept (R30). One of the
	// two is called, once, before anything else. Both say with which configuration the node starts (R49); with none, the
	// members are fixed, and are those that its Maker was given.
	Start(first spec.Configuration, out *spec.Step)
	Restart(promise spec.Durable, out *spec.Step)
	// Step takes a message, the end of a timer, or a call; whatever else an input of a trace may be is not given. What it
	// does belongs to who asks: the node sets every field, and may use the memory of the slices again.
	Step(in *spec.Input, out *spec.Step)
}

// Maker makes a node that has not started. The members are ascending, and id is one of them. If the node then starts with a
// configuration, they are all ids that occur, and who is a member is for the configuration to say.
type Maker func(id spec.NodeID, members []spec.NodeID) Node

// subjectNode is a Subject with the memory of one node.
type subjectNode struct {
	subject Subject
	id      spec.NodeID
	members []spec.NodeID
	state   spec.State
}

// NodeOf makes nodes of subjects, each of a new one. What they save, and which timers they want, is computed from the
// state before and after (R4, R36), as a host of such an implementation would.
func NodeOf(newSubject func() Subject) Maker {
	return func(id spec.NodeID, members []spec.NodeID) Node {
		return &subjectNode{subject: newSubject(), id: id, members: members, state: check.Survivor(spec.Durable{})}
	}
}

// NodeIn makes a node of a subject that is in a state already, as if it had come to it.
func NodeIn(subject Subject, id spec.NodeID, members []spec.NodeID, s spec.State) Node {
	return &subjectNode{subject: subject, id: id, members: members, state: s}
}

func (n *subjectNode) Start(first spec.Configuration, out *spec.Step) {
	n.state.Configuration = first
	n.step(spec.Input{Call: spec.StartCall}, out)
}

func (n *subjectNode) Restart(promise spec.Durable, out *spec.Step) {
	n.state = check.Survivor(promise)
	n.step(spec.Input{Call: spec.RestartCall}, out)
}

func (n *subjectNode) Step(in *spec.Input, out *spec.Step) {
	n.step(*in, out)
}

func (n *subjectNode) step(in spec.Input, out *spec.Step) {
	got := n.subject.Step(n.id, n.members, n.state, in)
	out.Ignored, out.Sent = got.Ignored, append(out.Sent[:0], got.Sent...)
	out.Save, out.Cancel, out.Arm = false, 0, 0
	if !got.Ignored {
		out.Save, out.Cancel, out.Arm = Duties(n.id, &n.state, &in, &got.State, got.Sent)
	}
	n.state = got.State.Clone()
	copyState(&out.State, &n.state)
}

// copyState makes s equal to t, in the memory of s.
func copyState(s, t *spec.State) {
	support, answered := append(s.Support[:0], t.Support...), append(s.Answered[:0], t.Answered...)
	*s = *t
	s.Support, s.Answered = support, answered
}

// Model is the model as a subject, and the oracle of the cases that are not written by hand. It takes up to rules.MaxIDs members,
// and panics if it is given more, or a state that names a non-member where members are fixed, or one that no node can be in where
// they change. Members are fixed if the state before has no configuration.
type Model struct {
	static, changing *rules.Names // of the members that were asked about last
}

var _ Subject = (*Model)(nil)

// Step is the step of the model.
func (m *Model) Step(id spec.NodeID, members []spec.NodeID, before spec.State, in spec.Input) (answer spec.Step) {
	answer, err := m.names(members, &before).Answer(id, &before, &in)
	if err != nil && !before.Configuration.IsNone() { // who is not among the members may occur
		var names *rules.Names
		if names, err = rules.NamesIn(id, &before, &spec.Input{Message: in.Message, Configuration: in.Configuration}); err == nil {
			answer, err = names.Answer(id, &before, &in)
		}
	}
	if err != nil {
		panic(fmt.Sprintf("conformance: %v on %v: %v", id, in, err))
	}
	return answer
}

// names returns the names of the members in a question. They are the same ones again and again.
func (m *Model) names(members []spec.NodeID, before *spec.State) *rules.Names {
	known, newNames := &m.changing, rules.NewNames
	if before.Configuration.IsNone() {
		known, newNames = &m.static, rules.NewStaticNames
	}
	if *known == nil || !(*known).Are(members) {
		names, err := newNames(slices.Clone(members))
		if err != nil {
			panic(fmt.Sprintf("conformance: %v", err))
		}
		*known = names
	}
	return *known
}

// The timers, in the order of spec.Timers.
const (
	patience spec.TimerSet = 1 << iota
	election
	coordinator
	claim
	reign
	heartbeat
	preempt
)

// Running returns the timers that run while node id is in state s: the second column of R36, and R46.
func Running(id spec.NodeID, s *spec.State) spec.TimerSet {
	switch s.Role {
	case spec.Candidate:
		return election
	case spec.Electing:
		return coordinator
	case spec.Claimant:
		return claim
	case spec.Leader:
		return reign | heartbeat
	}
	switch bound := !s.Leader.IsNone(); {
	case bound && check.MayStand(id, s) && check.Outranked(&s.Configuration, s.Leader, id):
		return patience | preempt
	case bound || check.IsMember(&s.Configuration, id):
		return patience
	}
	return 0
}

// NoStep returns the rule by which an input that is no message is no step of node id in state s, or "" if it is one.
func NoStep(id spec.NodeID, s *spec.State, in *spec.Input) spec.Property {
	switch {
	case in.Timer != "" && !Running(id, s).Has(in.Timer):
		return "R35"
	case in.Call == spec.ResignCall && s.Role != spec.Leader:
		return "R28"
	case in.Call == spec.ResignCall && !in.Names.IsNone() && (in.Names == id || !check.MayStand(in.Names, s)):
		return "R51" // or, with fixed members, a non-member: who asks knows them
	case in.Call == spec.HolderDeadCall && (s.Leader.IsNone() || s.Leader == id):
		return "R41"
	case in.Call == spec.ChangeCall && !check.MayChange(id, s, in.Configuration):
		return "R47"
	}
	return ""
}

// Duties returns what a step of node id asks of its host besides what it sends: whether the promise is to be saved
// (R4, R42; each start reserves numbers, R50), and which timers are to be cancelled and armed (R36). A timer that has
// just ended is cancelled too, if it runs no longer.
func Duties(id spec.NodeID, before *spec.State, in *spec.Input, after *spec.State, sent []spec.Message) (save bool, cancel, arm spec.TimerSet) {
	runs := Running(id, after)
	if in.Starts() {
		return true, 0, runs
	}
	save = before.Durable() != after.Durable()
	ran := runs
	if save || before.Role != after.Role || before.Leader != after.Leader {
		ran = Running(id, before)
	}
	return save, ran &^ runs, runs & (begunAnew(before, in, after, sent) | ^ran)
}

// begunAnew returns which timers, if they run both before and after the step, begin anew: the fourth column of R36.
func begunAnew(before *spec.State, in *spec.Input, after *spec.State, sent []spec.Message) (s spec.TimerSet) {
	if before.Leader != after.Leader || before.Epoch != after.Epoch {
		s |= preempt
	}
	switch in.Timer {
	case spec.PatienceTimer: // of a member that may not stand (R46)
		s |= patience
	case spec.HeartbeatTimer:
		s |= heartbeat
	}
	if in.Call == spec.ChangeCall { // a heartbeat (R47)
		s |= heartbeat
	}
	if before.Dated != after.Dated { // the reign lasts longer (R26)
		s |= reign
	}
	if before.Leader == after.Leader && after.Lease <= before.Lease { // the lease is as old as it was
		return s
	}
	for i := range sent {
		switch sent[i].Type {
		case spec.Ack:
			s |= patience
		case spec.Grant:
			s |= coordinator
		}
	}
	return s
}
