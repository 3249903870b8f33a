package cluster

import (
	"fmt"

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
	"TwoAndWitness": func(rules.ID) rules.Members {
		return rules.Members{Voters: rules.UpTo(2), Witnesses: rules.SetOf(3)}
	},
}

func voters(n rules.ID) func(rules.ID) rules.Members {
	return func(rules.ID) rules.Members { return rules.Members{Voters: rules.UpTo(n)} }
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
