package coverage

import (
	"slices"

	"github.com/seed-fdf591db/bully/conformance"
	"github.com/seed-fdf591db/bully/spec"
)

// Branch is one case of one rule.
type Branch struct {
	Rule string // such as R17
	Name string // what the node does, and when
	// Never says why no run of a cluster comes to it, though every node must have an answer. It is "" if one can.
	Never string

	kinds []spec.Action // of the inputs that may belong to it
	when  []cond        // all must be so
}

// String returns the rule and the name.
func (b Branch) String() string { return b.Rule + " " + b.Name }

// Branches returns all branches of fixed members, in the order of the rules' text.
func Branches() []Branch { return slices.Clone(fixed.branches) }

// ChangingBranches returns all branches of R42 to R49, in their order.
func ChangingBranches() []Branch { return slices.Clone(changing.branches) }

// catalogue is the branches of one kind of cluster.
type catalogue struct {
	changing bool
	branches []Branch
	actions  []spec.Action
	byKind   map[spec.Action][]int // the branches that an input of a kind may belong to, by their places
}

func newCatalogue(changing bool, actions []spec.Action, branches ...Branch) *catalogue {
	c := &catalogue{changing: changing, branches: branches, actions: actions, byKind: map[spec.Action][]int{}}
	for i, b := range branches {
		for _, kind := range b.kinds {
			c.byKind[kind] = append(c.byKind[kind], i)
		}
	}
	return c
}

var (
	fixed    = newCatalogue(false, spec.FixedActions(), slices.Concat(atTheBound, ofAnyStep, ofElections, ofClaims, ofReigns, ofEnds, ofNoStep)...)
	changing = newCatalogue(true, spec.Actions(), slices.Concat(ofAdopting, ofStrangers, ofVotes, ofStanding, ofChanges, ofStarts, ofTheRest)...)
)

// isOwn reports whether the branch of a place is of a rule that says what a step is: not R4 or R7, which any step may be a case
// of besides.
func isOwn(place int) bool {
	return place < len(atTheBound) || place >= len(atTheBound)+len(ofAnyStep)
}

// branch makes a Branch of inputs of some kinds.
func branch(rule, name string, kinds []spec.Action, when ...cond) Branch {
	return Branch{Rule: rule, Name: name, kinds: kinds, when: when}
}

// never says why no run comes to a branch.
func never(why string, b Branch) Branch {
	b.Never = why
	return b
}

// noStep stands for the action of an input that is ignored.
const noStep spec.Action = "no step"

// has reports whether a case belongs to the branch, given that it is of one of its kinds.
func (b *Branch) has(v *view) bool {
	for _, holds := range b.when {
		if !holds(v) {
			return false
		}
	}
	return true
}

// on lists the kinds of inputs of a branch.
func on(kinds ...spec.Action) []spec.Action { return kinds }

// view is a case as the branches look at it.
type view struct {
	*conformance.Case
	kind spec.Action // or noStep
	m    *spec.Message
}

// look sets v to what there is to see of k.
func (v *view) look(k *conformance.Case) {
	v.Case, v.kind, v.m = k, noStep, &k.Input.Message
	if !k.Want.Ignored {
		v.kind = k.Input.Action()
	}
}

// anyStep is the actions that are a step on an input of fixed members.
var anyStep = func() (steps []spec.Action) {
	for _, a := range spec.FixedActions() {
		if a.Timer() != "" || a.Receipt() != "" || a.Call() != "" {
			steps = append(steps, a)
		}
	}
	return steps
}()
