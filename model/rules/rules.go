// Package rules is one node of the protocol as a function: from the state of a node and what happens to it, to the state after and
// the messages sent. It is written by hand from the rules in spec/README.md, beside tla/Node.tla, and shares nothing with the
// implementation: the three are compared, so each must be able to err alone. It has no clock, no network and no memory.
//
// # An answer
//
// [Names.Answer] says what a node does with one input, in the words of package spec, so that any implementation can be compared
// with it, step by step:
//
//	names, err := rules.NewNames(ids) // all that may occur, ascending
//	if err != nil {
//		return err
//	}
//	state := spec.State{Role: spec.Follower, Configuration: first}
//	for in := range inputs {
//		want, err := names.Answer(id, &state, &in)
//		if err != nil {
//			return err // not a question: see there
//		}
//		if got := node.Step(in); !got.State.Equal(want.After) || !slices.Equal(got.Sent, want.Sent) {
//			return fmt.Errorf("%v: %v and %v are wanted", in, want.After, want.Sent)
//		}
//		state = want.After
//	}
//
// [Names.Restart] says what comes after a crash, and [CheckState] what states a node can be in at all.
//
// # A node
//
// The names ask [Rules], the transition function of a node over small integers and sets, which package cluster asks too:
//
//	r := rules.New()
//	step := r.Hear(i, s, m)
//	save(step.State) // before anything is sent, if epoch, grantee or configuration changed (R4, R42)
//	send(step.Sent())
//	s = step.State
//
// # Static members
//
// A cluster whose members never change is one whose configuration is a constant. In package spec its nodes have none, and their
// messages say none; here they have one of all members, of epoch 0 and version 1, that no rule replaces: see [NewStaticNames].
//
// # Beside the TLA+
//
// A rule that a mutant may replace is a field of Rules, named like the operator of tla/Node.tla; [Rules.Replace] takes the names
// of tla/MCCluster.tla. What a node does is in inputs.go, election.go and reign.go, with the operators of Node.tla in
// their order. Where TLA+ says set, the code has bits ([Set]); where it says string, a small integer whose String is the word.
package rules

import (
	"github.com/seed-fdf591db/bully/spec"
)

// Rules is the transition function of a node. Each field is one rule, a mirror of the operator of that name in tla/Node.tla, so
// that a mutant can have another in its place; see Replace. Nothing else of a Rules changes, and its methods may be called from
// any number of goroutines.
type Rules struct {
	electors        func(c Configuration) Set                         // R42
	isQuorum        func(c Configuration, s Set) bool                 // R3, R42
	survives        func(s State) State                               // R4, R42
	reserved        func(n Question) Question                         // R50
	shields         func(s State, c ID) bool                          // R5
	covers          func(n, lease Question) bool                      // R5: what is said as of n ends a lease
	leaseAfter      func(s State, m Message) Question                 // R5
	learnsBound     func(i ID, s State) bool                          // R7: from what binds nobody
	ownClaim        func(s State, e spec.Epoch) bool                  // R7
	watches         func(i ID, s State) bool                          // R8, R46: a follower waits
	whilePreempting func(s State) State                               // R9
	maySupport      func(i ID, s State, m Message) bool               // R10, R11
	keeps           func(s State, m Message) bool                     // R10, R11
	okSupport       func(m Message) Set                               // R12
	mayClaim        func(i ID, s State) bool                          // R14, R15
	nextEpoch       func(s State) spec.Epoch                          // R16
	mayGrant        func(s State, c ID, e spec.Epoch) bool            // R17
	afterGrant      func(s State, m Message) State                    // R17
	rivals          func(i ID, s State, m Message) bool               // R17
	successor       func(m Message) Granted                           // R18
	givesWay        func() bool                                       // R11
	answersMine     func(s State, m Message) bool                     // R12, R13, R21
	answers         func(s State, m Message) Question                 // R25: which question an ACK counts for
	succeeds        func(i ID, s State, m Message) bool               // R29
	mayName         func(i ID, s State, k ID) bool                    // R51
	isNamed         func(i ID, before, s State, m Message) bool       // R51: by the RESIGN that has freed i
	hasEnded        func(i ID, s State, m Message) bool               // R51: the reign of who has named the claimant
	handsOver       func(i ID, s State, m Message) bool               // R18
	countsGrant     func(s State, m Message) bool                     // R19
	mayWin          func(i ID, s State) bool                          // R20
	isStale         func(s State, e spec.Epoch) bool                  // R24
	afterRestart    func(i ID, s State) State                         // R30
	hasHolder       func(i ID, s State) bool                          // R41
	adopt           func(s State, c Configuration) State              // R43
	adopted         func(s State, m Message) State                    // R43
	meets           func(i, j ID, c Configuration) bool               // R44
	outsideHeard    func(i ID, s State, m Message) Step               // R44
	counts          func(s State, m Message) bool                     // R45
	mayVote         func(i ID, s State, m Message) bool               // R45
	mayStand        func(i ID, s State) bool                          // R46
	outranked       func(l, k ID, c Configuration) bool               // R46: k is to lead rather than l
	comparing       func(s State, m Message) Configuration            // R1: by whose ranks
	askOrSay        func(i ID, s State) Step                          // R46: what comes when patience ends
	isSettled       func(i ID, s State) bool                          // R47
	oneDiffers      func(c, d Configuration) bool                     // R47
	keepsLeader     func(i ID, c Configuration) bool                  // R47
	mayChange       func(i ID, s State, c Configuration) bool         // R47
	stamped         func(c Configuration, e spec.Epoch) Configuration // R48

	first Configuration // of the first members, for a mutant that falls back to them
}

