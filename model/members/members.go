// Package members is the Go twin of module Members (tla/Members.tla): members that come and go
// while the cluster runs, each node with a configuration of its own, on disk.
//
// It is written from that module by hand, action for action and in the same order; what
// the module says in its comments is not said again here. The loop to write:
//
//	m, err := members.New(configuration) // as read from tla/models/Members3.cfg
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
package members

import (
	"fmt"
	"slices"

	"github.com/seed-fdf591db/bully/model/explore"
)

// The largest constants that a packed state has room for.
const (
	MaxNodes    = 7  // of N
	MaxEpochs   = 7  // of MaxEpoch
	MaxVersions = 15 // of MaxVersion
)

// system is one configuration of module MCMembers.
type system struct {
	rules
	n          node
	all        set // every node
	start      set
	witnesses  set // who may be made a witness
	maxEpoch   epoch
	maxVersion version
	invariants []invariant
	properties []stepProperty
}

var _ explore.Model = (*system)(nil)

// New builds the model of one configuration of module MCMembers. An unknown or missing
// constant, replacement, invariant or property is an error that names it; so is a constant
// above MaxNodes, MaxEpochs or MaxVersions.
func New(c explore.Configuration) (explore.Model, error) {
	if c.Module != "MCMembers" {
		return nil, fmt.Errorf("members: module %q is not MCMembers", c.Module)
	}
	if c.Specification != "Spec" {
		return nil, fmt.Errorf("members: module MCMembers has no specification %q", c.Specification)
	}
	y := &system{rules: standard}
	if err := y.setConstants(c.Constants); err != nil {
		return nil, fmt.Errorf("members: %w", err)
	}
	if err := y.replaceAll(c.Replacements); err != nil {
		return nil, err
	}
	if err := y.addProperties(c.Invariants, c.Properties); err != nil {
		return nil, err
	}
	return y, nil
}

// setConstants takes N, Start, MaxEpoch, MaxVersion and Witnesses.
func (y *system) setConstants(constants map[string]string) error {
	known := []string{"N", "Start", "MaxEpoch", "MaxVersion", "Witnesses"}
	for name := range constants {
		if !slices.Contains(known, name) {
			return fmt.Errorf("module MCMembers has no constant %q", name)
		}
	}
	n, err := explore.Number(constants, "N", 1, MaxNodes)
	if err != nil {
		return err
	}
	epochs, err := explore.Number(constants, "MaxEpoch", 1, MaxEpochs)
	if err != nil {
		return err
	}
	versions, err := explore.Number(constants, "MaxVersion", 1, MaxVersions)
	if err != nil {
		return err
	}
	y.n, y.maxEpoch, y.maxVersion = node(n), epoch(epochs), version(versions)
	for i := node(1); i <= y.n; i++ {
		y.all |= only(i)
	}
	if y.start, err = nodes(constants, "Start", n); err != nil {
		return err
	}
	if y.start == 0 {
		return fmt.Errorf("constant Start is empty: the first configuration needs a voter")
	}
	y.witnesses, err = nodes(constants, "Witnesses", n)
	return err
}

// nodes returns the value of the named constant, a set of nodes up to n.
func nodes(constants map[string]string, name string, n int) (s set, err error) {
	list, err := explore.NodeSet(constants, name, n)
	for _, i := range list {
		s |= only(node(i))
	}
	return s, err
}

// replaceAll makes the replacements. Those of bounds are no mutants: without them no
// configuration is finite.
func (y *system) replaceAll(replaced map[string]string) error {
	for operator, name := range bounds {
		if replaced[operator] != name {
			return fmt.Errorf("members: %s is %q and must be %s", operator, replaced[operator], name)
		}
	}
	for operator, name := range replaced {
		if bounds[operator] != "" {
			continue
		}
		change := replacements[operator][name]
		if change == nil {
			return fmt.Errorf("members: module MCMembers has no replacement %s <- %s", operator, name)
		}
		change(&y.rules)
	}
	return nil
}

// addProperties takes the names of the properties to check.
func (y *system) addProperties(ofStates, ofSteps []string) error {
	for _, name := range ofStates {
		holds := invariants[name]
		if holds == nil {
			return fmt.Errorf("members: module MCMembers has no invariant %q", name)
		}
		y.invariants = append(y.invariants, invariant{name, holds})
	}
	for _, name := range ofSteps {
		holds := stepProperties[name]
		if holds == nil {
			return fmt.Errorf("members: module MCMembers has no property %q", name)
		}
		y.properties = append(y.properties, stepProperty{name, holds})
	}
	return nil
}

// firstOf returns the configuration that node i begins with: that of the first members, or
// the empty one.
func (y *system) firstOf(i node) configuration {
	if y.start.has(i) {
		return configuration{voters: y.start, version: 1}
	}
	return configuration{}
}

// Init implements explore.Model.
func (y *system) Init(emit func(packed []byte)) {
	s := &state{}
	for i := node(1); i <= y.n; i++ {
		s.conf[i] = y.firstOf(i)
		s.made = with(s.made, s.conf[i])
	}
	emit(y.pack(s, nil))
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
