package explore

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// Module is a root module of TLA+ as a model in Go knows it: all that its configurations may name. A replacement changes a
// model M; the properties are of its states S.
type Module[M, S any] struct {
	Name           string
	Specifications []string // such as Spec and FairSpec
	// Constants are those that are given by a value, in the order in which a model takes them: N, how many nodes there are, before sets of nodes.
	Constants []Constant[M]
	// Bounds are the replacements that every configuration must make: no mutants, for without them no configuration is finite.
	Bounds map[string]string
	// Needed are the constants that have no value until they are replaced, by any of Replacements.
	Needed []string
	// Replacements are what may come in the place of an operator: by operator, then by name.
	Replacements map[string]map[string]func(*M)
	Invariants   map[string]func(m *M, s *S) bool
	Steps        map[string]func(m *M, now, next *S) bool // properties of steps
	Liveness     []string                                 // properties that only TLC can check
}

// Constant is a constant, and how a model takes its value: as a number, or as a set of nodes.
type Constant[M any] struct {
	Name        string
	Least, Most int // of a number
	Number      func(m *M, x int)
	Nodes       func(m *M, members []int) // each from 1 to N
}

// take gives the value of the constant to a model.
func (k *Constant[M]) take(m *M, values map[string]string) error {
	if k.Nodes != nil {
		n, _ := strconv.Atoi(values["N"]) // which was taken before
		members, err := nodeSet(values, k.Name, n)
		if err == nil {
			k.Nodes(m, members)
		}
		return err
	}
	x, err := Number(values, k.Name, k.Least, k.Most)
	if err == nil {
		k.Number(m, x)
	}
	return err
}

// Checks are the properties that a configuration names, in its order.
type Checks[M, S any] struct {
	invariants []named[func(m *M, s *S) bool]
	steps      []named[func(m *M, now, next *S) bool]
	unchecked  []string
}

type named[F any] struct {
	name  string
	holds F
}

// Configure gives m the constants of c, makes the replacements of c in it, and returns the properties that c names. The error says
// which name of c is none of module d, which value is none, or which bound is missing.
func (d *Module[M, S]) Configure(m *M, c Configuration) (Checks[M, S], error) {
	if c.Module != d.Name {
		return Checks[M, S]{}, fmt.Errorf("module %q is not %s", c.Module, d.Name)
	}
	if !slices.Contains(d.Specifications, c.Specification) {
		return Checks[M, S]{}, fmt.Errorf("module %s has no specification %q", d.Name, c.Specification)
	}
	for _, name := range slices.Sorted(maps.Keys(c.Constants)) {
		if !slices.ContainsFunc(d.Constants, func(k Constant[M]) bool { return k.Name == name }) {
			return Checks[M, S]{}, fmt.Errorf("module %s has no constant %q", d.Name, name)
		}
	}
	for i := range d.Constants {
		if err := d.Constants[i].take(m, c.Constants); err != nil {
			return Checks[M, S]{}, err
		}
	}
	if err := d.replace(m, c.Replacements); err != nil {
		return Checks[M, S]{}, err
	}
	return d.Checks(c.Invariants, c.Properties)
}

// replace makes the replacements in m.
func (d *Module[M, S]) replace(m *M, replaced map[string]string) error {
	for _, operator := range slices.Sorted(maps.Keys(d.Bounds)) {
		if replaced[operator] != d.Bounds[operator] {
			return fmt.Errorf("%s is %q and must be %s", operator, replaced[operator], d.Bounds[operator])
		}
	}
	for _, name := range d.Needed {
		if replaced[name] == "" {
			return fmt.Errorf("constant %s has no value", name)
		}
	}
	for _, operator := range slices.Sorted(maps.Keys(replaced)) {
		change := d.Replacements[operator][replaced[operator]]
		switch {
		case change != nil:
			change(m)
		case d.Bounds[operator] == "":
			return fmt.Errorf("module %s has no replacement %s <- %s", d.Name, operator, replaced[operator])
		}
	}
	return nil
}

// Checks returns the properties of these names; Configure does, too.
func (d *Module[M, S]) Checks(ofStates, ofRuns []string) (checks Checks[M, S], err error) {
	for _, name := range ofStates {
		holds := d.Invariants[name]
		if holds == nil {
			return checks, fmt.Errorf("module %s has no invariant %q", d.Name, name)
		}
		checks.invariants = append(checks.invariants, named[func(m *M, s *S) bool]{name, holds})
	}
	for _, name := range ofRuns {
		switch holds := d.Steps[name]; {
		case holds != nil:
			checks.steps = append(checks.steps, named[func(m *M, now, next *S) bool]{name, holds})
		case slices.Contains(d.Liveness, name):
			checks.unchecked = append(checks.unchecked, name)
		default:
			return checks, fmt.Errorf("module %s has no property %q", d.Name, name)
		}
	}
	return checks, nil
}

// Broken returns the name of the first invariant that s violates, or "".
func (c *Checks[M, S]) Broken(m *M, s *S) string {
	for _, v := range c.invariants {
		if !v.holds(m, s) {
			return v.name
		}
	}
	return ""
}

// BrokenBy returns the name of the first property that the step from now to next violates, or "".
func (c *Checks[M, S]) BrokenBy(m *M, now, next *S) string {
	for _, p := range c.steps {
		if !p.holds(m, now, next) {
			return p.name
		}
	}
	return ""
}

// Unchecked returns the properties that only TLC can check; it is Unchecked of a [Model] that embeds c.
func (c *Checks[M, S]) Unchecked() []string { return c.unchecked }

// Number returns the value of the constant of that name in [Configuration].Constants: a number from least to most. The
// error says what it is instead.
func Number(constants map[string]string, name string, least, most int) (int, error) {
	x, err := strconv.Atoi(constants[name])
	if err != nil || x < least || x > most {
		return 0, fmt.Errorf("constant %s = %q is not a number from %d to %d", name, constants[name], least, most)
	}
	return x, nil
}

// nodeSet returns the members of a constant that is a set of nodes, {1, 3} for instance, of which there are n. The error says
// what it is instead, or which member is no node.
func nodeSet(constants map[string]string, name string, n int) (members []int, err error) {
	text, opened := strings.CutPrefix(constants[name], "{")
	text, closed := strings.CutSuffix(text, "}")
	if !opened || !closed {
		return nil, fmt.Errorf("constant %s = %q is not a set of nodes", name, constants[name])
	}
	for member := range strings.FieldsFuncSeq(text, func(r rune) bool { return r == ',' || r == ' ' }) {
		i, err := strconv.Atoi(member)
		if err != nil || i < 1 || i > n {
			return nil, fmt.Errorf("constant %s has %s in it, which is no node", name, member)
		}
		members = append(members, i)
	}
	return members, nil
}
