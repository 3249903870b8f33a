// Package ring is module Ring of the specification in Go: the election on a ring of Chang and Roberts (1979), with its
// assumptions, its rules, what is usually added where nodes may die, and the replacements that make it fail.
//
// It is written by hand from tla/Ring.tla, action for action in the order of Next, and is compared with it state for
// state. The loop to write is that of package explore.
package ring

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/seed-fdf591db/bully/model/explore"
	"github.com/seed-fdf591db/bully/model/internal/frame"
)

// maxNodes is the highest N.
const maxNodes = 6

// order is an order of the ring: order[i] is the node after node i.
type order [maxNodes + 1]int

// model is one configuration of module MCRing.
type model struct {
	frame.Network
	explore.Checks[model, state]
	budget     [faults]uint8
	orders     []order
	beginnings []string
	rules
}

var _ explore.Model = (*model)(nil)

// module is what a configuration of module MCRing may name.
var module = explore.Module[model, state]{
	Name: "MCRing", Specifications: []string{"Spec", "FairSpec"}, Constants: slices.Concat([]explore.Constant[model]{
		{Name: "N", Least: 2, Most: maxNodes, Number: func(m *model, n int) { m.Connect(n) }},
	}, frame.Budgets(func(m *model) []uint8 { return m.budget[:] }, "MaxCrash", "MaxRestart", "MaxCut")),
	Needed:       []string{"Cuts", "Orders", "Beginnings"},
	Replacements: replacements, Invariants: invariants,
	Liveness: []string{"EndsLed", "NeverEndsLed"},
}

// New builds the model of one configuration of module MCRing, for N of 2 to 6 and budgets up to 255. An unknown or
// missing constant, replacement, invariant or property is an error that names it. Liveness properties are not an error:
// the model returns them as Unchecked.
func New(c explore.Configuration) (explore.Model, error) {
	m := &model{rules: asWritten}
	var err error
	if m.Checks, err = module.Configure(m, c); err != nil {
		return nil, fmt.Errorf("ring: %w", err)
	}
	return m, nil
}

// arrange allows every order of the ring that begins with the places, node 1 first.
func (m *model) arrange(places ...int) {
	if len(places) == m.N {
		var o order
		for k, i := range places {
			o[i] = places[(k+1)%m.N]
		}
		m.orders = append(m.orders, o)
		return
	}
	for i := 1; i <= m.N; i++ {
		if !slices.Contains(places, i) {
			m.arrange(append(slices.Clone(places), i)...)
		}
	}
}

// ascend allows only the order in which each node stands before the next.
func (m *model) ascend() {
	var places []int
	for i := 1; i <= m.N; i++ {
		places = append(places, i)
	}
	m.arrange(places...)
}

// Init implements explore.Model.
func (m *model) Init(emit func(state []byte)) {
	for o := range m.orders {
		for _, beginning := range m.beginnings {
			for cut := range m.Cuts {
				s := state{order: uint8(o), up: 1<<(m.N+1) - 2, cut: uint8(cut), budget: m.budget}
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
}

// Expander implements explore.Model.
func (m *model) Expander() explore.Expander { return &expander{model: m} }

// Render implements explore.Model.
func (m *model) Render(packed []byte) []explore.Variable {
	var s state
	m.unpack(packed, &s)
	var after, nodes, net []string
	for i := 1; i <= m.N; i++ {
		after = append(after, strconv.Itoa(m.orders[s.order][i]))
		nodes = append(nodes, fmt.Sprintf("[role |-> %q, leader |-> %d]", s.role[i], s.leader[i]))
	}
	for k, l := range m.Links {
		net = append(net, fmt.Sprintf("%v :> <<%v>>", l, s.net[k]))
	}
	return []explore.Variable{
		{Name: "ring", Value: "<<" + strings.Join(after, ", ") + ">>"},
		{Name: "node", Value: "<<" + strings.Join(nodes, ", ") + ">>"},
		{Name: "up", Value: s.up.String()},
		{Name: "net", Value: "(" + strings.Join(net, " @@ ") + ")"},
		{Name: "cut", Value: m.CutLinks(s.cut)},
		{Name: "budget", Value: fmt.Sprintf("[crash |-> %d, restart |-> %d, cut |-> %d]",
			s.budget[crash], s.budget[restart], s.budget[cutting])},
	}
}
