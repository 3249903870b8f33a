package bully

import "github.com/seed-fdf591db/bully/spec"

// ask makes the node a candidate: who is there, and would follow it? (R8)
func (n *Node) ask() {
	n.become(spec.Candidate)
	n.sendAll(spec.Election, n.electors, n.epoch)
}

// askOrSay is what a node does when its patience has ended. One that may not stand rests; if it is a member, it says that it
// does not lead, and by that which configuration it holds: nobody else may be left who knows of it (R46, L14).
func (n *Node) askOrSay() {
	if n.mayStand() {
		n.ask()
		return
	}
	n.rest()
	if n.members.has(n.me) {
		n.sendAll(spec.ImBack, n.members, n.epoch)
	}
}

// patienceEnded is the end of a follower's patience, and of the lease it keeps (R8).
func (n *Node) patienceEnded() {
	n.leader = none
	n.askOrSay()
}

// preemptEnded makes a follower stand that outranks its leader. It keeps the lease: the leader still acts (R9).
func (n *Node) preemptEnded() {
	n.ask()
}

// maySupport reports whether the node would grant a claim of c. It would if it follows a node that c outranks too: that
// one can hand over to c, after which the lease is over (R10).
func (n *Node) maySupport(c rank, same bool) bool {
	return n.mayVote(c, same) &&
		(!n.bound() || n.leader == c || n.outranks(c, n.leader) && n.role != spec.Electing)
}

// onElection answers a candidate: one that this node outranks by R10, any other by R11.
func (n *Node) onElection(c rank, e spec.Epoch, same bool) {
	n.release(c)
	n.learn(e)
	lower := !n.outranks(c, n.me)
	switch {
	case n.role == spec.Leader && lower:
		n.send(spec.OK, c, n.epoch)
		n.send(spec.Coordinator, c, n.epoch)
	case !n.maySupport(c, same):
		n.send(spec.Refuse, c, n.epoch)
	case lower:
		n.outbid(c)
	default:
		n.giveWay(c)
	}
}

// outbid tells a lower candidate that this node has it in hand. Who was idle must then stand itself (R10).
func (n *Node) outbid(c rank) {
	n.send(spec.OK, c, n.epoch)
	if n.idle() {
		n.ask()
	}
}

// giveWay tells a higher candidate that this node would grant its claim, and waits for it (R11).
func (n *Node) giveWay(c rank) {
	if n.standing() || n.idle() {
		n.become(spec.Electing)
	}
	n.send(spec.Assent, c, n.epoch)
}

// onOk makes a candidate wait for the higher node c. The OK counts as support all the same: once T_coord has passed, c
// has had its chance (R12).
func (n *Node) onOk(c rank, e spec.Epoch, same bool) {
	n.learn(e)
	if n.asking() && same {
		n.role, n.support = spec.Electing, n.support.with(c)
	}
}

// onAssent counts c as support. Nobody can say OK to the highest voter, so it has nothing to wait for (R13).
func (n *Node) onAssent(c rank, e spec.Epoch, same bool) {
	n.learn(e)
	if !n.asking() || !same {
		return
	}
	n.support = n.support.with(c)
	if n.role == spec.Candidate && n.me == n.highest() && n.mayClaim() {
		n.claim()
	}
}

// electionEnded is the end of T_elec: who would not be followed by a quorum must not disturb those who have a leader
// (R14).
func (n *Node) electionEnded() {
	if n.mayClaim() {
		n.claim()
	} else {
		n.rest()
	}
}

// coordinatorEnded is the end of T_coord: nobody better has come to lead, and the lease is over (R15).
func (n *Node) coordinatorEnded() {
	n.leader = none
	if n.mayStand() && n.mayClaim() {
		n.claim()
	} else {
		n.askOrSay()
	}
}
