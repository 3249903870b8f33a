package changing

import "github.com/seed-fdf591db/bully/model"

// The witnesses in tla/MCChangingCluster.tla: each must fail, and so shows that something which a promise speaks of does
// happen.

// neverChangedTwice says that no second change follows on one that is settled.
func neverChangedTwice(c *cluster, s *clusterState) bool {
	return c.every(func(i ID) bool { return s.node[i].Conf.Version < c.first.Version+2 })
}

// neverLearnsRemoval says that no first member that runs learns that it is one no more.
func neverLearnsRemoval(c *cluster, s *clusterState) bool {
	return c.every(func(i ID) bool {
		return !c.first.Members().Has(i) || !s.up.Has(i) || s.node[i].Conf.Members().Has(i)
	})
}

// neverAddedLeads says that only first members come to lead.
func neverAddedLeads(c *cluster, s *clusterState) bool { return s.everLed()&^c.first.Members() == 0 }

// neverPassedOver says that no leader has a configuration that is newer than one of a later version.
func neverPassedOver(c *cluster, s *clusterState) bool {
	acting := c.acting(s)
	return c.every(func(j ID) bool {
		known := s.node[j].Conf
		return c.every(func(i ID) bool {
			conf := s.node[i].Conf
			return !acting.Has(i) || !conf.Newer(known) || conf.Version >= known.Version
		})
	})
}

// neverTwoInEpoch says that no two configurations are held in one epoch, but for the empty one.
func neverTwoInEpoch(c *cluster, s *clusterState) bool {
	return c.every(func(i ID) bool {
		conf := s.node[i].Conf
		return c.every(func(j ID) bool {
			other := s.node[j].Conf
			return conf == other || conf == Configuration{} || other == Configuration{} || conf.Epoch != other.Epoch
		})
	})
}

// neverDemotedHandsOver says that no leader that was made a witness hands over.
func neverDemotedHandsOver(c *cluster, now, next *clusterState) bool {
	return c.every(func(i ID) bool {
		n := &now.node[i]
		return !now.up.Has(i) || n.Role != model.Leader || !n.Conf.Witnesses.Has(i) || next.node[i].Role != model.Electing
	})
}

// neverDeposed says that no eligible leader stops leading but by its own will or by a crash.
func neverDeposed(c *cluster, now, next *clusterState) bool {
	return c.every(func(l ID) bool { return !c.deposed(l, now, next) })
}
