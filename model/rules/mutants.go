package rules

import (
	"fmt"
	"maps"
	"slices"

	"github.com/seed-fdf591db/bully/spec"
)

// Replace puts the named operator of tla/MCCluster.tla, such as AnySet, in the place of a rule, such as IsQuorum; first is the
// configuration of the first members, constant First of that module. It is an error if operator is no rule, or if name is no
// replacement of it. Replace before anything else is called.
func (r *Rules) Replace(operator, name string, first Configuration) error {
	known, ok := replacements[operator]
	if !ok {
		return fmt.Errorf("rules: %s is not a rule that can be replaced", operator)
	}
	replace, ok := known[name]
	if !ok {
		return fmt.Errorf("rules: %s is no replacement of %s", name, operator)
	}
	r.first = first
	replace(r)
	return nil
}

// Replacements returns the names that Replace takes, by operator.
func Replacements() map[string][]string {
	names := map[string][]string{}
	for operator, known := range replacements {
		names[operator] = slices.Sorted(maps.Keys(known))
	}
	return names
}

// replacements are what a mutant may put in the place of a rule: by operator, then by name, as in tla/MCCluster.tla.
var replacements = func() map[string]map[string]func(*Rules) {
	all := maps.Clone(promiseMutants)
	maps.Copy(all, memberMutants)
	return all
}()

