package raft

import "github.com/seed-fdf591db/bully/model/internal/frame"

// rules are the operators of module RaftElection that a configuration may replace: its assumptions, its rules, and
// its options.
type rules struct {
	onTime       predicate
	left         bool // whether a message stays under way when it is received
	isQuorum     func(m *model, q set) bool
	survives     func(x node, i int) node
	mayVote      func(x node, c int) bool
	isStale      func(term int, x node) bool
	countsVote   func(term int, x node) bool
	asksFirst    bool
	wouldVote    predicate
	heeds        predicate
	checksQuorum bool
}

// predicate is an operator with a node for its parameter.
type predicate func(m *model, s *state, i int) bool

// asWritten are the operators as they stand in tla/RaftElection.tla.
var asWritten = rules{
	onTime:     always,
	left:       true,
	isQuorum:   func(m *model, q set) bool { return 2*q.Size() > m.N },
	survives:   func(x node, _ int) node { return started(x.term, x.vote) },
	mayVote:    func(x node, c int) bool { return x.vote == none || int(x.vote) == c },
	isStale:    func(term int, x node) bool { return term < int(x.term) },
	countsVote: func(term int, x node) bool { return term == int(x.term) },
	wouldVote:  unlessLed,
	heeds:      always,
}

func always(*model, *state, int) bool          { return true }
func unlessLed(m *model, s *state, i int) bool { return !s.leads(i) && !m.hears(s, i) }
func neighbours(l link) bool                   { return l.From-l.To == 1 || l.To-l.From == 1 }

// replacements makes, for each operator or constant, each replacement that tla/MCRaftElection.tla has for it.
var replacements = map[string]map[string]func(m *model){
	"Cuts": {
		"Whole":         func(m *model) { m.CutWhere(func(link) bool { return false }) },
		"FirstIsolated": func(m *model) { m.CutWhere(func(l link) bool { return (l.From == 1) != (l.To == 1) }) },
		"FirstFickle":   func(m *model) { m.cutAnyOf(func(l link) bool { return l.From == 1 || l.To == 1 }) },
		"FirstDeaf":     func(m *model) { m.CutWhere(func(l link) bool { return l.To == 1 }) },
		"LeaderDeaf":    func(m *model) { m.CutWhere(func(l link) bool { return l.To == m.N }) },
		"Chain":         func(m *model) { m.CutWhere(func(l link) bool { return !neighbours(l) }) },
	},
	"Beginnings": {
		"OnlyLed":  func(m *model) { m.led = true },
		"OnlyCold": func(m *model) { m.led = false },
	},
	"OnTime": {
		"Timely": func(m *model) {
			m.onTime = func(m *model, s *state, i int) bool { return m.quiet(s) && !m.expects(s, i) }
		},
		"Crowded": func(m *model) { m.onTime = func(m *model, s *state, i int) bool { return !m.expects(s, i) } },
	},
	"Left":         {"Nothing": func(m *model) { m.left = false }},
	"AsksFirst":    {"Always": func(m *model) { m.asksFirst = true }},
	"ChecksQuorum": {"Always": func(m *model) { m.checksQuorum = true }},
	"Heeds":        {"UnlessLed": func(m *model) { m.heeds = unlessLed }},
	"WouldVote":    {"WouldAlways": func(m *model) { m.wouldVote = always }},
	"IsQuorum":     {"AnyHalf": func(m *model) { m.isQuorum = func(m *model, q set) bool { return 2*q.Size() >= m.N } }},
	"MayVote":      {"Anybody": func(m *model) { m.mayVote = func(node, int) bool { return true } }},
	"IsStale":      {"NeverStale": func(m *model) { m.isStale = func(int, node) bool { return false } }},
	"CountsVote":   {"AnyTerm": func(m *model) { m.countsVote = func(int, node) bool { return true } }},
	"Survives": {
		"ForgetsVote": func(m *model) { m.survives = func(x node, _ int) node { return started(x.term, none) } },
		"ForgetsTerm": func(m *model) { m.survives = func(node, int) node { return started(0, none) } },
		"ForgetsOwnVote": func(m *model) {
			m.survives = func(x node, i int) node {
				if int(x.vote) == i {
					x.vote = none
				}
				return started(x.term, x.vote)
			}
		},
	},
}

// invariants are those that a configuration may name.
var invariants = map[string]func(m *model, s *state) bool{
	"TypeOK": func(m *model, s *state) bool {
		return !m.SomeNode(func(i int) bool {
			x := s.node[i]
			return int(x.term) > m.maxTerm || int(x.vote) > m.N || int(x.leader) > m.N || x.votes>>(m.N+1) != 0
		})
	},
	"OneLeaderPerTerm": func(m *model, s *state) bool { return m.oneLeaderPerTerm(s) },
	"OneLeader": func(m *model, s *state) bool {
		return !m.SomeNode(func(i int) bool { return m.SomeNode(func(j int) bool { return i < j && s.leads(i) && s.leads(j) }) })
	},
	"NeverSplit": func(m *model, s *state) bool { return !m.split(s) },
	"NeverReplaced": func(m *model, s *state) bool {
		return !m.SomeNode(func(i int) bool { return s.leads(i) && s.node[i].term != 1 })
	},
}

// oneLeaderPerTerm goes through all who lead, and through what leaders have sent.
func (m *model) oneLeaderPerTerm(s *state) bool {
	var reigns [maxTerm + 1]set
	for i := 1; i <= m.N; i++ {
		if s.leads(i) {
			reigns[s.node[i].term] |= frame.Only(i)
		}
	}
	for k, l := range m.Links {
		for x := s.net[k] & appends; x != 0; x &= x - 1 {
			_, term := x.first()
			reigns[term] |= frame.Only(l.From)
		}
	}
	for _, leaders := range reigns {
		if leaders&(leaders-1) != 0 {
			return false
		}
	}
	return true
}

var appends = allOf(appendEntries)

// split reports whether all have voted in one term, and nobody has the votes of a quorum.
func (m *model) split(s *state) bool {
	var votes [maxNodes + 1]set
	for i := 1; i <= m.N; i++ {
		if x := s.node[i]; x.term != s.node[1].term || x.vote == none || x.role == leader {
			return false
		}
		votes[s.node[i].vote] |= frame.Only(i)
	}
	return !m.SomeNode(func(c int) bool { return m.isQuorum(m, votes[c]) })
}

// steps are the properties of steps.
var steps = map[string]func(m *model, now, next *state) bool{
	"TermMonotonic": func(m *model, now, next *state) bool {
		return !m.SomeNode(func(i int) bool { return next.node[i].term < now.node[i].term })
	},
	"LeaderStays": func(m *model, now, next *state) bool {
		return !m.SomeNode(func(i int) bool { return next.node[i].term != now.node[i].term && m.sound(now, i) })
	},
}

// sound reports whether node i leads, and it and those from whom nothing ever cuts it off are a quorum.
func (m *model) sound(s *state, i int) bool {
	q := frame.Only(i)
	for j := 1; j <= m.N; j++ {
		if j != i && m.ever>>m.Index[i][j]&1 == 0 && m.ever>>m.Index[j][i]&1 == 0 {
			q |= frame.Only(j)
		}
	}
	return s.leads(i) && m.isQuorum(m, q)
}
