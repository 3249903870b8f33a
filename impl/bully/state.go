package bully

import (
	"iter"
	"math/bits"

	"github.com/seed-fdf591db/bully/spec"
)

// rank is the place of a node among all that are known, ascending, and so is compared as ids are (R1). It is none for no
// node, which is lower than every node.
type rank int8

const none rank = -1

// set is a set of nodes: bit r stands for the node of rank r.
type set uint64

func (s set) has(r rank) bool { return s>>r&1 == 1 }
func (s set) with(r rank) set { return s | 1<<r }
func (s set) len() int        { return bits.OnesCount64(uint64(s)) }

// all returns the ranks in the set, ascending.
func (s set) all() iter.Seq[rank] {
	return func(yield func(rank) bool) {
		for ; s != 0; s &= s - 1 {
			if !yield(rank(bits.TrailingZeros64(uint64(s)))) {
				return
			}
		}
	}
}

// state is the whole state of a node (section 6).
type state struct {
	role          spec.Role
	leader        rank               // whose lease this node keeps (R5)
	epoch         spec.Epoch         // the highest promised or learned (R2)
	grantee       rank               // to whom it was promised
	support       set                // who backs this node
	configuration spec.Configuration // none with fixed members (R42)
}

// blank is the state of a node that has never run (R32, R49).
func blank(c spec.Configuration) state {
	return state{role: spec.Follower, leader: none, grantee: none, configuration: c}
}

// bound reports whether the node keeps a lease (R5).
func (n *Node) bound() bool { return n.leader != none }

// idle reports whether the node is a follower without a lease.
func (n *Node) idle() bool { return n.role == spec.Follower && !n.bound() }

// standing reports whether the node is a candidate or a claimant.
func (n *Node) standing() bool { return n.role == spec.Candidate || n.role == spec.Claimant }

// asking reports whether the node is a candidate or electing: it counts answers to an ELECTION (R12, R13).
func (n *Node) asking() bool { return n.role == spec.Candidate || n.role == spec.Electing }

// become changes the role; nobody backs the node in it yet.
func (n *Node) become(role spec.Role) {
	n.role, n.support = role, 0
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
	n.leader = none
	n.rest()
}

// release ends the lease of j, if that is whose lease is kept: j has said that it does not lead (R5).
func (n *Node) release(j rank) {
	if n.leader != j {
		return
	}
	n.leader = none
	if n.role == spec.Follower || n.role == spec.Electing {
		n.rest()
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
	case n.configuration.Epoch > n.epoch:
		return "R42: the epoch of the configuration is known to the node"
	case n.role == spec.Leader && !n.configuration.IsNone() && n.configuration.Epoch != n.epoch:
		return "R48: the configuration of a leader is of its epoch"
	}
	return ""
}