// promiseMutants replace the rules about quorums, leases and epochs.
var promiseMutants = map[string]map[string]func(*Rules){
	"IsQuorum": {
		"AnySet": func(r *Rules) { r.isQuorum = func(_ Configuration, s Set) bool { return s != 0 } },
		"EveryoneCounts": func(r *Rules) {
			r.isQuorum = func(c Configuration, s Set) bool { return 2*s.Len() > r.electors(c).Len() }
		},
		"HalfOrMore": func(r *Rules) {
			r.isQuorum = func(c Configuration, s Set) bool { return 2*(s&r.electors(c)).Len() >= r.electors(c).Len() }
		},
		"ObserversVote": func(r *Rules) {
			r.isQuorum = func(c Configuration, s Set) bool { return 2*(s&c.All()).Len() > (c.Voters() | c.Witnesses()).Len() }
		},
	},
	"Survives": {
		"ForgetsAll": func(r *Rules) { r.survives = func(s State) State { return State{Conf: s.Conf, Latest: s.Latest} } },
		"ForgetsNumbers": func(r *Rules) {
			r.survives = func(s State) State { return State{Epoch: s.Epoch, Grantee: s.Grantee, Conf: s.Conf} }
		},
		"ForgetsGrantee": func(r *Rules) {
			r.survives = func(s State) State { return State{Epoch: s.Epoch, Conf: s.Conf, Latest: s.Latest} }
		},
		"ForgetsChanges": func(r *Rules) {
			r.survives = func(s State) State { return State{Epoch: s.Epoch, Grantee: s.Grantee, Conf: r.first, Latest: s.Latest} }
		},
	},
	"Shields": {
		"ShieldsNobody": func(r *Rules) { r.shields = func(State, ID) bool { return false } },
	},
	"OwnClaim": {
		"NoOwnClaim": func(r *Rules) { r.ownClaim = func(State, spec.Epoch) bool { return false } },
	},
	"Watches": {
		"AlwaysWatches": func(r *Rules) { r.watches = func(_ ID, s State) bool { return s.Role == Follower } },
		"WatchesHolder": func(r *Rules) {
			r.watches = func(i ID, s State) bool { return s.Role == Follower && (s.Leader != None || r.mayStand(i, s)) }
		},
		"WatchesNobody": func(r *Rules) {
			r.watches = func(_ ID, s State) bool { return s.Role == Follower && s.Leader == None }
		},
	},
	"WhilePreempting": {
		"DropsLease": func(r *Rules) { r.whilePreempting = unbound },
	},
	"MaySupport": {
		"AlwaysSupports": func(r *Rules) {
			r.maySupport = func(i ID, s State, m Message) bool { return r.mayVote(i, s, m) }
		},
		"SupportsLower": func(r *Rules) {
			upwards := r.maySupport
			r.maySupport = func(i ID, s State, m Message) bool {
				return r.mayVote(i, s, m) && !r.outranked(i, m.From, s.Conf) || upwards(i, s, m)
			}
		},
	},
	"OkSupport": {
		"NoOkSupport": func(r *Rules) { r.okSupport = func(Message) Set { return 0 } },
	},
	"MayClaim": {
		"ClaimsUnasked": func(r *Rules) { r.mayClaim = func(ID, State) bool { return true } },
	},
	"NextEpoch": {
		"SameEpoch": func(r *Rules) {
			r.nextEpoch = func(s State) spec.Epoch { return max(s.Epoch, 1) }
		},
	},
	"MayGrant": {
		"GrantsTwice": func(r *Rules) {
			r.mayGrant = func(s State, _ ID, e spec.Epoch) bool { return e >= s.Epoch }
		},
		"GrantsBelow": func(r *Rules) { r.mayGrant = func(State, ID, spec.Epoch) bool { return true } },
	},
	"AfterGrant": {
		"DoesNotWait": func(r *Rules) {
			r.afterGrant = func(s State, m Message) State {
				return State{Epoch: m.Epoch, Grantee: m.From, Conf: s.Conf, Latest: s.Latest}
			}
		},
	},
	"HandsOver": {
		"NeverHandsOver": func(r *Rules) { r.handsOver = func(ID, State, Message) bool { return false } },
		"HandsOverItsOwn": func(r *Rules) {
			r.handsOver = func(i ID, s State, m Message) bool {
				return r.mayVote(i, s, m) && r.outranked(i, m.From, s.Conf) && m.Epoch >= s.Epoch
			}
		},
	},
	"CountsGrant": {
		"CountsAnyGrant": func(r *Rules) { r.countsGrant = func(State, Message) bool { return true } },
		"CountsGrantOfEpoch": func(r *Rules) {
			r.countsGrant = func(s State, m Message) bool { return m.Epoch == r.nextEpoch(s) }
		},
	},
	"Covers": {
		"ReleasesAny": func(r *Rules) { r.covers = func(_, _ Question) bool { return true } },
	},
	"LeaseAfter": {
		"LeaseGetsOlder": func(r *Rules) { r.leaseAfter = func(_ State, m Message) Question { return m.Question } },
	},
	"LearnsBound": {
		"LearnsAlways": func(r *Rules) { r.learnsBound = func(ID, State) bool { return true } },
	},
	"GivesWay": {
		"ClaimantsGiveWay": func(r *Rules) { r.givesWay = func() bool { return true } },
	},
	"AnswersMine": {
		"AnyAnswer": func(r *Rules) { r.answersMine = func(State, Message) bool { return true } },
	},
	"Answers": {
		"DatesFromArrival": func(r *Rules) { r.answers = func(s State, _ Message) Question { return s.Latest } },
	},
	"Rivals": {
		"GrantsRivals": func(r *Rules) { r.rivals = func(ID, State, Message) bool { return false } },
	},
	"Keeps": {
		"NamesNoLease": func(r *Rules) { r.keeps = func(State, Message) bool { return true } },
	},
	"Succeeds": {
		"NoSuccession": func(r *Rules) { r.succeeds = func(ID, State, Message) bool { return false } },
	},
	"IsNamed": {
		"NamedIsSilent": func(r *Rules) { r.isNamed = func(ID, State, State, Message) bool { return false } },
	},
	"HasEnded": {
		"NeverEnded": func(r *Rules) { r.hasEnded = func(ID, State, Message) bool { return false } },
	},
	"MayWin": {
		"WinsOverLease": func(r *Rules) {
			r.mayWin = func(i ID, s State) bool { return r.isQuorum(s.Conf, s.Support.With(i)) }
		},
	},
	"IsStale": {
		"NeverStale": func(r *Rules) { r.isStale = func(State, spec.Epoch) bool { return false } },
	},
	"AfterRestart": {
		"SpeaksAtOnce": func(r *Rules) { r.afterRestart = func(_ ID, s State) State { return r.survives(s) } },
	},
	"HasHolder": {
		"HasAnyLease": func(r *Rules) { r.hasHolder = func(_ ID, s State) bool { return s.Leader != None } },
	},
}

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
		"KeepsItsRanks": func(r *Rules) {
			adopted := r.adopted
			r.adopted = func(s State, m Message) State {
				t := adopted(s, m)
				t.Conf.Of = s.Conf.Of // ranks alone change: the members are the same but for these
				return t
			}
		},
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
		"ByRankAlone": func(r *Rules) { r.outranked = func(l, k ID, c Configuration) bool { return c.Higher(k, l) } },
		"AnyOutranks": func(r *Rules) { r.outranked = func(ID, ID, Configuration) bool { return true } },
		"ById": func(r *Rules) {
			r.outranked = func(l, k ID, c Configuration) bool { return k > l || !c.Voters().Has(l) }
		},
		"ByFirstRanks": func(r *Rules) {
			r.outranked = func(l, k ID, c Configuration) bool { return r.first.Higher(k, l) || !c.Voters().Has(l) }
		},
	},
	"Comparing": {
		"BySendersRanks": func(r *Rules) { r.comparing = func(_ State, m Message) Configuration { return m.Conf } },
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
