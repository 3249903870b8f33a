package cluster

import (
	"github.com/seed-fdf591db/bully/model/rules"
)

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
