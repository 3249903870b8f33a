package ring

// rules are the operators of module Ring that a configuration may replace: its assumptions, its rules, and what is
// added where nodes may die.
type rules struct {
	slowReturn     func(m *model, s *state) bool
	reliable       func(x message) bool
	passesOn       func(i, j int) bool
	joins          func(s *state, i int) bool
	tells          bool
	skips, retries bool
	drops          func(m *model, s *state, i, j int) bool
}

// asWritten are the operators as they stand in tla/Ring.tla.
var asWritten = rules{
	slowReturn: func(m *model, s *state) bool {
		return s.quiet(m) && !m.SomeNode(func(j int) bool { return s.up.Has(j) && s.role[j] == candidate })
	},
	reliable: func(message) bool { return true },
	passesOn: func(i, j int) bool { return j > i },
	joins:    func(s *state, i int) bool { return s.role[i] != candidate },
	tells:    true,
	drops:    func(*model, *state, int, int) bool { return false },
}

// onTime reports whether a timer may end: nothing is under way that a live node has begun.
func (m *model) onTime(s *state) bool {
	for _, q := range s.net[:len(m.Links)] {
		for ; q != 0; q >>= 4 {
			if s.up.Has(q.head().id()) {
				return false
			}
		}
	}
	return true
}

// replacements makes, for each operator or constant, each replacement that tla/MCRing.tla has for it.
var replacements = map[string]map[string]func(m *model){
	"Cuts": {
		"Whole":  func(m *model) { m.CutWhere(func(link) bool { return false }) },
		"Halves": func(m *model) { m.CutWhere(func(l link) bool { return (2*l.From > m.N) != (2*l.To > m.N) }) },
	},
	"Orders": {
		"AllOrders": func(m *model) { m.arrange(1) },
		"Ascending": (*model).ascend,
	},
	"Beginnings": {
		"OnlyCold":  func(m *model) { m.beginnings = []string{"Cold"} },
		"OnlyLed":   func(m *model) { m.beginnings = []string{"Led"} },
		"LedOrCold": func(m *model) { m.beginnings = []string{"Led", "Cold"} },
	},
	"SlowReturn": {"AnyReturn": func(m *model) { m.slowReturn = func(*model, *state) bool { return true } }},
	"Reliable": {
		"LosesElection":    func(m *model) { m.reliable = func(x message) bool { return x.kind() != election } },
		"LosesCoordinator": func(m *model) { m.reliable = func(x message) bool { return x.kind() != coordinator } },
	},
	"PassesOn": {"AllIds": func(m *model) { m.passesOn = func(int, int) bool { return true } }},
	"Joins":    {"Never": func(m *model) { m.joins = func(*state, int) bool { return false } }},
	"Tells":    {"Never": func(m *model) { m.tells = false }},
	"Skips":    {"Always": func(m *model) { m.skips = true }},
	"Retries":  {"Always": func(m *model) { m.retries = true }},
	"Drops":    {"OfTheDead": func(m *model) { m.drops = func(m *model, s *state, i, j int) bool { return !m.alive(s, i, j) } }},
}

// invariants are those that a configuration may name.
var invariants = map[string]func(m *model, s *state) bool{
	"TypeOK": func(m *model, s *state) bool {
		return s.up>>(m.N+1) == 0 && !m.SomeNode(func(i int) bool { return int(s.leader[i]) > m.N })
	},
	"OneLeader": func(m *model, s *state) bool {
		return !m.SomeNode(func(i int) bool { return m.SomeNode(func(j int) bool { return i < j && s.leads(i) && s.leads(j) }) })
	},
	"OnlyTheHighest": func(m *model, s *state) bool {
		return !m.SomeNode(func(i int) bool { return s.leads(i) && i != s.up.Highest() })
	},
	"LeaderAtRest": func(m *model, s *state) bool { return !m.atRest(s) || m.SomeNode(s.leads) },
	"OneLeaderAtRest": func(m *model, s *state) bool {
		return !m.atRest(s) || m.SomeNode(func(l int) bool { return m.followedByAll(s, l) })
	},
	"HighestAtRest": func(m *model, s *state) bool { return !m.atRest(s) || m.followedByAll(s, s.up.Highest()) },
	"NeverLed":      func(m *model, s *state) bool { return !(m.atRest(s) && m.followedByAll(s, m.N)) },
	"NeverReplaced": func(m *model, s *state) bool {
		return !(m.atRest(s) && !s.up.Has(m.N) && m.followedByAll(s, m.N-1))
	},
}

// followedByAll reports whether node l leads and all who run take it for the leader.
func (m *model) followedByAll(s *state, l int) bool {
	return s.leads(l) && !m.SomeNode(func(i int) bool { return s.up.Has(i) && int(s.leader[i]) != l })
}

// atRest reports whether somebody has started, and nothing is left that must happen.
func (m *model) atRest(s *state) bool {
	return m.Cuts[s.cut] == 0 && s.quiet(m) &&
		m.SomeNode(func(i int) bool { return s.up.Has(i) && (s.role[i] != follower || s.leader[i] != none) }) &&
		!m.SomeNode(func(i int) bool { return s.up.Has(i) && m.mustAct(s, i) })
}

// mustAct reports whether node i follows a dead leader, or waits and will start again.
func (m *model) mustAct(s *state, i int) bool {
	switch s.role[i] {
	case follower:
		return s.leader[i] != none && !m.alive(s, i, int(s.leader[i]))
	case candidate:
		return m.retries
	}
	return false
}
