package changing

import "github.com/seed-fdf591db/bully/model"

// What becomes of a cluster in the end, said of the states that last: the twins of Still and what is built on it in
// tla/ChangingCluster.tla. The explorer does not check liveness, but a cluster that is stuck it finds.

// still reports whether nothing is under way, and no timer is due: but for faults, the state lasts for ever.
func (c *cluster) still(s *clusterState) bool {
	if !s.quiet() {
		return false
	}
	for is := s.up; is != 0; is &= is - 1 {
		if c.isDue(s, lowest(is)) {
			return false
		}
	}
	return true
}

// isDue reports whether a timer of node i ends next on time, in a state in which nothing is under way.
func (c *cluster) isDue(s *clusterState, i ID) bool {
	n := &s.node[i]
	runs := func(t model.Timer) bool { return c.rules.Runs(i, *n, t) }
	switch {
	case n.Role == model.Candidate || n.Role == model.Claimant || runs(model.PreemptTimer):
		return true
	case n.Role == model.Leader:
		return !c.backed(s, i) || c.inNeed(s, i) != 0
	case n.Role == model.Electing:
		return c.patienceOver(s, i) && !c.pending(s, i)
	case !runs(model.HeartbeatTimer) || !c.patienceOver(s, i):
		return false
	}
	o := c.rules.Timeout(i, *n, model.HeartbeatTimer)
	c.keepHeeded(s, i, &o)
	return o.n > 0 || o.State != *n
}

// leads reports whether l leads, every member within its reach keeps its lease in its epoch, and holds its configuration, and it
// is eligible; or would be, but that it was made a witness: then it leads on until it hands over, or is told to resign (R47).
func (c *cluster) leads(s *clusterState, l ID) bool {
	leader := &s.node[l]
	within := c.reach(s, l)
	newest := s.newestOf(within)
	if leader.Role != model.Leader || !(newest.Voters | newest.Witnesses).Has(l) || !c.rules.isQuorum(newest, within) {
		return false
	}
	for js := within & leader.Conf.Members(); js != 0; js &= js - 1 {
		if n := &s.node[lowest(js)]; n.Leader != l || n.Epoch != leader.Epoch || n.Conf != leader.Conf {
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
	return acting.Len() == 1 && c.leads(s, lowest(acting))
}

// highestWhenStill says that in a state that lasts the highest of the eligible leads, if every node reaches all of them, or
// none.
func highestWhenStill(c *cluster, s *clusterState) bool {
	eligible := c.eligible(s)
	if eligible == 0 || !c.still(s) {
		return true
	}
	for is := s.up; is != 0; is &= is - 1 {
		if within := eligible & c.reach(s, lowest(is)); within != 0 && within != eligible {
			return true
		}
	}
	return c.leads(s, highest(eligible))
}
