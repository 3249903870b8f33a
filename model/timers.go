package model

import "github.com/seed-fdf591db/bully/spec"

// There is no clock. A timer is on time when what it waits for can no longer come; one that ends too soon is a fault, and
// costs one of the budget. spec/README.md turns what is said here into times (R37).

// reach returns the nodes that run and that i and they hear each other, i included if it runs.
func (c *cluster) reach(s *clusterState, i ID) Set {
	return s.up & c.cuts[s.cut].linked(i).With(i)
}

// follows reports whether j follows l in l's epoch.
func (s *clusterState) follows(j, l ID) bool {
	n := &s.node[j]
	return n.Role == Follower && n.Leader == l && n.Epoch == s.node[l].Epoch
}

// backed reports whether leader l's next quorum check will pass.
func (c *cluster) backed(s *clusterState, l ID) bool {
	backers := SetOf(l)
	for js := c.reach(s, l); js != 0; js &= js - 1 {
		if j := js.lowest(); s.node[j].Epoch <= s.node[l].Epoch {
			backers = backers.With(j)
		}
	}
	return c.rules.isQuorum(backers)
}

// owed reports whether a leader whose heartbeats reach i still owes it one.
func (c *cluster) owed(s *clusterState, i ID) bool {
	for ls := s.up.Without(i); ls != 0; ls &= ls - 1 {
		l := ls.lowest()
		if s.node[l].Role == Leader && !c.cuts[s.cut].has(l, i) && !s.follows(i, l) {
			return true
		}
	}
	return false
}

// held reports whether others than i keep leases that make a quorum for l.
func (c *cluster) held(s *clusterState, l, i ID) bool {
	holders := SetOf(l)
	for js := s.up.Without(i); js != 0; js &= js - 1 {
		if j := js.lowest(); s.node[j].Leader == l {
			holders = holders.With(j)
		}
	}
	return c.rules.isQuorum(holders)
}

// leaseOver reports whether the lease that i keeps is over: its holder cannot lead on the strength of it.
func leaseOver(c *cluster, s *clusterState, i ID) bool {
	l := s.node[i].Leader
	switch {
	case l == None:
		return true
	case l != i:
		role := s.node[l].Role
		return !s.up.Has(l) || role != Leader && role != Claimant ||
			role == Leader && c.cuts[s.cut].has(l, i) && c.held(s, l, i)
	}
	// The lease of its own that a node keeps after a restart stands for all that it has forgotten (R30).
	for ks := s.up.Without(i); ks != 0; ks &= ks - 1 {
		k := ks.lowest()
		if s.node[k].Role == Claimant || s.node[k].Role == Leader && !c.held(s, k, i) {
			return false
		}
	}
	return true
}

// somebodyPending reports whether somebody within reach of i claims, or is about to.
func somebodyPending(c *cluster, s *clusterState, i ID) bool {
	for js := c.reach(s, i).Without(i); js != 0; js &= js - 1 {
		j := js.lowest()
		n := &s.node[j]
		if n.Role == Claimant || n.Role == Candidate && c.rules.isQuorum(n.Support.With(j)) {
			return true
		}
	}
	return false
}

// anyMayBeEarly says that the timer of any node may end too soon.
func anyMayBeEarly(*clusterState, ID) bool { return true }

// patienceOver reports whether no heartbeat can come to i any more, and its lease is over.
func patienceOver(c *cluster, s *clusterState, i ID) bool {
	return s.quiet() && !c.owed(s, i) && c.leaseOver(c, s, i)
}

// answered reports whether every ELECTION has been answered.
func answered(_ *cluster, s *clusterState, _ ID) bool { return s.quiet() }

