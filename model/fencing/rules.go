package fencing

// rules are the operators under Rules in tla/Fencing.tla, by their names there. A mutant has
// another function in the place of one of them.
type rules struct {
	mayLead  func(s *state, i node, e epoch) bool
	maySend  func(s *state, r reign) bool
	admits   func(s *state, e epoch) bool
	survives func(s *state) epoch
}

// standard are the rules as they are.
var standard = rules{
	mayLead:  func(s *state, i node, e epoch) bool { return e >= s.reigns.highestOf(i) && s.reigns[e] == 0 },
	maySend:  func(*state, reign) bool { return true },
	admits:   func(s *state, e epoch) bool { return e >= s.admitted },
	survives: func(s *state) epoch { return s.admitted },
}

// replacements are what a mutant may put in the place of an operator: by operator, then by
// name, as in tla/MCFencing.tla.
var replacements = map[string]map[string]func(*system){
	"MayLead": {
		"LeadsLedEpoch": func(y *system) {
			y.mayLead = func(s *state, i node, e epoch) bool { return e >= s.reigns.highestOf(i) }
		},
	},
	"MaySend": {
		"WhileHighest": func(y *system) {
			y.maySend = func(s *state, r reign) bool { return s.reigns.highest() <= r.epoch }
		},
	},
	"Admits": {
		"AdmitsAny":    func(y *system) { y.admits = func(*state, epoch) bool { return true } },
		"AdmitsHigher": func(y *system) { y.admits = func(s *state, e epoch) bool { return e > s.admitted } },
	},
	"Survives": {
		"ForgetsFence": func(y *system) { y.survives = func(*state) epoch { return 0 } },
	},
	"Next": {
		"CheckThenAct": func(y *system) { y.checkThenAct = true },
	},
}

// highestOf returns the highest epoch that node i has led, or 0: the module's operator epoch.
func (r *reigns) highestOf(i node) epoch {
	for e := epoch(MaxEpochs); e > 0; e-- {
		if r[e].has(i) {
			return e
		}
	}
	return 0
}

// highest returns the highest epoch that anybody has led, or 0.
func (r *reigns) highest() epoch {
	for e := epoch(MaxEpochs); e > 0; e-- {
		if r[e] != 0 {
			return e
		}
	}
	return 0
}
