package changing

import (
	"fmt"

	"github.com/seed-fdf591db/bully/model"
	"github.com/seed-fdf591db/bully/spec"
)

// Replace puts the named operator of tla/MCChangingCluster.tla in the place of a rule, such as IsQuorum; first is the
// configuration of the first members, constant First of that module. It is an error if operator is no rule, or if name is no
// replacement of it. Replace before anything else is called.
func (r *Rules) Replace(operator, name string, first Configuration) error {
	known, ok := replacements[operator]
	if !ok {
		return fmt.Errorf("changing: %s is not a rule that can be replaced", operator)
	}
	replace, ok := known[name]
	if !ok {
		return noReplacement(operator, name)
	}
	replace(r, first)
	return nil
}

func noReplacement(operator, name string) error {
	return fmt.Errorf("changing: %s is no replacement of %s", name, operator)
}

// replacements are what a mutant may put in the place of a rule: by operator, then by name, as in
// tla/MCChangingCluster.tla.
var replacements = map[string]map[string]func(r *Rules, first Configuration){
	"Electors": {
		"WithObservers": func(r *Rules, _ Configuration) { r.electors = Configuration.Members },
	},
	"IsQuorum": {
		"EveryoneCounts": func(r *Rules, _ Configuration) {
			r.isQuorum = func(c Configuration, s Set) bool { return 2*s.Len() > r.electors(c).Len() }
		},
		"HalfOrMore": func(r *Rules, _ Configuration) {
			r.isQuorum = func(c Configuration, s Set) bool { return 2*(s&r.electors(c)).Len() >= r.electors(c).Len() }
		},
		"ObserversVote": func(r *Rules, _ Configuration) {
			r.isQuorum = func(c Configuration, s Set) bool { return 2*(s&c.Members()).Len() > (c.Voters | c.Witnesses).Len() }
		},
	},
	"Survives": {
		"ForgetsChanges": func(r *Rules, first Configuration) {
			r.survives = func(s State) State { return State{Epoch: s.Epoch, Grantee: s.Grantee, Conf: first} }
		},
	},
	"Adopt": {
		"StandsOn": func(r *Rules, _ Configuration) {
			r.adopt = func(s State, c Configuration) State {
				s = learn(s, c.Epoch)
				s.Support, s.Conf = 0, c
				return s
			}
		},
		"KeepsSupport": func(r *Rules, _ Configuration) {
			r.adopt = func(s State, c Configuration) State {
				s = learn(s, c.Epoch)
				s.Conf = c
				return s
			}
		},
		"LearnsNothing": func(r *Rules, _ Configuration) {
			r.adopt = func(s State, c Configuration) State {
				if s.Role == model.Candidate || s.Role == model.Claimant {
					s = rest(s)
				}
				s.Support, s.Conf = 0, c
				return s
			}
		},
	},
	"Adopted": {
		"AdoptsNothing": func(r *Rules, _ Configuration) { r.adopted = func(s State, _ Message) State { return s } },
		"AdoptsFromLeaders": func(r *Rules, _ Configuration) {
			r.adopted = func(s State, m Message) State {
				if (m.Type == model.Coordinator || m.Type == model.Heartbeat) && m.Conf.Newer(s.Conf) {
					return r.adopt(s, m.Conf)
				}
				return s
			}
		},
	},
	"Meets": {
		"MeetsAnyone": func(r *Rules, _ Configuration) { r.meets = func(_, _ ID, _ Configuration) bool { return true } },
	},
	"OutsideHeard": {
		"AnswersNobody": func(r *Rules, _ Configuration) {
			r.outsideHeard = func(_ ID, s State, _ Message) Outcome { return quietly(s) }
		},
	},
	"Counts": {
		"CountsAny": func(r *Rules, _ Configuration) { r.counts = func(State, Message) bool { return true } },
		"CountsVotes": func(r *Rules, _ Configuration) {
			r.counts = func(s State, m Message) bool {
				return m.Type == model.OK || m.Type == model.Assent || m.Type == model.Grant || m.Conf == s.Conf
			}
		},
		"CountsAcks": func(r *Rules, _ Configuration) {
			r.counts = func(s State, m Message) bool { return m.Type == model.Ack || m.Conf == s.Conf }
		},
	},
	"MayVote": {
		"VotesForOlder": func(r *Rules, _ Configuration) {
			r.mayVote = func(i ID, s State, m Message) bool { return r.electors(s.Conf).Has(i) && s.Conf.Voters.Has(m.From) }
		},
		"VotesForAnyone": func(r *Rules, _ Configuration) {
			r.mayVote = func(i ID, s State, m Message) bool { return r.electors(s.Conf).Has(i) && m.Conf == s.Conf }
		},
	},
	"MayStand": {
		"AnyoneStands": func(r *Rules, _ Configuration) { r.mayStand = func(ID, State) bool { return true } },
		"ElectorsStand": func(r *Rules, _ Configuration) {
			r.mayStand = func(i ID, s State) bool { return r.electors(s.Conf).Has(i) }
		},
	},
	"AskOrSay": {
		"AsksOrRests":    saysTo(func(*Rules, ID, Configuration) Set { return 0 }),
		"SaysToElectors": saysTo(func(r *Rules, i ID, c Configuration) Set { return ifIn(i, c.Members(), r.electors(c)) }),
		"ElectorsSay":    saysTo(func(r *Rules, i ID, c Configuration) Set { return ifIn(i, r.electors(c), c.Members()) }),
		"AnyoneSays":     saysTo(func(_ *Rules, _ ID, c Configuration) Set { return c.Members() }),
	},
	"Watches": {
		"AlwaysWatches": func(r *Rules, _ Configuration) {
			r.watches = func(_ ID, s State) bool { return s.Role == model.Follower }
		},
		"WatchesHolder": func(r *Rules, _ Configuration) {
			r.watches = func(i ID, s State) bool { return s.Role == model.Follower && (s.Leader != None || r.mayStand(i, s)) }
		},
	},
	"Outranked": {
		"ByRankAlone": func(r *Rules, _ Configuration) { r.outranked = func(l, k ID, _ Configuration) bool { return l < k } },
	},
	"IsSettled": {
		"ChangesUnsettled": func(r *Rules, _ Configuration) { r.isSettled = func(ID, State) bool { return true } },
	},
	"OneDiffers": {
		"ManyDiffer": func(r *Rules, _ Configuration) { r.oneDiffers = func(c, d Configuration) bool { return c != d } },
	},
	"KeepsLeader": {
		"LeaderMayLeave": func(r *Rules, _ Configuration) { r.keepsLeader = func(ID, Configuration) bool { return true } },
	},
	"Stamped": {
		"Unstamped": func(r *Rules, _ Configuration) {
			r.stamped = func(c Configuration, _ spec.Epoch) Configuration { return c }
		},
	},
}

// saysTo makes a node that may not stand say so to whom the function says.
func saysTo(whom func(r *Rules, i ID, c Configuration) Set) func(*Rules, Configuration) {
	return func(r *Rules, _ Configuration) {
		r.askOrSay = func(i ID, s State) Outcome {
			if r.mayStand(i, s) {
				return r.ask(i, s)
			}
			return tell(i, rest(s), model.ImBack, whom(r, i, s.Conf), s.Epoch)
		}
	}
}

// ifIn returns the set then if i is one of those, and else no nodes.
func ifIn(i ID, those, then Set) Set {
	if those.Has(i) {
		return then
	}
	return 0
}
