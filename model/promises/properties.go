package promises

// invariants are the properties of states that a configuration may name.
var invariants = map[string]func(y *system, s *state) bool{
	"TypeOK":                   (*system).typeOK,
	"OneLeaderPerEpoch":        (*system).oneLeaderPerEpoch,
	"Inv":                      (*system).inv,
	"NeverTwoReigns":           (*system).neverTwoReigns,
	"NeverWinsLate":            (*system).neverWinsLate,
	"NeverRestartsWithPromise": (*system).neverRestartsWithPromise,
}

// stepProperties are the properties of steps that a configuration may name. Refines also says how runs start, and Init does.
var stepProperties = map[string]func(y *system, now, next *state) bool{
	"EpochMonotonic":  (*system).epochMonotonic,
	"Refines":         (*system).refines,
	"RefinesStepwise": (*system).refines,
}

// Check implements explore.Expander.
func (x *stepper) Check(packed []byte) string {
	x.now = x.unpack(packed)
	return x.Broken(x.system, &x.now)
}

// all reports whether what is asked holds for every node in every epoch.
func (y *system) all(holds func(i node, e epoch) bool) bool {
	for e := epoch(1); e <= y.maxEpoch; e++ {
		for i := node(1); i <= y.n; i++ {
			if !holds(i, e) {
				return false
			}
		}
	}
	return true
}

// typeOK checks what the packed form leaves open.
func (y *system) typeOK(s *state) bool {
	return y.all(func(i node, e epoch) bool {
		return s.disk[i].grantee <= y.n && !s.grants[e][i].has(i)
	})
}

func (y *system) oneLeaderPerEpoch(s *state) bool {
	return y.all(func(_ node, e epoch) bool { return s.coordinators[e].size() <= 1 })
}

// epochMonotonic and refines look at whole steps, so that a step of several nodes would be seen too.
func (y *system) epochMonotonic(now, next *state) bool {
	return y.all(func(i node, _ epoch) bool { return next.disk[i].epoch >= now.disk[i].epoch })
}

// refines reports whether the step is one that LeaderElection allows: Rise, or Lead of some node.
func (y *system) refines(now, next *state) bool {
	if now.coordinators == next.coordinators {
		return y.epochMonotonic(now, next)
	}
	for i := node(1); i <= y.n; i++ {
		if y.leads(now, next, i) {
			return true
		}
	}
	return false
}

// leads reports whether the step is LeaderElection's Lead(i).
func (y *system) leads(now, next *state, i node) bool {
	e := next.disk[i].epoch
	wanted := now.coordinators
	wanted[e] |= only(i)
	others := y.all(func(j node, _ epoch) bool { return j == i || now.disk[j].epoch == next.disk[j].epoch })
	return others && e >= now.disk[i].epoch && now.coordinators[e] == 0 && next.coordinators == wanted
}

// inv is the inductive invariant.
func (y *system) inv(s *state) bool {
	return y.typeOK(s) && y.zeroIsNobodys(s) && y.grantsAreKept(s) && y.grantsAreSingle(s) && y.reignsAreBacked(s)
}

// zeroIsNobodys holds for messages by the packed form, which has no room for those of epoch 0.
func (y *system) zeroIsNobodys(s *state) bool {
	return y.all(func(i node, _ epoch) bool { return s.disk[i].epoch > 0 || s.disk[i].grantee == none })
}

func (y *system) grantsAreKept(s *state) bool {
	return y.all(func(i node, e epoch) bool {
		p := s.disk[i]
		return s.grants[e][i] == 0 || e < p.epoch || e == p.epoch && s.grants[e][i] == only(p.grantee)
	})
}

func (y *system) grantsAreSingle(s *state) bool {
	return y.all(func(i node, e epoch) bool { return s.grants[e][i].size() <= 1 })
}

func (y *system) reignsAreBacked(s *state) bool {
	same := func(f, e epoch) bool { return f == e }
	return y.all(func(i node, e epoch) bool {
		return !s.coordinators[e].has(i) ||
			y.ownPromiseIsKept(s.disk[i], i, e) && s.grants[e][i] == 0 &&
				y.isQuorum(y.n, only(i)|y.granters(s, i, e, same))
	})
}

func (y *system) neverTwoReigns(s *state) bool {
	var leaders set
	for _, c := range s.coordinators {
		leaders |= c
	}
	return leaders.size() <= 1
}

func (y *system) neverWinsLate(s *state) bool {
	highest := epoch(0)
	for e, leaders := range s.coordinators {
		if leaders != 0 {
			highest = epoch(e)
		}
	}
	return y.all(func(i node, e epoch) bool { return !y.mayWin(s, i, e) || highest <= y.nextEpoch(s.disk[i]) })
}

func (y *system) neverRestartsWithPromise(s *state) bool {
	return y.all(func(i node, _ epoch) bool { return s.disk[i].grantee != y.n+1 })
}
