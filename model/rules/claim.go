package rules

// Claim: CLAIM, GRANT and REFUSE bind. An epoch is promised, durably, to one node. The functions are the twins of those
// under Claim in tla/Node.tla, in the same order, after Win and Claim themselves.

// R20, R48. The claimant's own promise is made only here, and its configuration becomes one of the epoch that it has won.
func (r *Rules) win(i ID, s State) Step {
	e := r.nextEpoch(s)
	t := State{Role: Leader, Leader: i, Epoch: e, Grantee: i, Conf: r.stamped(s.Conf, e)}
	return tell(i, t, Coordinator, t.Conf.All(), e)
}

// R16. One who is a quorum alone has won already.
func (r *Rules) claim(i ID, s State) Step {
	s.Role, s.Support = Claimant, 0
	if r.mayWin(i, s) {
		return r.win(i, s)
	}
	return tell(i, s, Claim, r.electors(s.Conf), r.nextEpoch(s))
}

// R17, R18.
func (r *Rules) claimHeard(i ID, s State, m Message) Step {
	switch {
	case s.Role == Leader && r.handsOver(i, s, m):
		step := answer(i, r.afterGrant(s, m.From, m.Epoch), Grant, m.From, m.Epoch)
		step.say(Resign, i, s.Conf.All(), s.Epoch)
		return step
	case s.Role != Leader && r.mayVote(i, s, m) && r.mayGrant(s, m.From, m.Epoch) && !r.shields(s, m.From):
		return answer(i, r.afterGrant(s, m.From, m.Epoch), Grant, m.From, m.Epoch)
	}
	return answer(i, s, Refuse, m.From, s.Epoch)
}

// R19, R20. A grant from the node whose lease I keep ends that lease: it has handed over.
func (r *Rules) grantHeard(i ID, s State, m Message) Step {
	if s.Role != Claimant || !r.countsGrant(s, m.Epoch) || !r.counts(s, m) {
		return quietly(r.learn(s, m.Epoch))
	}
	t := release(s, m.From)
	t.Support = t.Support.With(m.From)
	if r.mayWin(i, t) {
		return r.win(i, t)
	}
	return quietly(t)
}

// R21. A claimant told that its epoch is taken stops claiming.
func (r *Rules) refuseHeard(s State, m Message) Step {
	if s.Role == Claimant && m.Epoch > s.Epoch {
		s = rest(s)
	}
	return quietly(r.learn(s, m.Epoch))
}

// R22.
func (r *Rules) claimEnded(s State) Step { return quietly(rest(s)) }
