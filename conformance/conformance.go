// Package conformance asks any implementation of spec/README.md what it does, and compares that with the model. What is
// asked is a [Subject]: one method, which takes one step from a state that it is given. [Run] puts it through every state
// and every input of one, two and three members, a sample of those of four to seven, every step that a node takes in
// the small configurations of folder tla, and the questions of section 13, whose answers are written by hand. Then members change: it
// is asked what two nodes do, of every kind or none, when they hear what is said in older, newer and other configurations, and
// what more of them do. [RunFixed] leaves that out. This is the loop of a test of an implementation:
//
//	func TestConformance(t *testing.T) {
//		conformance.Run(t, func() conformance.Subject { return subject{} })
//	}
//
//	type subject struct{}
//
//	func (subject) Step(id spec.NodeID, members []spec.NodeID, before spec.State, in spec.Input) spec.Step {
//		node := mine.NodeIn(before) // or a new one, if in is a start or a restart
//		…
//	}
//
// A failure names the rule, and prints the state before, the input, what was expected and what came:
//
//	R17: node 2 of {1 2 3}: 1→2 CLAIM epoch:4
//	  before    follower leader:3 epoch:3 grantee:3 support:{}
//	  expected  follower leader:3 epoch:3 grantee:3 support:{}
//	            2→1 REFUSE epoch:3
//	  got       electing leader:1 epoch:4 grantee:1 support:{}
//	            2→1 GRANT epoch:4
//	  A CLAIM is granted unless the node keeps another's lease, or has promised that epoch, or a higher one, already.
//
// For a part of it, or without package testing, take the [Groups] and [ChangingGroups] one by one. The model is itself a subject, [Model].
//
// What a Subject does not show is not asked here: the order of duties within a step (section 10), and which timers are
// armed and cancelled (R36). A [Node] shows it: the packages cluster, paths and sim make clusters of Nodes.
package conformance

import (
	"errors"
	"fmt"
	"iter"
	"slices"
	"strings"

	"github.com/seed-fdf591db/bully/spec"
)

// T is what Run needs of a *testing.T.
type T interface {
	Helper()
	Logf(format string, args ...any)
	Errorf(format string, args ...any)
}

// Run puts a new subject through each of the Groups, and of the ChangingGroups, and fails t for each group that it does not pass. It
// logs how many cases there were.
func Run(t T, newSubject func() Subject) {
	t.Helper()
	run(t, newSubject, slices.Concat(Groups(), ChangingGroups()))
}

// RunFixed is Run for an implementation that offers fixed members only (R40).
func RunFixed(t T, newSubject func() Subject) {
	t.Helper()
	run(t, newSubject, Groups())
}

func run(t T, newSubject func() Subject, groups []Group) {
	t.Helper()
	for _, g := range groups {
		cases, err := g.Check(newSubject())
		if err != nil {
			t.Errorf("%s: %v", g.Name, err)
		}
		t.Logf("%-12s %6d cases: %s", g.Name, cases, g.Explanation)
	}
}

// Group is a set of cases with something in common.
type Group struct {
	Name        string
	Explanation string // what is asked, in a sentence
	// Pinned is how many cases there are: another number is a failure, and so is none.
	Pinned int
	All    iter.Seq[*Case] // the same ones each time, in the same order; a Case is good until the next
}

// repeatEvery is how many cases come for each that is put twice.
const repeatEvery = 8

// maxShown is how many failures of one group are shown in full.
const maxShown = 3

// Check puts a subject through the group, and returns the number of cases. The error says what the first of its failures
// are, and how many there are.
func (g *Group) Check(s Subject) (cases int, err error) {
	var shown []string
	failed := 0
	for c := range g.All {
		cases++
		got, again, ok := answered(c, s, cases%repeatEvery == 1)
		if ok {
			continue
		}
		if failed++; failed <= maxShown {
			shown = append(shown, again+c.Explain(&got))
		}
	}
	if cases == 0 {
		return 0, errors.New("there are no cases: nothing was asked")
	}
	var errs []error
	if cases != g.Pinned {
		errs = append(errs, fmt.Errorf("there are %d cases, and there should be %d: if the change is meant, pin the new number", cases, g.Pinned))
	}
	if failed > 0 {
		errs = append(errs, fmt.Errorf("%d of %d cases failed; the first are:\n%s", failed, cases, strings.Join(shown, "\n")))
	}
	return cases, errors.Join(errs...)
}

// answered puts the case to a subject, and again at once if it is to be asked twice. If an answer is not the one wanted, it
// returns that, and a word if it was the second.
func answered(c *Case, s Subject, twice bool) (got spec.Step, again string, ok bool) {
	if got = put(c, s); !got.Equal(c.Want) {
		return got, "", false
	}
	if !twice {
		return got, "", true
	}
	got = put(c, s)
	return got, "asked for the second time: ", got.Equal(c.Want)
}
