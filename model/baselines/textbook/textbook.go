// Package textbook is module Textbook of the specification in Go: the Bully of Garcia-Molina (1982) as it is
// usually taught, with its assumptions, its rules, and the replacements of both that make it fail.
//
// It is written by hand from tla/Textbook.tla, action for action in the order of Next, and is compared with it state
// for state. The loop to write:
//
//	m, err := textbook.New(configuration) // as read from tla/models/TextbookRecovery.cfg
//	if err != nil {
//		return err
//	}
//	result, err := explore.Run(ctx, m, explore.Options{})
//
// NewStamp does the same for module TextbookStamp, in which leaders stamp their reigns with numbers that nobody compares.
package textbook

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/seed-fdf591db/bully/model/explore"
)

// maxNodes is the highest N; maxBudget is the highest of each budget.
const (
	maxNodes  = 5
	maxBudget = 255
)

// model is one configuration of module MCTextbook.
type model struct {
	n          int
	flapping   set
	budget     [faults]uint8
	links      []link
	index      [maxNodes + 1][maxNodes + 1]int // index[i][j] is the place of link i→j in links
	cuts       []linkSet
	beginnings []string
	rules
	invariants []promise
	handsOver  bool // whether to look for NeverHandsOver, the one step property
	unchecked  []string
}

var _ explore.Model = (*model)(nil)

// budgets are the constants that bound the faults.
var budgets = [faults]string{"MaxCrash", "MaxRestart", "MaxCut"}

// New builds the model of one configuration of module MCTextbook, for N of 1 to 5 and budgets up to 255. An unknown or
// missing constant, replacement, invariant or property is an error that names it. Liveness properties are not an error:
// the model returns them as Unchecked.
func New(c explore.Configuration) (explore.Model, error) {
	if c.Module != "MCTextbook" {
		return nil, fmt.Errorf("textbook: module %s is not MCTextbook", c.Module)
	}
	if c.Specification != "Spec" && c.Specification != "FairSpec" {
		return nil, fmt.Errorf("textbook: specification %s is neither Spec nor FairSpec", c.Specification)
	}
	m := &model{rules: asTaught}
	if err := m.setConstants(c.Constants); err != nil {
		return nil, fmt.Errorf("textbook: %w", err)
	}
	if err := m.replace(c.Replacements); err != nil {
		return nil, err
	}
	for _, name := range c.Invariants {
		k := slices.IndexFunc(promises, func(p promise) bool { return p.name == name })
		if k < 0 {
			return nil, fmt.Errorf("textbook: %s is no invariant of module MCTextbook", name)
		}
		m.invariants = append(m.invariants, promises[k])
	}
	for _, name := range c.Properties {
		switch name {
		case neverHandsOver:
			m.handsOver = true
		case "SomeLeader", "HighestLeads", "NeverSettled":
			m.unchecked = append(m.unchecked, name)
		default:
			return nil, fmt.Errorf("textbook: %s is no property of module MCTextbook", name)
		}
	}
	return m, nil
}

// setConstants takes the constants that have a value, and numbers the links.
func (m *model) setConstants(values map[string]string) (err error) {
	if m.n, err = explore.Number(values, "N", 1, maxNodes); err != nil {
		return err
	}
	for f, name := range budgets {
		most, err := explore.Number(values, name, 0, maxBudget)
		if err != nil {
			return err
		}
		m.budget[f] = uint8(most)
	}
	flapping, err := explore.NodeSet(values, "Flapping", m.n)
	if err != nil {
		return err
	}
	for _, i := range flapping {
		m.flapping |= only(i)
	}
	for name := range values {
		if name != "N" && name != "Flapping" && !slices.Contains(budgets[:], name) {
			return fmt.Errorf("%s is no constant with a value of module MCTextbook", name)
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

// replace puts the named operators of MCTextbook in the place of others. Cuts and Beginnings have no meaning without.
func (m *model) replace(replacements map[string]string) error {
	for _, name := range []string{"Cuts", "Beginnings"} {
		if replacements[name] == "" {
			return fmt.Errorf("textbook: constant %s has no value", name)
		}
	}
	for operator, name := range replacements {
		put := substitutes[operator][name]
		if put == nil {
			return fmt.Errorf("textbook: there is no replacement %s <- %s in module MCTextbook", operator, name)
		}
		put(m)
	}
	return nil
}

// cutWhere allows for cut the whole network and the links for which lost is true.
func (m *model) cutWhere(lost func(l link) bool) {
	m.cuts = []linkSet{0}
	var cut linkSet
	for k, l := range m.links {
		if lost(l) {
			cut |= 1 << k
		}
	}
	if cut != 0 {
		m.cuts = append(m.cuts, cut)
	}
}

// Init implements explore.Model.
func (m *model) Init(emit func(state []byte)) {
	for _, beginning := range m.beginnings {
		for cut := range m.cuts {
			s := state{up: m.above(0), cut: uint8(cut), budget: m.budget}
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

// Expander implements explore.Model.
func (m *model) Expander() explore.Expander { return &expander{model: m} }

// Unchecked implements explore.Model.
func (m *model) Unchecked() []string { return m.unchecked }

// Render implements explore.Model.
func (m *model) Render(packed []byte) []explore.Variable {
	var s state
	m.unpack(packed, &s)
	var node, up, net, cut []string
	for i := 1; i <= m.n; i++ {
		node = append(node, fmt.Sprintf("[role |-> %q, leader |-> %d]", s.role[i], s.leader[i]))
		if s.up.has(i) {
			up = append(up, strconv.Itoa(i))
		}
	}
	for k, l := range m.links {
		name := fmt.Sprintf("<<%d, %d>>", l.from, l.to)
		net = append(net, fmt.Sprintf("%s :> <<%v>>", name, s.net[k]))
		if m.isCut(&s, k) {
			cut = append(cut, name)
		}
	}
	network := "<<>>" // the function without links
	if len(net) > 0 {
		network = "(" + strings.Join(net, " @@ ") + ")"
	}
	return []explore.Variable{
		{Name: "node", Value: "<<" + strings.Join(node, ", ") + ">>"},
		{Name: "up", Value: "{" + strings.Join(up, ", ") + "}"},
		{Name: "net", Value: network},
		{Name: "cut", Value: "{" + strings.Join(cut, ", ") + "}"},
		{Name: "budget", Value: fmt.Sprintf("[crash |-> %d, restart |-> %d, cut |-> %d]",
			s.budget[crash], s.budget[restart], s.budget[cutting])},
	}
}
