package changing

import (
	"github.com/seed-fdf591db/bully/model"
	"github.com/seed-fdf591db/bully/spec"
)

// There is no clock. A timer is on time when what it waits for can no longer come; one that ends too soon is a fault, and
// costs one of the budget. spec/README.md turns what is said here into times (R37).

// reach returns the nodes that run and that i and they hear each other, i included if it runs.
func (c *cluster) reach(s *clusterState, i ID) Set {
	return s.up & c.cuts[s.cut].linked(i).With(i)
}

// follows reports whether j follows l in l's epoch.
func (s *clusterState) follows(j, l ID) bool {
	n := &s.node[j]
	return n.Role == model.Follower && n.Leader == l && n.Epoch == s.node[l].Epoch
}

// backed reports whether leader l's next quorum check will pass.
func (c *cluster) backed(s *clusterState, l ID) bool {
	backers := model.SetOf(l)
	leader := &s.node[l]
	for js := c.reach(s, l); js != 0; js &= js - 1 {
		j := lowest(js)
		if n := &s.node[j]; c.rules.meets(j, l, leader.Conf) && n.Epoch <= leader.Epoch && !n.Conf.Newer(leader.Conf) {
			backers = backers.With(j)
		}
	}
	return c.rules.isQuorum(leader.Conf, backers)
}

// tells reports whether what l says as leader reaches i.
func (c *cluster) tells(s *clusterState, l, i ID) bool {
	return !c.cuts[s.cut].has(l, i) && s.node[l].Conf.Members().Has(i)
}

// owed reports whether a leader whose heartbeats reach i still owes it one.
func (c *cluster) owed(s *clusterState, i ID) bool {
	for ls := s.up.Without(i); ls != 0; ls &= ls - 1 {
		l := lowest(ls)
		if s.node[l].Role == model.Leader && c.tells(s, l, i) && !s.follows(i, l) {
			return true
		}
	}
	return false
}

// held reports whether others than i keep leases that make a quorum for l.
func (c *cluster) held(s *clusterState, l, i ID) bool {
	holders := model.SetOf(l)
	for js := s.up.Without(i); js != 0; js &= js - 1 {
		if j := lowest(js); s.node[j].Leader == l {
			holders = holders.With(j)
		}
	}
	return c.rules.isQuorum(s.node[l].Conf, holders)
}

// leaseOver reports whether the lease that i keeps is over: its holder cannot lead on the strength of it.
func (c *cluster) leaseOver(s *clusterState, i ID) bool {
	l := s.node[i].Leader
	switch {
	case l == None:
		return true
	case l != i:
		role := s.node[l].Role
		return !s.up.Has(l) || role != model.Leader && role != model.Claimant ||
			role == model.Leader && !c.tells(s, l, i) && c.held(s, l, i)
	}
	// The lease of its own that a node keeps after a restart stands for all that it has forgotten (R30).
	for ks := s.up.Without(i); ks != 0; ks &= ks - 1 {
		k := lowest(ks)
		if s.node[k].Role == model.Claimant || s.node[k].Role == model.Leader && !c.held(s, k, i) {
			return false
		}
	}
	return true
}

// pending reports whether somebody within reach of i claims, or is about to.
func (c *cluster) pending(s *clusterState, i ID) bool {
	for js := c.reach(s, i).Without(i); js != 0; js &= js - 1 {
		j := lowest(js)
		n := &s.node[j]
		if n.Role == model.Claimant || n.Role == model.Candidate && c.rules.mayClaim(j, *n) {
			return true
		}
	}
	return false
}

// patienceOver reports whether no heartbeat can come to i any more, and its lease is over.
func (c *cluster) patienceOver(s *clusterState, i ID) bool {
	return s.quiet() && !c.owed(s, i) && c.leaseOver(s, i)
}

// inNeed returns the nodes that a heartbeat of leader i would change.
func (c *cluster) inNeed(s *clusterState, i ID) Set {
	var inNeed Set
	for js := s.up.Without(i); js != 0; js &= js - 1 {
		if j := lowest(js); c.tells(s, i, j) && !(s.follows(j, i) && s.node[j].Conf == s.node[i].Conf) {
			inNeed = inNeed.With(j)
		}
	}
	return inNeed
}

// carries reports whether what is sent from i to j in s gets on its way.
func (c *cluster) carries(s *clusterState, i, j ID) bool {
	return s.up.Has(j) && !c.cuts[s.cut].has(i, j)
}

