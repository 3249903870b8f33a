// Package fencing is the Go mirror of module Fencing (tla/Fencing.tla): leaders that never
// learn that they are deposed, and a resource that admits no epoch below the highest that
// it has admitted.
//
// It is written from that module by hand, action for action and in the same order; what
// the module says in its comments is not said again here. The loop to write is that of package explore.
package fencing

import (
	"fmt"

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
	explore.Checks[system, state]
	n            node
	maxEpoch     epoch
	maxLog       int
	checkThenAct bool // Next is replaced by CheckThenAct
}

var _ explore.Model = (*system)(nil)

// module is what a configuration may name.
var module = explore.Module[system, state]{
	Name:           "MCFencing",
	Specifications: []string{"Spec"},
	Constants: []explore.Constant[system]{
		{Name: "N", Least: 1, Most: MaxNodes, Number: func(y *system, n int) { y.n = node(n) }},
		{Name: "MaxEpoch", Least: 1, Most: MaxEpochs, Number: func(y *system, most int) { y.maxEpoch = epoch(most) }},
		{Name: "MaxLog", Least: 1, Most: MaxWrites, Number: func(y *system, most int) { y.maxLog = most }},
	},
	Bounds:       map[string]string{"Epoch": "UpToMax", "HasRoom": "Within"},
	Replacements: replacements,
	Invariants:   invariants,
	Steps:        stepProperties,
}

// New builds the model of one configuration of module MCFencing. An unknown or missing
// constant, replacement, invariant or property is an error that names it; so is a constant
// above MaxNodes, MaxEpochs or MaxWrites.
func New(c explore.Configuration) (explore.Model, error) {
	y := &system{rules: standard}
	var err error
	if y.Checks, err = module.Configure(y, c); err != nil {
		return nil, fmt.Errorf("fencing: %w", err)
	}
	return y, nil
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
