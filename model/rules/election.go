package rules

// Election: who is there, and who would follow? ELECTION, OK and ASSENT bind nobody. The functions are the mirrors of those under
// Election in tla/Node.tla, in the same order.

// ask opens an election with its question, which says whose lease the sender keeps.
func (r *Rules) ask(i ID, s State) Step {
	t, said := r.asking(s)
	return tell(i, t, said)
}

// asking is what s becomes when it asks, and what it says.
func (r *Rules) asking(s State) (State, Said) {
	s.Latest++
	s.Role, s.Support, s.Asked = Candidate, 0, s.Latest
	return s, Said{Type: Election, To: r.electors(s.Conf), Epoch: s.Epoch, Question: s.Asked, Keeps: s.Leader}
}

// askOrSayIt has a node that may not stand rest. If it is a member it says so, since it may be the only one left with the
// newest configuration; who is none keeps silent.
func (r *Rules) askOrSayIt(i ID, s State) Step {
	switch {
	case r.mayStand(i, s):
		return r.ask(i, s)
	case s.Conf.All().Has(i):
		t := rest(s)
		return tell(i, t, latest(ImBack, t.Conf.All(), t))
	}
	return quietly(rest(s))
}

// R8. A follower's patience ends, and with it the lease that it kept.
func (r *Rules) patienceEnded(i ID, s State) Step { return r.askOrSay(i, unbound(s)) }

// R9. A follower of a lower leader asks too, but goes on acknowledging it.
func (r *Rules) preemptEnded(i ID, s State) Step { return r.ask(i, r.whilePreempting(s)) }

// R10, R11. A witness answers as a lower node does.
func (r *Rules) electionHeard(i ID, s State, m Message) Step {
	t := r.learnIfFree(i, r.release(s, m.From, m.Question), m.Epoch)
	lower := !r.outranked(i, m.From, r.comparing(t, m))
	idle := t.Role == Follower && t.Leader == None
	switch {
	case t.Role == Leader && lower:
		step := answer(i, t, OK, &m, t.Epoch)
		step.say(i, latest(Coordinator, SetOf(m.From), t))
		return step
	case !r.maySupport(i, t, m):
		return answer(i, t, Refuse, &m, t.Epoch)
	case lower && idle:
		asking, said := r.asking(t)
		step := answer(i, asking, OK, &m, t.Epoch)
		step.say(i, said)
		return step
	case lower:
		return answer(i, t, OK, &m, t.Epoch)
	case idle || t.Role == Candidate || t.Role == Claimant && r.givesWay():
		t.Role, t.Support, t.Asked = Electing, 0, 0
	}
	return answer(i, t, Assent, &m, t.Epoch)
}

// R12. Somebody better has it in hand.
func (r *Rules) okHeard(i ID, s State, m Message) Step {
	t := r.learnIfFree(i, s, m.Epoch)
	if (t.Role == Candidate || t.Role == Electing) && r.answersMine(t, m) {
		t.Role, t.Support = Electing, t.Support|r.okSupport(m)
	}
	return quietly(t)
}

// R13. The highest voter need not wait for anybody's OK.
func (r *Rules) assentHeard(i ID, s State, m Message) Step {
	t := r.learnIfFree(i, s, m.Epoch)
	if t.Role != Candidate && t.Role != Electing || !r.answersMine(t, m) {
		return quietly(t)
	}
	t.Support = t.Support.With(m.From)
	if t.Role == Candidate && t.Conf.Highest(i, t.Conf.Voters()) && r.mayClaim(i, t) {
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

// Claim: CLAIM, GRANT and REFUSE bind. An epoch is promised, durably, to one node. The functions are the mirrors of those
// under Claim in tla/Node.tla, in the same order, after Win and Claim themselves.

// R20, R48. The claimant's own promise is made only here, and its configuration becomes one of the epoch that it has won. The
// reign is dated from the CLAIM, which is what the quorum has answered.
func (r *Rules) win(i ID, s State) Step {
	e := r.nextEpoch(s)
	t := State{
		Role: Leader, Leader: i, Epoch: e, Grantee: i, Conf: r.stamped(s.Conf, e), Latest: s.Latest, Dated: s.Asked,
	}
	for j := range s.Support.All() {
		t.Answered = t.Answered.With(j, s.Asked)
	}
	return tell(i, t, latest(Coordinator, t.Conf.All(), t))
}

// R16.
func (r *Rules) claim(i ID, s State) Step { return r.claimAfter(i, s, None) }

// R16, R51. One who is a quorum alone has won already; who was named says by whom.
func (r *Rules) claimAfter(i ID, s State, l ID) Step {
	s.Latest++
	s.Role, s.Support, s.Asked = Claimant, 0, s.Latest
	if r.mayWin(i, s) {
		return r.win(i, s)
	}
	return tell(i, s, r.claiming(s, r.electors(s.Conf), l))
}

// claiming is the CLAIM of s, to js, of who was named by l.
func (r *Rules) claiming(s State, js Set, l ID) Said {
	return Said{Type: Claim, To: js, Epoch: r.nextEpoch(s), Question: s.Asked, Names: l}
}

// R17, R18, R51.
func (r *Rules) claimHeard(i ID, s State, m Message) Step {
	if r.hasEnded(i, s, m) {
		s = freed(s)
	}
	switch {
	case s.Role == Leader && r.handsOver(i, s, m):
		step := answer(i, r.afterGrant(s, m), Grant, &m, m.Epoch)
		resign := latest(Resign, s.Conf.All(), s)
		resign.Granted = r.successor(m)
		step.say(i, resign)
		return step
	case s.Role != Leader && r.mayVote(i, s, m) && r.mayGrant(s, m.From, m.Epoch) && !r.shields(s, m.From) && !r.rivals(i, s, m):
		return answer(i, r.afterGrant(s, m), Grant, &m, m.Epoch)
	}
	return answer(i, s, Refuse, &m, s.Epoch)
}

// R19, R20. A grant from the node whose lease I keep ends that lease: it has handed over.
func (r *Rules) grantHeard(i ID, s State, m Message) Step {
	if s.Role != Claimant || !r.countsGrant(s, m) {
		return quietly(r.learnIfFree(i, s, m.Epoch))
	}
	t := s
	if s.Leader == m.From {
		t = unbound(s)
	}
	t.Support = t.Support.With(m.From)
	if r.mayWin(i, t) {
		return r.win(i, t)
	}
	return quietly(t)
}

// R21. A claimant told that its epoch is taken stops claiming.
func (r *Rules) refuseHeard(i ID, s State, m Message) Step {
	if s.Role == Claimant && r.answersMine(s, m) && m.Epoch > s.Epoch {
		return quietly(r.learn(rest(s), m.Epoch))
	}
	return quietly(r.learnIfFree(i, s, m.Epoch))
}

// R22.
func (r *Rules) claimEnded(s State) Step { return quietly(rest(s)) }
