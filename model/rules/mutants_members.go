package rules

// memberMutants replace the rules about who the members are.
var memberMutants = map[string]map[string]func(*Rules){
	"Electors": {
		"WithObservers": func(r *Rules) { r.electors = Configuration.All },
	},
	"Adopt": {
		"StandsOn": func(r *Rules) {
			r.adopt = func(s State, c Configuration) State {
				s = r.learn(s, c.Epoch)
				s.Support, s.Conf = 0, c
				return s
			}
		},
		"KeepsSupport": func(r *Rules) {
			r.adopt = func(s State, c Configuration) State {
				s = r.learn(s, c.Epoch)
				s.Conf = c
				return s
			}
		},
		"LearnsNothing": func(r *Rules) {
			r.adopt = func(s State, c Configuration) State {
				if s.Role == Candidate || s.Role == Claimant {
					s = rest(s)
				}
				s.Support, s.Conf = 0, c
				return s
			}
		},
	},
	"Adopted": {
		"AdoptsNothing": func(r *Rules) { r.adopted = func(s State, _ Message) State { return s } },
		"AdoptsFromLeaders": func(r *Rules) {
			any := r.adopted
			r.adopted = func(s State, m Message) State {
				if m.Type == Coordinator || m.Type == Heartbeat {
					return any(s, m)
				}
				return s
			}
		},
	},
	"Meets": {
		"MeetsAnyone": func(r *Rules) { r.meets = func(_, _ ID, _ Configuration) bool { return true } },
	},
	"OutsideHeard": {
		"AnswersNobody": func(r *Rules) { r.outsideHeard = func(_ ID, s State, _ Message) Step { return quietly(s) } },
	},
	"Counts": {
		"CountsAny": func(r *Rules) { r.counts = func(State, Message) bool { return true } },
		"CountsAcks": func(r *Rules) {
			r.counts = func(s State, m Message) bool { return m.Type == Ack || m.Conf.Is(s.Conf) }
		},
	},
	"MayVote": {
		"VotesForOlder": func(r *Rules) {
			r.mayVote = func(i ID, s State, m Message) bool { return r.electors(s.Conf).Has(i) && s.Conf.Voters().Has(m.From) }
		},
		"VotesForAnyone": func(r *Rules) {
			r.mayVote = func(i ID, s State, m Message) bool { return r.electors(s.Conf).Has(i) && m.Conf.Is(s.Conf) }
		},
	},
	"MayStand": {
		"AnyoneStands":  func(r *Rules) { r.mayStand = func(ID, State) bool { return true } },
		"ElectorsStand": func(r *Rules) { r.mayStand = func(i ID, s State) bool { return r.electors(s.Conf).Has(i) } },
	},
	"AskOrSay": {
		"AsksOrRests":    saysTo(func(*Rules, ID, Configuration) Set { return 0 }),
		"SaysToElectors": saysTo(func(r *Rules, i ID, c Configuration) Set { return ifIn(i, c.All(), r.electors(c)) }),
		"ElectorsSay":    saysTo(func(r *Rules, i ID, c Configuration) Set { return ifIn(i, r.electors(c), c.All()) }),
		"AnyoneSays":     saysTo(func(_ *Rules, _ ID, c Configuration) Set { return c.All() }),
	},
	"Outranked": {
		"ByRankAlone": func(r *Rules) { r.outranked = func(l, k ID, _ Configuration) bool { return l < k } },
	},
	"IsSettled": {
		"ChangesUnsettled": func(r *Rules) { r.isSettled = func(ID, State) bool { return true } },
	},
	"OneDiffers": {
		"ManyDiffer": func(r *Rules) { r.oneDiffers = func(c, d Configuration) bool { return !c.Is(d) } },
	},
	"KeepsLeader": {
		"LeaderMayLeave": func(r *Rules) { r.keepsLeader = func(ID, Configuration) bool { return true } },
	},
	"Stamped": {
		"Unstamped": func(r *Rules) { r.stamped = unstamped },
	},
}

// saysTo makes a node that may not stand say so to whom the function says.
func saysTo(whom func(r *Rules, i ID, c Configuration) Set) func(*Rules) {
	return func(r *Rules) {
		r.askOrSay = func(i ID, s State) Step {
			if r.mayStand(i, s) {
				return r.ask(i, s)
			}
			return tell(i, rest(s), latest(ImBack, whom(r, i, s.Conf), rest(s)))
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
