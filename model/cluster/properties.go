package cluster

import (
	"github.com/seed-fdf591db/bully/model/explore"
	"github.com/seed-fdf591db/bully/model/rules"
)

// What is promised: the mirrors of the properties in tla/Cluster.tla; those of states that last come last, and those of
// tla/MCCluster.tla are in witnesses.go. A cfg names them. Each function reports whether the property holds.

var module = explore.Module[cluster, clusterState]{
	Name: "MCCluster",
	Invariants: map[string]func(c *cluster, s *clusterState) bool{
		"TypeOK":               typeOK,
		"OneLeaderPerEpoch":    oneLeaderPerEpoch,
		"OneActing":            oneActing,
		"OneConfiguration":     oneConfiguration,
		"LeaderIsElector":      leaderIsElector,
		"ConfigurationLearned": configurationLearned,
		"OutsidersUnheeded":    outsidersUnheeded,
		"LedWhenStill":         ledWhenStill,
		"HighestWhenStill":     highestWhenStill,
		"NamedWhenStill":       namedWhenStill,
		"NeverNamed":           neverNamed,
		"Calm":                 calm,
		"NeverTwoReigns":       neverTwoReigns,
		"NeverBackWithPromise": neverBackWithPromise,
		"NeverReplacedAlive":   neverReplacedAlive,
		"NeverSucceeded":       neverSucceeded,
		"NeverLeaderless":      neverLeaderless,
		"NeverLowerLeads":      neverLowerLeads,
		"NeverChangedTwice":    neverChangedTwice,
		"NeverLearnsRemoval":   neverLearnsRemoval,
		"NeverAddedLeads":      neverAddedLeads,
		"NeverPassedOver":      neverPassedOver,
		"NeverTwoInEpoch":      neverTwoInEpoch,
	},
	Steps: map[string]func(c *cluster, now, next *clusterState) bool{
		"EpochMonotonic":         epochMonotonic,
		"ConfigurationMonotonic": configurationMonotonic,
		"Refines":                refines,
		"OnlyVotersWin":          onlyVotersWin,
		"NoDisruption":           noDisruption,
		"NeverDemotedHandsOver":  neverDemotedHandsOver,
		"NeverDeposed":           neverDeposed,
	},
	Liveness: []string{
		"SomeLeader", "HighestLeads", "NobodyWithoutQuorum", "RemovedAtRest", "VotersLearn", "NeverSettled", "NeverLedByWitness",
	},
}

// every reports whether something holds of every node of a cluster.
func (c *cluster) every(holds func(i rules.ID) bool) bool {
	for i := rules.ID(1); i <= c.n; i++ {
		if !holds(i) {
			return false
		}
	}
	return true
}

// typeOK says that every value is one that its variable may have. What the Go types and the packed form say already is left
// out.
func typeOK(c *cluster, s *clusterState) bool {
	all := rules.UpTo(c.n)
	known := func(i rules.ID) bool { return i == rules.None || all.Has(i) }
	nodes := c.every(func(i rules.ID) bool {
		n := &s.node[i]
		return n.Role <= rules.Leader && known(n.Leader) && known(n.Grantee) && (n.Support|n.Conf.All())&^all == 0
	})
	for l := range c.links {
		q := &s.net[l]
		for _, p := range q.at[:q.n] {
			if p.kind() > rules.ImBack || c.unpackConf(p.conf()).All()&^all != 0 {
				return false
			}
		}
	}
	return nodes && s.everLed()&^all == 0 && s.up&^all == 0 && int(s.cut) < len(c.cuts)
}

