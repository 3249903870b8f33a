package paths

import "slices"

// path is a run of the cluster from an initial state.
type path struct {
	start int
	edges []edge
}

// cover returns paths which together take every edge. Each goes on for as long as there is an edge that no path has taken yet
// close by; the next one goes the shortest way to a state from which there is one.
func (g *graph) cover() (paths []path) {
	n := len(g.states)
	c := coverer{graph: g, taken: make([][]bool, n), left: make([]int, n), seen: make([]int, n), from: make([]origin, n)}
	for s, out := range g.edges {
		c.taken[s] = make([]bool, len(out))
		c.left[s] = len(out)
	}
	for s := range g.states {
		for c.left[s] > 0 {
			paths = append(paths, c.walk(s))
		}
	}
	return paths
}

// near is how many states are looked at for an edge that is left, before a path ends.
const near = 300

// coverer covers a graph.
type coverer struct {
	*graph
	taken [][]bool // by state and edge
	left  []int    // how many edges of a state no path has taken yet

	search int // numbers the searches
	seen   []int
	from   []origin // how a state was reached in this search
	queue  []int
}

// walk returns a path to a state from which an edge is left, and on.
func (c *coverer) walk(s int) path {
	p := path{}
	p.start, p.edges = c.pathTo(s)
	at := p.start
	for i := range p.edges {
		c.take(at, slices.Index(c.edges[at], p.edges[i]))
		at = p.edges[i].to
	}
	for {
		way, ok := c.nearest(at)
		if !ok {
			return p
		}
		for _, e := range way {
			p.edges = append(p.edges, c.take(at, e))
			at = c.edges[at][e].to
		}
	}
}

// take takes an edge of a state.
func (c *coverer) take(s, e int) edge {
	if !c.taken[s][e] {
		c.taken[s][e] = true
		c.left[s]--
	}
	return c.edges[s][e]
}

// nearest returns the shortest way from a state over an edge that is left, as numbers of edges.
func (c *coverer) nearest(s int) (way []int, ok bool) {
	c.search++
	c.queue = append(c.queue[:0], s)
	c.seen[s], c.from[s] = c.search, origin{from: -1}
	for k := 0; k < len(c.queue) && k < near; k++ {
		at := c.queue[k]
		if c.left[at] > 0 {
			way = append(way, slices.Index(c.taken[at], false))
			for c.from[at].from >= 0 {
				way = append(way, c.from[at].edge)
				at = c.from[at].from
			}
			slices.Reverse(way)
			return way, true
		}
		for i, e := range c.edges[at] {
			if c.seen[e.to] != c.search {
				c.seen[e.to], c.from[e.to] = c.search, origin{at, i}
				c.queue = append(c.queue, e.to)
			}
		}
	}
	return nil, false
}
