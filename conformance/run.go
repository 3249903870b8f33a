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

// askedAgain is after how many cases one is asked twice.
const askedAgain = 8

// maxShown is how many failures of one group are shown in full.
const maxShown = 3

// Check puts a subject through the group, and returns the number of cases. The error says what the first of its failures
// are, and how many there are.
func (g *Group) Check(s Subject) (cases int, err error) {
	var shown []string
	failed := 0
	for c := range g.All {
		cases++
		got, again, ok := check(c, s, cases%askedAgain == 1)
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

// check puts the case to a subject, and again at once if it is to be asked twice. If an answer is not the one wanted, it
// returns that, and a word if it was the second.
func check(c *Case, s Subject, twice bool) (got spec.Step, again string, ok bool) {
	if got = put(c, s); !got.Equal(c.Want) {
		return got, "", false
	}
	if !twice {
		return got, "", true
	}
	got = put(c, s)
	return got, "asked for the second time: ", got.Equal(c.Want)
}
