package cluster

import (
	"github.com/seed-fdf591db/bully/model/explore"
	"github.com/seed-fdf591db/bully/model/rules"
)

// What is promised: the mirrors of the properties in tla/Cluster.tla, and the witnesses in tla/MCCluster.tla. Those of states that last are
// with when timers are due, in ontime.go. A cfg names them. Each function reports whether the property holds.

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

// The witnesses in tla/MCCluster.tla: each must fail, and so shows that something which a promise speaks of does
// happen.

// neverChangedTwice says that no second change follows on one that is settled.
func neverChangedTwice(c *cluster, s *clusterState) bool {
	return c.every(func(i rules.ID) bool { return s.node[i].Conf.Version < c.first.Version+2 })
}

// neverLearnsRemoval says that no first member that runs learns that it is one no more.
func neverLearnsRemoval(c *cluster, s *clusterState) bool {
	return c.every(func(i rules.ID) bool {
		return !c.first.All().Has(i) || !s.up.Has(i) || s.node[i].Conf.All().Has(i)
	})
}

// neverAddedLeads says that only first members come to lead.
func neverAddedLeads(c *cluster, s *clusterState) bool { return s.everLed()&^c.first.All() == 0 }

// neverPassedOver says that no leader has a configuration that is newer than one of a later version.
func neverPassedOver(c *cluster, s *clusterState) bool {
	acting := c.acting(s)
	return c.every(func(j rules.ID) bool {
		known := s.node[j].Conf
		return c.every(func(i rules.ID) bool {
			conf := s.node[i].Conf
			return !acting.Has(i) || !conf.Newer(known) || conf.Version >= known.Version
		})
	})
}

// neverTwoInEpoch says that no two configurations are held in one epoch, but for the empty one.
func neverTwoInEpoch(c *cluster, s *clusterState) bool {
	return c.every(func(i rules.ID) bool {
		conf := s.node[i].Conf
		return c.every(func(j rules.ID) bool {
			other := s.node[j].Conf
			return conf.Is(other) || conf.All() == 0 || other.All() == 0 || conf.Epoch != other.Epoch
		})
	})
}

// neverDemotedHandsOver says that no leader that was made a witness hands over.
func neverDemotedHandsOver(c *cluster, now, next *clusterState) bool {
	return c.every(func(i rules.ID) bool {
		n := &now.node[i]
		return !now.up.Has(i) || n.Role != rules.Leader || !n.Conf.Witnesses().Has(i) || next.node[i].Role != rules.Electing
	})
}

// neverDeposed says that no leader that reaches a quorum stops leading but by its own will or by a crash.
func neverDeposed(c *cluster, now, next *clusterState) bool {
	return c.every(func(l rules.ID) bool { return !c.deposed(l, now, next) })
}

// calm says that epochs stay low, as they must without faults: a bound, where a mutant would run away.
func calm(c *cluster, s *clusterState) bool {
	return c.every(func(i rules.ID) bool { return s.node[i].Epoch <= 7 })
}

// neverTwoReigns says that nobody ever succeeds another.
func neverTwoReigns(_ *cluster, s *clusterState) bool { return s.everLed().Len() <= 1 }

// neverBackWithPromise says that no node restarts with a promise.
func neverBackWithPromise(c *cluster, s *clusterState) bool {
	return c.every(func(i rules.ID) bool { return !s.up.Has(i) || !s.silent(i) || s.node[i].Epoch == 0 })
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

// neverNamed says that no message under way names a node.
func neverNamed(c *cluster, s *clusterState) bool {
	for l := range c.links {
		q := &s.net[l]
		for _, p := range q.at[:q.n] {
			if p.names() != rules.None {
				return false
			}
		}
	}
	return true
}

// neverLeaderless says that a leader is not lost while a quorum is left and no fault is to come.
func neverLeaderless(c *cluster, s *clusterState) bool {
	left := s.budget
	left[ask], left[heartbeat] = 0, 0 // are no faults
	return s.everLed() == 0 || c.acting(s) != 0 || c.eligible(s) == 0 || left != [faults]uint8{}
}

// neverLowerLeads says that no node leads all within its reach while a higher one could.
func neverLowerLeads(c *cluster, s *clusterState) bool {
	eligible := c.eligible(s)
	return c.every(func(l rules.ID) bool { return !eligible.Has(l) || c.highestIs(s, l, eligible) || !c.leads(s, l) })
}
