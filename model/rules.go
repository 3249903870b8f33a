package model

import (
	"fmt"

	"github.com/seed-fdf591db/bully/spec"
)

// Rules is the transition function of a node among n members. Each field is one rule, a twin of the operator of that
// name in tla/Node.tla, so that a mutant can have another in its place; see Replace. Nothing else of a Rules changes, and
// its methods may be called from any number of goroutines.
type Rules struct {
	n ID

	isQuorum        func(s Set) bool                       // R3
	survives        func(s State) State                    // R4
	shields         func(s State, c ID) bool               // R5
	nextEpoch       func(s State) spec.Epoch               // R16
	ownClaim        func(s State, e spec.Epoch) bool       // R7
	whilePreempting func(s State) State                    // R9
	maySupport      func(i ID, s State, c ID) bool         // R10, R11
	okSupport       func(m Message) Set                    // R12
	mayClaim        func(i ID, s State) bool               // R14, R15
	mayGrant        func(s State, c ID, e spec.Epoch) bool // R17
	afterGrant      func(c ID, e spec.Epoch) State         // R17
	handsOver       func(i ID, s State, m Message) bool    // R18
	countsGrant     func(s State, e spec.Epoch) bool       // R19
	mayWin          func(i ID, s State) bool               // R20
	isStale         func(s State, e spec.Epoch) bool       // R24
	mayResign       func(s State) bool                     // R28
	afterRestart    func(i ID, s State) State              // R30
	hasHolder       func(i ID, s State) bool               // R41
}

// NewRules returns the rules as they are, for members 1 to n. It is an error if n is not from 1 to MaxNodes.
func NewRules(n int) (*Rules, error) {
	if n < 1 || n > MaxNodes {
		return nil, fmt.Errorf("model: N = %d is not from 1 to %d", n, MaxNodes)
	}
	r := &Rules{n: ID(n)}
	r.isQuorum = func(s Set) bool { return 2*s.Len() > n }
	r.survives = func(s State) State { return State{Epoch: s.Epoch, Grantee: s.Grantee} }
	r.shields = func(s State, c ID) bool { return s.Leader != None && s.Leader != c }
	r.nextEpoch = func(s State) spec.Epoch { return s.Epoch + 1 }
	r.ownClaim = func(s State, e spec.Epoch) bool { return s.Role == Claimant && e == r.nextEpoch(s) }
	r.whilePreempting = func(s State) State { return s }
	r.maySupport = func(_ ID, s State, c ID) bool {
		return s.Leader == None || s.Leader == c || s.Leader < c && s.Role != Electing
	}
	r.okSupport = func(m Message) Set { return SetOf(m.From) }
	// The bound of R2 is said in no module: TLA+ counts without one, and a cluster stops long before.
	r.mayClaim = func(i ID, s State) bool { return r.isQuorum(s.Support.With(i)) && s.Epoch < spec.MaxEpoch }
	r.mayGrant = func(s State, c ID, e spec.Epoch) bool {
		return e > s.Epoch || e == s.Epoch && (s.Grantee == None || s.Grantee == c)
	}
	r.afterGrant = func(c ID, e spec.Epoch) State {
		return State{Role: Electing, Leader: c, Epoch: e, Grantee: c}
	}
	r.handsOver = func(i ID, s State, m Message) bool { return m.From > i && m.Epoch > s.Epoch }
	r.countsGrant = func(s State, e spec.Epoch) bool { return e == r.nextEpoch(s) }
	r.mayWin = func(i ID, s State) bool { return r.isQuorum(s.Support.With(i)) && s.Leader == None }
	r.isStale = func(s State, e spec.Epoch) bool { return e < s.Epoch }
	r.mayResign = func(s State) bool { return s.Role == Leader }
	r.afterRestart = func(i ID, s State) State {
		s = r.survives(s)
		s.Role, s.Leader = Electing, i
		return s
	}
	r.hasHolder = func(i ID, s State) bool { return s.Leader != None && s.Leader != i }
	return r, nil
}

