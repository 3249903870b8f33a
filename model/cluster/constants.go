package cluster

import (
	"fmt"
	"slices"

	"github.com/seed-fdf591db/bully/model/rules"
)

// What may stand for First and Wanted in tla/MCCluster.tla, in which members have no stamp.

// firsts are what may stand for First: the first members among n nodes.
var firsts = map[string]func(n rules.ID) rules.Members{
	"One":   voters(1),
	"Two":   voters(2),
	"Three": voters(3),
	"All":   func(n rules.ID) rules.Members { return rules.Members{Voters: rules.UpTo(n)} },
	"TwoAndWatchers": func(n rules.ID) rules.Members {
		return rules.Members{Voters: rules.UpTo(2), Observers: rules.UpTo(n) &^ rules.UpTo(2)}
	},
	"ThreeAndWatchers": func(n rules.ID) rules.Members {
		return rules.Members{Voters: rules.UpTo(3), Observers: rules.UpTo(n) &^ rules.UpTo(3)}
	},
	"TwoOverTwo": func(rules.ID) rules.Members {
		return rules.Members{Voters: rules.SetOf(3, 4), Witnesses: rules.UpTo(2)}
	},
	"TwoOverWitness": func(rules.ID) rules.Members {
		return rules.Members{Voters: rules.SetOf(2, 3), Witnesses: rules.UpTo(1)}
	},
	"OneOfEach": func(n rules.ID) rules.Members {
		return rules.Members{Voters: rules.UpTo(1), Witnesses: rules.SetOf(2), Observers: rules.UpTo(n) &^ rules.UpTo(2)}
	},
	"OneOverWitnesses": func(rules.ID) rules.Members {
		return rules.Members{Voters: rules.UpTo(1), Witnesses: rules.SetOf(2, 3)}
	},
	"Outermost": func(n rules.ID) rules.Members {
		return rules.Members{Voters: rules.SetOf(1, n), Witnesses: rules.UpTo(n) &^ rules.SetOf(1, n)}
	},
	"LowestRaised": func(n rules.ID) rules.Members { return raised(rules.Members{Voters: rules.UpTo(n)}, 1) },
	"TwoAndWitness": func(rules.ID) rules.Members {
		return rules.Members{Voters: rules.UpTo(2), Witnesses: rules.SetOf(3)}
	},
}

func voters(n rules.ID) func(rules.ID) rules.Members {
	return func(rules.ID) rules.Members { return rules.Members{Voters: rules.UpTo(n)} }
}

// raised returns m in which the nodes of a set have a rank of 1, and the others of 0.
func raised(m rules.Members, s rules.Set) rules.Members {
	var ranks [MaxNodes]uint16
	for i := range s.All() {
		ranks[i-1] = 1
	}
	m.Ranks = rules.RanksOf(ranks[:]...)
	return m
}

// wanteds are what may stand for Wanted: whether leaders of a cluster with members among all may be asked for some, of whom
// somebody votes.
var wanteds = map[string]func(m rules.Members, all rules.Set) bool{
	"Nothing":     func(rules.Members, rules.Set) bool { return false },
	"AnyVoters":   func(m rules.Members, _ rules.Set) bool { return votersOnly(m) },
	"AnyElectors": func(m rules.Members, _ rules.Set) bool { return m.Observers == 0 && ofOneKind(m) },
	"AnyMembers":  func(m rules.Members, _ rules.Set) bool { return ofOneKind(m) },
	"Growing": func(m rules.Members, _ rules.Set) bool {
		return votersOnly(m) && m.Voters == rules.UpTo(rules.ID(m.Voters.Len()))
	},
	"Shrinking": func(m rules.Members, all rules.Set) bool {
		return votersOnly(m) && m.Voters == all&^rules.UpTo(m.Voters.Lowest()-1)
	},
	"Triples": func(m rules.Members, _ rules.Set) bool { return votersOnly(m) && m.Voters.Len() == 3 },
	"ThirdIsWitness": func(m rules.Members, _ rules.Set) bool {
		return m == rules.Members{Voters: rules.UpTo(2), Witnesses: rules.SetOf(3)}
	},
	"ThirdIsVoter": func(m rules.Members, all rules.Set) bool {
		return m == rules.Members{Voters: rules.SetOf(1, 3), Witnesses: rules.SetOf(2), Observers: all &^ rules.UpTo(3)}
	},
	"TwoMoreWitnesses": func(m rules.Members, _ rules.Set) bool {
		return m.Voters == rules.SetOf(2, 3) && (m.Witnesses == rules.SetOf(1, 4) || m.Witnesses == rules.SetOf(1, 4, 5)) && m.Observers == 0
	},
	"TwoMoreVoters": func(m rules.Members, _ rules.Set) bool {
		return m.Witnesses == rules.UpTo(1) && (m.Voters == rules.SetOf(2, 3, 4) || m.Voters == rules.SetOf(2, 3, 4, 5)) && m.Observers == 0
	},
	"OneWitnessLess": func(m rules.Members, _ rules.Set) bool {
		return m.Voters == rules.SetOf(3, 4) && (m.Witnesses == rules.SetOf(1) || m.Witnesses == rules.SetOf(2)) && m.Observers == 0
	},
}

