package model

// Proofs of death (R41), and the replacements of the operators that tla/Cluster.tla adds to the rules of a node.

// nobodyProves says that no node is told that another is dead, unless a configuration says who may be.
func nobodyProves(*cluster, *clusterState, ID, ID) bool { return false }

// silent reports whether l keeps silent after a restart (R30).
func (s *clusterState) silent(l ID) bool {
	return s.node[l].Role == Electing && s.node[l].Leader == l
}

// timing are the replacements of what tla/Cluster.tla adds to the rules of a node, by operator, then by name.
var timing = map[string]map[string]func(*cluster){
	"LeaseOver": {
		"EndsByProofOnly": func(c *cluster) {
			c.leaseOver = func(_ *cluster, s *clusterState, i ID) bool { return s.node[i].Leader == None }
		},
	},
	"Pending": {
		"NobodyPending": func(c *cluster) { c.pending = func(*cluster, *clusterState, ID) bool { return false } },
	},
	"Watches": {
		"WatchesNobody": func(c *cluster) {
			c.watches = func(s *clusterState, i ID) bool { return watches(s, i) && s.node[i].Leader == None }
		},
	},
	"PatienceOver": {
		"AsksAtWill": func(c *cluster) {
			c.patienceOver = func(c *cluster, s *clusterState, i ID) bool {
				return s.node[i].Leader == None || patienceOver(c, s, i)
			}
		},
	},
	"Answered": {
		"HighestAlive": func(c *cluster) {
			c.answered = func(c *cluster, s *clusterState, i ID) bool {
				return s.quiet() || c.rules.mayClaim(i, s.node[i]) && s.up>>i <= 1
			}
		},
	},
	"MayBeEarly": {
		"IdleOnly": func(c *cluster) {
			c.mayBeEarly = func(s *clusterState, i ID) bool { return s.node[i].Role == Follower && s.node[i].Leader == None }
		},
	},
	"MayProve": {
		"Proofs":         proves(func(_ *cluster, s *clusterState, _, l ID) bool { return s.silent(l) }),
		"SilenceProves":  proves(func(c *cluster, s *clusterState, i, l ID) bool { return c.cuts[s.cut].has(l, i) }),
		"FaultProves":    proves(func(c *cluster, s *clusterState, _, _ ID) bool { return s.budget != c.budget }),
		"ProvesAnything": proves(func(*cluster, *clusterState, ID, ID) bool { return true }),
	},
}

// proves returns the replacement by which a node is told that another is dead if that one is down, or even if it is up.
func proves(even func(c *cluster, s *clusterState, i, l ID) bool) func(*cluster) {
	return func(c *cluster) {
		c.mayProve = func(c *cluster, s *clusterState, i, l ID) bool { return !s.up.Has(l) || even(c, s, i, l) }
	}
}
