package textbook

import "github.com/seed-fdf591db/bully/model/internal/frame"

// rules are the operators of module Textbook that a configuration may replace: its assumptions, then its rules.
type rules struct {
	landed, alive, owed, onTime, slowReturn     predicate
	reliable                                    func(q queue) bool
	probes, answers, stands, givesWay, declares predicate
	retries, takesOver                          predicate
	asked, told                                 func(m *model, i int) set
	accepts                                     func(s *state, i int) bool
}

// predicate is an operator with a node for its parameter.
type predicate func(m *model, s *state, i int) bool

// asTaught are the operators as they stand in tla/Textbook.tla.
var asTaught = rules{
	landed: func(m *model, s *state, i int) bool { return s.silent(m, i, m.awaited(s, i)) },
	alive: func(m *model, s *state, i int) bool {
		return s.up.Has(int(s.leader[i])) && m.linked(s, i, int(s.leader[i]))
	},
	owed: func(m *model, s *state, i int) bool {
		return m.some(m.above(i)&s.up, func(j int) bool { return s.inElection(j) && !m.isCut(s, m.Index[j][i]) })
	},
	onTime: func(m *model, s *state, i int) bool {
		return m.landed(m, s, i) &&
			!(s.role[i] == follower && m.alive(m, s, i)) &&
			!(s.role[i] == electing && m.owed(m, s, i))
	},
	slowReturn: func(m *model, s *state, _ int) bool { return s.quiet(m) && !m.some(s.up, s.inElection) },
	reliable:   func(queue) bool { return true },
	probes:     always,
	answers:    always,
	stands:     func(_ *model, s *state, i int) bool { return !s.inElection(i) },
	givesWay:   always,
	declares:   always,
	retries:    always,
	takesOver:  always,
	asked:      func(m *model, i int) set { return m.above(i) },
	told:       func(m *model, i int) set { return m.above(0) &^ frame.Only(i) },
	accepts:    func(*state, int) bool { return true },
}

func always(*model, *state, int) bool { return true }
func never(*model, *state, int) bool  { return false }

// replacements makes, for each operator or constant, each replacement that tla/MCTextbook.tla has for it.
var replacements = map[string]map[string]func(m *model){
	"Cuts": {
		"Whole":       func(m *model) { m.CutWhere(func(link) bool { return false }) },
		"TopIsolated": func(m *model) { m.CutWhere(func(l link) bool { return (l.From == m.N) != (l.To == m.N) }) },
		"TopDeaf":     func(m *model) { m.CutWhere(func(l link) bool { return l.To == m.N }) },
	},
	"Beginnings": {
		"OnlyLed":   func(m *model) { m.beginnings = []string{"Led"} },
		"LedOrCold": func(m *model) { m.beginnings = []string{"Led", "Cold"} },
	},
	"OnTime": {"AnyTime": func(m *model) { m.onTime = always }},
	"Landed": {"AnyTime": func(m *model) { m.landed = always }},
	"Alive":  {"FindsAllDead": func(m *model) { m.alive = never }},
	"Owed":   {"NobodyOwes": func(m *model) { m.owed = never }},
	"SlowReturn": {
		"AnyReturn": func(m *model) { m.slowReturn = always },
		"OwnLanded": func(m *model) {
			m.slowReturn = func(m *model, s *state, i int) bool { return s.silent(m, i, m.above(0)&^frame.Only(i)) }
		},
		"AllLanded": func(m *model) {
			m.slowReturn = func(m *model, s *state, _ int) bool { return s.quiet(m) }
		},
	},
	"Reliable": {
		"LosesOk":          func(m *model) { m.reliable = func(q queue) bool { return q.head() != ok } },
		"LosesCoordinator": func(m *model) { m.reliable = func(q queue) bool { return q.head() != coordinator } },
	},
	"Probes":   {"Never": func(m *model) { m.probes = never }},
	"Answers":  {"Never": func(m *model) { m.answers = never }},
	"Stands":   {"Never": func(m *model) { m.stands = never }},
	"GivesWay": {"Never": func(m *model) { m.givesWay = never }},
	"Declares": {"Never": func(m *model) { m.declares = never }},
	"Retries":  {"Never": func(m *model) { m.retries = never }},
	"Asked":    {"OnlyNext": func(m *model) { m.asked = func(_ *model, i int) set { return frame.Only(i + 1) } }},
	"Told":     {"NobodyElse": func(m *model) { m.told = func(*model, int) set { return 0 } }},
	"Accepts":  {"LeadersDoNot": func(m *model) { m.accepts = func(s *state, i int) bool { return !s.leads(i) } }},
	"TakesOver": {
		"OnlyIfNobodyLeads": func(m *model) {
			m.takesOver = func(m *model, s *state, _ int) bool { return !m.some(s.up, s.leads) }
		},
		"OnlyIfNeeded": func(m *model) {
			m.takesOver = func(m *model, s *state, i int) bool {
				return !m.some(s.up, s.leads) || m.some(s.up, func(k int) bool { return int(s.leader[k]) == i })
			}
		},
	},
}