// New returns the rules as they are.
func New() *Rules {
	r := &Rules{}
	r.electors = func(c Configuration) Set { return c.Voters() | c.Witnesses() }
	r.isQuorum = func(c Configuration, s Set) bool {
		electors := r.electors(c)
		return 2*(s&electors).Len() > electors.Len()
	}
	r.setPromises()
	r.setQuestions()
	r.setVotes()
	r.setNames()
	r.setMembership()
	r.setChanges()
	return r
}

// block is how many numbers a node reserves by one save.
const block = 1 << 20

// ReserveOne has nodes reserve no number before they use it: where numbers are small, and a save costs nothing.
func (r *Rules) ReserveOne() { r.reserved = func(n Question) Question { return n } }

// NewStatic returns the rules of a cluster whose members never change: who wins leaves its configuration as it is.
func NewStatic() *Rules {
	r := New()
	r.stamped = unstamped
	return r
}

// setPromises sets the rules about leases and epochs.
func (r *Rules) setPromises() {
	r.survives = func(s State) State {
		return State{Epoch: s.Epoch, Grantee: s.Grantee, Conf: s.Conf, Latest: r.reserved(s.Latest)}
	}
	r.reserved = func(n Question) Question { return (n + block - 1) / block * block }
	r.shields = func(s State, c ID) bool { return s.Leader != None && s.Leader != c }
	r.nextEpoch = func(s State) spec.Epoch { return s.Epoch + 1 }
	r.ownClaim = func(s State, e spec.Epoch) bool { return s.Role == Claimant && e == r.nextEpoch(s) }
	r.whilePreempting = func(s State) State { return s }
	r.mayGrant = func(s State, c ID, e spec.Epoch) bool {
		return e > s.Epoch || e == s.Epoch && (s.Grantee == None || s.Grantee == c)
	}
	r.afterGrant = func(s State, m Message) State {
		return State{
			Role: Electing, Leader: m.From, Lease: r.leaseAfter(s, m), Epoch: m.Epoch, Grantee: m.From, Conf: s.Conf, Latest: s.Latest,
		}
	}
	r.countsGrant = func(s State, m Message) bool { return m.Question == s.Asked && m.Epoch == r.nextEpoch(s) }
	r.isStale = func(s State, e spec.Epoch) bool { return e < s.Epoch }
	r.afterRestart = func(i ID, s State) State {
		s = r.survives(s)
		s.Role, s.Leader = Electing, i
		return s
	}
	r.hasHolder = func(i ID, s State) bool { return s.Leader != None && s.Leader != i }
}

// setQuestions sets the rules about what is answered, and what runs away without them.
func (r *Rules) setQuestions() {
	r.covers = func(n, lease Question) bool { return n >= lease }
	r.leaseAfter = func(s State, m Message) Question {
		if s.Leader == m.From {
			return max(s.Lease, m.Question)
		}
		return m.Question
	}
	r.learnsBound = func(i ID, s State) bool { return s.Leader == None || s.Leader == i }
	r.givesWay = func() bool { return false }
	r.answersMine = func(s State, m Message) bool { return s.Asked != 0 && m.Question == s.Asked }
	r.answers = func(_ State, m Message) Question { return m.Question }
	r.rivals = func(i ID, s State, m Message) bool {
		return s.Role == Claimant && !r.outranked(i, m.From, s.Conf) && m.Epoch <= r.nextEpoch(s)
	}
	r.successor = func(m Message) Granted { return Granted{m.From, m.Epoch, m.Question} }
	r.succeeds = func(i ID, s State, m Message) bool {
		claim := Message{From: m.Granted.By, To: i, Conf: m.Conf}
		return claim.From != None && claim.From != i && r.mayVote(i, s, claim) && s.Leader == None &&
			(s.Role == Follower || s.Role == Electing || s.Role == Candidate && r.outranked(i, m.Granted.By, s.Conf))
	}
}

// setNames sets the rules about who is named by a leader that resigns. R51.
func (r *Rules) setNames() {
	r.mayName = func(i ID, s State, k ID) bool { return k != i && s.Conf.Voters().Has(k) }
	// The bound of R2 is said in no module.
	r.isNamed = func(i ID, before, s State, m Message) bool {
		return m.Names == i && before.Leader == m.From && s.Role == Follower && s.Leader == None && s.Epoch == m.Epoch &&
			s.Epoch < spec.MaxEpoch && r.mayStand(i, s) && r.counts(s, m)
	}
	r.hasEnded = func(i ID, s State, m Message) bool {
		return m.Names != None && m.Names != i && s.Leader == m.Names && s.Epoch < m.Epoch
	}
}

