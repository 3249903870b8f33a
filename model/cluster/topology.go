package cluster

import (
	"fmt"
	"slices"

	"github.com/seed-fdf591db/bully/model/rules"
)

// A cut is a set of directed links that carry nothing: cut[i] is the set of nodes that do not hear i.
type cut [MaxNodes + 1]rules.Set

// has reports whether what i sends to j is lost.
func (c *cut) has(i, j rules.ID) bool { return c[i].Has(j) }

// near returns, for each node, itself and the nodes that hear it and that it hears.
func (c *cut) near() (near [MaxNodes + 1]rules.Set) {
	for i := range near {
		near[i] = ^c[i]
		for j := range c {
			if c[j].Has(rules.ID(i)) {
				near[i] = near[i].Without(rules.ID(j))
			}
		}
		near[i] = near[i].With(rules.ID(i))
	}
	return near
}

// cutWhere returns the cut of the links among nodes 1 to n for which lost is true.
func cutWhere(n rules.ID, lost func(i, j rules.ID) bool) (c cut) {
	for _, l := range linksAmong(n) {
		if lost(l.from, l.to) {
			c[l.from] = c[l.from].With(l.to)
		}
	}
	return c
}

// The sets of links in tla/MCCluster.tla, under Topologies, in the same order.

func both(n, a, b rules.ID) cut {
	return cutWhere(n, func(i, j rules.ID) bool { return i == a && j == b || i == b && j == a })
}

// allBut cuts all pairs but the given ones.
func allBut(n rules.ID, pairs ...link) cut {
	return cutWhere(n, func(i, j rules.ID) bool {
		return !slices.Contains(pairs, link{i, j}) && !slices.Contains(pairs, link{j, i})
	})
}

// isolated cuts nodes from the rest.
func isolated(n rules.ID, nodes ...rules.ID) cut {
	s := rules.SetOf(nodes...)
	return cutWhere(n, func(i, j rules.ID) bool { return s.Has(i) != s.Has(j) })
}

// unheard has the rest not hear the top.
func unheard(n rules.ID) cut { return cutWhere(n, func(i, _ rules.ID) bool { return i == n }) }

// deaf has the top not hear the rest.
func deaf(n rules.ID) cut { return cutWhere(n, func(_, j rules.ID) bool { return j == n }) }

// star has only the lowest reach all.
func star(n rules.ID) cut { return cutWhere(n, func(i, j rules.ID) bool { return i != 1 && j != 1 }) }

// sides cuts each set of nodes from the rest.
func sides(n rules.ID) []cut {
	cuts := []cut{{}}
	for _, s := range subsets(rules.UpTo(n)) {
		cuts = append(cuts, isolated(n, slices.Collect(s.All())...))
	}
	return cuts
}

// A topology is what may stand for the constant Cuts: the cuts that there may be among n nodes.
type topology struct {
	name string
	min  rules.ID // the least n for which all its nodes are members
	cuts func(n rules.ID) []cut
}

var topologies = []topology{
	{"Whole", 1, func(rules.ID) []cut { return []cut{{}} }},
	{"TopIsolated", 1, func(n rules.ID) []cut { return []cut{{}, isolated(n, n)} }},
	{"TopAndNext", 2, func(n rules.ID) []cut { return []cut{{}, both(n, n, n-1)} }},
	{"OneWay", 2, func(n rules.ID) []cut {
		return []cut{{}, cutWhere(n, func(i, j rules.ID) bool { return i == n && j == n-1 }), unheard(n)}
	}},
	{"WithoutTop", 1, func(n rules.ID) []cut { return []cut{isolated(n, n)} }},
	{"TopDeaf", 1, func(n rules.ID) []cut { return []cut{{}, deaf(n)} }},
	{"LowIsolated", 1, func(n rules.ID) []cut { return []cut{{}, isolated(n, 1)} }},
	{"Halves", 1, func(n rules.ID) []cut { return []cut{isolated(n, 1, 2)} }},
	{"LowTwoIsolated", 1, func(n rules.ID) []cut { return []cut{{}, isolated(n, 1, 2)} }},
	{"Across", 1, func(n rules.ID) []cut { return []cut{isolated(n, 1, n)} }},
	{"HighParted", 3, func(n rules.ID) []cut { return []cut{both(n, 2, 3)} }},
	{"LowerLost", 1, func(n rules.ID) []cut { return []cut{isolated(n, 1), isolated(n, 1, 2)} }},
	{"TopReturns", 1, func(n rules.ID) []cut { return []cut{{}, isolated(n, n), isolated(n, 1, n)} }},
	{"Sides", 1, sides},
	{"Pendant", 1, func(n rules.ID) []cut { return []cut{allBut(n, append(linksAmong(n-1), link{n, n - 1})...)} }},
	{"Star", 1, func(n rules.ID) []cut { return []cut{star(n)} }},
	{"StarOneWay", 2, func(n rules.ID) []cut {
		return []cut{star(n), cutWhere(n, func(i, j rules.ID) bool { return i != 1 && j != 1 || i == n && j == 1 })}
	}},
	{"Chain", 1, func(n rules.ID) []cut {
		return []cut{cutWhere(n, func(i, j rules.ID) bool { return i+1 != j && j+1 != i })}
	}},
	{"Bridge", 1, func(n rules.ID) []cut { return []cut{allBut(n, link{4, 5}, link{3, 5}, link{1, 3}, link{1, 2})} }},
	{"Partial", 1, func(n rules.ID) []cut {
		return []cut{allBut(n, link{1, 2}, link{1, 3}, link{2, 3}, link{2, 4}, link{3, 5})}
	}},
}

// cutsOf returns the cuts of the named topology among n nodes: a set, so no cut is there twice.
func cutsOf(name string, n rules.ID) (set []cut, err error) {
	k := slices.IndexFunc(topologies, func(t topology) bool { return t.name == name })
	switch {
	case k < 0:
		return nil, noReplacement("Cuts", name)
	case n < topologies[k].min:
		return nil, fmt.Errorf("cluster: topology %s needs N of %d or more", name, topologies[k].min)
	}
	for _, c := range topologies[k].cuts(n) {
		if !slices.Contains(set, c) {
			set = append(set, c)
		}
	}
	return set, nil
}
