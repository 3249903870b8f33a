package cluster

import "github.com/seed-fdf591db/bully/model/rules"

// There is no clock. A timer is on time when what it waits for can no longer come; one that ends too soon is a fault, and
// costs one of the budget. spec/README.md turns what is said here into times (R37).

// timing is what tla/Cluster.tla says of when timers end and proofs come, and what a configuration may replace.
type timing struct {
	leaseOver   func(c *cluster, s *clusterState, i rules.ID) bool
	pending     func(c *cluster, s *clusterState, i rules.ID) bool
	answered    func(c *cluster, s *clusterState, i rules.ID) bool
	mayBeEarly  func(s *clusterState, i rules.ID) bool
	mayProve    func(c *cluster, s *clusterState, i, l rules.ID) bool   // whether node i may be told that node l is dead
	nameable    func(c *cluster, s *clusterState, i rules.ID) rules.Set // whom leader i may be told to name as it resigns
	namesNobody bool                                                    // whether it may be told to resign without
}

// onTime is the timing as it is: nobody is told that another is dead, or told to name another, unless a configuration says who may be.
var onTime = timing{
	leaseOver: leaseOver, pending: pending,
	answered:    (*cluster).arrived,
	mayBeEarly:  func(*clusterState, rules.ID) bool { return true },
	mayProve:    func(*cluster, *clusterState, rules.ID, rules.ID) bool { return false },
	nameable:    func(*cluster, *clusterState, rules.ID) rules.Set { return 0 },
	namesNobody: true,
}

// timings are the replacements, by operator, then by name, as in tla/MCCluster.tla.
var timings = map[string]map[string]func(*timing){
	"LeaseOver": {
		"EndsByProofOnly": func(t *timing) {
			t.leaseOver = func(_ *cluster, s *clusterState, i rules.ID) bool { return s.node[i].Leader == rules.None }
		},
	},
	"Pending": {
		"NobodyPending":  func(t *timing) { t.pending = func(*cluster, *clusterState, rules.ID) bool { return false } },
		"PassesTheNamed": func(t *timing) { t.pending = stands },
	},
	"Nameable": {
		"NobodyOrAny": func(t *timing) {
			t.nameable = func(c *cluster, _ *clusterState, _ rules.ID) rules.Set { return rules.UpTo(c.n) }
		},
		"TheLowest": func(t *timing) {
			t.namesNobody = false
			t.nameable = func(c *cluster, s *clusterState, i rules.ID) rules.Set {
				if s.quiet() && c.leads(s, i) {
					return rules.SetOf(1)
				}
				return 0
			}
		},
	},
	"Answered": {
		"HigherDead": func(t *timing) {
			t.answered = func(c *cluster, s *clusterState, i rules.ID) bool {
				return c.arrived(s, i) || c.rules.MayClaim(i, s.node[i]) && c.higherDead(s, i)
			}
		},
	},
	"MayBeEarly": {
		"IdleOnly": func(t *timing) {
			t.mayBeEarly = func(s *clusterState, i rules.ID) bool {
				return s.node[i].Role == rules.Follower && s.node[i].Leader == rules.None
			}
		},
	},
	"MayProve": {
		"Down":           proves(func(*cluster, *clusterState, rules.ID, rules.ID) bool { return false }),
		"Proofs":         proves(func(_ *cluster, s *clusterState, _, l rules.ID) bool { return s.silent(l) }),
		"SilenceProves":  proves(func(c *cluster, s *clusterState, i, l rules.ID) bool { return c.cuts[s.cut].has(l, i) }),
		"FaultProves":    proves(func(c *cluster, s *clusterState, _, _ rules.ID) bool { return s.budget != c.budget }),
		"ProvesAnything": proves(func(*cluster, *clusterState, rules.ID, rules.ID) bool { return true }),
	},
}