// awaited returns the nodes that the timer of node i waits for.
func (m *model) awaited(s *state, i int) set {
	switch {
	case s.role[i] == leader, s.role[i] == follower && s.leader[i] == none:
		return 0
	case s.role[i] == follower:
		return frame.Only(int(s.leader[i]))
	}
	return m.above(i)
}

// invariants are those that a configuration may name.
var invariants = map[string]func(m *model, s *state) bool{
	"TypeOK": func(m *model, s *state) bool {
		return s.up&^m.above(0) == 0 && !m.some(m.above(0), func(i int) bool { return int(s.leader[i]) > m.N })
	},
	"OneLeader": func(m *model, s *state) bool {
		return !m.twoLead(s, func(lower, higher int) bool { return true })
	},
	"TwoOnlyOnReturn": func(m *model, s *state) bool {
		return !m.twoLead(s, func(lower, higher int) bool { return !s.net[m.Index[higher][lower]].has(coordinator) })
	},
	"OneLeaderAtRest": func(m *model, s *state) bool {
		return !m.atRest(s) || m.some(m.above(0), func(l int) bool { return m.followedByAll(s, l) })
	},
	"HighestAtRest": func(m *model, s *state) bool { return !m.atRest(s) || m.followedByAll(s, s.up.Highest()) },
	"NeverReplaced": func(m *model, s *state) bool {
		return !(m.atRest(s) && !s.up.Has(m.N) && m.followedByAll(s, m.N-1))
	},
}

// steps are the properties of steps.
var steps = map[string]func(m *model, now, next *state) bool{
	// No leader becomes a follower while it runs.
	"NeverHandsOver": func(m *model, now, next *state) bool {
		return !m.some(now.up&next.up, func(i int) bool { return now.leads(i) && next.role[i] == follower })
	},
}

// twoLead reports whether two nodes lead for which bad is true.
func (m *model) twoLead(s *state, bad func(lower, higher int) bool) bool {
	return m.some(s.up, func(i int) bool {
		return s.leads(i) && m.some(s.up&m.above(i), func(j int) bool { return s.leads(j) && bad(i, j) })
	})
}

// followedByAll reports whether node l leads and all who run take it for the leader.
func (m *model) followedByAll(s *state, l int) bool {
	return s.leads(l) && !m.some(s.up, func(i int) bool { return int(s.leader[i]) != l })
}

// atRest reports whether nothing is left to happen but faults.
func (m *model) atRest(s *state) bool {
	return s.up != 0 && m.Cuts[s.cut] == 0 && s.quiet(m) && !m.some(s.up, func(i int) bool {
		return s.inElection(i) || s.role[i] == follower && !m.alive(m, s, i)
	})
}
