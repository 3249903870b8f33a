package paths

import (
	"fmt"
	"slices"

	"github.com/seed-fdf591db/bully/model/cluster"
	"github.com/seed-fdf591db/bully/model/explore"
)

// graph is all reachable states of a configuration, and every step from one to another. States are numbered breadth first.
type graph struct {
	model  explore.Model
	states []string // packed
	first  int      // how many of them are initial
	edges  [][]edge // by the state that they leave, in the order of Next
	tree   []origin // how each state was first reached
	count  int      // of edges
}

// edge is one step of the cluster.
type edge struct {
	step explore.Step
	to   int
}

// origin is the edge by which a state was first reached: the number it has among those of the state that it leaves. An
// initial state has from -1.
type origin struct{ from, edge int }

// explored returns the graph of a configuration. It is an error if there are more states than most.
func explored(c explore.Configuration, most int) (*graph, error) {
	m, err := cluster.New(c)
	if err != nil {
		return nil, err
	}
	g := &graph{model: m}
	numbers := map[string]int{}
	number := func(state []byte, by origin) int {
		n, ok := numbers[string(state)]
		if !ok {
			n = len(g.states)
			g.states = append(g.states, string(state))
			numbers[g.states[n]] = n
			g.tree = append(g.tree, by)
		}
		return n
	}
	m.Init(func(state []byte) { number(state, origin{from: -1}) })
	g.first = len(g.states)
	x := m.Expander()
	for from := 0; from < len(g.states); from++ {
		if from == most {
			return nil, fmt.Errorf("paths: there are more than %d states", most)
		}
		var out []edge
		x.Expand([]byte(g.states[from]), func(step explore.Step, next []byte, _ string) {
			out = append(out, edge{step, number(next, origin{from, len(out)})})
		})
		g.edges = append(g.edges, out)
		g.count += len(out)
	}
	return g, nil
}

// pathTo returns the edges of a shortest path from an initial state to a state, and that initial state.
func (g *graph) pathTo(state int) (start int, path []edge) {
	for g.tree[state].from >= 0 {
		o := g.tree[state]
		path = append(path, g.edges[o.from][o.edge])
		state = o.from
	}
	slices.Reverse(path)
	return state, path
}
