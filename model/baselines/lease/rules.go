package lease

// rules are the operators that a configuration may replace, by their names in tla/Lease.tla: the assumption, then the rules
// of the store, of the nodes and of the resource. An entry is named by its session, since a session has one at most.
type rules struct {
	deadlineFirst func(s *state, x session) bool
	mayCreate     func(s *state) bool
	put           func(s *state, x session, r revision) // makes what the store holds after it has created an entry
	released      func(s *state, x session)             // takes away what RELEASE of session x deletes
	expires       func(s *state, x session) bool
	keptRevision  func(s *state) revision
	keptEntries   func(s *state) [MaxSessions + 1]revision
	isMine        func(s *state, entry, x session) bool
	isTurn        func(s *state, entry session) bool // Leads
	mayWrite      func(s *state, x session) bool
	admits        func(s *state, e revision) bool
}

// standard are the rules as they are, in the form of a lock.
var standard = rules{
	deadlineFirst: func(s *state, x session) bool { return s.role[x] == over },
	mayCreate:     func(s *state) bool { return s.entries == [MaxSessions + 1]revision{} },
	put: func(s *state, x session, r revision) {
		s.entries = [MaxSessions + 1]revision{}
		s.entries[x] = r
	},
	released:     func(s *state, x session) { s.entries[x] = 0 },
	expires:      func(*state, session) bool { return true },
	keptRevision: func(s *state) revision { return s.revision },
	keptEntries:  func(s *state) [MaxSessions + 1]revision { return s.entries },
	isMine:       func(_ *state, entry, x session) bool { return entry == x },
	isTurn:       (*state).first,
	mayWrite:     (*state).leads,
	admits:       func(s *state, e revision) bool { return e >= s.wrote },
}

// replacements are what a configuration may put in the place of an operator: by operator, then by name, as in
// tla/MCLease.tla.
var replacements = map[string]map[string]func(*system){
	"DeadlineFirst": {
		"NoDeadline": func(y *system) { y.deadlineFirst = func(*state, session) bool { return true } },
		"OnlyLeadersStop": func(y *system) {
			y.deadlineFirst = func(s *state, x session) bool { return s.role[x] != leader }
		},
	},
	"MayCreate": {
		"InLine":     func(y *system) { y.mayCreate = func(*state) bool { return true } },
		"Overwrites": func(y *system) { y.mayCreate = func(*state) bool { return true } },
	},
	"Put": {
		"Beside": func(y *system) { y.put = func(s *state, x session, r revision) { s.entries[x] = r } },
	},
	"Released": {
		"AnyEntry": func(y *system) {
			y.released = func(s *state, _ session) { s.entries = [MaxSessions + 1]revision{} }
		},
	},
	"Expires": {
		"Never": func(y *system) { y.expires = func(*state, session) bool { return false } },
		"OnlyOfTheDead": func(y *system) {
			y.expires = func(s *state, x session) bool { return !has(s.up, s.node[x]) }
		},
	},
	"KeptRevision": {
		"ForgetsRevision": func(y *system) { y.keptRevision = func(*state) revision { return 0 } },
	},
	"KeptEntries": {
		"ForgetsEntries": func(y *system) {
			y.keptEntries = func(*state) (none [MaxSessions + 1]revision) { return none }
		},
	},
	"IsMine": {
		"SameNode": func(y *system) {
			y.isMine = func(s *state, entry, x session) bool { return s.node[entry] == s.node[x] }
		},
	},
	"Leads": {
		"NotNext": func(y *system) {
			y.isTurn = func(s *state, entry session) bool { return !s.hasRevision(s.entries[entry] - 1) }
		},
	},
	"MayWrite": {
		"Never": func(y *system) { y.mayWrite = func(*state, session) bool { return false } },
	},
	"Admits": {
		"AdmitsAny": func(y *system) { y.admits = func(*state, revision) bool { return true } },
	},
	"Next": {
		"CheckThenAct": func(y *system) { y.checkThenAct = true },
	},
}

// hasRevision reports whether the store holds an entry of revision r.
func (s *state) hasRevision(r revision) bool {
	for _, of := range s.entries {
		if r != 0 && of == r {
			return true
		}
	}
	return false
}
