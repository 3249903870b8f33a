package members

import "slices"

// invariants are the invariants that a configuration may name.
var invariants = map[string]func(y *system, s *state) bool{
	"TypeOK":            (*system).typeOK,
	"OneLeaderPerEpoch": (*system).oneLeaderPerEpoch,
	"OneConfiguration":  (*system).oneConfiguration,
	"ConfigurationIsPromised": func(y *system, s *state) bool {
		return y.allNodes(func(i node) bool { return s.conf[i].epoch <= s.epoch[i] })
	},
	"LeaderIsElector": func(y *system, s *state) bool {
		return y.allLeaders(s, func(i node) bool { return s.conf[i].electors().has(i) })
	},
	"LeaderIsStamped": func(y *system, s *state) bool {
		return y.allLeaders(s, func(i node) bool { return s.conf[i].epoch == s.epoch[i] })
	},
	"NeverReplaced": func(y *system, s *state) bool {
		return y.allLeaders(s, func(i node) bool { return s.conf[i].electors()&y.start != 0 })
	},
	"NeverWitnessLeads": func(y *system, s *state) bool {
		return y.allLeaders(s, func(i node) bool { return s.conf[i].voters.has(i) })
	},
	"NeverTwoLead": func(y *system, s *state) bool {
		return y.allLeaders(s, func(i node) bool {
			return y.allLeaders(s, func(j node) bool { return s.conf[i].voters == s.conf[j].voters })
		})
	},
}

// stepProperties are the properties of steps that a configuration may name.
var stepProperties = map[string]func(y *system, now, next *state) bool{
	"EpochMonotonic":         (*system).epochMonotonic,
	"ConfigurationMonotonic": (*system).configurationMonotonic,
	"Refines":                (*system).refines,
}

// Check implements explore.Expander.
func (x *stepper) Check(packed []byte) string {
	x.unpackInto(&x.now, packed)
	return x.Broken(x.system, &x.now)
}

// allNodes reports whether what is asked holds for every node.
func (y *system) allNodes(holds func(i node) bool) bool {
	for i := node(1); i <= y.n; i++ {
		if !holds(i) {
			return false
		}
	}
	return true
}

// allLeaders reports whether what is asked holds for every node that leads.
func (y *system) allLeaders(s *state, holds func(i node) bool) bool {
	return y.allNodes(func(i node) bool { return !s.leads.has(i) || holds(i) })
}

// typeOK checks what the packed form leaves open.
func (y *system) typeOK(s *state) bool {
	for _, c := range s.made {
		if c != (configuration{}) && !y.isValid(c) {
			return false
		}
	}
	return y.allNodes(func(i node) bool {
		return s.support[i]&^y.all == 0 && slices.Contains(s.made, s.conf[i])
	})
}

// isValid reports whether c is well-formed. The empty configuration is too, and is not asked about.
func (y *system) isValid(c configuration) bool {
	return c.electors()&^y.all == 0 && c.voters&c.witnesses == 0 && c.voters != 0 && c.version > 0
}

func (y *system) oneLeaderPerEpoch(s *state) bool {
	for _, leaders := range s.reigns {
		if leaders.size() > 1 {
			return false
		}
	}
	return true
}

// oneConfiguration looks at neighbours only: made is ordered by epoch and version first.
func (y *system) oneConfiguration(s *state) bool {
	for k, c := range s.made {
		if k > 0 && c.epoch == s.made[k-1].epoch && c.version == s.made[k-1].version {
			return false
		}
	}
	return true
}

func (y *system) epochMonotonic(now, next *state) bool {
	return y.allNodes(func(i node) bool { return next.epoch[i] >= now.epoch[i] })
}

func (y *system) configurationMonotonic(now, next *state) bool {
	return y.allNodes(func(i node) bool { return next.conf[i] == now.conf[i] || next.conf[i].newer(now.conf[i]) })
}

// refines reports whether the step is one that LeaderElection allows: Rise, or Lead of some node.
func (y *system) refines(now, next *state) bool {
	if now.reigns == next.reigns {
		return y.epochMonotonic(now, next)
	}
	return !y.allNodes(func(i node) bool { return !y.isLead(now, next, i) })
}

// isLead reports whether the step is LeaderElection's Lead(i).
func (y *system) isLead(now, next *state, i node) bool {
	e := next.epoch[i]
	wanted := now.reigns
	wanted[e] |= only(i)
	return e >= now.epoch[i] && now.reigns[e] == 0 && next.reigns == wanted &&
		y.allNodes(func(j node) bool { return j == i || next.epoch[j] == now.epoch[j] })
}
