package conformance

import (
	"fmt"
	"slices"
	"strings"

	"github.com/seed-fdf591db/bully/spec"
)

// Subject is an implementation of the transition function of a node.
type Subject interface {
	// Step returns what the node id does in the state before with one input. The members are ascending, id is one of
	// them, and before is a state of section 6. Where members change, before has a configuration, which says who they
	// are; members is then just all ids that occur. Nothing else may count: the same question is asked more than once,
	// in any order. What Step is given stays the asker's: it must not be changed, nor kept.
	Step(id spec.NodeID, members []spec.NodeID, before spec.State, in Input) Outcome
}

// Input is what a node takes a step on. Exactly one field is set, and to a call to change its configuration; but for a
// message that is malformed, which may be zero: that is what the zero Input stands for.
type Input struct {
	Start         bool               // the first start (R32); the state before is blank, but for the first configuration (R49)
	Restart       bool               // a start with what the disk has kept: of the state before only epoch, grantee and configuration (R30)
	Message       spec.Message       // received, well formed or not (R33)
	Timer         spec.Timer         // ended, running or not (R35)
	Call          spec.Call          // made by the user (R28, R47), or by the host (R41)
	Configuration spec.Configuration // the one that is wanted, with its epoch and version; of a call to change alone (R47)
}

// Given returns the Input of what a trace calls one: a message, the end of a timer, or a call.
func Given(in *spec.Input) Input {
	return Input{Message: in.Message, Timer: in.Timer, Call: in.Call, Configuration: in.Configuration}
}

// isMessage reports whether in is a message, well formed or not.
func (in *Input) isMessage() bool { return !in.Start && !in.Restart && in.Timer == "" && in.Call == "" }

// String returns the input as a person would say it: 3→1 CLAIM epoch:4.
func (in Input) String() string {
	switch {
	case in.Start:
		return "first start"
	case in.Restart:
		return "restart"
	case in.Timer != "":
		return string(in.Timer) + " ends"
	case !in.Configuration.IsNone():
		return string(in.Call) + " to " + in.Configuration.String()
	case in.Call != "":
		return string(in.Call)
	}
	return in.Message.String()
}

// Outcome is what a node does with an input.
type Outcome struct {
	// Ignored says that there was no step: the state stays and nothing is sent, whether the input is to be counted (R33,
	// R34, R35) or not (R28, R41, R47).
	Ignored bool
	After   spec.State     // the state after the step; that before it, if there was none
	Sent    []spec.Message // what the step sends, in order
}

// Equal reports whether two outcomes are the same.
func (o Outcome) Equal(p Outcome) bool {
	return o.Ignored == p.Ignored && o.After.Equal(p.After) && slices.Equal(o.Sent, p.Sent)
}

// lines returns the outcome as text: the state, then what is sent, a message a line.
func (o Outcome) lines() []string {
	lines := []string{o.After.String()}
	if o.Ignored {
		lines[0] += " (ignored: no step)"
	}
	for _, m := range o.Sent {
		lines = append(lines, m.String())
	}
	return lines
}

// Case is a question, and the answer to it.
type Case struct {
	Rule     string // the first rule that the answer follows from, such as R17
	Question string // in words; "" if there are none
	ID       spec.NodeID
	Members  []spec.NodeID // ascending; where members change, all ids that occur
	Before   spec.State
	Input    Input
	Want     Outcome
}

// ask puts the case to a subject, and returns what it answers. The subject gets memory of its own, so that what it
// does with it is not seen by the next.
func (c *Case) ask(s Subject) Outcome {
	return s.Step(c.ID, slices.Clone(c.Members), c.Before.Clone(), c.Input)
}

// explain says in which way an answer differs from the one wanted.
func (c *Case) explain(got Outcome) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s: node %s of %s: %s\n", c.Rule, c.ID, memberText(c.Members), c.Input)
	fmt.Fprintf(&b, "  before    %s\n", c.Before)
	const indent = "\n            "
	fmt.Fprintf(&b, "  expected  %s\n", strings.Join(c.Want.lines(), indent))
	fmt.Fprintf(&b, "  got       %s\n", strings.Join(got.lines(), indent))
	if c.Question != "" {
		fmt.Fprintf(&b, "  question  %s\n", c.Question)
	}
	fmt.Fprintf(&b, "  %s", sentences[c.Rule])
	return b.String()
}

func memberText(members []spec.NodeID) string {
	words := make([]string, len(members))
	for i, member := range members {
		words[i] = member.String()
	}
	return "{" + strings.Join(words, " ") + "}"
}
