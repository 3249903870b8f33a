// Package fencing is the Go twin of module Fencing (tla/Fencing.tla): leaders that never
// learn that they are deposed, and a resource that admits no epoch below the highest that
// it has admitted.
//
// It is written from that module by hand, action for action and in the same order; what
// the module says in its comments is not said again here. The loop to write:
//
//	m, err := fencing.New(configuration)
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
package fencing

import (
	"fmt"
	"slices"
	"strconv"

	"github.com/seed-fdf591db/bully/model/explore"
)

// The largest constants that a packed state has room for.
const (
	MaxNodes  = 7  // of N
	MaxEpochs = 7  // of MaxEpoch
	MaxWrites = 15 // of MaxLog
)

// system is one configuration of module MCFencing.
type system struct {
	rules
	n            node
	maxEpoch     epoch
	maxLog       int
	checkThenAct bool // Next is replaced by CheckThenAct
	invariants   []invariant
	properties   []stepProperty
}

var _ explore.Model = (*system)(nil)

// bounds are the replacements that every configuration must have, and that are no mutants.
var bounds = map[string]string{"Epoch": "UpToMax", "HasRoom": "Within"}

// New builds the model of one configuration of module MCFencing. An unknown or missing
// constant, replacement, invariant or property is an error that names it; so is a constant
// above MaxNodes, MaxEpochs or MaxWrites.
func New(c explore.Configuration) (explore.Model, error) {
	if c.Module != "MCFencing" {
		return nil, fmt.Errorf("fencing: module %q is not MCFencing", c.Module)
	}
	if c.Specification != "Spec" {
		return nil, fmt.Errorf("fencing: module MCFencing has no specification %q", c.Specification)
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

// setConstants takes N, MaxEpoch and MaxLog, each at least 1.
func (y *system) setConstants(constants map[string]string) error {
	most := map[string]int{"N": MaxNodes, "MaxEpoch": MaxEpochs, "MaxLog": MaxWrites}
	for name := range constants {
		if most[name] == 0 {
			return fmt.Errorf("fencing: module MCFencing has no constant %q", name)
		}
	}
	value := map[string]int{}
	for name, most := range most {
		n, err := strconv.Atoi(constants[name])
		if err != nil || n < 1 || n > most {
			return fmt.Errorf("fencing: constant %s = %q is not a number from 1 to %d", name, constants[name], most)
		}
		value[name] = n
	}
	y.n, y.maxEpoch, y.maxLog = node(value["N"]), epoch(value["MaxEpoch"]), value["MaxLog"]
	return nil
}

// replaceAll makes the replacements.
func (y *system) replaceAll(replaced map[string]string) error {
	for operator, bound := range bounds {
		if replaced[operator] != bound {
			return fmt.Errorf("fencing: %s is %q and must be %s", operator, replaced[operator], bound)
		}
	}
	for operator, name := range replaced {
		change := replacements[operator][name]
		if change == nil && bounds[operator] == "" {
			return fmt.Errorf("fencing: module MCFencing has no replacement %s <- %s", operator, name)
		}
		if change != nil {
			change(y)
		}
	}
	return nil
}

// addProperties takes the names of the properties to check.
func (y *system) addProperties(ofStates, ofSteps []string) error {
	for _, name := range ofStates {
		i := slices.IndexFunc(invariants, func(v invariant) bool { return v.name == name })
		if i < 0 {
			return fmt.Errorf("fencing: module MCFencing has no invariant %q", name)
		}
		y.invariants = append(y.invariants, invariants[i])
	}
	for _, name := range ofSteps {
		i := slices.IndexFunc(stepProperties, func(p stepProperty) bool { return p.name == name })
		if i < 0 {
			return fmt.Errorf("fencing: module MCFencing has no property %q", name)
		}
		y.properties = append(y.properties, stepProperties[i])
	}
	return nil
}

// Init implements explore.Model: nobody leads, and nothing is written.
func (y *system) Init(emit func(packed []byte)) { emit(y.pack(&state{}, nil)) }

// Expander implements explore.Model.
func (y *system) Expander() explore.Expander { return &stepper{system: y} }

// Render implements explore.Model.
func (y *system) Render(packed []byte) []explore.Variable {
	s := y.unpack(packed)
	return y.render(&s)
}

// Unchecked implements explore.Model: everything that the module promises is safety.
func (y *system) Unchecked() []string { return nil }
