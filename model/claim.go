package model

// Claim: CLAIM, GRANT and REFUSE bind. An epoch is promised, durably, to one node. The functions are the twins of those
// under Claim in tla/Node.tla, in the same order, after Win and Claim themselves.

// R20. The claimant's own promise is made only here.
func (r *Rules) win(i ID, s State) Step {
	e := r.nextEpoch(s)
	step := quietly(State{Role: Leader, Leader: i, Epoch: e, Grantee: i})
	step.sendEach(Coordinator, i, r.others(i), e)
	return step
}

// R16. One who is a quorum alone has won already.
func (r *Rules) claim(i ID, s State) Step {
	s.Role, s.Support = Claimant, 0
	if r.mayWin(i, s) {
		return r.win(i, s)
	}
	step := quietly(s)
	step.sendEach(Claim, i, r.others(i), r.nextEpoch(s))
	return step
}

// R17, R18.
func (r *Rules) claimHeard(i ID, s State, m Message) Step {
	granted := r.afterGrant(m.From, m.Epoch)
	switch {
	case s.Role == Leader && r.handsOver(i, s, m):
		step := quietly(granted)
		step.send(Grant, i, m.From, m.Epoch)
		step.sendEach(Resign, i, r.others(i), s.Epoch)
		return step
	case s.Role != Leader && r.mayGrant(s, m.From, m.Epoch) && !r.shields(s, m.From):
		step := quietly(granted)
		step.send(Grant, i, m.From, m.Epoch)
		return step
	}
	step := quietly(s)
	step.send(Refuse, i, m.From, s.Epoch)
	return step
}

// R19, R20. A grant from the node whose lease I keep ends that lease: it has handed over.
func (r *Rules) grantHeard(i ID, s State, m Message) Step {
	if s.Role != Claimant || !r.countsGrant(s, m.Epoch) {
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
