// Package raft is module RaftElection of the specification in Go: the election of Raft (Ongaro, Ousterhout 2014, §5.2),
// with its rules, its options (pre-vote, check of the quorum), and the replacements that make it fail.
//
// It is written by hand from tla/RaftElection.tla, action for action in the order of Next, and is compared with it state
// for state. The loop to write is that of package explore.
package raft

import (
	"fmt"
	"slices"
	"strings"

	"github.com/seed-fdf591db/bully/model/explore"
	"github.com/seed-fdf591db/bully/model/internal/frame"
)

// maxNodes is the highest N, and maxTerm the highest MaxTerm.
const (
	maxNodes = 5
	maxTerm  = 5
)

// model is one configuration of module MCRaftElection.
type model struct {
	frame.Network
	explore.Checks[model, state]
	maxTerm  int
	flapping set
	budget   [faults]uint8
	ever     linkSet // the links that may be cut
	led      bool    // whether a run begins with a leader
	masks    [messages]traffic
	rules
}

var _ explore.Model = (*model)(nil)

// module is what a configuration of module MCRaftElection may name.
var module = explore.Module[model, state]{
	Name: "MCRaftElection", Specifications: []string{"Spec", "FairSpec"}, Constants: slices.Concat([]explore.Constant[model]{
		{Name: "N", Least: 1, Most: maxNodes, Number: func(m *model, n int) { m.Connect(n) }},
		{Name: "MaxTerm", Least: 1, Most: maxTerm, Number: func(m *model, most int) { m.maxTerm = most }},
		frame.Flapping(func(m *model) *set { return &m.flapping }),
	}, frame.Budgets(func(m *model) []uint8 { return m.budget[:] }, "MaxRestart", "MaxCut")),
	Needed:       []string{"Cuts", "Beginnings"},
	Replacements: replacements, Invariants: invariants,
	Steps:    steps,
	Liveness: []string{"NoIdleLeader", "EndsLed", "NeverEndsLed"},
}

// New builds the model of one configuration of module MCRaftElection, for N and MaxTerm of 1 to 5 and budgets up to 255.
// An unknown or missing constant, replacement, invariant or property is an error that names it. Liveness properties are
// not an error: the model returns them as Unchecked.
func New(c explore.Configuration) (explore.Model, error) {
	m := &model{rules: asWritten}
	for t := range message(messages) {
		m.masks[t] = allOf(t)
	}
	var err error
	if m.Checks, err = module.Configure(m, c); err != nil {
		return nil, fmt.Errorf("raft: %w", err)
	}
	for _, cut := range m.Cuts {
		m.ever |= cut
	}
	return m, nil
}

// cutAnyOf allows for cut every set of links for which lost is true.
func (m *model) cutAnyOf(lost func(l link) bool) {
	all := m.Where(lost)
	m.Cuts = []linkSet{0}
	for c := all & -all; c != 0; c = (c - all) & all {
		m.Cuts = append(m.Cuts, c)
	}
}

// Init implements explore.Model.
func (m *model) Init(emit func(state []byte)) {
	for cut := range m.Cuts {
		s := state{cut: uint8(cut), budget: m.budget}
		for i := 1; i <= m.N && m.led; i++ {
			s.node[i] = started(1, uint8(m.N))
			s.node[i].leader = uint8(m.N)
		}
		if m.led {
			s.node[m.N].role = leader
		}
		emit(m.pack(nil, &s))
	}
}

// Expander implements explore.Model.
func (m *model) Expander() explore.Expander { return &expander{model: m} }

// Render implements explore.Model.
func (m *model) Render(packed []byte) []explore.Variable {
	var s state
	m.unpack(packed, &s)
	var nodes, net []string
	for i := 1; i <= m.N; i++ {
		x := s.node[i]
		nodes = append(nodes, fmt.Sprintf("[term |-> %d, vote |-> %d, role |-> %q, votes |-> %v, leader |-> %d]",
			x.term, x.vote, x.role, x.votes, x.leader))
	}
	for k, l := range m.Links {
		for x := s.net[k]; x != 0; x &= x - 1 {
			t, term := x.first()
			net = append(net, fmt.Sprintf("[type |-> %q, from |-> %d, to |-> %d, term |-> %d]", t, l.From, l.To, term))
		}
	}
	return []explore.Variable{
		{Name: "node", Value: "<<" + strings.Join(nodes, ", ") + ">>"},
		{Name: "net", Value: "{" + strings.Join(net, ", ") + "}"},
		{Name: "cut", Value: m.CutLinks(s.cut)},
		{Name: "budget", Value: fmt.Sprintf("[restart |-> %d, cut |-> %d]", s.budget[restart], s.budget[cutting])},
	}
}
