// Package promises is the Go twin of module Promises (tla/Promises.tla): the durable
// promises of nodes, and a network that loses, repeats, reorders and delays at will.
//
// It is written from that module by hand, action for action and in the same order; what
// the module says in its comments is not said again here. The loop to write:
//
//	m, err := promises.New(configuration)
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
package promises

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/seed-fdf591db/bully/model/explore"
)

// The largest constants that a packed state has room for.
const (
	MaxNodes  = 7 // of N
	MaxEpochs = 7 // of MaxEpoch
)

// system is one configuration of module MCPromises.
type system struct {
	rules
	n          node
	maxEpoch   epoch
	claimants  set
	init       func(y *system, emit func(*state))
	invariants []invariant
	properties []stepProperty
}

var _ explore.Model = (*system)(nil)

// New builds the model of one configuration of module MCPromises. An unknown or missing
// constant, replacement, invariant or property is an error that names it; so is a constant
// above MaxNodes or MaxEpochs.
func New(c explore.Configuration) (explore.Model, error) {
	if c.Module != "MCPromises" {
		return nil, fmt.Errorf("promises: module %q is not MCPromises", c.Module)
	}
	if c.Specification != "Spec" {
		return nil, fmt.Errorf("promises: module MCPromises has no specification %q", c.Specification)
	}
	y := &system{rules: standard, init: blank}
	if err := y.setConstants(c.Constants); err != nil {
		return nil, err
	}
	if err := y.replaceAll(c.Replacements); err != nil {
		return nil, err
	}
	if err := y.addProperties(c.Invariants, c.Properties); err != nil {
		return nil, err
	}
	_, replaced := c.Replacements["Init"]
	for _, p := range y.properties {
		if replaced && p.fromInit {
			return nil, fmt.Errorf("promises: property %s says how runs start, so Init may not be replaced", p.name)
		}
	}
	return y, nil
}

// setConstants takes N, MaxEpoch and Claimants.
func (y *system) setConstants(constants map[string]string) error {
	for name := range constants {
		if name != "N" && name != "MaxEpoch" && name != "Claimants" {
			return fmt.Errorf("promises: module MCPromises has no constant %q", name)
		}
	}
	n, err := number(constants, "N", MaxNodes)
	if err != nil {
		return err
	}
	most, err := number(constants, "MaxEpoch", MaxEpochs)
	if err != nil {
		return err
	}
	y.n, y.maxEpoch = node(n), epoch(most)
	text := constants["Claimants"]
	inner, ok := strings.CutPrefix(text, "{")
	inner, closed := strings.CutSuffix(inner, "}")
	if !ok || !closed {
		return fmt.Errorf("promises: constant Claimants = %q is not a set of nodes", text)
	}
	for item := range strings.SplitSeq(inner, ",") {
		item = strings.TrimSpace(item)
		if item == "" && strings.TrimSpace(inner) == "" {
			continue
		}
		c, err := strconv.Atoi(item)
		if err != nil || c < 1 || c > n {
			return fmt.Errorf("promises: constant Claimants = %q has %q, which is not a node", text, item)
		}
		y.claimants |= only(node(c))
	}
	return nil
}

// number returns the value of the named constant, which must be from 1 to most.
func number(constants map[string]string, name string, most int) (int, error) {
	n, err := strconv.Atoi(constants[name])
	if err != nil || n < 1 || n > most {
		return 0, fmt.Errorf("promises: constant %s = %q is not a number from 1 to %d", name, constants[name], most)
	}
	return n, nil
}

// replaceAll makes the replacements. That of MayClaim is not a mutant but the bound without
// which no configuration is finite.
func (y *system) replaceAll(replaced map[string]string) error {
	if replaced["MayClaim"] != "Within" {
		return fmt.Errorf("promises: MayClaim is %q and must be Within", replaced["MayClaim"])
	}
	for operator, name := range replaced {
		change := replacements[operator][name]
		if change == nil {
			return fmt.Errorf("promises: module MCPromises has no replacement %s <- %s", operator, name)
		}
		change(y)
	}
	return nil
}

// addProperties takes the names of the properties to check.
func (y *system) addProperties(ofStates, ofSteps []string) error {
	for _, name := range ofStates {
		holds := invariants[name]
		if holds == nil {
			return fmt.Errorf("promises: module MCPromises has no invariant %q", name)
		}
		y.invariants = append(y.invariants, invariant{name, holds})
	}
	for _, name := range ofSteps {
		p, ok := stepProperties[name]
		if !ok {
			return fmt.Errorf("promises: module MCPromises has no property %q", name)
		}
		p.name = name
		y.properties = append(y.properties, p)
	}
	return nil
}

// Init implements explore.Model.
func (y *system) Init(emit func(packed []byte)) {
	y.init(y, func(s *state) { emit(y.pack(s, nil)) })
}

// Expander implements explore.Model.
func (y *system) Expander() explore.Expander { return &stepper{system: y} }

// Render implements explore.Model.
func (y *system) Render(packed []byte) []explore.Variable {
	s := y.unpack(packed)
	return y.render(&s)
}

// Unchecked implements explore.Model: everything that the module promises is safety.
func (y *system) Unchecked() []string { return nil }
