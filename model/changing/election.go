package changing

import "github.com/seed-fdf591db/bully/model"

// Election: who is there, and who would follow? The functions are the twins of those under Election in
// tla/ChangingNode.tla, in the same order.

// ask opens an election with its question.
func (r *Rules) ask(i ID, s State) Outcome {
	return tell(i, asking(s), model.Election, r.electors(s.Conf), s.Epoch)
}

// asking is what s becomes when it asks.
func asking(s State) State {
	s.Role, s.Support = model.Candidate, 0
	return s
}

// askOrSayIt has a node that may not stand rest. If it is a member it says so, since it may be the only one left with the
// newest configuration; who is none keeps silent.
func (r *Rules) askOrSayIt(i ID, s State) Outcome {
	switch {
	case r.mayStand(i, s):
		return r.ask(i, s)
	case s.Conf.Members().Has(i):
		return tell(i, rest(s), model.ImBack, s.Conf.Members(), s.Epoch)
	}
	return quietly(rest(s))
}

// R8.
func (r *Rules) heartbeatEnded(i ID, s State) Outcome { return r.askOrSay(i, unbound(s)) }

// R9.
func (r *Rules) preemptEnded(i ID, s State) Outcome { return r.ask(i, s) }

// R10, R11. A witness answers as a lower node does.
func (r *Rules) electionHeard(i ID, s State, m Message) Outcome {
	t := learn(release(s, m.From), m.Epoch)
	lower := !r.outranked(i, m.From, t.Conf)
	idle := t.Role == model.Follower && t.Leader == None
	switch {
	case t.Role == model.Leader && lower:
		o := answer(i, t, model.OK, m.From, t.Epoch)
		o.send(model.Coordinator, i, m.From, t.Epoch)
		return o
	case !r.maySupport(i, t, m):
		return answer(i, t, model.Refuse, m.From, t.Epoch)
	case lower && idle:
		o := answer(i, asking(t), model.OK, m.From, t.Epoch)
		o.sendEach(model.Election, i, r.electors(t.Conf), t.Epoch)
		return o
	case lower:
		return answer(i, t, model.OK, m.From, t.Epoch)
	case idle || t.Role == model.Candidate || t.Role == model.Claimant:
		t.Role, t.Support = model.Electing, 0
	}
	return answer(i, t, model.Assent, m.From, t.Epoch)
}

// R12.
func (r *Rules) okHeard(s State, m Message) Outcome {
	t := learn(s, m.Epoch)
	if (t.Role == model.Candidate || t.Role == model.Electing) && r.counts(t, m) {
		t.Role, t.Support = model.Electing, t.Support.With(m.From)
	}
	return quietly(t)
}

// R13. The highest voter need not wait for anybody's OK.
func (r *Rules) assentHeard(i ID, s State, m Message) Outcome {
	t := learn(s, m.Epoch)
	if t.Role != model.Candidate && t.Role != model.Electing || !r.counts(t, m) {
		return quietly(t)
	}
	t.Support = t.Support.With(m.From)
	if t.Role == model.Candidate && t.Conf.Voters&^upTo(i) == 0 && r.mayClaim(i, t) {
		return r.claim(i, t)
	}
	return quietly(t)
}

// R14.
func (r *Rules) electionEnded(i ID, s State) Outcome {
	if r.mayClaim(i, s) {
		return r.claim(i, s)
	}
	return quietly(rest(s))
}

// R15.
func (r *Rules) coordinatorEnded(i ID, s State) Outcome {
	if r.mayStand(i, s) && r.mayClaim(i, s) {
		return r.claim(i, unbound(s))
	}
	return r.askOrSay(i, unbound(s))
}
