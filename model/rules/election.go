package rules

// Election: who is there, and who would follow? ELECTION, OK and ASSENT bind nobody. The functions are the twins of those under
// Election in tla/Node.tla, in the same order.

// ask opens an election with its question.
func (r *Rules) ask(i ID, s State) Step {
	return tell(i, asking(s), Election, r.electors(s.Conf), s.Epoch)
}

// asking is what s becomes when it asks.
func asking(s State) State {
	s.Role, s.Support = Candidate, 0
	return s
}

// askOrSayIt has a node that may not stand rest. If it is a member it says so, since it may be the only one left with the
// newest configuration; who is none keeps silent.
func (r *Rules) askOrSayIt(i ID, s State) Step {
	switch {
	case r.mayStand(i, s):
		return r.ask(i, s)
	case s.Conf.All().Has(i):
		return tell(i, rest(s), ImBack, s.Conf.All(), s.Epoch)
	}
	return quietly(rest(s))
}

// R8. A follower's patience ends, and with it the lease that it kept.
func (r *Rules) patienceEnded(i ID, s State) Step { return r.askOrSay(i, unbound(s)) }

// R9. A follower of a lower leader asks too, but goes on acknowledging it.
func (r *Rules) preemptEnded(i ID, s State) Step { return r.ask(i, r.whilePreempting(s)) }

// R10, R11. A witness answers as a lower node does.
func (r *Rules) electionHeard(i ID, s State, m Message) Step {
	t := r.learn(release(s, m.From), m.Epoch)
	lower := !r.outranked(i, m.From, t.Conf)
	idle := t.Role == Follower && t.Leader == None
	switch {
	case t.Role == Leader && lower:
		step := answer(i, t, OK, m.From, t.Epoch)
		step.say(Coordinator, i, SetOf(m.From), t.Epoch)
		return step
	case !r.maySupport(i, t, m):
		return answer(i, t, Refuse, m.From, t.Epoch)
	case lower && idle:
		step := answer(i, asking(t), OK, m.From, t.Epoch)
		step.say(Election, i, r.electors(t.Conf), t.Epoch)
		return step
	case lower:
		return answer(i, t, OK, m.From, t.Epoch)
	case idle || t.Role == Candidate || t.Role == Claimant:
		t.Role, t.Support = Electing, 0
	}
	return answer(i, t, Assent, m.From, t.Epoch)
}

// R12. Somebody better has it in hand.
func (r *Rules) okHeard(s State, m Message) Step {
	t := r.learn(s, m.Epoch)
	if (t.Role == Candidate || t.Role == Electing) && r.counts(t, m) {
		t.Role, t.Support = Electing, t.Support|r.okSupport(m)
	}
	return quietly(t)
}

// R13. The highest voter need not wait for anybody's OK.
func (r *Rules) assentHeard(i ID, s State, m Message) Step {
	t := r.learn(s, m.Epoch)
	if t.Role != Candidate && t.Role != Electing || !r.counts(t, m) {
		return quietly(t)
	}
	t.Support = t.Support.With(m.From)
	if t.Role == Candidate && t.Conf.Voters()&^UpTo(i) == 0 && r.mayClaim(i, t) {
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
	if r.mayStand(i, s) && r.mayClaim(i, s) {
		return r.claim(i, unbound(s))
	}
	return r.askOrSay(i, unbound(s))
}
