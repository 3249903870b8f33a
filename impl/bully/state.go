package bully

import (
	"iter"
	"math/bits"

	"github.com/seed-fdf591db/bully/spec"
)

// place is where a node is among all that are known, in ascending order of ids. It is none for no node, which comes before every
// node.
type place int8

const none place = -1

// set is a set of nodes: bit r stands for the node at place r.
type set uint64

func (s set) has(r place) bool { return s>>r&1 == 1 }
func (s set) with(r place) set { return s | 1<<r }
func (s set) len() int         { return bits.OnesCount64(uint64(s)) }

// all returns the places in the set, ascending.
func (s set) all() iter.Seq[place] {
	return func(yield func(place) bool) {
		for ; s != 0; s &= s - 1 {
			if !yield(place(bits.TrailingZeros64(uint64(s)))) {
				return
			}
		}
	}
}

// state is the whole state of a node (section 6).
type state struct {
	role          spec.Role
	leader        place              // whose lease this node keeps (R5)
	lease         spec.Question      // the latest question of leader that this node has answered
	epoch         spec.Epoch         // the highest promised or learned (R2)
	grantee       place              // to whom it was promised
	support       set                // who backs this node
	asked         spec.Question      // the ELECTION or CLAIM that it asks now
	latest        spec.Question      // the latest number that it has used (R50)
	dated         spec.Question      // of a leader: the latest question that a quorum has answered (R26)
	configuration spec.Configuration // none with fixed members (R42)
}

// blank is the state of a node that has never run (R32, R49).
func blank(c spec.Configuration) state {
	return state{role: spec.Follower, leader: none, grantee: none, latest: 1, configuration: c}
}

// bound reports whether the node keeps a lease (R5).
func (n *Node) bound() bool { return n.leader != none }

// idle reports whether the node is a follower without a lease.
func (n *Node) idle() bool { return n.role == spec.Follower && !n.bound() }

// standing reports whether the node is a candidate or a claimant.
func (n *Node) standing() bool { return n.role == spec.Candidate || n.role == spec.Claimant }

// asking reports whether the node is a candidate or electing: it counts answers to an ELECTION (R12, R13).
func (n *Node) asking() bool { return n.role == spec.Candidate || n.role == spec.Electing }

// become changes the role. Nobody backs the node in it yet, and it asks nothing.
func (n *Node) become(role spec.Role) {
	n.role, n.support, n.asked, n.dated = role, 0, 0, 0
	clear(n.answered)
}

// number returns the number of a new question (R50).
func (n *Node) number() spec.Question {
	n.latest++
	return n.latest
}

// rest gives up what the node was doing (R6). Who keeps a lease waits for its end.
func (n *Node) rest() {
	if n.bound() {
		n.become(spec.Electing)
	} else {
		n.become(spec.Follower)
	}
}

// stepDown ends the node's own reign: its lease ends and it rests (R5).
func (n *Node) stepDown() {
	n.unbind()
	n.rest()
}

// unbind ends the lease that is kept, and changes nothing else.
func (n *Node) unbind() { n.leader, n.lease = none, 0 }

// bind makes the lease that is kept one of question q of node j. The lease of one node never gets older (R5).
func (n *Node) bind(j place, q spec.Question) {
	if n.leader != j || q > n.lease {
		n.lease = q
	}
	n.leader = j
}

// release ends the lease of j, if that is whose lease is kept: j has said, as of its question q, that it does not lead. A lease of
// a later question goes on (R5).
func (n *Node) release(j place, q spec.Question) {
	if n.leader == j && q >= n.lease {
		n.free()
	}
}

// free ends the lease that is kept: its holder does not lead.
func (n *Node) free() {
	n.unbind()
	if n.role == spec.Follower || n.role == spec.Electing {
		n.rest()
	}
}

// learnIfFree takes note of an epoch that an answer, or what binds nobody, tells. Who keeps another's lease does not: it would carry
// epochs to the leader that it follows (R7).
func (n *Node) learnIfFree(e spec.Epoch) {
	if !n.bound() || n.leader == n.me {
		n.learn(e)
	}
}

// learn takes note of an epoch heard of (R7).
func (n *Node) learn(e spec.Epoch) {
	if e <= n.epoch || n.ownClaim(e) {
		return
	}
	n.epoch, n.grantee = e, none
	switch n.role {
	case spec.Candidate, spec.Electing: // go on
	case spec.Leader:
		n.stepDown()
	default:
		n.rest()
	}
}

// ownClaim reports whether e is the epoch that this node itself is claiming: those who granted it spread it (R7).
func (n *Node) ownClaim(e spec.Epoch) bool {
	return n.role == spec.Claimant && e == n.epoch+1
}

// broken says which of the conditions that the rules keep does not hold, or "" if all hold. No input leads to a state
// of which it says anything. So nothing is said of a leader that is no elector: the rules make none (R47), but a message that
// no node has sent can, one with a configuration of the leader's own epoch that the leader has not made.
func (n *Node) broken() string {
	switch {
	case n.support.has(n.me):
		return "R5: support holds the node itself"
	case n.role == spec.Follower && (n.leader == n.me || n.support != 0):
		return "R5: a follower keeps no lease or another's, and has no support"
	case n.support&^n.members != 0:
		return "R44: nobody supports a node but members"
	case n.standing() && !n.mayStand():
		return "R46: a candidate and a claimant are voters"
	case n.standing() && !n.outranks(n.me, n.leader):
		return "R9: a candidate and a claimant keep no lease but that of a node that they outrank"
	case n.role == spec.Claimant && n.epoch >= spec.MaxEpoch:
		return "R2: nobody claims an epoch above 2^53-1"
	case n.role == spec.Leader && (n.leader != n.me || n.grantee != n.me || n.epoch == 0):
		return "R20: a leader keeps its own lease, and is the grantee of its epoch, which is not 0"
	case (n.lease == 0) != (n.leader == none || n.leader == n.me):
		return "R5: the lease of another node is of a question, and no other lease is"
	case n.latest == 0 || n.asked > n.latest || n.dated > n.latest:
		return "R50: no number is above the latest, and that is not 0"
	case n.standing() != (n.asked != 0) && n.role != spec.Electing:
		return "R8, R16: a candidate and a claimant ask something, a follower and a leader nothing"
	case (n.role == spec.Leader) != (n.dated != 0):
		return "R26: a reign is dated from a question, and nothing else is"
	case n.configuration.Epoch > n.epoch:
		return "R42: the epoch of the configuration is known to the node"
	case n.role == spec.Leader && !n.configuration.IsNone() && n.configuration.Epoch != n.epoch:
		return "R48: the configuration of a leader is of its epoch"
	}
	return ""
}