// keepHeeded leaves out of o, a step of i in s, what a member that may not stand says in vain: it would not change who hears
// it, and no answer to it would change i.
func (c *cluster) keepHeeded(s *clusterState, i ID, o *Outcome) {
	if c.rules.mayStand(i, s.node[i]) {
		return
	}
	var heeds Set
	for m := range o.All() {
		if c.moves(s, m, o.State) {
			heeds = heeds.With(m.To)
		}
	}
	o.keepTo(heeds)
}

// moves reports whether m, of a sender that is in state after then, changes who hears it, or the answer to it its sender.
func (c *cluster) moves(s *clusterState, m Message, after State) bool {
	if !c.carries(s, m.From, m.To) {
		return false
	}
	heard := c.rules.Hear(m.To, s.node[m.To], m)
	if heard.State != s.node[m.To] {
		return true
	}
	for answer := range heard.All() {
		if c.carries(s, m.To, m.From) && c.rules.Hear(m.From, after, answer).State != after {
			return true
		}
	}
	return false
}

// timeouts are the actions of timers, in the order of Next.
var timeouts = [...]struct {
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

// due begins an action of a timer, and reports whether it may happen: a timer that is not on time costs one of the budget.
func (p *stepper) due(onTime bool) bool {
	if onTime {
		p.begin()
		return true
	}
	return p.spend(early)
}

// runs reports whether node i is up, and its timer t runs.
func (p *stepper) runs(i ID, t model.Timer) bool {
	return p.now.up.Has(i) && p.rules.Runs(i, p.now.node[i], t)
}

// ends has timer t of node i end.
func (p *stepper) ends(i ID, t model.Timer) {
	o := p.rules.Timeout(i, p.now.node[i], t)
	p.take(i, &o)
}

func (p *stepper) heartbeatTimeout(i ID) {
	s := &p.now
	if !p.runs(i, model.HeartbeatTimer) {
		return
	}
	o := p.rules.Timeout(i, s.node[i], model.HeartbeatTimer)
	p.keepHeeded(s, i, &o)
	if o.n == 0 && o.State == s.node[i] || !p.due(p.patienceOver(s, i)) {
		return
	}
	p.take(i, &o)
	p.end(spec.HeartbeatTimeout, i)
}

func (p *stepper) preemptTimeout(i ID) {
	if p.runs(i, model.PreemptTimer) && p.due(p.now.quiet()) {
		p.ends(i, model.PreemptTimer)
		p.end(spec.PreemptTimeout, i)
	}
}

// Every ELECTION has been answered.
func (p *stepper) electionTimeout(i ID) {
	if p.runs(i, model.ElectionTimer) && p.due(p.now.quiet()) {
		p.ends(i, model.ElectionTimer)
		p.end(spec.ElectionTimeout, i)
	}
}

func (p *stepper) coordinatorTimeout(i ID) {
	s := &p.now
	if !p.runs(i, model.CoordinatorTimer) || !p.due(p.patienceOver(s, i) && !p.pending(s, i)) {
		return
	}
	o := p.rules.Timeout(i, s.node[i], model.CoordinatorTimer)
	p.keepHeeded(s, i, &o)
	p.take(i, &o)
	p.end(spec.CoordinatorTimeout, i)
}

func (p *stepper) claimTimeout(i ID) {
	if p.runs(i, model.ClaimTimer) && p.due(p.now.quiet()) {
		p.ends(i, model.ClaimTimer)
		p.end(spec.ClaimTimeout, i)
	}
}

// The check of a leader that is not backed, or one that ends before the ACKs are in.
func (p *stepper) quorumTimeout(i ID) {
	s := &p.now
	if p.runs(i, model.QuorumTimer) && p.due(s.quiet() && !p.backed(s, i)) {
		unbacked := s.node[i]
		unbacked.Support = 0
		o := p.rules.Timeout(i, unbacked, model.QuorumTimer)
		p.take(i, &o)
		p.end(spec.QuorumTimeout, i)
	}
}

// Heartbeats that change nothing are left out.
func (p *stepper) beatTimeout(i ID) {
	s := &p.now
	if !p.runs(i, model.BeatTimer) {
		return
	}
	inNeed := p.inNeed(s, i)
	if inNeed == 0 || !p.due(s.quiet()) {
		return
	}
	o := p.rules.Timeout(i, s.node[i], model.BeatTimer)
	o.keepTo(inNeed)
	p.take(i, &o)
	p.end(spec.BeatTimeout, i)
}
