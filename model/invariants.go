package model

// What is promised, and what must be reachable: the twins of the properties in tla/Cluster.tla and tla/MCCluster.tla. A cfg
// names them. Each function reports whether the property holds.

// An invariant is a property of states.
type invariant struct {
	name  string
	holds func(c *cluster, s *clusterState) bool
}

var invariants = []invariant{
	{"TypeOK", typeOK},
	{"OneLeaderPerEpoch", oneLeaderPerEpoch},
	{"OneActing", oneActing},
	{"Calm", calm},
	{"NeverTwoReigns", neverTwoReigns},
	{"NeverBackWithPromise", neverBackWithPromise},
	{"NeverReplacedAlive", neverReplacedAlive},
	{"NeverSucceeded", neverSucceeded},
	{"NeverLeaderless", neverLeaderless},
	{"NeverLowerLeads", neverLowerLeads},
}

// A stepProperty is a property of steps, from now to next.
type stepProperty struct {
	name  string
	holds func(c *cluster, now, next *clusterState) bool
}

var stepProperties = []stepProperty{
	{"EpochMonotonic", epochMonotonic},
	{"NoDisruption", noDisruption},
	{"Refines", refines},
	{"NeverDeposed", neverDeposed},
}

// liveness are the properties that only TLC can check.
var liveness = []string{"SomeLeader", "HighestLeads", "NeverSettled"}

// typeOK says that every value is one that its variable may have. What the Go types say already is left out.
func typeOK(c *cluster, s *clusterState) bool {
	all := upTo(c.rules.n)
	known := func(i ID) bool { return i == None || all.Has(i) }
	for i := ID(1); i <= c.rules.n; i++ {
		n := &s.node[i]
		if n.Role > Leader || !known(n.Leader) || !known(n.Grantee) || n.Support&^all != 0 {
			return false
		}
	}
	for l := range c.links {
		q := &s.net[l]
		for _, p := range q.at[:q.n] {
			if p.kind > ImBack {
				return false
			}
		}
	}
	for _, leaders := range s.reigns {
		if leaders&^all != 0 {
			return false
		}
	}
	return s.up&^all == 0 && int(s.cut) < len(c.cuts)
}

// oneLeaderPerEpoch says that at most one node ever came to lead in an epoch.
func oneLeaderPerEpoch(_ *cluster, s *clusterState) bool {
	for _, leaders := range s.reigns {
		if leaders&(leaders-1) != 0 {
			return false
		}
	}
	return true
}

// oneActing says that no two nodes act as leader at the same moment.
func oneActing(c *cluster, s *clusterState) bool { return c.acting(s).Len() <= 1 }

// acting returns the nodes that run and lead.
func (c *cluster) acting(s *clusterState) Set {
	var acting Set
	for i := ID(1); i <= c.rules.n; i++ {
		if s.up.Has(i) && s.node[i].Role == Leader {
			acting = acting.With(i)
		}
	}
	return acting
}

// calm says that epochs stay low, as they must without faults.
func calm(c *cluster, s *clusterState) bool {
	for i := ID(1); i <= c.rules.n; i++ {
		if s.node[i].Epoch > 7 {
			return false
		}
	}
	return true
}

// epochMonotonic says that no node's epoch goes back.
func epochMonotonic(c *cluster, now, next *clusterState) bool {
	for i := ID(1); i <= c.rules.n; i++ {
		if next.node[i].Epoch < now.node[i].Epoch {
			return false
		}
	}
	return true
}

// eligible returns the nodes that run and that a quorum, themselves included, can answer.
func (c *cluster) eligible(s *clusterState) Set {
	var eligible Set
	for i := ID(1); i <= c.rules.n; i++ {
		if s.up.Has(i) && c.rules.isQuorum(c.reach(s, i)) {
			eligible = eligible.With(i)
		}
	}
	return eligible
}

// noDisruption says that a leader that reaches a quorum stops leading by its own will, by a crash, or because of another node
// that reaches a quorum.
func noDisruption(c *cluster, now, next *clusterState) bool {
	for l := ID(1); l <= c.rules.n; l++ {
		if c.deposed(l, now, next) && !c.hasRival(l, now, next) {
			return false
		}
	}
	return true
}