// proves returns the replacement by which a node is told that another is dead if that one is down, or even if it is up.
func proves(even func(c *cluster, s *clusterState, i, l rules.ID) bool) func(*timing) {
	return func(t *timing) {
		t.mayProve = func(c *cluster, s *clusterState, i, l rules.ID) bool { return !s.up.Has(l) || even(c, s, i, l) }
	}
}

// silent reports whether l keeps silent after a restart (R30).
func (s *clusterState) silent(l rules.ID) bool {
	return s.node[l].Role == rules.Electing && s.node[l].Leader == l
}

// reach returns the nodes that run and that i and they hear each other, i included if it runs.
func (c *cluster) reach(s *clusterState, i rules.ID) rules.Set { return s.up & c.near[s.cut][i] }

// heard returns the nodes that what i sends gets on its way to.
func (c *cluster) heard(s *clusterState, i rules.ID) rules.Set {
	if c.kept {
		return rules.UpTo(c.n) &^ c.cuts[s.cut][i]
	}
	return s.up &^ c.cuts[s.cut][i]
}

// carries reports whether what is sent from i to j in s gets on its way.
func (c *cluster) carries(s *clusterState, i, j rules.ID) bool { return c.heard(s, i).Has(j) }

// follows reports whether j follows l in l's epoch.
func (s *clusterState) follows(j, l rules.ID) bool {
	n := &s.node[j]
	return n.Role == rules.Follower && n.Leader == l && n.Epoch == s.node[l].Epoch
}

// backed reports whether a quorum would answer what leader l asks next.
func (c *cluster) backed(s *clusterState, l rules.ID) bool {
	backers := rules.SetOf(l)
	leader := &s.node[l]
	for js := c.reach(s, l); js != 0; js &= js - 1 {
		j := js.Lowest()
		n := &s.node[j]
		if n.Epoch <= leader.Epoch && !n.Conf.Newer(leader.Conf) && c.rules.Meets(j, l, leader.Conf) {
			backers = backers.With(j)
		}
	}
	return c.rules.IsQuorum(leader.Conf, backers)
}

// tells reports whether what l says as leader reaches i.
func (c *cluster) tells(s *clusterState, l, i rules.ID) bool {
	return !c.cuts[s.cut].has(l, i) && s.node[l].Conf.All().Has(i)
}

// owed reports whether a leader whose heartbeats reach i still owes it one.
func (c *cluster) owed(s *clusterState, i rules.ID) bool {
	for ls := s.up.Without(i); ls != 0; ls &= ls - 1 {
		l := ls.Lowest()
		if s.node[l].Role == rules.Leader && c.tells(s, l, i) && !s.follows(i, l) {
			return true
		}
	}
	return false
}

// around reports whether nothing is under way to node i, or from it.
func (s *clusterState) around(c *cluster, i rules.ID) bool {
	for j := rules.ID(1); j <= c.n; j++ {
		if j != i && (s.net[c.index[i][j]].n != 0 || s.net[c.index[j][i]].n != 0) {
			return false
		}
	}
	return true
}

// arrived reports whether what was sent to node i, and by it, has arrived: with it all answers.
func (c *cluster) arrived(s *clusterState, i rules.ID) bool { return c.free || s.around(c, i) }

// higherDead reports whether i may have been told of all higher members that they are dead: each is down, or back and silent.
func (c *cluster) higherDead(s *clusterState, i rules.ID) bool {
	conf := s.node[i].Conf
	for js := conf.All() & s.up; js != 0; js &= js - 1 {
		if j := js.Lowest(); conf.Higher(j, i) && !s.silent(j) {
			return false
		}
	}
	return true
}

// held reports whether others than i acknowledge l, and make a quorum for it. Who has granted an earlier claim of l keeps its lease too,
// and does not.
func (c *cluster) held(s *clusterState, l, i rules.ID) bool {
	holders := rules.SetOf(l)
	for js := c.reach(s, l).Without(i); js != 0; js &= js - 1 {
		j := js.Lowest()
		if n := &s.node[j]; n.Leader == l && n.Role != rules.Electing && n.Epoch == s.node[l].Epoch {
			holders = holders.With(j)
		}
	}
	return c.rules.IsQuorum(s.node[l].Conf, holders)
}

