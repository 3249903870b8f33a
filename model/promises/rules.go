package promises

// rules are the operators under Rules in tla/Promises.tla, by their names there, each with
// what it needs to know of the node: what it has on disk, p, and its id, i. A mutant has
// another function in the place of one of them.
type rules struct {
	isQuorum         func(n node, s set) bool
	survives         func(n, i node, p promise) promise
	isNews           func(p promise, e epoch) bool
	nextEpoch        func(p promise) epoch
	mayGrant         func(p promise, c node, e epoch) bool
	onGranting       func(p promise, c node, e epoch) promise
	countsGrant      func(f, e epoch) bool
	mayStillWin      func(r *rules, p promise, e epoch) bool
	onWinning        func(p promise, i node, e epoch) promise
	onFollowing      func(r *rules, p promise, c node, e epoch) promise
	isStale          func(p promise, e epoch) bool
	ownPromiseIsKept func(p promise, i node, e epoch) bool // a part of Inv
}

// standard are the rules as they are.
var standard = rules{
	isQuorum:  func(n node, s set) bool { return 2*s.size() > int(n) },
	survives:  func(_, _ node, p promise) promise { return p },
	isNews:    func(p promise, e epoch) bool { return e > p.epoch },
	nextEpoch: func(p promise) epoch { return p.epoch + 1 },
	mayGrant: func(p promise, c node, e epoch) bool {
		return e > p.epoch || e == p.epoch && (p.grantee == none || p.grantee == c)
	},
	onGranting:  func(_ promise, c node, e epoch) promise { return promise{c, e} },
	countsGrant: func(f, e epoch) bool { return f == e },
	mayStillWin: func(r *rules, p promise, e epoch) bool { return e == r.nextEpoch(p) },
	onWinning:   func(_ promise, i node, e epoch) promise { return promise{i, e} },
	onFollowing: func(r *rules, p promise, c node, e epoch) promise {
		if r.isNews(p, e) || p.grantee == none {
			return promise{c, e}
		}
		return promise{p.grantee, e}
	},
	isStale:          func(p promise, e epoch) bool { return e < p.epoch },
	ownPromiseIsKept: func(p promise, i node, e epoch) bool { return e < p.epoch || e == p.epoch && p.grantee == i },
}

// replacements are what a configuration may put in the place of an operator: by operator,
// then by name, as in tla/MCPromises.tla.
var replacements = map[string]map[string]func(*system){
	"Init": {
		"EveryInv":        func(y *system) { y.init = everyInv },
		"EveryInvPlainly": func(y *system) { y.init = everyInvPlainly },
	},
	"IsQuorum": {
		"HalfOrMore": func(y *system) { y.isQuorum = func(n node, s set) bool { return 2*s.size() >= int(n) } },
	},
	"Survives": {
		"ForgetsAll":     func(y *system) { y.survives = func(_, _ node, _ promise) promise { return promise{} } },
		"ForgetsGrantee": func(y *system) { y.survives = func(_, _ node, p promise) promise { return promise{none, p.epoch} } },
		"ForgetsOwnPromise": func(y *system) {
			y.survives = func(_, i node, p promise) promise {
				if p.grantee == i {
					return promise{none, p.epoch - 1}
				}
				return p
			}
		},
		"LeavesMark": func(y *system) {
			y.survives = func(n, _ node, p promise) promise {
				if p.grantee == none {
					return p
				}
				return promise{n + 1, p.epoch}
			}
		},
	},
	"IsNews": {
		"SameIsNews": func(y *system) { y.isNews = func(p promise, e epoch) bool { return e >= p.epoch } },
	},
	"NextEpoch": {
		"SameEpoch": func(y *system) { y.nextEpoch = func(p promise) epoch { return max(p.epoch, 1) } },
	},
	"MayGrant": {
		"GrantsTwice": func(y *system) { y.mayGrant = func(p promise, _ node, e epoch) bool { return e >= p.epoch } },
		"GrantsBelow": func(y *system) { y.mayGrant = func(promise, node, epoch) bool { return true } },
	},
	"OnGranting": {
		"GrantsUnsaved": func(y *system) { y.onGranting = func(p promise, _ node, _ epoch) promise { return p } },
	},
	"CountsGrant": {
		"CountsOlderGrant": func(y *system) { y.countsGrant = func(f, e epoch) bool { return f == e || f == e-1 } },
	},
	"MayStillWin": {
		"WinsLate": func(y *system) { y.mayStillWin = func(*rules, promise, epoch) bool { return true } },
	},
	"OnWinning": {
		"WinsUnpromised": func(y *system) { y.onWinning = func(p promise, _ node, _ epoch) promise { return p } },
	},
	"OnFollowing": {
		"FollowsUnpromised": func(y *system) {
			y.onFollowing = func(_ *rules, _ promise, _ node, e epoch) promise { return promise{none, e} }
		},
	},
	"IsStale": {
		"NeverStale": func(y *system) { y.isStale = func(promise, epoch) bool { return false } },
	},
	"OwnPromiseIsKept": {
		"ForgetsOnLeading": func(y *system) { y.ownPromiseIsKept = func(promise, node, epoch) bool { return true } },
	},
}
