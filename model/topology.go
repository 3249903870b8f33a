package model

import (
	"fmt"
	"slices"
)

// A cut is a set of directed links that carry nothing: cut[i] is the set of nodes that do not hear i.
type cut [MaxNodes + 1]Set

// has reports whether what i sends to j is lost.
func (c *cut) has(i, j ID) bool { return c[i].Has(j) }

// linked returns the nodes that hear i and that i hears.
func (c *cut) linked(i ID) Set {
	s := ^c[i]
	for j := range c {
		if c[j].Has(i) {
			s = s.Without(ID(j))
		}
	}
	return s
}

// cutWhere returns the cut of the links among nodes 1 to n for which lost is true.
func cutWhere(n ID, lost func(i, j ID) bool) cut {
	var c cut
	for _, l := range linksAmong(n) {
		if lost(l.from, l.to) {
			c[l.from] = c[l.from].With(l.to)
		}
	}
	return c
}

// The sets of links in tla/MCCluster.tla, under Topologies, in the same order.

func both(n, a, b ID) cut {
	return cutWhere(n, func(i, j ID) bool { return i == a && j == b || i == b && j == a })
}

// allBut cuts all pairs but the given ones.
func allBut(n ID, pairs ...link) cut {
	return cutWhere(n, func(i, j ID) bool {
		return !slices.Contains(pairs, link{i, j}) && !slices.Contains(pairs, link{j, i})
	})
}

// isolated cuts s from the rest.
func isolated(n ID, s Set) cut {
	return cutWhere(n, func(i, j ID) bool { return s.Has(i) != s.Has(j) })
}

// unheard has the rest not hear s.
func unheard(n ID, s Set) cut {
	return cutWhere(n, func(i, j ID) bool { return s.Has(i) && !s.Has(j) })
}

// deaf has s not hear the rest.
func deaf(n ID, s Set) cut {
	return cutWhere(n, func(i, j ID) bool { return !s.Has(i) && s.Has(j) })
}

// star has only the lowest reach all.
func star(n ID) cut {
	return cutWhere(n, func(i, j ID) bool { return i != 1 && j != 1 })
}

// A topology is what may stand for the constant Cuts: the cuts that there may be among n nodes.
type topology struct {
	name string
	min  ID // the least n for which all its nodes are members
	cuts func(n ID) []cut
}

var topologies = []topology{
	{"Whole", 1, func(ID) []cut { return []cut{{}} }},
	{"TopIsolated", 1, func(n ID) []cut { return []cut{{}, isolated(n, SetOf(n))} }},
	{"TopAndNext", 2, func(n ID) []cut { return []cut{{}, both(n, n, n-1)} }},
	{"OneWay", 2, func(n ID) []cut {
		return []cut{{}, cutWhere(n, func(i, j ID) bool { return i == n && j == n-1 }), unheard(n, SetOf(n))}
	}},
	{"WithoutTop", 1, func(n ID) []cut { return []cut{isolated(n, SetOf(n))} }},
	{"TopDeaf", 1, func(n ID) []cut { return []cut{{}, deaf(n, SetOf(n))} }},
	{"Halves", 1, func(n ID) []cut { return []cut{isolated(n, SetOf(1, 2))} }},
	{"Pendant", 1, func(n ID) []cut {
		among := append(linksAmong(n-1), link{n, n - 1})
		return []cut{allBut(n, among...)}
	}},
	{"Star", 1, func(n ID) []cut { return []cut{star(n)} }},
	{"StarOneWay", 2, func(n ID) []cut {
		return []cut{star(n), cutWhere(n, func(i, j ID) bool { return i != 1 && j != 1 || i == n && j == 1 })}
	}},
	{"Chain", 1, func(n ID) []cut {
		return []cut{cutWhere(n, func(i, j ID) bool { return i+1 != j && j+1 != i })}
	}},
	{"Bridge", 1, func(n ID) []cut {
		return []cut{allBut(n, link{4, 5}, link{3, 5}, link{1, 3}, link{1, 2})}
	}},
	{"Partial", 1, func(n ID) []cut {
		return []cut{allBut(n, link{1, 2}, link{1, 3}, link{2, 3}, link{2, 4}, link{3, 5})}
	}},
}

// cutsOf returns the cuts of the named topology among n nodes: a set, so no cut is there twice.
func cutsOf(name string, n ID) ([]cut, error) {
	for _, t := range topologies {
		if t.name != name {
			continue
		}
		if n < t.min {
			return nil, fmt.Errorf("model: topology %s needs N of %d or more", name, t.min)
		}
		var set []cut
		for _, c := range t.cuts(n) {
			if !slices.Contains(set, c) {
				set = append(set, c)
			}
		}
		return set, nil
	}
	return nil, fmt.Errorf("model: %s is no topology that may stand for Cuts", name)
}
