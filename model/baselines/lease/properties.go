package lease

// invariants are the properties of states that a configuration may name.
var invariants = map[string]func(y *system, s *state) bool{
	"TypeOK": (*system).typeOK,
	"OneLeader": func(_ *system, s *state) bool {
		return s.pairs(func(x, z session) bool { return !s.leads(x) || !s.leads(z) })
	},
	"LeaderHolds": func(_ *system, s *state) bool {
		return s.all(func(x session) bool {
			return !s.leads(x) || s.entries[x] != 0 && s.entries[x] == s.epoch[x] && s.first(x)
		})
	},
	"OneHolder": func(_ *system, s *state) bool {
		return s.pairs(func(x, z session) bool {
			return s.entries[x] == 0 || s.entries[z] == 0 || !s.first(x) || !s.first(z)
		})
	},
	"OneLeaderPerEpoch": func(_ *system, s *state) bool {
		return s.pairs(func(x, z session) bool {
			return s.epoch[x] == 0 || s.epoch[x] != s.epoch[z] || s.node[x] == s.node[z]
		})
	},
	"NoLockout": func(y *system, s *state) bool {
		return s.all(func(x session) bool { return s.entries[x] == 0 || y.admits(s, s.entries[x]) })
	},
	"NeverSucceeded": func(_ *system, s *state) bool {
		return s.pairs(func(x, z session) bool { return s.epoch[x] == 0 || s.epoch[z] == 0 || s.node[x] == s.node[z] })
	},
	"NeverShutOut": func(y *system, s *state) bool {
		return s.all(func(x session) bool { return !s.leads(x) || y.admits(s, s.epoch[x]) })
	},
	"NeverPassed": func(_ *system, s *state) bool {
		return s.all(func(x session) bool {
			return s.entries[x] == 0 || s.first(x) || s.hasRevision(s.entries[x]-1)
		})
	},
}

// stepProperties are the properties of steps that a configuration may name.
var stepProperties = map[string]func(y *system, now, next *state) bool{
	"RevisionsRise": func(_ *system, now, next *state) bool {
		return next.all(func(x session) bool {
			e := next.entries[x]
			return e == 0 || e == now.entries[x] || now.all(func(z session) bool { return now.epoch[z] < e })
		})
	},
	"NoStaleWrite": func(_ *system, now, next *state) bool { return next.wrote >= now.wrote },
	"Refines":      (*system).refines,
}

// Check implements explore.Expander.
func (x *stepper) Check(packed []byte) string {
	x.now = x.unpack(packed)
	return x.Broken(x.system, &x.now)
}

// all reports whether what is asked holds for every session.
func (s *state) all(holds func(x session) bool) bool {
	for x := session(1); x <= s.length; x++ {
		if !holds(x) {
			return false
		}
	}
	return true
}

// pairs reports whether what is asked holds for every two sessions.
func (s *state) pairs(holds func(x, z session) bool) bool {
	return s.all(func(z session) bool {
		return s.all(func(x session) bool { return x >= z || holds(x, z) })
	})
}

// typeOK checks what the packed form leaves open.
func (y *system) typeOK(s *state) bool {
	given := set(0)
	for r := revision(1); r <= s.revision; r++ {
		given |= only(r)
	}
	sessions := set(0)
	for x := session(1); x <= s.length; x++ {
		sessions |= only(x)
	}
	return s.up>>(y.n+1) == 0 && s.up&1 == 0 && (s.creates|s.releases)&^sessions == 0 &&
		s.writes&^given == 0 && s.checked&^s.writes == 0 && (s.wrote == 0 || has(s.writes, s.wrote)) &&
		s.all(func(x session) bool {
			return s.node[x] >= 1 && s.node[x] <= y.n && s.role[x] <= over &&
				s.epoch[x] <= s.revision && s.entries[x] <= s.revision && s.holds[x]&^given == 0
		})
}

// reigns returns the leaders of each epoch.
func (s *state) reigns() (of [MaxSessions + 1]set) {
	for x := session(1); x <= s.length; x++ {
		if s.epoch[x] != 0 {
			of[s.epoch[x]] |= only(s.node[x])
		}
	}
	return of
}

// highest returns the highest epoch that node i has led, or 0.
func (s *state) highest(i node) (e revision) {
	for x := session(1); x <= s.length; x++ {
		if s.node[x] == i {
			e = max(e, s.epoch[x])
		}
	}
	return e
}

// refines reports whether the step is one that LeaderElection allows: a stutter, or Lead of some node. No step raises the
// epoch of a node that comes to lead nothing.
func (y *system) refines(now, next *state) bool {
	before, after := now.reigns(), next.reigns()
	if before == after {
		return true
	}
	for i := node(1); i <= y.n; i++ {
		e := next.highest(i)
		wanted := before
		wanted[e] |= only(i)
		if e >= now.highest(i) && before[e] == 0 && after == wanted {
			return true
		}
	}
	return false
}
