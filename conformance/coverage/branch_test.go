package coverage

import (
	"slices"

	"github.com/seed-fdf591db/bully/conformance/check"
	"github.com/seed-fdf591db/bully/spec"
)

// Branch is one case of one rule.
type Branch struct {
	Rule string // such as R17
	Name string // what the node does, and when
	// Never says why no run of a cluster comes to it, though every node must have an answer. It is "" if one can.
	Never string
	// Changing says that the branch cannot arise with fixed members, whose configuration never changes.
	Changing bool

	kinds []spec.Action // of the inputs that may belong to it
	when  []cond        // all must be so
}

// String returns the rule and the name.
func (b Branch) String() string { return b.Rule + " " + b.Name }

// Branches returns all branches, in the order of the rules' text.
func Branches() []Branch { return slices.Clone(branches) }

var branches = slices.Concat(atTheBound, ofAnyStep, ofElections, ofClaims, ofReigns, ofEnds, ofNoStep,
	changing(ofAdopting, ofNonMembers, ofVotes, ofStanding, ofChanges, ofStarts))

// byKind is the branches that an input of a kind may belong to, by their places.
var byKind = func() map[spec.Action][]int {
	places := map[spec.Action][]int{}
	for i, b := range branches {
		for _, kind := range b.kinds {
			places[kind] = append(places[kind], i)
		}
	}
	return places
}()

// isOwn reports whether the branch is of a rule that says what a step is: not R4 or R7, which any step may be a case of besides.
func (b *Branch) isOwn() bool { return b.Rule != "R4" && b.Rule != "R7" }

// changing marks branches that cannot arise with fixed members.
func changing(lists ...[]Branch) []Branch {
	all := slices.Concat(lists...)
	for i := range all {
		all[i].Changing = true
	}
	return all
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
	if b.Changing && v.fixed() || !b.Changing && !v.plain {
		return false
	}
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
	*check.Case
	kind spec.Action // or noStep
	m    *spec.Message
	// plain says that R43 to R45 have nothing to do: it is no message, or one between members in one configuration.
	plain bool
}

// look sets v to what there is to see of k.
func (v *view) look(k *check.Case) {
	v.Case, v.kind, v.m = k, noStep, &k.Input.Message
	if !k.Want.Ignored {
		v.kind = k.Input.Action()
	}
	v.plain = v.kind.Receipt() == "" || meets(v) && sameOne(v)
}

// anyStep is the actions that are a step on an input.
var anyStep = func() (steps []spec.Action) {
	for _, a := range spec.Actions() {
		if a.Timer() != "" || a.Receipt() != "" || a.Call() != "" {
			steps = append(steps, a)
		}
	}
	return steps
}()
