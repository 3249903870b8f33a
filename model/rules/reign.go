package rules

// Reign: how one is kept, changes who the members are, and ends; and what a node hears of one that is back. The functions are
// the twins of those under Reign, and after it, in tla/Node.tla, in the same order.

// R23, R24. COORDINATOR and HEARTBEAT. A node that pre-empts the sender stays what it is, and acknowledges.
func (r *Rules) reignHeard(i ID, s State, m Message) Step {
	if r.isStale(s, m.Epoch) {
		return answer(i, s, Refuse, m.From, s.Epoch)
	}
	preempts := (s.Role == Candidate || s.Role == Claimant) && s.Leader == m.From && s.Epoch == m.Epoch
	if !preempts {
		grantee := s.Grantee
		if m.Epoch > s.Epoch || grantee == None {
			grantee = m.From
		}
		s = State{Role: Follower, Leader: m.From, Epoch: m.Epoch, Grantee: grantee, Conf: s.Conf}
	}
	return answer(i, s, Ack, m.From, m.Epoch)
}

// R25, R45. Who acknowledges another configuration has not said that it holds this one.
func (r *Rules) ackHeard(s State, m Message) Step {
	if s.Role != Leader || m.Epoch != s.Epoch {
		return quietly(r.learn(s, m.Epoch))
	}
	if r.counts(s, m) {
		s.Support = s.Support.With(m.From)
	}
	return quietly(s)
}

// R26. A leader without the support of a quorum since the last check steps down.
func (r *Rules) reignEnded(i ID, s State) Step {
	if !r.isQuorum(s.Conf, s.Support.With(i)) {
		return quietly(rest(unbound(s)))
	}
	s.Support = 0
	return quietly(s)
}

// R27.
func (r *Rules) heartbeatEnded(i ID, s State) Step {
	return tell(i, s, Heartbeat, s.Conf.All(), s.Epoch)
}

// R28. Whoever keeps a lease for me need not wait.
func (r *Rules) resigned(i ID, s State) Step {
	t := s
	if s.Role == Leader {
		t = unbound(s)
	}
	return tell(i, rest(t), Resign, s.Conf.All(), s.Epoch)
}

// R29. A claimant whose way is free now claims again.
func (r *Rules) resignHeard(i ID, s State, m Message) Step {
	t := release(s, m.From)
	switch {
	case t.Role != Claimant:
		return quietly(t)
	case r.mayWin(i, t):
		return r.win(i, t)
	}
	return tell(i, t, Claim, r.electors(t.Conf)&^t.Support, r.nextEpoch(t))
}

// R47. Those who were members, and those who are, hear of it.
func (r *Rules) changed(i ID, s State, c Configuration) Step {
	all := s.Conf.All() | c.All()
	s.Support, s.Conf = 0, c
	return tell(i, s, Heartbeat, all, s.Epoch)
}

// R31.
func (r *Rules) imBackHeard(i ID, s State, m Message) Step {
	t := r.learn(release(s, m.From), m.Epoch)
	if t.Role == Leader {
		return answer(i, t, Coordinator, m.From, t.Epoch)
	}
	return quietly(t)
}
