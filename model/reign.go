package model

// Reign: COORDINATOR, HEARTBEAT and ACK; how a reign ends; and what a node does that comes back. The functions are the twins of
// those under Reign, Restart and Proof of death in tla/Node.tla, in the same order.

// R23, R24. COORDINATOR and HEARTBEAT. A node that pre-empts the sender stays what it is, and acknowledges.
func (r *Rules) reignHeard(i ID, s State, m Message) Step {
	if r.isStale(s, m.Epoch) {
		step := quietly(s)
		step.send(Refuse, i, m.From, s.Epoch)
		return step
	}
	preempts := (s.Role == Candidate || s.Role == Claimant) && s.Leader == m.From && s.Epoch == m.Epoch
	if !preempts {
		if m.Epoch > s.Epoch || s.Grantee == None {
			s.Grantee = m.From
		}
		s = State{Role: Follower, Leader: m.From, Epoch: m.Epoch, Grantee: s.Grantee}
	}
	step := quietly(s)
	step.send(Ack, i, m.From, m.Epoch)
	return step
}

// R25.
func (r *Rules) ackHeard(s State, m Message) Step {
	if s.Role == Leader && m.Epoch == s.Epoch {
		s.Support = s.Support.With(m.From)
		return quietly(s)
	}
	return quietly(r.learn(s, m.Epoch))
}

// R26. A leader without the support of a quorum since the last check steps down.
func (r *Rules) quorumEnded(i ID, s State) Step {
	if !r.isQuorum(s.Support.With(i)) {
		return quietly(rest(unbound(s)))
	}
	s.Support = 0
	return quietly(s)
}

// R27.
func (r *Rules) beatEnded(i ID, s State) Step {
	step := quietly(s)
	step.sendEach(Heartbeat, i, r.others(i), s.Epoch)
	return step
}

// Resign returns what node i does in state s when it is told to lead no longer, or to stop in good order: whoever
// keeps a lease for it need not wait. Only a leader does: a claimant could claim the same epoch again, and count a GRANT
// whose lease it had set free. R28.
func (r *Rules) Resign(i ID, s State) Step {
	if !r.mayResign(s) {
		return ignored(s)
	}
	t := s
	if s.Role == Leader {
		t = unbound(s)
	}
	step := quietly(rest(t))
	step.sendEach(Resign, i, r.others(i), s.Epoch)
	return step
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
	step := quietly(t)
	step.sendEach(Claim, i, r.others(i)&^t.Support, r.nextEpoch(t))
	return step
}

// Survives returns what is left of s after a crash: what is durable. R4.
func (r *Rules) Survives(s State) State { return r.survives(s) }

// Restart returns what node i does when it starts with s on disk, of which only what survives counts. R30.
func (r *Rules) Restart(i ID, s State) Step {
	step := quietly(r.afterRestart(i, s))
	step.sendEach(ImBack, i, r.others(i), s.Epoch)
	return step
}

// R31.
func (r *Rules) imBackHeard(i ID, s State, m Message) Step {
	t := r.learn(release(s, m.From), m.Epoch)
	step := quietly(t)
	if t.Role == Leader {
		step.send(Coordinator, i, m.From, t.Epoch)
	}
	return step
}

// HolderDead returns what node i does in state s when it is told that the node whose lease it keeps is proved dead: that one
// leads no more, as if it had said so. Without a lease of another node it is no step. R41.
func (r *Rules) HolderDead(i ID, s State) Step {
	if !r.hasHolder(i, s) {
		return ignored(s)
	}
	return quietly(release(s, s.Leader))
}
