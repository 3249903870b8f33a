package bully

import "github.com/seed-fdf591db/bully/spec"

// ask makes the node a candidate: who is there, and would follow it? (R8)
func (n *Node) ask() {
	n.become(spec.Candidate)
	n.sendAll(spec.Election, n.epoch)
}

// heartbeatEnded is the end of a follower's patience, and of the lease it keeps (R8).
func (n *Node) heartbeatEnded() {
	n.leader = none
	n.ask()
}

// preemptEnded makes a follower of a lower leader stand. It keeps the lease: the leader still acts (R9).
func (n *Node) preemptEnded() {
	n.ask()
}

// maySupport reports whether the node would grant a claim of c. It would if it follows a node lower than c too: that
// one can hand over to c, after which the lease is over (R10).
func (n *Node) maySupport(c rank) bool {
	return !n.bound() || n.leader == c || n.leader < c && n.role != spec.Electing
}

// onElection answers a candidate: a lower one by R10, a higher one by R11.
func (n *Node) onElection(c rank, e spec.Epoch) {
	n.release(c)
	n.learn(e)
	switch {
	case n.role == spec.Leader && c < n.me:
		n.send(spec.OK, c, n.epoch)
		n.send(spec.Coordinator, c, n.epoch)
	case !n.maySupport(c):
		n.send(spec.Refuse, c, n.epoch)
	case c < n.me:
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
func (n *Node) onOk(c rank, e spec.Epoch) {
	n.learn(e)
	if n.asking() {
		n.role, n.support = spec.Electing, n.support.with(c)
	}
}

// onAssent counts c as support. Nobody can say OK to the highest member, so it has nothing to wait for (R13).
func (n *Node) onAssent(c rank, e spec.Epoch) {
	n.learn(e)
	if !n.asking() {
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
	if n.mayClaim() {
		n.claim()
	} else {
		n.ask()
	}
}