// leaseOver reports whether the lease that i keeps is over: its holder cannot lead on the strength of it. Who is told by the holder of
// its lease that it leads on keeps that lease, though heartbeats that only renew are left out.
func leaseOver(c *cluster, s *clusterState, i rules.ID) bool {
	if s.node[i].Leader == rules.None {
		return true
	}
	for ks := s.up.Without(i); ks != 0; ks &= ks - 1 {
		k := ks.Lowest()
		n := &s.node[k]
		switch {
		case n.Role == rules.Claimant && n.Asked <= s.since[i][k]:
			return false
		case n.Role == rules.Leader && (n.Dated <= s.since[i][k] || k == s.node[i].Leader && c.tells(s, k, i)):
			return false
		}
	}
	return true
}

// pending reports whether somebody within reach of i claims, or is about to.
func pending(c *cluster, s *clusterState, i rules.ID) bool {
	return stands(c, s, i) || c.called(s)&c.reach(s, i).Without(i) != 0
}

// stands reports whether somebody within reach of i is a candidate or a claimant.
func stands(c *cluster, s *clusterState, i rules.ID) bool {
	for js := c.reach(s, i).Without(i); js != 0; js &= js - 1 {
		j := js.Lowest()
		n := &s.node[j]
		if n.Role == rules.Claimant || n.Role == rules.Candidate {
			return true
		}
	}
	return false
}

// called returns to whom a RESIGN is under way that names it: it is to claim (R51).
func (c *cluster) called(s *clusterState) (called rules.Set) {
	for l, ends := range c.links {
		q := &s.net[l]
		for _, p := range q.at[:q.n] {
			if p.kind() == rules.Resign && p.names() == ends.to {
				called = called.With(ends.to)
			}
		}
	}
	return called
}

// patienceOver reports whether no heartbeat can come to i any more, and its lease is over.
func (c *cluster) patienceOver(s *clusterState, i rules.ID) bool {
	if !c.lapsed(s, i) {
		return false
	}
	if c.free {
		return s.node[i].Leader == rules.None || c.tooSoon || c.expired(s, i)
	}
	return s.around(c, i) && !c.owed(s, i) && !c.timing.pending(c, s, i) && c.timing.leaseOver(c, s, i)
}

// coordinationOver reports whether whoever i, which is electing, waited for will not deliver.
func (c *cluster) coordinationOver(s *clusterState, i rules.ID) bool {
	if !c.lapsed(s, i) {
		return false
	}
	if c.free {
		return c.tooSoon || c.expired(s, i)
	}
	return s.around(c, i) && !c.owed(s, i) && !c.timing.pending(c, s, i) && c.timing.leaseOver(c, s, i)
}

// inNeed returns the nodes that a heartbeat of leader i would change; or all that hear it, where somebody waits for its numbers.
func (c *cluster) inNeed(s *clusterState, i rules.ID) (inNeed rules.Set) {
	leader := &s.node[i]
	all := c.awaited(s, i)
	for js := s.up & c.heard(s, i).Without(i) & leader.Conf.All(); js != 0; js &= js - 1 {
		if j := js.Lowest(); all || !s.follows(j, i) || !s.node[j].Conf.Is(leader.Conf) {
			inNeed = inNeed.With(j)
		}
	}
	return inNeed
}

// awaited reports whether somebody whom leader l does not tell waits until l acts on a later question, and others can renew its reign.
func (c *cluster) awaited(s *clusterState, l rules.ID) bool {
	for is := s.up.Without(l); is != 0; is &= is - 1 {
		i := is.Lowest()
		n := &s.node[i]
		if (n.Role == rules.Follower || n.Role == rules.Electing) && n.Leader != rules.None && s.node[l].Dated <= s.since[i][l] &&
			!c.tells(s, l, i) && c.held(s, l, i) {
			return true
		}
	}
	return false
}

