package rules

// Claim: CLAIM, GRANT and REFUSE bind. An epoch is promised, durably, to one node. The functions are the twins of those
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

// R16. One who is a quorum alone has won already.
func (r *Rules) claim(i ID, s State) Step {
	s.Latest++
	s.Role, s.Support, s.Asked = Claimant, 0, s.Latest
	if r.mayWin(i, s) {
		return r.win(i, s)
	}
	return tell(i, s, r.claiming(s, r.electors(s.Conf)))
}

// claiming is the CLAIM of s, to js.
func (r *Rules) claiming(s State, js Set) Said {
	return Said{Type: Claim, To: js, Epoch: r.nextEpoch(s), Question: s.Asked}
}

// R17, R18.
func (r *Rules) claimHeard(i ID, s State, m Message) Step {
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
