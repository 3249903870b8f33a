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
	"slices"

	"github.com/seed-fdf591db/bully/model/explore"
	"github.com/seed-fdf591db/bully/model/internal/frame"
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
	checks       frame.Checks[system, state]
	properties   []stepProperty
}

var _ explore.Model = (*system)(nil)

// New builds the model of one configuration of module MCLease. An unknown or missing constant,
// replacement, invariant or property is an error that names it; so is a constant above MaxNodes
// or MaxSessions. Liveness properties are not an error: the model returns them as Unchecked.
func New(c explore.Configuration) (explore.Model, error) {
	y := &system{rules: standard}
	module := frame.Module[system, state]{
		Package: "lease", Name: "MCLease", Constants: []string{"N", "MaxSessions", "Mortal"}, Needed: []string{"HasRoom"},
		Substitutes: replacements, Promises: invariants, Liveness: []string{"SomeLeader", "NeverLedAgain"},
	}
	for _, p := range stepProperties {
		module.Steps = append(module.Steps, p.name)
	}
	var err error
	if y.checks, err = module.Take(c, y, y.setConstants); err != nil {
		return nil, err
	}
	for _, name := range y.checks.Steps {
		k := slices.IndexFunc(stepProperties, func(p stepProperty) bool { return p.name == name })
		y.properties = append(y.properties, stepProperties[k])
	}
	return y, nil
}

// setConstants takes N and MaxSessions, each at least 1, and Mortal.
func (y *system) setConstants(constants map[string]string) error {
	n, err := explore.Number(constants, "N", 1, MaxNodes)
	if err != nil {
		return err
	}
	sessions, err := explore.Number(constants, "MaxSessions", 1, MaxSessions)
	if err != nil {
		return err
	}
	mortal, err := explore.NodeSet(constants, "Mortal", n)
	for _, i := range mortal {
		y.mortal |= only(i)
	}
	y.n, y.maxSessions = node(n), session(sessions)
	return err
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
func (y *system) Unchecked() []string { return y.checks.Unchecked }
