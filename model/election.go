package model

// Election: who is there, and who would follow? ELECTION, OK and ASSENT bind nobody. The functions are the twins of those
// under Election in tla/Node.tla, in the same order.

// ask opens an election with its question.
func (r *Rules) ask(i ID, s State) Step {
	s.Role, s.Support = Candidate, 0
	step := quietly(s)
	step.sendEach(Election, i, r.others(i), s.Epoch)
	return step
}

// R8. A follower's patience ends, and with it the lease that it kept.
func (r *Rules) heartbeatEnded(i ID, s State) Step { return r.ask(i, unbound(s)) }

// R9. A follower of a lower leader asks too, but goes on acknowledging it.
func (r *Rules) preemptEnded(i ID, s State) Step { return r.ask(i, r.whilePreempting(s)) }

// R10, R11.
func (r *Rules) electionHeard(i ID, s State, m Message) Step {
	t := r.learn(release(s, m.From), m.Epoch)
	idle := t.Role == Follower && t.Leader == None
	var step Step
	switch {
	case t.Role == Leader && m.From < i:
		step.send(OK, i, m.From, t.Epoch)
		step.send(Coordinator, i, m.From, t.Epoch)
	case !r.maySupport(i, t, m.From):
		step.send(Refuse, i, m.From, t.Epoch)
	case m.From < i:
		step.send(OK, i, m.From, t.Epoch)
		if idle {
			asked := r.ask(i, t)
			t = asked.State
			step.sendAll(asked.Sent())
		}
	default:
		if t.Role == Candidate || t.Role == Claimant || idle {
			t.Role, t.Support = Electing, 0
		}
		step.send(Assent, i, m.From, t.Epoch)
	}
	step.State = t
	return step
}

// R12. Somebody better has it in hand.
func (r *Rules) okHeard(s State, m Message) Step {
	t := r.learn(s, m.Epoch)
	if t.Role == Candidate || t.Role == Electing {
		t.Role = Electing
		t.Support |= r.okSupport(m)
	}
	return quietly(t)
}

// R13. The highest member need not wait for anybody's OK.
func (r *Rules) assentHeard(i ID, s State, m Message) Step {
	t := r.learn(s, m.Epoch)
	if t.Role != Candidate && t.Role != Electing {
		return quietly(t)
	}
	t.Support = t.Support.With(m.From)
	if t.Role == Candidate && i == r.n && r.mayClaim(i, t) {
		return r.claim(i, t)
	}
	return quietly(t)
}

// R14. T_elec ends, for a candidate.
func (r *Rules) electionEnded(i ID, s State) Step {
	if r.mayClaim(i, s) {
		return r.claim(i, s)
	}
	return quietly(rest(s))
}

// R15. T_coord ends, for a node that is electing: whoever it waited for did not deliver.
func (r *Rules) coordinatorEnded(i ID, s State) Step {
	if r.mayClaim(i, s) {
		return r.claim(i, unbound(s))
	}
	return r.ask(i, unbound(s))
}
