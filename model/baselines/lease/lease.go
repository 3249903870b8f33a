// Package lease is the Go twin of module Lease (tla/Lease.tla): candidates that elect by an entry at a store beside them,
// which ends if it is not renewed, as a lock and as a line; and a resource that admits no epoch below that of its last write.
//
// It is written from that module by hand, action for action and in the same order; what
// the module says in its comments is not said again here. The loop to write is that of package explore.
package lease

import (
	"fmt"

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
	explore.Checks[system, state]
	n            node
	mortal       set
	maxSessions  session
	checkThenAct bool // Next is replaced by CheckThenAct
}

var _ explore.Model = (*system)(nil)

// module is what a configuration may name.
var module = explore.Module[system, state]{
	Name:           "MCLease",
	Specifications: []string{"Spec", "FairSpec"},
	Constants: []explore.Constant[system]{
		{Name: "N", Least: 1, Most: MaxNodes, Number: func(y *system, n int) { y.n = node(n) }},
		{Name: "MaxSessions", Least: 1, Most: MaxSessions, Number: func(y *system, most int) { y.maxSessions = session(most) }},
		{Name: "Mortal", Nodes: func(y *system, members []int) {
			for _, i := range members {
				y.mortal |= only(i)
			}
		}},
	},
	Bounds:       map[string]string{"HasRoom": "Within"},
	Replacements: replacements,
	Invariants:   invariants,
	Steps:        stepProperties,
	Liveness:     []string{"SomeLeader", "NeverLedAgain"},
}

// New builds the model of one configuration of module MCLease. An unknown or missing constant,
// replacement, invariant or property is an error that names it; so is a constant above MaxNodes
// or MaxSessions. Liveness properties are not an error: the model returns them as Unchecked.
func New(c explore.Configuration) (explore.Model, error) {
	y := &system{rules: standard}
	var err error
	if y.Checks, err = module.Configure(y, c); err != nil {
		return nil, fmt.Errorf("lease: %w", err)
	}
	return y, nil
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
