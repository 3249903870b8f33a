package check

import (
	"fmt"
	"strings"

	"github.com/seed-fdf591db/bully/spec"
)

// Lines returns a step as text: the state, then what is sent, a message a line.
func Lines(s *spec.Step) []string {
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

// Explain says in which way an answer differs from the one wanted.
func (c *Case) Explain(got *spec.Step) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s: node %s of %s: %s\n", c.Rule, c.ID, MemberText(c.Members), c.Input)
	fmt.Fprintf(&b, "  before    %s\n", c.Before)
	const indent = "\n            "
	fmt.Fprintf(&b, "  expected  %s\n", strings.Join(Lines(&c.Want), indent))
	fmt.Fprintf(&b, "  got       %s\n", strings.Join(Lines(got), indent))
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

// Survivor returns the state of a node that is down and has this on disk (R4); of one that has never started, of the zero
// promise, or of its first configuration alone.
func Survivor(promise spec.Durable) spec.State {
	return spec.State{
		Role: spec.Follower, Epoch: promise.Epoch, Grantee: promise.Grantee, Latest: promise.Reserved, Configuration: promise.Configuration,
	}
}

// FirstOf returns with which configuration a node starts for the first time: first if it is one of its members, and else the
// empty one (R49); none if first is none.
func FirstOf(first spec.Configuration, id spec.NodeID) spec.Configuration {
	if _, isMember := first.Member(id); isMember || first.IsNone() {
		return first
	}
	return spec.EmptyConfiguration()
}
