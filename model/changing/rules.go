package changing

import (
	"github.com/seed-fdf591db/bully/model"
	"github.com/seed-fdf591db/bully/spec"
)

// Rules is the transition function of a node. Each field is one rule, a twin of the operator of that name in
// tla/ChangingNode.tla, so that a mutant can have another in its place; see Replace. Nothing else of a Rules changes, and its
// methods may be called from any number of goroutines.
type Rules struct {
	electors     func(c Configuration) Set                         // R42
	isQuorum     func(c Configuration, s Set) bool                 // R3, R42
	survives     func(s State) State                               // R4, R42
	adopt        func(s State, c Configuration) State              // R43
	adopted      func(s State, m Message) State                    // R43
	meets        func(i, j ID, c Configuration) bool               // R44
	outsideHeard func(i ID, s State, m Message) Outcome            // R44
	counts       func(s State, m Message) bool                     // R45
	mayVote      func(i ID, s State, m Message) bool               // R45
	mayStand     func(i ID, s State) bool                          // R46
	outranked    func(l, k ID, c Configuration) bool               // R46: k is to lead rather than l
	askOrSay     func(i ID, s State) Outcome                       // R46: what comes when patience ends
	watches      func(i ID, s State) bool                          // R8, R46: a follower waits
	isSettled    func(i ID, s State) bool                          // R47
	oneDiffers   func(c, d Configuration) bool                     // R47
	keepsLeader  func(i ID, c Configuration) bool                  // R47
	mayChange    func(i ID, s State, c Configuration) bool         // R47
	stamped      func(c Configuration, e spec.Epoch) Configuration // R48
	maySupport   func(i ID, s State, m Message) bool               // R10, R11
	mayClaim     func(i ID, s State) bool                          // R14, R15
	handsOver    func(i ID, s State, m Message) bool               // R18
	mayWin       func(i ID, s State) bool                          // R20
	afterRestart func(i ID, s State) State                         // R30
}

// NewRules returns the rules as they are.
func NewRules() *Rules {
	r := &Rules{}
	r.electors = func(c Configuration) Set { return c.Voters | c.Witnesses }
	r.isQuorum = func(c Configuration, s Set) bool { return 2*(s&r.electors(c)).Len() > r.electors(c).Len() }
	r.survives = func(s State) State { return State{Epoch: s.Epoch, Grantee: s.Grantee, Conf: s.Conf} }
	r.afterRestart = func(i ID, s State) State {
		s = r.survives(s)
		s.Role, s.Leader = model.Electing, i
		return s
	}
	r.setMembership()
	r.setVotes()
	return r
}

// setMembership sets the rules about configurations.
func (r *Rules) setMembership() {
	r.adopt = adopt
	r.adopted = func(s State, m Message) State {
		if m.Conf.Newer(s.Conf) {
			return r.adopt(s, m.Conf)
		}
		return s
	}
	r.meets = func(i, j ID, c Configuration) bool { return c.Members().Has(i) && c.Members().Has(j) }
	r.outsideHeard = outsideHeard
	r.counts = func(s State, m Message) bool { return m.Conf == s.Conf }
	r.mayVote = func(i ID, s State, m Message) bool {
		return r.electors(s.Conf).Has(i) && s.Conf.Voters.Has(m.From) && m.Conf == s.Conf
	}
	r.mayStand = func(i ID, s State) bool { return s.Conf.Voters.Has(i) }
	r.outranked = func(l, k ID, c Configuration) bool { return l < k || !c.Voters.Has(l) }
	r.askOrSay = r.askOrSayIt
	r.watches = func(i ID, s State) bool {
		return s.Role == model.Follower && (s.Leader != None || s.Conf.Members().Has(i))
	}
	r.isSettled = func(i ID, s State) bool { return r.isQuorum(s.Conf, s.Support.With(i)) }
	r.oneDiffers = func(c, d Configuration) bool { return c.differing(d).Len() == 1 }
	r.keepsLeader = func(i ID, c Configuration) bool { return r.electors(c).Has(i) }
	r.mayChange = func(i ID, s State, c Configuration) bool {
		return s.Role == model.Leader &&
			c.Epoch == s.Epoch && c.Version == s.Conf.Version+1 && c.Voters != 0 &&
			r.isSettled(i, s) && r.oneDiffers(s.Conf, c) && r.keepsLeader(i, c)
	}
	r.stamped = func(c Configuration, e spec.Epoch) Configuration {
		c.Epoch = e
		return c
	}
}

// setVotes sets the rules about who may lead.
func (r *Rules) setVotes() {
	r.maySupport = func(i ID, s State, m Message) bool {
		return r.mayVote(i, s, m) && (s.Leader == None || s.Leader == m.From ||
			r.outranked(s.Leader, m.From, s.Conf) && s.Role != model.Electing)
	}
	// The bound of R2 is said in no module: TLA+ counts without one, and a cluster stops long before.
	r.mayClaim = func(i ID, s State) bool {
		return r.isQuorum(s.Conf, s.Support.With(i)) && s.Epoch < spec.MaxEpoch
	}
	r.handsOver = func(i ID, s State, m Message) bool {
		return r.mayVote(i, s, m) && r.outranked(i, m.From, s.Conf) && m.Epoch > s.Epoch
	}
	r.mayWin = func(i ID, s State) bool { return r.isQuorum(s.Conf, s.Support.With(i)) && s.Leader == None }
}

// The rules that are as in tla/Node.tla.

// R5. The lease of one node shields it from every other.
func shields(s State, c ID) bool { return s.Leader != None && s.Leader != c }

// R16, R19. A claim is for the epoch after the highest one promised, and only grants of that one count.
func nextEpoch(s State) spec.Epoch { return s.Epoch + 1 }

// R17. One epoch is granted to one node.
func mayGrant(s State, c ID, e spec.Epoch) bool {
	return e > s.Epoch || e == s.Epoch && (s.Grantee == None || s.Grantee == c)
}

// R28.
func mayResign(s State) bool { return s.Role == model.Leader }

// R41. My own lease, after a restart, is not another's.
func hasHolder(i ID, s State) bool { return s.Leader != None && s.Leader != i }
