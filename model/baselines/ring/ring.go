// Package ring is module Ring of the specification in Go: the election on a ring of Chang and Roberts (1979), with its
// assumptions, its rules, what is usually added where nodes may die, and the replacements that make it fail.
//
// It is written by hand from tla/Ring.tla, action for action in the order of Next, and is compared with it state for
// state. The loop to write:
//
//	m, err := ring.New(configuration) // as read from tla/models/RingCold.cfg
//	if err != nil {
//		return err
//	}
//	result, err := explore.Run(ctx, m, explore.Options{})
package ring

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/seed-fdf591db/bully/model/explore"
)

// maxNodes is the highest N; maxBudget is the highest of each budget.
const (
	maxNodes  = 6
	maxBudget = 255
)

// order is an order of the ring: order[i] is the node after node i.
type order [maxNodes + 1]int

// model is one configuration of module MCRing.
type model struct {
	n          int
	budget     [faults]uint8
	links      []link
	index      [maxNodes + 1][maxNodes + 1]int // index[i][j] is the place of link i→j in links
	cuts       []linkSet
	orders     []order
	beginnings []string
	rules
	invariants []promise
	unchecked  []string
}

var _ explore.Model = (*model)(nil)

// budgets are the constants that bound the faults.
var budgets = [faults]string{"MaxCrash", "MaxRestart", "MaxCut"}

// New builds the model of one configuration of module MCRing, for N of 2 to 6 and budgets up to 255. An unknown or
// missing constant, replacement, invariant or property is an error that names it. Liveness properties are not an error:
// the model returns them as Unchecked.
func New(c explore.Configuration) (explore.Model, error) {
	if c.Module != "MCRing" {
		return nil, fmt.Errorf("ring: module %s is not MCRing", c.Module)
	}
	if c.Specification != "Spec" && c.Specification != "FairSpec" {
		return nil, fmt.Errorf("ring: specification %s is neither Spec nor FairSpec", c.Specification)
	}
	m := &model{rules: asWritten}
	if err := m.setConstants(c.Constants); err != nil {
		return nil, fmt.Errorf("ring: %w", err)
	}
	if err := m.replace(c.Replacements); err != nil {
		return nil, err
	}
	for _, name := range c.Invariants {
		k := slices.IndexFunc(promises, func(p promise) bool { return p.name == name })
		if k < 0 {
			return nil, fmt.Errorf("ring: %s is no invariant of module MCRing", name)
		}
		m.invariants = append(m.invariants, promises[k])
	}
	for _, name := range c.Properties {
		switch name {
		case "EndsLed", "NeverEndsLed":
			m.unchecked = append(m.unchecked, name)
		default:
			return nil, fmt.Errorf("ring: %s is no property of module MCRing", name)
		}
	}
	return m, nil
}

// setConstants takes the constants that have a value, and numbers the links.
func (m *model) setConstants(values map[string]string) (err error) {
	if m.n, err = explore.Number(values, "N", 2, maxNodes); err != nil {
		return err
	}
	for f, name := range budgets {
		most, err := explore.Number(values, name, 0, maxBudget)
		if err != nil {
			return err
		}
		m.budget[f] = uint8(most)
	}
	for name := range values {
		if name != "N" && !slices.Contains(budgets[:], name) {
			return fmt.Errorf("%s is no constant with a value of module MCRing", name)
		}
	}
	for i := 1; i <= m.n; i++ {
		for j := 1; j <= m.n; j++ {
			if i != j {
				m.index[i][j] = len(m.links)
				m.links = append(m.links, link{i, j})
			}
		}
	}
	return nil
}

// replace puts the named operators of MCRing in the place of others. Three have no meaning without.
func (m *model) replace(replacements map[string]string) error {
	for _, name := range []string{"Cuts", "Orders", "Beginnings"} {
		if replacements[name] == "" {
			return fmt.Errorf("ring: constant %s has no value", name)
		}
	}
	for operator, name := range replacements {
		put := substitutes[operator][name]
		if put == nil {
			return fmt.Errorf("ring: there is no replacement %s <- %s in module MCRing", operator, name)
		}
		put(m)
	}
	return nil
}

// cutWhere allows for cut the whole network and the links for which lost is true.
func (m *model) cutWhere(lost func(l link) bool) {
	var cut linkSet
	for k, l := range m.links {
		if lost(l) {
			cut |= 1 << k
		}
	}
	m.cuts = slices.Compact([]linkSet{0, cut})
}

// arrange allows every order of the ring that begins with the places, node 1 first.
func (m *model) arrange(places ...int) {
	if len(places) == m.n {
		var o order
		for k, i := range places {
			o[i] = places[(k+1)%m.n]
		}
		m.orders = append(m.orders, o)
		return
	}
	for i := 1; i <= m.n; i++ {
		if !slices.Contains(places, i) {
			m.arrange(append(slices.Clone(places), i)...)
		}
	}
}

// ascend allows only the order in which each node stands before the next.
func (m *model) ascend() {
	var places []int
	for i := 1; i <= m.n; i++ {
		places = append(places, i)
	}
	m.arrange(places...)
}

// Init implements explore.Model.
func (m *model) Init(emit func(state []byte)) {
	for o := range m.orders {
		for _, beginning := range m.beginnings {
			for cut := range m.cuts {
				s := state{order: uint8(o), up: 1<<(m.n+1) - 2, cut: uint8(cut), budget: m.budget}
				if beginning == "Led" {
					for i := 1; i <= m.n; i++ {
						s.become(i, follower, m.n)
					}
					s.become(m.n, leader, m.n)
				}
				emit(m.pack(nil, &s))
			}
		}
	}
}

// Expander implements explore.Model.
func (m *model) Expander() explore.Expander { return &expander{model: m} }

// Unchecked implements explore.Model.
func (m *model) Unchecked() []string { return m.unchecked }

// Render implements explore.Model.
func (m *model) Render(packed []byte) []explore.Variable {
	var s state
	m.unpack(packed, &s)
	var after, nodes, up, net, cut []string
	for i := 1; i <= m.n; i++ {
		after = append(after, strconv.Itoa(m.orders[s.order][i]))
		nodes = append(nodes, fmt.Sprintf("[role |-> %q, leader |-> %d]", s.role[i], s.leader[i]))
		if s.up.has(i) {
			up = append(up, strconv.Itoa(i))
		}
	}
	for k, l := range m.links {
		name := fmt.Sprintf("<<%d, %d>>", l.from, l.to)
		net = append(net, fmt.Sprintf("%s :> <<%v>>", name, s.net[k]))
		if m.isCut(&s, l.from, l.to) {
			cut = append(cut, name)
		}
	}
	return []explore.Variable{
		{Name: "ring", Value: "<<" + strings.Join(after, ", ") + ">>"},
		{Name: "node", Value: "<<" + strings.Join(nodes, ", ") + ">>"},
		{Name: "up", Value: "{" + strings.Join(up, ", ") + "}"},
		{Name: "net", Value: "(" + strings.Join(net, " @@ ") + ")"},
		{Name: "cut", Value: "{" + strings.Join(cut, ", ") + "}"},
		{Name: "budget", Value: fmt.Sprintf("[crash |-> %d, restart |-> %d, cut |-> %d]",
			s.budget[crash], s.budget[restart], s.budget[cutting])},
	}
}
