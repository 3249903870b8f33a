package rules

import "github.com/seed-fdf591db/bully/spec"

// Reign: how one is kept, changes who the members are, and ends; and what a node hears of one that is back. The functions are
// the mirrors of those under Reign, and after it, in tla/Node.tla, in the same order.

// R23, R24. COORDINATOR and HEARTBEAT. A node that pre-empts the sender stays what it is, and acknowledges.
func (r *Rules) reignHeard(i ID, s State, m Message) Step {
	if r.isStale(s, m.Epoch) {
		return answer(i, s, Refuse, &m, s.Epoch)
	}
	lease := r.leaseAfter(s, m)
	preempts := (s.Role == Candidate || s.Role == Claimant) && s.Leader == m.From && s.Epoch == m.Epoch
	if !preempts {
		grantee := s.Grantee
		if m.Epoch > s.Epoch || grantee == None {
			grantee = m.From
		}
		s = State{Role: Follower, Leader: m.From, Epoch: m.Epoch, Grantee: grantee, Conf: s.Conf, Latest: s.Latest}
	}
	s.Lease = lease
	return answer(i, s, Ack, &m, m.Epoch)
}

// R25, R45. The reign is dated from the latest question that a quorum has answered. Who acknowledges another configuration has not
// said that it holds this one.
func (r *Rules) ackHeard(i ID, s State, m Message) Step {
	if s.Role != Leader || m.Epoch != s.Epoch || m.Question > s.Latest { // it answers nothing that this reign has asked
		return quietly(r.learnIfFree(i, s, m.Epoch))
	}
	if r.counts(s, m) {
		s.Support = s.Support.With(m.From)
	}
	n := r.answers(s, m)
	if n > s.Answered.Of(m.From) {
		s.Answered = s.Answered.With(m.From, n)
	}
	s.Dated = max(s.Dated, r.backed(i, s))
	return quietly(s)
}

// MayCount reports whether an answer may count still, now or later, for a node in state s. What says nothing more can be left out:
// why, and where that leaves a run out, is said at MayCount in tla/Cluster.tla.
func (r *Rules) MayCount(s State, m Message) bool {
	switch m.Type {
	case OK, Assent:
		return (s.Role == Candidate || s.Role == Electing) && r.answersMine(s, m)
	case Grant:
		return s.Role == Claimant && r.countsGrant(s, m)
	case Refuse:
		return s.Role == Claimant && r.answersMine(s, m)
	}
	return s.Role == Leader && m.Epoch == s.Epoch && (r.answers(s, m) > s.Answered.Of(m.From) || !s.Support.Has(m.From))
}

// backed returns the latest question of leader i that a quorum of its configuration has answered, itself included; 0 if there is
// none.
func (r *Rules) backed(i ID, s State) (latest Question) {
	for j := ID(1); j <= s.Answered.Len(); j++ {
		n := s.Answered.Of(j)
		if n <= latest {
			continue
		}
		since := SetOf(i)
		for k := ID(1); k <= s.Answered.Len(); k++ {
			if s.Answered.Of(k) >= n {
				since = since.With(k)
			}
		}
		if r.isQuorum(s.Conf, since) {
			latest = n
		}
	}
	if r.isQuorum(s.Conf, SetOf(i)) {
		return s.Latest
	}
	return latest
}

// R26. What a quorum has answered last was asked too long ago.
func (r *Rules) reignEnded(s State) Step { return quietly(rest(unbound(s))) }

// R27.
func (r *Rules) heartbeatEnded(i ID, s State) Step {
	s = r.counted(i, s)
	return tell(i, s, latest(Heartbeat, s.Conf.All(), s))
}

// counted is what leader i in state s becomes when it asks anew. One who is a quorum alone has answered already.
func (r *Rules) counted(i ID, s State) State {
	s.Latest++
	s.Dated = max(s.Dated, r.backed(i, s))
	return s
}

// R28. Whoever keeps a lease for me need not wait.
func (r *Rules) resigned(i ID, s State) Step { return r.handedTo(i, s, None, 0) }

// R51. The RESIGN names who is to stand first, and for how long it is not to be pre-empted.
func (r *Rules) handedTo(i ID, s State, k ID, hold spec.Hold) Step {
	t := s
	if s.Role == Leader {
		t = unbound(s)
	}
	resign := latest(Resign, s.Conf.All(), s)
	resign.Names, resign.Hold = k, hold
	return tell(i, rest(t), resign)
}

// R29, R51. Who is named claims, after the reign that has ended. Whose way is free now: a claimant claims again, and who is free grants the claim for which the sender has handed over.
func (r *Rules) resignHeard(i ID, s State, m Message) Step {
	t := r.release(s, m.From, m.Question)
	switch {
	case r.isNamed(i, s, t, m):
		return r.claimAfter(i, t, m.From)
	case r.succeeds(i, t, m):
		return r.claimHeard(i, t, Message{
			Type: Claim, From: m.Granted.By, To: i, Epoch: m.Granted.Epoch, Question: m.Granted.Question, Conf: m.Conf,
		})
	case t.Role != Claimant:
		return quietly(t)
	case r.mayWin(i, t):
		return r.win(i, t)
	}
	return tell(i, t, r.claiming(t, r.electors(t.Conf)&^t.Support, None))
}

// R47. Those who were members, and those who are, hear of it.
func (r *Rules) changed(i ID, s State, c Configuration) Step {
	all := s.Conf.All() | c.All()
	s.Support, s.Conf, s.Answered = 0, c, s.Answered.among(c.All())
	s = r.counted(i, s)
	return tell(i, s, latest(Heartbeat, all, s))
}

// R31.
func (r *Rules) imBackHeard(i ID, s State, m Message) Step {
	t := r.learnIfFree(i, r.release(s, m.From, m.Question), m.Epoch)
	if t.Role == Leader {
		return tell(i, t, latest(Coordinator, SetOf(m.From), t))
	}
	return quietly(t)
}
