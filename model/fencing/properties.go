package fencing

// invariants are the properties of states that a configuration may name.
var invariants = map[string]func(y *system, s *state) bool{
	"TypeOK": (*system).typeOK,
	"NoStaleWrite": func(_ *system, s *state) bool {
		return s.pairs(func(j, k reign) bool { return j.epoch <= k.epoch })
	},
	"ReignsInOrder": func(_ *system, s *state) bool {
		return s.pairs(func(j, k reign) bool { return j == k || j.epoch < k.epoch })
	},
	"NoLockout": func(y *system, s *state) bool {
		e := s.reigns.highest()
		return e == 0 || y.admits(s, e)
	},
	"NeverRefused": func(_ *system, s *state) bool { return s.answers == [MaxEpochs + 1]reigns{} },
	"NeverTwoEpochs": func(_ *system, s *state) bool {
		return s.pairs(func(j, k reign) bool { return j.epoch == k.epoch })
	},
	"NeverWritesTwice": func(_ *system, s *state) bool {
		return s.pairs(func(j, k reign) bool { return j != k })
	},
}

// stepProperties are the properties of steps that a configuration may name.
var stepProperties = map[string]func(y *system, now, next *state) bool{
	"AdmittedMonotonic": func(_ *system, now, next *state) bool { return next.admitted >= now.admitted },
	"Refines":           (*system).refines,
}

// Check implements explore.Expander.
func (x *stepper) Check(packed []byte) string {
	x.now = x.unpack(packed)
	return x.Broken(x.system, &x.now)
}

// pairs reports whether what is asked holds for every write in the log and each one after it.
func (s *state) pairs(holds func(j, k reign) bool) bool {
	for k := range s.length {
		for j := range k {
			if !holds(s.log[j], s.log[k]) {
				return false
			}
		}
	}
	return true
}

// typeOK checks what the packed form leaves open.
func (y *system) typeOK(s *state) bool {
	for e := epoch(1); e <= y.maxEpoch; e++ {
		answered := set(0)
		for a := range y.maxEpoch + 1 {
			answered |= s.answers[a][e]
		}
		if s.writes[e]&^s.reigns[e]|answered&^s.writes[e] != 0 {
			return false
		}
	}
	for _, r := range s.log[:s.length] {
		if !s.writes[r.epoch].has(r.leader) {
			return false
		}
	}
	return true
}

// refines reports whether the step is one that LeaderElection allows: a stutter, or Lead of some node.
func (y *system) refines(now, next *state) bool {
	if now.reigns == next.reigns {
		return true
	}
	for i := node(1); i <= y.n; i++ {
		e := next.reigns.highestOf(i)
		wanted := now.reigns
		wanted[e] |= only(i)
		if e >= now.reigns.highestOf(i) && now.reigns[e] == 0 && next.reigns == wanted {
			return true
		}
	}
	return false
}