// timeouts are the actions of timers, in the order of Next.
var timeouts = [timerKinds]struct {
	action spec.Action
	take   func(*stepper, ID)
}{
	{spec.HeartbeatTimeout, (*stepper).heartbeatTimeout},
	{spec.PreemptTimeout, (*stepper).preemptTimeout},
	{spec.ElectionTimeout, (*stepper).electionTimeout},
	{spec.CoordinatorTimeout, (*stepper).coordinatorTimeout},
	{spec.ClaimTimeout, (*stepper).claimTimeout},
	{spec.QuorumTimeout, (*stepper).quorumTimeout},
	{spec.BeatTimeout, (*stepper).beatTimeout},
}

// R8. A follower's patience runs, whether it follows anybody or not.
func watches(s *clusterState, i ID) bool { return s.node[i].Role == Follower }

// due begins an action of a timer of node i, and reports whether it may happen: a timer that is not on time costs one of the
// budget.
func (p *stepper) due(i ID, onTime bool) bool {
	if !onTime && (p.now.budget[early] == 0 || !p.mayBeEarly(&p.now, i)) {
		return false
	}
	p.begin()
	if !onTime {
		p.next.budget[early]--
	}
	return true
}

// runs reports whether node i is up, and its timer t runs.
func (p *stepper) runs(i ID, t Timer) bool {
	return p.now.up.Has(i) && p.rules.Runs(i, p.now.node[i], t)
}

// ends has timer t of node i end.
func (p *stepper) ends(i ID, t Timer) {
	step := p.rules.Timeout(i, p.now.node[i], t)
	p.take(i, &step)
}

func (p *stepper) heartbeatTimeout(i ID) {
	s := &p.now
	if s.up.Has(i) && p.watches(s, i) && p.due(i, p.patienceOver(p.cluster, s, i)) {
		p.ends(i, HeartbeatTimer)
		p.end(spec.HeartbeatTimeout, i)
	}
}

func (p *stepper) preemptTimeout(i ID) {
	if p.runs(i, PreemptTimer) && p.due(i, p.now.quiet()) {
		p.ends(i, PreemptTimer)
		p.end(spec.PreemptTimeout, i)
	}
}

func (p *stepper) electionTimeout(i ID) {
	if p.runs(i, ElectionTimer) && p.due(i, p.answered(p.cluster, &p.now, i)) {
		p.ends(i, ElectionTimer)
		p.end(spec.ElectionTimeout, i)
	}
}

func (p *stepper) coordinatorTimeout(i ID) {
	s := &p.now
	if p.runs(i, CoordinatorTimer) && p.due(i, s.quiet() && !p.owed(s, i) && !p.pending(p.cluster, s, i) && p.leaseOver(p.cluster, s, i)) {
		p.ends(i, CoordinatorTimer)
		p.end(spec.CoordinatorTimeout, i)
	}
}

func (p *stepper) claimTimeout(i ID) {
	if p.runs(i, ClaimTimer) && p.due(i, p.now.quiet()) {
		p.ends(i, ClaimTimer)
		p.end(spec.ClaimTimeout, i)
	}
}

// The check of a leader that is not backed, or one that ends before the ACKs are in.
func (p *stepper) quorumTimeout(i ID) {
	s := &p.now
	if p.runs(i, QuorumTimer) && p.due(i, s.quiet() && !p.backed(s, i)) {
		unbacked := s.node[i]
		unbacked.Support = 0
		step := p.rules.quorumEnded(i, unbacked)
		p.take(i, &step)
		p.end(spec.QuorumTimeout, i)
	}
}

// Heartbeats that change nothing are left out.
func (p *stepper) beatTimeout(i ID) {
	s := &p.now
	if !p.runs(i, BeatTimer) {
		return
	}
	var inNeed Set
	for js := s.up.Without(i); js != 0; js &= js - 1 {
		if j := js.lowest(); !p.cuts[s.cut].has(i, j) && !s.follows(j, i) {
			inNeed = inNeed.With(j)
		}
	}
	if inNeed == 0 || !p.due(i, s.quiet()) {
		return
	}
	step := p.rules.beatEnded(i, s.node[i])
	step.keepTo(inNeed)
	p.take(i, &step)
	p.end(spec.BeatTimeout, i)
}
