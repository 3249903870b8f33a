package changing

import "github.com/seed-fdf591db/bully/model"

// Claim: an epoch is promised, durably, to one node. The functions are the twins of those under Claim in
// tla/ChangingNode.tla, in the same order, after Win and Claim themselves.

// R20, R48. The claimant's own promise is made only here, and its configuration becomes one of the epoch that it has won.
func (r *Rules) win(i ID, s State) Outcome {
	e := nextEpoch(s)
	t := State{Role: model.Leader, Leader: i, Epoch: e, Grantee: i, Conf: r.stamped(s.Conf, e)}
	return tell(i, t, model.Coordinator, t.Conf.Members(), e)
}

// R16. One who is a quorum alone has won already.
func (r *Rules) claim(i ID, s State) Outcome {
	s.Role, s.Support = model.Claimant, 0
	if r.mayWin(i, s) {
		return r.win(i, s)
	}
	return tell(i, s, model.Claim, r.electors(s.Conf), nextEpoch(s))
}

// R17, R18.
func (r *Rules) claimHeard(i ID, s State, m Message) Outcome {
	granted := State{Role: model.Electing, Leader: m.From, Epoch: m.Epoch, Grantee: m.From, Conf: s.Conf}
	switch {
	case s.Role == model.Leader && r.handsOver(i, s, m):
		o := answer(i, granted, model.Grant, m.From, m.Epoch)
		o.sendEach(model.Resign, i, s.Conf.Members(), s.Epoch)
		return o
	case s.Role != model.Leader && r.mayVote(i, s, m) && mayGrant(s, m.From, m.Epoch) && !shields(s, m.From):
		return answer(i, granted, model.Grant, m.From, m.Epoch)
	}
	return answer(i, s, model.Refuse, m.From, s.Epoch)
}

// R19, R20. A grant from the node whose lease I keep ends that lease: it has handed over.
func (r *Rules) grantHeard(i ID, s State, m Message) Outcome {
	if s.Role != model.Claimant || m.Epoch != nextEpoch(s) || !r.counts(s, m) {
		return quietly(learn(s, m.Epoch))
	}
	t := release(s, m.From)
	t.Support = t.Support.With(m.From)
	if r.mayWin(i, t) {
		return r.win(i, t)
	}
	return quietly(t)
}

// R21.
func (r *Rules) refuseHeard(s State, m Message) Outcome {
	if s.Role == model.Claimant && m.Epoch > s.Epoch {
		s = rest(s)
	}
	return quietly(learn(s, m.Epoch))
}

// R22.
func (r *Rules) claimEnded(s State) Outcome { return quietly(rest(s)) }