// replacements are what a mutant may put in the place of a rule: by operator, then by name, as in tla/MCCluster.tla.
var replacements = map[string]map[string]func(*Rules){
	"IsQuorum": {
		"AnySet":     func(r *Rules) { r.isQuorum = func(s Set) bool { return s != 0 } },
		"HalfOrMore": func(r *Rules) { r.isQuorum = func(s Set) bool { return 2*s.Len() >= int(r.n) } },
	},
	"Survives": {
		"ForgetsAll":     func(r *Rules) { r.survives = func(State) State { return State{} } },
		"ForgetsGrantee": func(r *Rules) { r.survives = func(s State) State { return State{Epoch: s.Epoch} } },
	},
	"Shields": {
		"ShieldsNobody": func(r *Rules) { r.shields = func(State, ID) bool { return false } },
	},
	"NextEpoch": {
		"SameEpoch": func(r *Rules) { r.nextEpoch = func(s State) spec.Epoch { return max(s.Epoch, 1) } },
	},
	"OwnClaim": {
		"NoOwnClaim": func(r *Rules) { r.ownClaim = func(State, spec.Epoch) bool { return false } },
	},
	"WhilePreempting": {
		"DropsLease": func(r *Rules) { r.whilePreempting = unbound },
	},
	"MaySupport": {
		"AlwaysSupports": func(r *Rules) { r.maySupport = func(ID, State, ID) bool { return true } },
		"SupportsLower": func(r *Rules) {
			upwards := r.maySupport
			r.maySupport = func(i ID, s State, c ID) bool { return c < i || upwards(i, s, c) }
		},
	},
	"OkSupport": {
		"NoOkSupport": func(r *Rules) { r.okSupport = func(Message) Set { return 0 } },
	},
	"MayClaim": {
		"ClaimsUnasked": func(r *Rules) { r.mayClaim = func(ID, State) bool { return true } },
	},
	"MayGrant": {
		"GrantsTwice": func(r *Rules) { r.mayGrant = func(s State, _ ID, e spec.Epoch) bool { return e >= s.Epoch } },
		"GrantsBelow": func(r *Rules) { r.mayGrant = func(State, ID, spec.Epoch) bool { return true } },
	},
	"AfterGrant": {
		"DoesNotWait": func(r *Rules) {
			r.afterGrant = func(c ID, e spec.Epoch) State { return State{Epoch: e, Grantee: c} }
		},
	},
	"HandsOver": {
		"NeverHandsOver": func(r *Rules) { r.handsOver = func(ID, State, Message) bool { return false } },
	},
	"CountsGrant": {
		"CountsAnyGrant": func(r *Rules) { r.countsGrant = func(State, spec.Epoch) bool { return true } },
	},
	"MayWin": {
		"WinsOverLease": func(r *Rules) { r.mayWin = func(i ID, s State) bool { return r.isQuorum(s.Support.With(i)) } },
	},
	"IsStale": {
		"NeverStale": func(r *Rules) { r.isStale = func(State, spec.Epoch) bool { return false } },
	},
	"MayResign": {
		"ClaimantsResignToo": func(r *Rules) {
			r.mayResign = func(s State) bool { return s.Role == Leader || s.Role == Claimant }
		},
	},
	"AfterRestart": {
		"SpeaksAtOnce": func(r *Rules) { r.afterRestart = func(_ ID, s State) State { return r.survives(s) } },
	},
	"HasHolder": {
		"HasAnyLease": func(r *Rules) { r.hasHolder = func(_ ID, s State) bool { return s.Leader != None } },
	},
}

// Replace puts the named operator of tla/MCCluster.tla, such as AnySet, in the place of a rule, such as IsQuorum. It is an
// error if operator is no rule, or if name is no replacement of it. Replace before anything else is called.
func (r *Rules) Replace(operator, name string) error {
	known, ok := replacements[operator]
	if !ok {
		return fmt.Errorf("model: %s is not a rule that can be replaced", operator)
	}
	replace, ok := known[name]
	if !ok {
		return noReplacement(operator, name)
	}
	replace(r)
	return nil
}

func noReplacement(operator, name string) error {
	return fmt.Errorf("model: %s is no replacement of %s", name, operator)
}