// ofOneKind reports whether no node is two things in m.
func ofOneKind(m rules.Members) bool {
	return m.Voters&m.Witnesses == 0 && m.Voters&m.Observers == 0 && m.Witnesses&m.Observers == 0
}

func votersOnly(m rules.Members) bool { return m.Witnesses == 0 && m.Observers == 0 }

// set takes the operator of the given name for Cuts, First or Wanted.
func (c *cluster) set(constant, name string) (err error) {
	first, wanted := firsts[name], wanteds[name]
	switch {
	case constant == "Cuts":
		c.cuts, err = cutsOf(name, c.n)
		for k := range c.cuts {
			c.near = append(c.near, c.cuts[k].near())
		}
		return err
	case constant == "First" && first != nil:
		members := first(c.n)
		if members.All()&^rules.UpTo(c.n) != 0 {
			return fmt.Errorf("cluster: First <- %s has nodes above N = %d", name, c.n)
		}
		c.first = rules.Configuration{Version: 1, Of: c.list(members)}
	case constant == "Wanted" && wanted != nil:
		return c.want(wanted)
	case constant == "Wanted" && rankings[name] != nil:
		c.wantRaised(rankings[name](c.n))
	default:
		return noReplacement(constant, name)
	}
	return nil
}

// want takes the members for which wanted is true, of whom somebody votes.
func (c *cluster) want(wanted func(rules.Members, rules.Set) bool) error {
	all := rules.UpTo(c.n)
	for _, voters := range subsets(all)[1:] {
		for _, witnesses := range subsets(all) {
			for _, observers := range subsets(all) {
				if m := (rules.Members{Voters: voters, Witnesses: witnesses, Observers: observers}); wanted(m, all) {
					c.wanted = append(c.wanted, rules.Configuration{Of: c.list(m)})
				}
			}
		}
	}
	if len(c.lists) > maxLists {
		return fmt.Errorf("cluster: more than %d lists of members", maxLists-1)
	}
	return nil
}

// rankings are the members of which some are to be raised, for what may stand for Wanted besides: there each of all nodes is raised, or not.
var rankings = map[string]func(n rules.ID) rules.Members{
	"AnyRaised":    firsts["All"],
	"TwoAnyRaised": firsts["TwoOverWitness"],
}

// wantRaised takes members, of whom any are raised.
func (c *cluster) wantRaised(m rules.Members) {
	for _, s := range subsets(m.All()) {
		c.wanted = append(c.wanted, rules.Configuration{Of: c.list(raised(m, s))})
	}
}

// list returns m in its place among the lists of the cluster, where each is once: what is the same there has one place in the
// memory.
func (c *cluster) list(m rules.Members) *rules.Members {
	for _, known := range c.lists[1:] {
		if m.Place = known.Place; m == *known {
			return known
		}
	}
	m.Place = uint16(len(c.lists))
	c.lists = append(c.lists, &m)
	return &m
}

// subsets returns the subsets of all.
func subsets(all rules.Set) []rules.Set {
	sets := []rules.Set{0}
	for s := all & -all; s != 0; s = (s - all) & all {
		sets = append(sets, s)
	}
	return sets
}

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