// setVotes sets the rules about who may lead.
func (r *Rules) setVotes() {
	r.maySupport = func(i ID, s State, m Message) bool {
		return r.mayVote(i, s, m) && (s.Leader == None || s.Leader == m.From ||
			r.outranked(s.Leader, m.From, s.Conf) && s.Role != Electing && r.keeps(s, m))
	}
	r.keeps = func(s State, m Message) bool { return m.Keeps == s.Leader }
	r.okSupport = func(m Message) Set { return SetOf(m.From) }
	// The bound of R2 is said in no module: TLA+ counts without one, and a cluster stops long before.
	r.mayClaim = func(i ID, s State) bool { return r.isQuorum(s.Conf, s.Support.With(i)) && s.Epoch < spec.MaxEpoch }
	r.handsOver = func(i ID, s State, m Message) bool {
		return r.mayVote(i, s, m) && r.outranked(i, m.From, s.Conf) && m.Epoch > s.Epoch
	}
	r.mayWin = func(i ID, s State) bool { return s.Leader == None && r.isQuorum(s.Conf, s.Support.With(i)) }
}

// setMembership sets the rules about who is heard, counts, stands and waits.
func (r *Rules) setMembership() {
	r.adopt = r.adoptIt
	r.adopted = func(s State, m Message) State {
		if m.Conf.Newer(s.Conf) {
			return r.adopt(s, m.Conf)
		}
		return s
	}
	r.meets = func(i, j ID, c Configuration) bool { return c.All().Has(i) && c.All().Has(j) }
	r.outsideHeard = outsideHeard
	r.counts = func(s State, m Message) bool { return m.Conf.Is(s.Conf) }
	r.mayVote = func(i ID, s State, m Message) bool {
		return r.electors(s.Conf).Has(i) && s.Conf.Voters().Has(m.From) && m.Conf.Is(s.Conf)
	}
	r.mayStand = func(i ID, s State) bool { return s.Conf.Voters().Has(i) }
	r.comparing = func(s State, _ Message) Configuration { return s.Conf }
	r.outranked = func(l, k ID, c Configuration) bool { return c.Higher(k, l) || !c.Voters().Has(l) }
	r.askOrSay = r.askOrSayIt
	r.watches = func(i ID, s State) bool { return s.Role == Follower && (s.Leader != None || s.Conf.All().Has(i)) }
}

// setChanges sets the rules about changes of the configuration.
func (r *Rules) setChanges() {
	r.isSettled = func(i ID, s State) bool { return r.isQuorum(s.Conf, s.Support.With(i)) }
	r.oneDiffers = func(c, d Configuration) bool { return c.differing(d).Len() == 1 }
	r.keepsLeader = func(i ID, c Configuration) bool { return r.electors(c).Has(i) }
	r.mayChange = func(i ID, s State, c Configuration) bool {
		return s.Role == Leader &&
			c.Epoch == s.Epoch && c.Version == s.Conf.Version+1 && c.Voters() != 0 &&
			r.isSettled(i, s) && r.oneDiffers(s.Conf, c) && r.keepsLeader(i, c)
	}
	r.stamped = func(c Configuration, e spec.Epoch) Configuration {
		c.Epoch = e
		return c
	}
}

// unstamped leaves a configuration as it is.
func unstamped(c Configuration, _ spec.Epoch) Configuration { return c }

// What a cluster asks of the rules besides.

// Electors returns who votes in configuration c. R42.
func (r *Rules) Electors(c Configuration) Set { return r.electors(c) }

// IsQuorum reports whether the nodes of s are a quorum of configuration c. R3, R42.
func (r *Rules) IsQuorum(c Configuration, s Set) bool { return r.isQuorum(c, s) }

// MayClaim reports whether node i, in state s, has what it takes to claim. R14, R15.
func (r *Rules) MayClaim(i ID, s State) bool { return r.mayClaim(i, s) }

// MayResign reports whether a node in state s does anything when it is called to resign. R28.
func (r *Rules) MayResign(s State) bool { return s.Role == Leader }

// MayName reports whether node i, in state s, may name node k as it resigns. R51.
func (r *Rules) MayName(i ID, s State, k ID) bool { return r.mayName(i, s, k) }

// HasHolder reports whether node i, in state s, keeps a lease of another. R41.
func (r *Rules) HasHolder(i ID, s State) bool { return r.hasHolder(i, s) }

// Meets reports whether nodes i and j hear each other in configuration c. R44.
func (r *Rules) Meets(i, j ID, c Configuration) bool { return r.meets(i, j, c) }

// MayStand reports whether node i, in state s, may ask and claim. R46.
func (r *Rules) MayStand(i ID, s State) bool { return r.mayStand(i, s) }

// MayChange reports whether node i, in state s, may make c the configuration of the cluster. R47.
func (r *Rules) MayChange(i ID, s State, c Configuration) bool { return r.mayChange(i, s, c) }