// deposed reports whether l, which leads and reaches a quorum, stops leading though it runs and was not told to resign.
func (c *cluster) deposed(l ID, now, next *clusterState) bool {
	return now.node[l].Role == Leader && next.node[l].Role != Leader && c.eligible(now).Has(l) &&
		next.up.Has(l) && next.budget[resign] == now.budget[resign]
}

// hasRival reports whether another node that reaches a quorum is handed over to by l, or claims, or has promised, a higher
// epoch than l's.
func (c *cluster) hasRival(l ID, now, next *clusterState) bool {
	for rs := c.eligible(now).Without(l); rs != 0; rs &= rs - 1 {
		r := rs.lowest()
		e := now.node[r].Epoch
		if now.node[r].Role == Claimant {
			e++
		}
		if e > now.node[l].Epoch || next.node[l].Grantee == r {
			return true
		}
	}
	return false
}

// refines says that the step is one of module LeaderElection: nodes promise higher epochs, or one node comes to lead an epoch
// that nobody has led.
func refines(c *cluster, now, next *clusterState) bool {
	if !epochMonotonic(c, now, next) {
		return false
	}
	if now.reigns == next.reigns {
		return true
	}
	for i := ID(1); i <= c.rules.n; i++ {
		if c.comesToLead(i, now, next) {
			return true
		}
	}
	return false
}

// comesToLead is Lead(i) of module LeaderElection, given that no epoch goes back.
func (c *cluster) comesToLead(i ID, now, next *clusterState) bool {
	for j := ID(1); j <= c.rules.n; j++ {
		if j != i && next.node[j].Epoch != now.node[j].Epoch {
			return false
		}
	}
	e := next.node[i].Epoch
	reigns := now.reigns
	reigns[e] = SetOf(i)
	return now.reigns[e] == 0 && next.reigns == reigns
}

// The witnesses in tla/MCCluster.tla: each must fail, and so shows that something which a promise speaks of does happen.

// neverTwoReigns says that nobody ever succeeds another.
func neverTwoReigns(_ *cluster, s *clusterState) bool { return s.everLed().Len() <= 1 }

// everLed returns all who came to lead so far.
func (s *clusterState) everLed() Set {
	var ever Set
	for _, leaders := range s.reigns {
		ever |= leaders
	}
	return ever
}

// neverBackWithPromise says that no node restarts with a promise.
func neverBackWithPromise(c *cluster, s *clusterState) bool {
	for i := ID(1); i <= c.rules.n; i++ {
		n := &s.node[i]
		if s.up.Has(i) && n.Leader == i && n.Role == Electing && n.Epoch > 0 {
			return false
		}
	}
	return true
}

// neverReplacedAlive says that nobody acts while one that led before, and leads no more, runs.
func neverReplacedAlive(c *cluster, s *clusterState) bool {
	acting := c.acting(s)
	return acting == 0 || s.everLed()&s.up&^acting == 0
}

// neverSucceeded says that nobody acts while one that led before is down.
func neverSucceeded(c *cluster, s *clusterState) bool {
	return s.everLed()&^s.up == 0 || c.acting(s) == 0
}

// neverLeaderless says that a leader is not lost while a quorum is left and no fault is to come.
func neverLeaderless(c *cluster, s *clusterState) bool {
	return s.everLed() == 0 || c.acting(s) != 0 || c.eligible(s) == 0 || s.budget != [faults]uint8{}
}

// neverLowerLeads says that no node leads all within its reach while a higher one could.
func neverLowerLeads(c *cluster, s *clusterState) bool {
	eligible := c.eligible(s)
	for l := ID(1); l <= c.rules.n; l++ {
		if eligible.Has(l) && c.leads(s, l) && eligible>>l > 1 {
			return false
		}
	}
	return true
}

// leads reports whether l leads, and everybody within its reach keeps its lease in its epoch.
func (c *cluster) leads(s *clusterState, l ID) bool {
	for js := c.reach(s, l); js != 0; js &= js - 1 {
		n := &s.node[js.lowest()]
		if n.Leader != l || n.Epoch != s.node[l].Epoch {
			return false
		}
	}
	return s.node[l].Role == Leader
}

// neverDeposed says that no leader that reaches a quorum stops leading.
func neverDeposed(c *cluster, now, next *clusterState) bool {
	for l := ID(1); l <= c.rules.n; l++ {
		if c.deposed(l, now, next) {
			return false
		}
	}
	return true
}
