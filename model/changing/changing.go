package changing

import (
	"fmt"
	"slices"

	"github.com/seed-fdf591db/bully/model"
	"github.com/seed-fdf591db/bully/model/explore"
)

// cluster is one configuration of module MCChangingCluster.
type cluster struct {
	rules      *Rules
	n          ID
	links      []link
	index      [model.MaxNodes + 1][model.MaxNodes + 1]int // index[i][j]: where link{i, j} is in links
	cuts       []cut
	first      Configuration
	wanted     []Configuration // without a stamp
	budget     [faults]uint8
	mayProve   func(s *clusterState, i, l ID) bool // whether node i may be told that node l is dead
	invariants []invariant
	properties []stepProperty
	unchecked  []string
}

var _ explore.Model = (*cluster)(nil)

// budgets are the constants that set the budget, by fault.
var budgets = [faults]string{"MaxEarly", "MaxCrash", "MaxLoss", "MaxCut", "MaxResign", "MaxChange"}

// constants are those that are given by the name of an operator.
var constants = []string{"Cuts", "First", "Wanted"}

// New builds the model of one configuration of module MCChangingCluster. An unknown or missing constant, replacement,
// invariant or property is an error that names it; so is a constant that the packed state has no room for. The liveness
// properties are not an error: the model returns them as Unchecked.
func New(c explore.Configuration) (explore.Model, error) {
	return newCluster(c)
}

func newCluster(c explore.Configuration) (*cluster, error) {
	if c.Module != "MCChangingCluster" {
		return nil, fmt.Errorf("changing: module %q is not MCChangingCluster", c.Module)
	}
	if c.Specification != "Spec" && c.Specification != "FairSpec" {
		return nil, fmt.Errorf("changing: specification %q is neither Spec nor FairSpec", c.Specification)
	}
	m := &cluster{rules: NewRules(), mayProve: proofs["nobody"]}
	if err := m.setNumbers(c.Constants); err != nil {
		return nil, err
	}
	if err := m.replaceAll(c.Replacements); err != nil {
		return nil, err
	}
	if err := m.name(c.Invariants, c.Properties); err != nil {
		return nil, err
	}
	return m, nil
}

// setNumbers takes the constants that are numbers.
func (c *cluster) setNumbers(numbers map[string]string) error {
	for name := range numbers {
		if name != "N" && !slices.Contains(budgets[:], name) {
			return fmt.Errorf("changing: %s is no constant of module MCChangingCluster that is a number", name)
		}
	}
	n, err := explore.Number(numbers, "N", 1, model.MaxNodes)
	if err != nil {
		return fmt.Errorf("changing: %w", err)
	}
	c.n = ID(n)
	c.links = linksAmong(c.n)
	for l, ends := range c.links {
		c.index[ends.from][ends.to] = l
	}
	for f, name := range budgets {
		left, err := explore.Number(numbers, name, 0, MaxBudget)
		if err != nil {
			return fmt.Errorf("changing: %w", err)
		}
		c.budget[f] = uint8(left)
	}
	return nil
}

// replaceAll makes the replacements, of which those of the constants must be some.
func (c *cluster) replaceAll(replaced map[string]string) error {
	for _, constant := range constants {
		name, ok := replaced[constant]
		if !ok {
			return fmt.Errorf("changing: constant %s has no value", constant)
		}
		if err := c.set(constant, name); err != nil {
			return err
		}
	}
	for operator, name := range replaced {
		switch {
		case slices.Contains(constants, operator):
			continue
		case operator == "MayProve":
			if c.mayProve = proofs[name]; c.mayProve == nil {
				return noReplacement(operator, name)
			}
			continue
		}
		if err := c.rules.Replace(operator, name, c.first); err != nil {
			return err
		}
	}
	return nil
}

// name takes the properties to check.
func (c *cluster) name(states, steps []string) error {
	for _, name := range states {
		i := slices.IndexFunc(invariants, func(v invariant) bool { return v.name == name })
		if i < 0 {
			return fmt.Errorf("changing: %s is no invariant of module MCChangingCluster", name)
		}
		c.invariants = append(c.invariants, invariants[i])
	}
	for _, name := range steps {
		i := slices.IndexFunc(stepProperties, func(p stepProperty) bool { return p.name == name })
		switch {
		case i >= 0:
			c.properties = append(c.properties, stepProperties[i])
		case slices.Contains(liveness, name):
			c.unchecked = append(c.unchecked, name)
		default:
			return fmt.Errorf("changing: %s is no property of module MCChangingCluster", name)
		}
	}
	return nil
}

// Init implements explore.Model.
func (c *cluster) Init(emit func(state []byte)) {
	c.init(func(s *clusterState) { emit(c.pack(s, nil)) })
}

// Expander implements explore.Model.
func (c *cluster) Expander() explore.Expander { return &stepper{cluster: c} }

// Render implements explore.Model.
func (c *cluster) Render(state []byte) []explore.Variable {
	var s clusterState
	c.unpack(state, &s)
	return c.render(&s)
}

// Unchecked implements explore.Model.
func (c *cluster) Unchecked() []string { return c.unchecked }

// Check implements explore.Expander.
func (p *stepper) Check(state []byte) string {
	p.unpack(state, &p.now)
	for _, v := range p.invariants {
		if !v.holds(p.cluster, &p.now) {
			return v.name
		}
	}
	return ""
}

// broken returns the name of the first step property that the step from now to next violates, or "".
func (c *cluster) broken(now, next *clusterState) string {
	for _, property := range c.properties {
		if !property.holds(c, now, next) {
			return property.name
		}
	}
	return ""
}

// Expand implements explore.Expander. The actions are in the order of Next in tla/ChangingCluster.tla.
func (p *stepper) Expand(state []byte, emit func(step explore.Step, next []byte, broken string)) {
	p.unpack(state, &p.now)
	p.emit = emit
	for _, t := range timeouts {
		p.onNodes(t.take)
	}
	p.receiveAll()
	p.onNodes((*stepper).resign)
	p.onNodes((*stepper).holderDead)
	p.onNodes((*stepper).change)
	p.onNodes((*stepper).crash)
	p.onNodes((*stepper).restart)
	for l := range p.links {
		p.lose(l)
	}
	for k := range p.cuts {
		p.changeCut(uint8(k))
	}
}

// onNodes takes the action of each node.
func (p *stepper) onNodes(action func(*stepper, ID)) {
	for i := ID(1); i <= p.n; i++ {
		action(p, i)
	}
}
