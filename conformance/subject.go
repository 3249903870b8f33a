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
	Step(id spec.NodeID, members []spec.NodeID, before spec.State, in spec.Input) spec.Step
}

// lines returns a step as text: the state, then what is sent, a message a line.
func lines(s *spec.Step) []string {
	lines := []string{s.State.String()}
	if s.Ignored {
		lines[0] += " (ignored: no step)"
	}
	for _, m := range s.Sent {
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
	Input    spec.Input // no Cut, which is the network's
	Want     spec.Step
}

// ask puts the case to a subject, and returns what it answers. The subject gets memory of its own, so that what it
// does with it is not seen by the next.
func (c *Case) ask(s Subject) spec.Step {
	return s.Step(c.ID, slices.Clone(c.Members), c.Before.Clone(), c.Input)
}

// explain says in which way an answer differs from the one wanted.
func (c *Case) explain(got *spec.Step) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s: node %s of %s: %s\n", c.Rule, c.ID, MemberText(c.Members), c.Input)
	fmt.Fprintf(&b, "  before    %s\n", c.Before)
	const indent = "\n            "
	fmt.Fprintf(&b, "  expected  %s\n", strings.Join(lines(&c.Want), indent))
	fmt.Fprintf(&b, "  got       %s\n", strings.Join(lines(got), indent))
	if c.Question != "" {
		fmt.Fprintf(&b, "  question  %s\n", c.Question)
	}
	fmt.Fprintf(&b, "  %s", spec.Sentence(c.Rule))
	return b.String()
}

// MemberText writes members as a person would, such as {1 2 3}.
func MemberText(members []spec.NodeID) string {
	words := make([]string, len(members))
	for i, member := range members {
		words[i] = member.String()
	}
	return "{" + strings.Join(words, " ") + "}"
}