// everLed returns all who came to lead so far.
func (s *clusterState) everLed() rules.Set {
	var ever smallSet
	for _, leaders := range s.reigns {
		ever |= leaders
	}
	return rules.Set(ever)
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

// acting returns the nodes that run and lead.
func (c *cluster) acting(s *clusterState) rules.Set {
	var acting rules.Set
	for is := s.up; is != 0; is &= is - 1 {
		if i := is.Lowest(); s.node[i].Role == rules.Leader {
			acting = acting.With(i)
		}
	}
	return acting
}

// oneActing says that no two nodes act as leader at the same moment.
func oneActing(c *cluster, s *clusterState) bool { return c.acting(s).Len() <= 1 }

// oneConfiguration says that an epoch and a version name one list of members, among all that nodes have and say.
func oneConfiguration(c *cluster, s *clusterState) bool {
	if c.static {
		return true // there is one
	}
	var named [MaxEpoch + 1][MaxVersion + 1]packedConf // 0 where there is none: of the empty one there is only one
	agrees := func(p packedConf) bool {
		known := &named[p&31][p>>5&31]
		if *known == 0 {
			*known = p
		}
		return *known == p
	}
	for l := range c.links {
		q := &s.net[l]
		for _, p := range q.at[:q.n] {
			if !agrees(p.conf()) {
				return false
			}
		}
	}
	return c.every(func(i rules.ID) bool { return agrees(packConf(s.node[i].Conf)) })
}

// leaderIsElector says that a leader is an elector of its configuration, which is of its epoch.
func leaderIsElector(c *cluster, s *clusterState) bool {
	return c.every(func(i rules.ID) bool {
		n := &s.node[i]
		return !s.up.Has(i) || n.Role != rules.Leader || c.rules.Electors(n.Conf).Has(i) && n.Conf.Epoch == n.Epoch
	})
}

// configurationLearned says that no node has a configuration of an epoch that it has not learned.
func configurationLearned(c *cluster, s *clusterState) bool {
	return c.every(func(i rules.ID) bool { return s.node[i].Conf.Epoch <= s.node[i].Epoch })
}

// epochMonotonic says that no node's epoch goes back.
func epochMonotonic(c *cluster, now, next *clusterState) bool {
	return c.every(func(i rules.ID) bool { return next.node[i].Epoch >= now.node[i].Epoch })
}

// configurationMonotonic says that no node's configuration gets older.
func configurationMonotonic(c *cluster, now, next *clusterState) bool {
	return c.every(func(i rules.ID) bool {
		before, after := now.node[i].Conf, next.node[i].Conf
		return after.Is(before) || after.Newer(before)
	})
}

// refines says that the step is one of module LeaderElection: nodes promise higher epochs, or one node comes to lead an epoch
// that nobody has led.
func refines(c *cluster, now, next *clusterState) bool {
	return epochMonotonic(c, now, next) &&
		(now.reigns == next.reigns || !c.every(func(i rules.ID) bool { return !c.comesToLead(i, now, next) }))
}

// comesToLead is Lead(i) of module LeaderElection, given that no epoch goes back.
func (c *cluster) comesToLead(i rules.ID, now, next *clusterState) bool {
	e := next.node[i].Epoch
	reigns := now.reigns
	reigns[e] = smallSet(rules.SetOf(i))
	alone := c.every(func(j rules.ID) bool { return j == i || next.node[j].Epoch == now.node[j].Epoch })
	return alone && now.reigns[e] == 0 && next.reigns == reigns
}

// onlyVotersWin says that who comes to lead is a voter.
func onlyVotersWin(c *cluster, now, next *clusterState) bool {
	return c.every(func(i rules.ID) bool {
		return now.node[i].Role == rules.Leader || next.node[i].Role != rules.Leader || next.node[i].Conf.Voters().Has(i)
	})
}

// newestOf returns the newest configuration that one of some nodes has.
func (s *clusterState) newestOf(nodes rules.Set) (newest rules.Configuration) {
	for ; nodes != 0; nodes &= nodes - 1 {
		if c := s.node[nodes.Lowest()].Conf; c.Newer(newest) {
			newest = c
		}
	}
	return newest
}

// reaching returns who runs and can be answered by a quorum, itself included, of the newest configuration within its reach; and of
// these the voters of that configuration, who are eligible.
func (c *cluster) reaching(s *clusterState) (reaching, eligible rules.Set) {
	for is := s.up; is != 0; is &= is - 1 {
		i := is.Lowest()
		within := c.reach(s, i)
		newest := s.newestOf(within)
		if !c.rules.IsQuorum(newest, within) {
			continue
		}
		reaching = reaching.With(i)
		if newest.Voters().Has(i) {
			eligible = eligible.With(i)
		}
	}
	return reaching, eligible
}

func (c *cluster) eligible(s *clusterState) rules.Set {
	_, eligible := c.reaching(s)
	return eligible
}

// noDisruption says that a leader that reaches a quorum of its configuration stops leading only by its own will, by a crash, or because
// of a higher epoch, which it promises or learns, and another node was promised.
func noDisruption(c *cluster, now, next *clusterState) bool {
	return c.every(func(l rules.ID) bool { return !c.deposed(l, now, next) || c.hasRival(l, now, next) })
}

// deposed reports whether l, which leads and reaches a quorum, stops leading though it runs and was not told to resign.
func (c *cluster) deposed(l rules.ID, now, next *clusterState) bool {
	return now.node[l].Role == rules.Leader && next.node[l].Role != rules.Leader && c.rules.IsQuorum(now.node[l].Conf, c.reach(now, l)) &&
		next.up.Has(l) && next.budget[resign] == now.budget[resign]
}

// hasRival reports whether l's epoch is a higher one now, and somebody has promised that, or one above it, to another node: to one that
// reaches a quorum, or is down. It was a voter when it claimed.
func (c *cluster) hasRival(l rules.ID, now, next *clusterState) bool {
	epoch := next.node[l].Epoch
	reaching, _ := c.reaching(now)
	rivals := (reaching | rules.UpTo(c.n)&^now.up).Without(l)
	return epoch > now.node[l].Epoch && !c.every(func(j rules.ID) bool {
		n := &next.node[j]
		return n.Epoch < epoch || !rivals.Has(n.Grantee)
	})
}

// outsidersUnheeded says that a message that is not between members would change nothing but the configuration of who hears it.
func outsidersUnheeded(c *cluster, s *clusterState) bool {
	for l := range c.links {
		arriving := s.net[l].n
		if !c.kept {
			arriving = min(arriving, 1)
		}
		for k := range arriving {
			if m := c.message(s, l, k); s.up.Has(m.To) && !c.unheededIfOutside(s.node[m.To], m) {
				return false
			}
		}
	}
	return true
}

// unheededIfOutside reports whether m is between members, or else changes nothing of who hears it, in state s, but what it adopts.
func (c *cluster) unheededIfOutside(s rules.State, m rules.Message) bool {
	adopted := c.rules.Adopted(s, m)
	members := adopted.Conf.All()
	return members.Has(m.From) && members.Has(m.To) || c.rules.Hear(m.To, s, m).State.Is(adopted)
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