// What becomes of a cluster in the end, said of the states that last: the mirrors of Still and what is built on it in
// tla/Cluster.tla. The explorer does not check liveness, but a cluster that is stuck it finds.

// still reports whether nothing is under way, and no timer is due: but for faults, the state lasts for ever.
func (c *cluster) still(s *clusterState) bool {
	if !s.quiet() {
		return false
	}
	for is := s.up; is != 0; is &= is - 1 {
		if c.isDue(s, is.Lowest()) {
			return false
		}
	}
	return true
}

// isDue reports whether a timer of node i ends next on time, in a state in which nothing is under way.
func (c *cluster) isDue(s *clusterState, i rules.ID) bool {
	n := &s.node[i]
	runs := func(t rules.Timer) bool { return !c.never[t] && c.rules.Runs(i, *n, t) }
	switch {
	case runs(rules.ElectionTimer) || runs(rules.ClaimTimer) || runs(rules.PreemptTimer):
		return true
	case n.Role == rules.Leader:
		return runs(rules.ReignTimer) && !c.backed(s, i) || runs(rules.HeartbeatTimer) && c.inNeed(s, i) != 0
	case n.Role == rules.Electing:
		return runs(rules.CoordinatorTimer) && c.coordinationOver(s, i)
	case !runs(rules.PatienceTimer) || !c.patienceOver(s, i):
		return false
	}
	step := c.rules.Timeout(i, *n, rules.PatienceTimer)
	c.keepHeeded(s, i, &step)
	return step.Len() > 0 || !step.State.Is(*n)
}

// leads reports whether l leads, every member within its reach keeps its lease in its epoch, and holds its configuration, and it
// is eligible; or would be, but that it was made a witness: then it leads on until it hands over, or is told to resign (R47).
func (c *cluster) leads(s *clusterState, l rules.ID) bool {
	leader := &s.node[l]
	within := c.reach(s, l)
	newest := s.newestOf(within)
	if leader.Role != rules.Leader || !(newest.Voters() | newest.Witnesses()).Has(l) || !c.rules.IsQuorum(newest, within) {
		return false
	}
	for js := within & leader.Conf.All(); js != 0; js &= js - 1 {
		if n := &s.node[js.Lowest()]; n.Leader != l || n.Epoch != leader.Epoch || !n.Conf.Is(leader.Conf) {
			return false
		}
	}
	return true
}

// ledWhenStill says that of a state that lasts somebody who is eligible leads, and nobody else acts; unless nobody is eligible.
func ledWhenStill(c *cluster, s *clusterState) bool {
	if !c.still(s) || c.eligible(s) == 0 {
		return true
	}
	acting := c.acting(s)
	return acting.Len() == 1 && c.leads(s, acting.Lowest())
}

// namedWhenStill says that once the leader has resigned, where it is to name the lowest, that one leads in a state that lasts. R51.
func namedWhenStill(c *cluster, s *clusterState) bool {
	return s.budget[resign] != 0 || s.node[1].Role == rules.Leader || !c.still(s)
}

// highestIs reports whether l is the highest of the eligible, by the newest configuration within its reach.
func (c *cluster) highestIs(s *clusterState, l rules.ID, eligible rules.Set) bool {
	return s.newestOf(c.reach(s, l)).Highest(l, eligible)
}

// highestWhenStill says that in a state that lasts the highest of the eligible leads, if every node reaches all of them, or
// none.
func highestWhenStill(c *cluster, s *clusterState) bool {
	eligible := c.eligible(s)
	if eligible == 0 || !c.still(s) {
		return true
	}
	for is := s.up; is != 0; is &= is - 1 {
		if within := eligible & c.reach(s, is.Lowest()); within != 0 && within != eligible {
			return true
		}
	}
	for ls := eligible; ls != 0; ls &= ls - 1 {
		if l := ls.Lowest(); c.highestIs(s, l, eligible) && !c.leads(s, l) {
			return false
		}
	}
	return true
}
