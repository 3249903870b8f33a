package model

import (
	"fmt"
	"slices"
	"strconv"

	"github.com/seed-fdf591db/bully/model/explore"
)

// cluster is one configuration of module MCCluster.
type cluster struct {
	rules        *Rules
	leaseOver    func(c *cluster, s *clusterState, i ID) bool
	pending      func(c *cluster, s *clusterState, i ID) bool
	watches      func(s *clusterState, i ID) bool
	patienceOver func(c *cluster, s *clusterState, i ID) bool
	answered     func(c *cluster, s *clusterState, i ID) bool
	mayBeEarly   func(s *clusterState, i ID) bool
	mayProve     func(c *cluster, s *clusterState, i, l ID) bool
	never        [timerKinds]bool // never[k]: timeouts[k] is replaced by Never
	links        []link
	index        [MaxNodes + 1][MaxNodes + 1]int // index[i][j]: where link{i, j} is in links
	cuts         []cut
	budget       [faults]uint8
	invariants   []invariant
	properties   []stepProperty
	unchecked    []string
}

var _ explore.Model = (*cluster)(nil)

// budgets are the constants that set the budget, by fault.
var budgets = [faults]string{"MaxEarly", "MaxCrash", "MaxLoss", "MaxCut", "MaxResign"}

// New builds the model of one configuration of module MCCluster. An unknown or missing constant, replacement, invariant or
// property is an error that names it; so is a constant that the packed state has no room for. The liveness properties are
// not an error: the model returns them as Unchecked.
func New(c explore.Configuration) (explore.Model, error) {
	if c.Module != "MCCluster" {
		return nil, fmt.Errorf("model: module %s is not MCCluster", c.Module)
	}
	if c.Specification != "Spec" && c.Specification != "FairSpec" {
		return nil, fmt.Errorf("model: specification %s is neither Spec nor FairSpec", c.Specification)
	}
	m := &cluster{
		leaseOver: leaseOver, pending: somebodyPending, watches: watches,
		patienceOver: patienceOver, answered: answered, mayBeEarly: anyMayBeEarly, mayProve: nobodyProves,
	}
	if err := m.setConstants(c.Constants); err != nil {
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

// setConstants takes the constants that are numbers.
func (c *cluster) setConstants(constants map[string]string) error {
	n, err := number(constants, "N", MaxNodes)
	if err != nil {
		return err
	}
	if c.rules, err = NewRules(n); err != nil {
		return err
	}
	c.links = linksAmong(c.rules.n)
	for l, ends := range c.links {
		c.index[ends.from][ends.to] = l
	}
	for f, name := range budgets {
		left, err := number(constants, name, MaxBudget)
		if err != nil {
			return err
		}
		c.budget[f] = uint8(left)
	}
	for name := range constants {
		if name != "N" && !slices.Contains(budgets[:], name) {
			return fmt.Errorf("model: %s is no constant of module MCCluster", name)
		}
	}
	return nil
}

// number returns the value of the named constant, which may not be above most.
func number(constants map[string]string, name string, most int) (int, error) {
	text, ok := constants[name]
	if !ok {
		return 0, fmt.Errorf("model: constant %s has no value", name)
	}
	n, err := strconv.Atoi(text)
	if err != nil || n < 0 || n > most {
		return 0, fmt.Errorf("model: constant %s = %s is not from 0 to %d", name, text, most)
	}
	return n, nil
}

// replaceAll makes the replacements, of which that of Cuts must be one.
func (c *cluster) replaceAll(replaced map[string]string) error {
	if _, ok := replaced["Cuts"]; !ok {
		return fmt.Errorf("model: constant Cuts has no value")
	}
	for operator, name := range replaced {
		if err := c.replace(operator, name); err != nil {
			return err
		}
	}
	return nil
}

// replace puts the named operator of module MCCluster in the place of another.
func (c *cluster) replace(operator, name string) (err error) {
	if operator == "Cuts" {
		c.cuts, err = cutsOf(name, c.rules.n)
		return err
	}
	if known, ok := timing[operator]; ok {
		replace, ok := known[name]
		if !ok {
			return noReplacement(operator, name)
		}
		replace(c)
		return nil
	}
	for k, t := range timeouts {
		if operator != string(t.action) {
			continue
		}
		if name != "Never" {
			return noReplacement(operator, name)
		}
		c.never[k] = true
		return nil
	}
	return c.rules.Replace(operator, name)
}

// name takes the properties to check.
func (c *cluster) name(states, steps []string) error {
	for _, name := range states {
		i := slices.IndexFunc(invariants, func(v invariant) bool { return v.name == name })
		if i < 0 {
			return fmt.Errorf("model: %s is no invariant of module MCCluster", name)
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
			return fmt.Errorf("model: %s is no property of module MCCluster", name)
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

// Expand implements explore.Expander. The actions are in the order of Next in tla/Cluster.tla.
func (p *stepper) Expand(state []byte, emit func(step explore.Step, next []byte, broken string)) {
	p.unpack(state, &p.now)
	p.emit = emit
	for k, t := range timeouts {
		if !p.never[k] {
			p.onNodes(t.take)
		}
	}
	p.receiveAll()
	p.onNodes((*stepper).resign)
	p.onNodes((*stepper).holderDead)
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
	for i := ID(1); i <= p.rules.n; i++ {
		action(p, i)
	}
}
