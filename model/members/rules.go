package members

// rules are the operators under Rules in tla/Members.tla, by their names there. A mutant has
// another function in the place of one of them.
type rules struct {
	isQuorum          func(s set, c configuration) bool
	survives          func(y *system, s *state, i node) configuration
	adopts            func(mine, c configuration) bool
	epochOnAdopting   func(mine epoch, c configuration) epoch
	supportOnAdopting func(support set) set
	mayGrant          func(mine, claimants configuration) bool
	countsAck         func(s *state, l, i node) bool
	mayStand          func(c configuration, i node) bool
	isSettled         func(r *rules, s *state, l node) bool
	nextVersion       func(c configuration) version
	differsByOne      func(c, d configuration) bool
	staysElector      func(l node, d configuration) bool
	supportOnChanging func(support set) set
	stamped           func(c configuration, e epoch) configuration
}

// standard are the rules as they are.
var standard = rules{
	isQuorum:          func(s set, c configuration) bool { return 2*(s&c.electors()).size() > c.electors().size() },
	survives:          func(_ *system, s *state, i node) configuration { return s.conf[i] },
	adopts:            func(mine, c configuration) bool { return c.newer(mine) },
	epochOnAdopting:   func(mine epoch, c configuration) epoch { return max(mine, c.epoch) },
	supportOnAdopting: func(set) set { return 0 },
	mayGrant:          func(mine, claimants configuration) bool { return !mine.newer(claimants) },
	countsAck: func(s *state, l, i node) bool {
		return s.conf[i] == s.conf[l] && s.epoch[i] == s.epoch[l]
	},
	mayStand:          func(c configuration, i node) bool { return c.voters.has(i) },
	isSettled:         func(r *rules, s *state, l node) bool { return r.isQuorum(s.support[l]|only(l), s.conf[l]) },
	nextVersion:       func(c configuration) version { return c.version + 1 },
	differsByOne:      func(c, d configuration) bool { return c.differing(d).size() == 1 },
	staysElector:      func(l node, d configuration) bool { return d.electors().has(l) },
	supportOnChanging: func(set) set { return 0 },
	stamped: func(c configuration, e epoch) configuration {
		c.epoch = e
		return c
	},
}

// keeps is KeepsSupport of module MCMembers.
func keeps(support set) set { return support }

// replacements are what a configuration may put in the place of a rule: by operator, then by
// name, as in tla/MCMembers.tla.
var replacements = map[string]map[string]func(*system){
	"IsQuorum": {
		"HalfOrMore": func(r *system) {
			r.isQuorum = func(s set, c configuration) bool { return 2*(s&c.electors()).size() >= c.electors().size() }
		},
		"CountsAnybody": func(r *system) {
			r.isQuorum = func(s set, c configuration) bool { return 2*s.size() > c.electors().size() }
		},
	},
	"Survives": {
		"ForgetsConfiguration": func(r *system) {
			r.survives = func(y *system, _ *state, i node) configuration { return y.firstOf(i) }
		},
	},
	"Adopts": {
		"AdoptsOlder": func(r *system) { r.adopts = func(mine, c configuration) bool { return c != mine } },
	},
	"EpochOnAdopting": {
		"KeepsEpoch": func(r *system) { r.epochOnAdopting = func(mine epoch, _ configuration) epoch { return mine } },
	},
	"SupportOnAdopting": {"KeepsSupport": func(r *system) { r.supportOnAdopting = keeps }},
	"SupportOnChanging": {"KeepsSupport": func(r *system) { r.supportOnChanging = keeps }},
	"MayGrant": {
		"GrantsOlder": func(r *system) { r.mayGrant = func(_, _ configuration) bool { return true } },
	},
	"CountsAck": {
		"CountsOtherConfiguration": func(r *system) {
			r.countsAck = func(s *state, l, i node) bool { return s.epoch[i] == s.epoch[l] }
		},
		"CountsOtherEpoch": func(r *system) {
			r.countsAck = func(s *state, l, i node) bool { return s.conf[i] == s.conf[l] }
		},
	},
	"MayStand": {
		"AnybodyStands": func(r *system) { r.mayStand = func(configuration, node) bool { return true } },
	},
	"IsSettled": {
		"ChangesUnsettled": func(r *system) { r.isSettled = func(*rules, *state, node) bool { return true } },
	},
	"NextVersion": {
		"SameVersion": func(r *system) { r.nextVersion = func(c configuration) version { return c.version } },
	},
	"DiffersByOne": {
		"ManyAtOnce": func(r *system) { r.differsByOne = func(c, d configuration) bool { return c.differing(d) != 0 } },
	},
	"StaysElector": {
		"LeavesItself": func(r *system) { r.staysElector = func(node, configuration) bool { return true } },
	},
	"Stamped": {
		"Unstamped": func(r *system) { r.stamped = func(c configuration, _ epoch) configuration { return c } },
	},
}
