package changing

import "github.com/seed-fdf591db/bully/model"

// Reign: how one is kept, changes who the members are, and ends; and what a node hears of one that is back. The functions are
// the twins of those under Reign, and after it, in tla/ChangingNode.tla, in the same order.

// R23, R24. A node that pre-empts the sender stays what it is, and acknowledges.
func (r *Rules) reignHeard(i ID, s State, m Message) Outcome {
	if m.Epoch < s.Epoch {
		return answer(i, s, model.Refuse, m.From, s.Epoch)
	}
	preempts := (s.Role == model.Candidate || s.Role == model.Claimant) && s.Leader == m.From && s.Epoch == m.Epoch
	if !preempts {
		grantee := s.Grantee
		if m.Epoch > s.Epoch || grantee == None {
			grantee = m.From
		}
		s = State{Role: model.Follower, Leader: m.From, Epoch: m.Epoch, Grantee: grantee, Conf: s.Conf}
	}
	return answer(i, s, model.Ack, m.From, m.Epoch)
}

// R25, R45. Who acknowledges another configuration has not said that it holds this one.
func (r *Rules) ackHeard(s State, m Message) Outcome {
	if s.Role != model.Leader || m.Epoch != s.Epoch {
		return quietly(learn(s, m.Epoch))
	}
	if r.counts(s, m) {
		s.Support = s.Support.With(m.From)
	}
	return quietly(s)
}

// R26.
func (r *Rules) quorumEnded(i ID, s State) Outcome {
	if !r.isQuorum(s.Conf, s.Support.With(i)) {
		return quietly(rest(unbound(s)))
	}
	s.Support = 0
	return quietly(s)
}

// R27.
func (r *Rules) beatEnded(i ID, s State) Outcome {
	return tell(i, s, model.Heartbeat, s.Conf.Members(), s.Epoch)
}

// R28. Whoever keeps a lease for me need not wait.
func (r *Rules) resigned(i ID, s State) Outcome {
	return tell(i, rest(unbound(s)), model.Resign, s.Conf.Members(), s.Epoch)
}

// R29. A claimant whose way is free now claims again.
func (r *Rules) resignHeard(i ID, s State, m Message) Outcome {
	t := release(s, m.From)
	switch {
	case t.Role != model.Claimant:
		return quietly(t)
	case r.mayWin(i, t):
		return r.win(i, t)
	}
	return tell(i, t, model.Claim, r.electors(t.Conf)&^t.Support, nextEpoch(t))
}

// R47. Those who were members, and those who are, hear of it.
func (r *Rules) changed(i ID, s State, c Configuration) Outcome {
	all := s.Conf.Members() | c.Members()
	s.Support, s.Conf = 0, c
	return tell(i, s, model.Heartbeat, all, s.Epoch)
}

// R31.
func (r *Rules) imBackHeard(i ID, s State, m Message) Outcome {
	t := learn(release(s, m.From), m.Epoch)
	if t.Role == model.Leader {
		return answer(i, t, model.Coordinator, m.From, t.Epoch)
	}
	return quietly(t)
}
