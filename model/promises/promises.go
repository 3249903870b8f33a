// Package promises is the Go mirror of module Promises (tla/Promises.tla): the durable
// promises of nodes, and a network that loses, repeats, reorders and delays at will.
//
// It is written from that module by hand, action for action and in the same order; what
// the module says in its comments is not said again here. The loop to write is that of package explore.
package promises

import (
	"errors"
	"fmt"
	"slices"

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
	explore.Checks[system, state]
	n         node
	maxEpoch  epoch
	claimants set
	init      func(y *system, emit func(*state))
}

var _ explore.Model = (*system)(nil)

// module is what a configuration may name. Its bound, that of MayClaim, is in stepper.claim.
var module = explore.Module[system, state]{
	Name:           "MCPromises",
	Specifications: []string{"Spec"},
	Constants: []explore.Constant[system]{
		{Name: "N", Least: 1, Most: MaxNodes, Number: func(y *system, n int) { y.n = node(n) }},
		{Name: "MaxEpoch", Least: 1, Most: MaxEpochs, Number: func(y *system, most int) { y.maxEpoch = epoch(most) }},
		{Name: "Claimants", Nodes: func(y *system, members []int) {
			for _, c := range members {
				y.claimants |= only(node(c))
			}
		}},
	},
	Bounds:       map[string]string{"MayClaim": "Within"},
	Replacements: replacements,
	Invariants:   invariants,
	Steps:        stepProperties,
}

// New builds the model of one configuration of module MCPromises. An unknown or missing
// constant, replacement, invariant or property is an error that names it; so is a constant
// above MaxNodes or MaxEpochs.
func New(c explore.Configuration) (explore.Model, error) {
	y := &system{rules: standard, init: blank}
	var err error
	if y.Checks, err = module.Configure(y, c); err != nil {
		return nil, fmt.Errorf("promises: %w", err)
	}
	if _, replaced := c.Replacements["Init"]; replaced && slices.Contains(c.Properties, "Refines") {
		return nil, errors.New("promises: property Refines says how runs start, so Init may not be replaced")
	}
	return y, nil
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
