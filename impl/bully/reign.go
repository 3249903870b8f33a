package bully

import "github.com/seed-fdf591db/bully/spec"

// onReign follows the node l, which says by COORDINATOR or HEARTBEAT that it leads e (R23), unless e is past (R24).
func (n *Node) onReign(l rank, e spec.Epoch) {
	if e < n.epoch {
		n.send(spec.Refuse, l, n.epoch)
		return
	}
	preempting := n.standing() && n.leader == l && n.epoch == e
	if !preempting {
		n.follow(l, e)
	}
	n.send(spec.Ack, l, e)
}

// follow makes l the leader. An epoch promised to another stays promised to that one (R23).
func (n *Node) follow(l rank, e spec.Epoch) {
	if e > n.epoch || n.grantee == none {
		n.grantee = l
	}
	n.become(spec.Follower)
	n.leader, n.epoch = l, e
}

// onAck counts c as support of this reign if it holds the same configuration; an ACK of another reign only teaches its
// epoch (R25, R45).
func (n *Node) onAck(c rank, e spec.Epoch, same bool) {
	if n.role != spec.Leader || e != n.epoch {
		n.learn(e)
		return
	}
	if same {
		n.support = n.support.with(c)
	}
}

// reignEnded is the leader's check that it still has a quorum: who hears nobody must not go on (R26).
func (n *Node) reignEnded() {
	if !n.isQuorum() {
		n.stepDown()
	}
	n.support = 0
}

// heartbeatEnded says that the reign goes on (R27).
func (n *Node) heartbeatEnded() {
	n.sendAll(spec.Heartbeat, n.members, n.epoch)
}

// resign ends the reign of a leader at its user's call, and reports whether the node led (R28). A claimant must not say
// RESIGN: it could claim the same epoch again, and count a GRANT whose lease it had ended.
func (n *Node) resign() bool {
	if n.role != spec.Leader {
		return false
	}
	n.stepDown()
	n.sendAll(spec.Resign, n.members, n.epoch)
	return true
}

// onResign ends the lease of j. A claimant asks again those who may have refused it while they kept the same lease,
// whosever it was (R29).
func (n *Node) onResign(j rank) {
	n.release(j)
	if n.role != spec.Claimant {
		return
	}
	if n.mayWin() {
		n.win()
		return
	}
	n.sendAll(spec.Claim, n.electors&^n.support, n.epoch+1)
}

// holderDead ends the lease of a node that is proved dead, and reports whether there was one (R41). A claimant does not
// win by it: it waits for the next GRANT, RESIGN or timer.
func (n *Node) holderDead() bool {
	if !n.bound() || n.leader == n.me {
		return false
	}
	n.release(n.leader)
	return true
}

// start is the first start in a node's life: it owes nobody anything (R32).
func (n *Node) start() {
	n.state, n.started = blank(n.configuration), true
}

// restart is any later start. The node has forgotten whose lease it kept, and so keeps its own, which makes it refuse
// everybody until T_coord ends or somebody leads (R30).
func (n *Node) restart(promise spec.Durable) {
	if !promise.Configuration.IsNone() {
		n.roster = rosterOf(promise.Configuration, n.id(), promise.Grantee)
	}
	n.state, n.started = state{
		role: spec.Electing, leader: n.me,
		epoch: promise.Epoch, grantee: n.rankOf(promise.Grantee), configuration: promise.Configuration,
	}, true
	n.sendAll(spec.ImBack, n.members, n.epoch)
}

// onImBack ends the lease of j, and tells j at once who leads, if it is this node (R31).
func (n *Node) onImBack(j rank, e spec.Epoch) {
	n.release(j)
	n.learn(e)
	if n.role == spec.Leader {
		n.send(spec.Coordinator, j, n.epoch)
	}
}
