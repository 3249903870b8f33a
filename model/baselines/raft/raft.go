// Package raft is module RaftElection of the specification in Go: the election of Raft (Ongaro, Ousterhout 2014, §5.2),
// with its rules, its options (pre-vote, check of the quorum), and the replacements that make it fail.
//
// It is written by hand from tla/RaftElection.tla, action for action in the order of Next, and is compared with it state
// for state. The loop to write:
//
//	m, err := raft.New(configuration) // as read from tla/models/RaftElection.cfg
//	if err != nil {
//		return err
//	}
//	result, err := explore.Run(ctx, m, explore.Options{})
package raft

import (
	"fmt"
	"slices"
	"strings"

	"github.com/seed-fdf591db/bully/model/explore"
)

// maxNodes is the highest N, maxTerm the highest MaxTerm, and maxBudget the highest of each budget.
const (
	maxNodes  = 5
	maxTerm   = 5
	maxBudget = 255
)

// model is one configuration of module MCRaftElection.
type model struct {
	n, maxTerm int
	flapping   set
	budget     [faults]uint8
	links      []link
	index      [maxNodes + 1][maxNodes + 1]int // index[i][j] is the place of link i→j in links
	cuts       []linkSet
	ever       linkSet // the links that may be cut
	led        bool    // whether a run begins with a leader
	masks      [messages]traffic
	rules
	invariants []promise
	steps      []string // the step properties to look for
	unchecked  []string
}

var _ explore.Model = (*model)(nil)

// budgets are the constants that bound the faults.
var budgets = [faults]string{"MaxRestart", "MaxCut"}

// New builds the model of one configuration of module MCRaftElection, for N and MaxTerm of 1 to 5 and budgets up to 255.
// An unknown or missing constant, replacement, invariant or property is an error that names it. Liveness properties are
// not an error: the model returns them as Unchecked.
func New(c explore.Configuration) (explore.Model, error) {
	if c.Module != "MCRaftElection" {
		return nil, fmt.Errorf("raft: module %s is not MCRaftElection", c.Module)
	}
	if c.Specification != "Spec" && c.Specification != "FairSpec" {
		return nil, fmt.Errorf("raft: specification %s is neither Spec nor FairSpec", c.Specification)
	}
	m := &model{rules: asWritten}
	for t := range message(messages) {
		m.masks[t] = allOf(t)
	}
	if err := m.setConstants(c.Constants); err != nil {
		return nil, fmt.Errorf("raft: %w", err)
	}
	if err := m.replace(c.Replacements); err != nil {
		return nil, err
	}
	for _, name := range c.Invariants {
		k := slices.IndexFunc(promises, func(p promise) bool { return p.name == name })
		if k < 0 {
			return nil, fmt.Errorf("raft: %s is no invariant of module MCRaftElection", name)
		}
		m.invariants = append(m.invariants, promises[k])
	}
	for _, name := range c.Properties {
		switch name {
		case termMonotonic, leaderStays:
			m.steps = append(m.steps, name)
		case "NoIdleLeader", "EndsLed", "NeverEndsLed":
			m.unchecked = append(m.unchecked, name)
		default:
			return nil, fmt.Errorf("raft: %s is no property of module MCRaftElection", name)
		}
	}
	return m, nil
}

// setConstants takes the constants that have a value, and numbers the links.
func (m *model) setConstants(values map[string]string) (err error) {
	if m.n, err = explore.Number(values, "N", 1, maxNodes); err != nil {
		return err
	}
	if m.maxTerm, err = explore.Number(values, "MaxTerm", 1, maxTerm); err != nil {
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
		if !slices.Contains([]string{"N", "MaxTerm", "Flapping"}, name) && !slices.Contains(budgets[:], name) {
			return fmt.Errorf("%s is no constant with a value of module MCRaftElection", name)
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

// replace puts the named operators of MCRaftElection in the place of others. Cuts and Beginnings have no meaning without.
func (m *model) replace(replacements map[string]string) error {
	for _, name := range []string{"Cuts", "Beginnings"} {
		if replacements[name] == "" {
			return fmt.Errorf("raft: constant %s has no value", name)
		}
	}
	for operator, name := range replacements {
		put := substitutes[operator][name]
		if put == nil {
			return fmt.Errorf("raft: there is no replacement %s <- %s in module MCRaftElection", operator, name)
		}
		put(m)
	}
	return nil
}

// cutWhere allows for cut the whole network and the links for which lost is true.
func (m *model) cutWhere(lost func(l link) bool) {
	m.ever = m.linksWhere(lost)
	m.cuts = slices.Compact([]linkSet{0, m.ever})
}

// cutAnyOf allows for cut every set of links for which lost is true.
func (m *model) cutAnyOf(lost func(l link) bool) {
	m.ever = m.linksWhere(lost)
	m.cuts = []linkSet{0}
	for c := m.ever & -m.ever; c != 0; c = (c - m.ever) & m.ever {
		m.cuts = append(m.cuts, c)
	}
}

// linksWhere returns the links for which is is true.
func (m *model) linksWhere(is func(l link) bool) (all linkSet) {
	for k, l := range m.links {
		if is(l) {
			all |= 1 << k
		}
	}
	return all
}

// Init implements explore.Model.
func (m *model) Init(emit func(state []byte)) {
	for cut := range m.cuts {
		s := state{cut: uint8(cut), budget: m.budget}
		for i := 1; i <= m.n && m.led; i++ {
			s.node[i] = started(1, uint8(m.n))
			s.node[i].leader = uint8(m.n)
		}
		if m.led {
			s.node[m.n].role = leader
		}
		emit(m.pack(nil, &s))
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
	var nodes, net, cut []string
	for i := 1; i <= m.n; i++ {
		x := s.node[i]
		nodes = append(nodes, fmt.Sprintf("[term |-> %d, vote |-> %d, role |-> %q, votes |-> %v, leader |-> %d]",
			x.term, x.vote, x.role, x.votes, x.leader))
	}
	for k, l := range m.links {
		for x := s.net[k]; x != 0; x &= x - 1 {
			t, term := x.first()
			net = append(net, fmt.Sprintf("[type |-> %q, from |-> %d, to |-> %d, term |-> %d]", t, l.from, l.to, term))
		}
		if m.isCut(&s, l.from, l.to) {
			cut = append(cut, fmt.Sprintf("<<%d, %d>>", l.from, l.to))
		}
	}
	return []explore.Variable{
		{Name: "node", Value: "<<" + strings.Join(nodes, ", ") + ">>"},
		{Name: "net", Value: "{" + strings.Join(net, ", ") + "}"},
		{Name: "cut", Value: "{" + strings.Join(cut, ", ") + "}"},
		{Name: "budget", Value: fmt.Sprintf("[restart |-> %d, cut |-> %d]", s.budget[restart], s.budget[cutting])},
	}
}
