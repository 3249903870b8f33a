// Package lease is the Go twin of module Lease (tla/Lease.tla): candidates that elect by an entry at a store beside them,
// which ends if it is not renewed, as a lock and as a line; and a resource that admits no epoch below that of its last write.
//
// It is written from that module by hand, action for action and in the same order; what
// the module says in its comments is not said again here. The loop to write:
//
//	m, err := lease.New(configuration) // as read from tla/models/LeaseLock.cfg
//	if err != nil {
//		return err
//	}
//	result, err := explore.Run(ctx, m, explore.Options{})
//	if err != nil {
//		return err // cancelled, or out of memory: nothing was decided
//	}
//	if result.Violation != nil {
//		fmt.Println(result.Violation)
//	}
package lease

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/seed-fdf591db/bully/model/explore"
)

// The largest constants that a packed state has room for.
const (
	MaxNodes    = 7 // of N
	MaxSessions = 7 // of MaxSessions
)

// system is one configuration of module MCLease.
type system struct {
	rules
	n            node
	mortal       set
	maxSessions  session
	checkThenAct bool // Next is replaced by CheckThenAct
	invariants   []invariant
	properties   []stepProperty
	unchecked    []string
}

var _ explore.Model = (*system)(nil)

// New builds the model of one configuration of module MCLease. An unknown or missing constant,
// replacement, invariant or property is an error that names it; so is a constant above MaxNodes
// or MaxSessions. Liveness properties are not an error: the model returns them as Unchecked.
func New(c explore.Configuration) (explore.Model, error) {
	if c.Module != "MCLease" {
		return nil, fmt.Errorf("lease: module %q is not MCLease", c.Module)
	}
	if c.Specification != "Spec" && c.Specification != "FairSpec" {
		return nil, fmt.Errorf("lease: specification %q is neither Spec nor FairSpec", c.Specification)
	}
	y := &system{rules: standard}
	if err := y.setConstants(c.Constants); err != nil {
		return nil, err
	}
	if err := y.replaceAll(c.Replacements); err != nil {
		return nil, err
	}
	if err := y.addProperties(c.Invariants, c.Properties); err != nil {
		return nil, err
	}
	return y, nil
}

// setConstants takes N and MaxSessions, each at least 1, and Mortal.
func (y *system) setConstants(constants map[string]string) error {
	for name := range constants {
		if name != "N" && name != "MaxSessions" && name != "Mortal" {
			return fmt.Errorf("lease: module MCLease has no constant %q", name)
		}
	}
	number := func(name, text string, most int) (int, error) {
		x, err := strconv.Atoi(text)
		if err != nil || x < 1 || x > most {
			return 0, fmt.Errorf("lease: %s = %q is not a number from 1 to %d", name, text, most)
		}
		return x, nil
	}
	n, err := number("constant N", constants["N"], MaxNodes)
	if err != nil {
		return err
	}
	sessions, err := number("constant MaxSessions", constants["MaxSessions"], MaxSessions)
	if err != nil {
		return err
	}
	y.n, y.maxSessions = node(n), session(sessions)
	text, opened := strings.CutPrefix(constants["Mortal"], "{")
	text, closed := strings.CutSuffix(text, "}")
	if !opened || !closed {
		return fmt.Errorf("lease: constant Mortal = %q is not a set of nodes", constants["Mortal"])
	}
	for member := range strings.FieldsFuncSeq(text, func(r rune) bool { return r == ',' || r == ' ' }) {
		i, err := number("constant Mortal: node", member, n)
		if err != nil {
			return err
		}
		y.mortal |= only(i)
	}
	return nil
}

// replaceAll makes the replacements. HasRoom <- Within, the bound, is no mutant, and must be there.
func (y *system) replaceAll(replaced map[string]string) error {
	if replaced["HasRoom"] != "Within" {
		return fmt.Errorf("lease: HasRoom is %q and must be Within", replaced["HasRoom"])
	}
	for operator, name := range replaced {
		change := replacements[operator][name]
		if change == nil && operator != "HasRoom" {
			return fmt.Errorf("lease: module MCLease has no replacement %s <- %s", operator, name)
		}
		if change != nil {
			change(y)
		}
	}
	return nil
}

// addProperties takes the names of the properties to check.
func (y *system) addProperties(ofStates, ofRuns []string) error {
	for _, name := range ofStates {
		i := slices.IndexFunc(invariants, func(v invariant) bool { return v.name == name })
		if i < 0 {
			return fmt.Errorf("lease: module MCLease has no invariant %q", name)
		}
		y.invariants = append(y.invariants, invariants[i])
	}
	for _, name := range ofRuns {
		i := slices.IndexFunc(stepProperties, func(p stepProperty) bool { return p.name == name })
		switch {
		case i >= 0:
			y.properties = append(y.properties, stepProperties[i])
		case slices.Contains(ofLiveness, name):
			y.unchecked = append(y.unchecked, name)
		default:
			return fmt.Errorf("lease: module MCLease has no property %q", name)
		}
	}
	return nil
}

// Init implements explore.Model: all nodes run, and the store holds nothing.
func (y *system) Init(emit func(packed []byte)) {
	s := state{}
	for i := node(1); i <= y.n; i++ {
		s.up |= only(i)
	}
	emit(y.pack(&s, nil))
}

// Expander implements explore.Model.
func (y *system) Expander() explore.Expander { return &stepper{system: y} }

// Render implements explore.Model.
func (y *system) Render(packed []byte) []explore.Variable {
	s := y.unpack(packed)
	return y.render(&s)
}

// Unchecked implements explore.Model.
func (y *system) Unchecked() []string { return y.unchecked }
