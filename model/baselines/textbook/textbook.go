// Package textbook is module Textbook of the specification in Go: the Bully of Garcia-Molina (1982) as it is
// usually taught, with its assumptions, its rules, and the replacements of both that make it fail.
//
// It is written by hand from tla/Textbook.tla, action for action in the order of Next, and is compared with it state
// for state. The loop to write is that of package explore.
//
// NewStamp does the same for module TextbookStamp, in which leaders stamp their reigns with numbers that nobody compares.
package textbook

import (
	"fmt"
	"slices"
	"strings"

	"github.com/seed-fdf591db/bully/model/explore"
	"github.com/seed-fdf591db/bully/model/internal/frame"
)

// maxNodes is the highest N.
const maxNodes = 5

// model is one configuration of module MCTextbook.
type model struct {
	frame.Network
	explore.Checks[model, state]
	flapping   set
	budget     [faults]uint8
	beginnings []string
	rules
}

var _ explore.Model = (*model)(nil)

// module is what a configuration of module MCTextbook may name.
var module = explore.Module[model, state]{
	Name: "MCTextbook", Specifications: []string{"Spec", "FairSpec"}, Constants: slices.Concat([]explore.Constant[model]{
		{Name: "N", Least: 1, Most: maxNodes, Number: func(m *model, n int) { m.Connect(n) }},
		frame.Flapping(func(m *model) *set { return &m.flapping }),
	}, frame.Budgets(func(m *model) []uint8 { return m.budget[:] }, "MaxCrash", "MaxRestart", "MaxCut")),
	Needed:       []string{"Cuts", "Beginnings"},
	Replacements: replacements, Invariants: invariants,
	Steps:    steps,
	Liveness: []string{"SomeLeader", "HighestLeads", "NeverSettled"},
}

// New builds the model of one configuration of module MCTextbook, for N of 1 to 5 and budgets up to 255. An unknown or
// missing constant, replacement, invariant or property is an error that names it. Liveness properties are not an error:
// the model returns them as Unchecked.
func New(c explore.Configuration) (explore.Model, error) {
	m := &model{rules: asTaught}
	var err error
	if m.Checks, err = module.Configure(m, c); err != nil {
		return nil, fmt.Errorf("textbook: %w", err)
	}
	return m, nil
}

// Init implements explore.Model.
func (m *model) Init(emit func(state []byte)) {
	for _, beginning := range m.beginnings {
		for cut := range m.Cuts {
			s := state{up: m.above(0), cut: uint8(cut), budget: m.budget}
			if beginning == "Led" {
				for i := 1; i <= m.N; i++ {
					s.become(i, follower, m.N)
				}
				s.become(m.N, leader, m.N)
			}
			emit(m.pack(nil, &s))
		}
	}
}

// Expander implements explore.Model.
func (m *model) Expander() explore.Expander { return &expander{model: m} }

// Render implements explore.Model.
func (m *model) Render(packed []byte) []explore.Variable {
	var s state
	m.unpack(packed, &s)
	var node, net []string
	for i := 1; i <= m.N; i++ {
		node = append(node, fmt.Sprintf("[role |-> %q, leader |-> %d]", s.role[i], s.leader[i]))
	}
	for k, l := range m.Links {
		net = append(net, fmt.Sprintf("%v :> <<%v>>", l, s.net[k]))
	}
	network := "<<>>" // the function without links
	if len(net) > 0 {
		network = "(" + strings.Join(net, " @@ ") + ")"
	}
	return []explore.Variable{
		{Name: "node", Value: "<<" + strings.Join(node, ", ") + ">>"},
		{Name: "up", Value: s.up.String()},
		{Name: "net", Value: network},
		{Name: "cut", Value: m.CutLinks(s.cut)},
		{Name: "budget", Value: fmt.Sprintf("[crash |-> %d, restart |-> %d, cut |-> %d]",
			s.budget[crash], s.budget[restart], s.budget[cutting])},
	}
}
