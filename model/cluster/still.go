package cluster

import (
	"github.com/seed-fdf591db/bully/model/rules"
)

// What becomes of a cluster in the end, said of the states that last: the twins of Still and what is built on it in
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
	return c.leads(s, eligible.Highest())
}
