package changing

import (
	"fmt"
	"slices"

	"github.com/seed-fdf591db/bully/model"
)

// The constants of tla/MCChangingCluster.tla that are no numbers: what may stand for Cuts, First and Wanted.

// A cut is a set of directed links that carry nothing: cut[i] is the set of nodes that do not hear i.
type cut [model.MaxNodes + 1]Set

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

// isolated cuts s from the rest of the nodes 1 to n.
func isolated(n ID, s Set) cut {
	var c cut
	for i := ID(1); i <= n; i++ {
		c[i] = upTo(n) &^ s
		if !s.Has(i) {
			c[i] = upTo(n) & s
		}
	}
	return c
}

// topologies are what may stand for Cuts: the cuts that there may be among n nodes.
var topologies = map[string]func(n ID) []cut{
	"Whole":       func(ID) []cut { return []cut{{}} },
	"TopIsolated": func(n ID) []cut { return []cut{{}, isolated(n, model.SetOf(n))} },
	"LowIsolated": func(n ID) []cut { return []cut{{}, isolated(n, model.SetOf(1))} },
	"Halves":      func(n ID) []cut { return []cut{{}, isolated(n, model.SetOf(1, 2))} },
	"Across":      func(n ID) []cut { return []cut{isolated(n, model.SetOf(1, n))} },
	"HighParted":  func(ID) []cut { return []cut{{2: model.SetOf(3), 3: model.SetOf(2)}} },
	"LowerLost":   func(n ID) []cut { return []cut{isolated(n, model.SetOf(1)), isolated(n, model.SetOf(1, 2))} },
	"TopReturns":  func(n ID) []cut { return []cut{{}, isolated(n, model.SetOf(n)), isolated(n, model.SetOf(1, n))} },
	"Sides": func(n ID) []cut {
		cuts := []cut{{}}
		for _, s := range subsets(upTo(n)) {
			cuts = append(cuts, isolated(n, s))
		}
		return cuts
	},
}

// subsets returns the subsets of all.
func subsets(all Set) []Set {
	sets := []Set{0}
	for s := all & -all; s != 0; s = (s - all) & all {
		sets = append(sets, s)
	}
	return sets
}

// firsts are what may stand for First: the configuration of the first members, without a stamp, among n nodes.
var firsts = map[string]func(n ID) Configuration{
	"One":              func(ID) Configuration { return Configuration{Voters: upTo(1)} },
	"Two":              func(ID) Configuration { return Configuration{Voters: upTo(2)} },
	"Three":            func(ID) Configuration { return Configuration{Voters: upTo(3)} },
	"All":              func(n ID) Configuration { return Configuration{Voters: upTo(n)} },
	"TwoAndWatchers":   func(n ID) Configuration { return Configuration{Voters: upTo(2), Observers: upTo(n) &^ upTo(2)} },
	"ThreeAndWatchers": func(n ID) Configuration { return Configuration{Voters: upTo(3), Observers: upTo(n) &^ upTo(3)} },
	"TwoOverTwo":       func(ID) Configuration { return Configuration{Voters: model.SetOf(3, 4), Witnesses: upTo(2)} },
	"TwoOverWitness":   func(ID) Configuration { return Configuration{Voters: model.SetOf(2, 3), Witnesses: upTo(1)} },
	"OneOfEach": func(n ID) Configuration {
		return Configuration{Voters: upTo(1), Witnesses: model.SetOf(2), Observers: upTo(n) &^ upTo(2)}
	},
	"OneOverWitnesses": func(ID) Configuration { return Configuration{Voters: upTo(1), Witnesses: model.SetOf(2, 3)} },
	"TwoAndWitness":    func(ID) Configuration { return Configuration{Voters: upTo(2), Witnesses: model.SetOf(3)} },
}

// wanteds are what may stand for Wanted: whether leaders of a cluster with members among all may be asked for c, in which
// somebody votes.
var wanteds = map[string]func(c Configuration, all Set) bool{
	"AnyVoters":   func(c Configuration, _ Set) bool { return votersOnly(c) },
	"AnyElectors": func(c Configuration, _ Set) bool { return c.Observers == 0 && ofOneKind(c) },
	"AnyMembers":  func(c Configuration, _ Set) bool { return ofOneKind(c) },
	"Growing":     func(c Configuration, _ Set) bool { return votersOnly(c) && c.Voters == upTo(ID(c.Voters.Len())) },
	"Shrinking": func(c Configuration, all Set) bool {
		return votersOnly(c) && c.Voters == all&^(upTo(lowest(c.Voters)-1))
	},
	"Triples": func(c Configuration, _ Set) bool { return votersOnly(c) && c.Voters.Len() == 3 },
	"ThirdIsWitness": func(c Configuration, _ Set) bool {
		return c == Configuration{Voters: upTo(2), Witnesses: model.SetOf(3)}
	},
	"ThirdIsVoter": func(c Configuration, all Set) bool {
		return c == Configuration{Voters: model.SetOf(1, 3), Witnesses: model.SetOf(2), Observers: all &^ upTo(3)}
	},
	"TwoMoreWitnesses": func(c Configuration, _ Set) bool {
		return c.Voters == model.SetOf(2, 3) && (c.Witnesses == model.SetOf(1, 4) || c.Witnesses == model.SetOf(1, 4, 5)) && c.Observers == 0
	},
	"TwoMoreVoters": func(c Configuration, _ Set) bool {
		return c.Witnesses == upTo(1) && (c.Voters == model.SetOf(2, 3, 4) || c.Voters == model.SetOf(2, 3, 4, 5)) && c.Observers == 0
	},
	"OneWitnessLess": func(c Configuration, _ Set) bool {
		return c.Voters == model.SetOf(3, 4) && (c.Witnesses == model.SetOf(1) || c.Witnesses == model.SetOf(2)) && c.Observers == 0
	},
}

// ofOneKind reports whether no node is two things in c.
func ofOneKind(c Configuration) bool {
	return c.Voters&c.Witnesses == 0 && c.Voters&c.Observers == 0 && c.Witnesses&c.Observers == 0
}

func votersOnly(c Configuration) bool { return c.Witnesses == 0 && c.Observers == 0 }

// set takes the operator of the given name for Cuts, First or Wanted.
func (c *cluster) set(constant, name string) error {
	all := upTo(c.n)
	topology, first, wanted := topologies[name], firsts[name], wanteds[name]
	switch {
	case constant == "Cuts" && topology != nil:
		for _, k := range topology(c.n) {
			if !slices.Contains(c.cuts, k) {
				c.cuts = append(c.cuts, k)
			}
		}
	case constant == "First" && first != nil:
		c.first = first(c.n)
		c.first.Version = 1
		if c.first.Members()&^all != 0 {
			return fmt.Errorf("changing: First <- %s has nodes above N = %d", name, c.n)
		}
	case constant == "Wanted" && wanted != nil:
		c.wanted = configurations(all, wanted)
	default:
		return noReplacement(constant, name)
	}
	return nil
}

// configurations returns those in which somebody of all votes, without a stamp, for which wanted is true.
func configurations(all Set, wanted func(Configuration, Set) bool) (confs []Configuration) {
	for _, voters := range subsets(all)[1:] {
		for _, witnesses := range subsets(all) {
			for _, observers := range subsets(all) {
				if c := (Configuration{Voters: voters, Witnesses: witnesses, Observers: observers}); wanted(c, all) {
					confs = append(confs, c)
				}
			}
		}
	}
	return confs
}
