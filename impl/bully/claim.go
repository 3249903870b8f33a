package bully

import "github.com/seed-fdf591db/bully/spec"

// mayClaim reports whether a quorum would follow, and there is an epoch left to claim (R14, R2).
func (n *Node) mayClaim() bool {
	return n.isQuorum() && n.epoch < spec.MaxEpoch
}

// claim asks all for the promise of the next epoch. The node's own is made only on winning (R16).
func (n *Node) claim() {
	n.become(spec.Claimant)
	if n.mayWin() { // the only member
		n.win()
		return
	}
	n.sendAll(spec.Claim, n.electors, n.epoch+1)
}

// onClaim grants or refuses the epoch e to c. A leader grants only by handing over to a node that outranks it (R17, R18).
func (n *Node) onClaim(c rank, e spec.Epoch, same bool) {
	led := n.role == spec.Leader
	if !n.mayVote(c, same) || led && !n.handsOver(c, e) || !led && !n.mayGrant(c, e) {
		n.send(spec.Refuse, c, n.epoch)
		return
	}
	reign := n.epoch
	n.become(spec.Electing)
	n.leader, n.epoch, n.grantee = c, e, c
	n.send(spec.Grant, c, e)
	if led {
		n.sendAll(spec.Resign, n.members, reign)
	}
}

// handsOver reports whether a leader grants e to c (R18).
func (n *Node) handsOver(c rank, e spec.Epoch) bool {
	return n.outranks(c, n.me) && e > n.epoch
}

// mayGrant reports whether a node that does not lead grants e to c: it has promised it to nobody else, and keeps no
// lease that shields it from c (R17, R5).
func (n *Node) mayGrant(c rank, e spec.Epoch) bool {
	if n.bound() && n.leader != c {
		return false
	}
	return e > n.epoch || e == n.epoch && (n.grantee == none || n.grantee == c)
}

// onGrant counts the grant of the epoch that the node claims, in its configuration; another one only teaches its epoch
// (R19, R45).
func (n *Node) onGrant(c rank, e spec.Epoch, same bool) {
	if !same || !n.ownClaim(e) {
		n.learn(e)
		return
	}
	n.release(c) // who grants does not lead: it has handed over
	n.support = n.support.with(c)
	if n.mayWin() {
		n.win()
	}
}

// mayWin reports whether a claimant has a quorum of grants, and keeps no lease of a node that may still act (R20).
func (n *Node) mayWin() bool {
	return n.isQuorum() && !n.bound()
}

// win promises the claimed epoch to the node itself, which leads it from now on (R20). It stamps its configuration with
// that epoch: now none that it does not know of is newer (R48).
func (n *Node) win() {
	n.become(spec.Leader)
	n.leader, n.epoch, n.grantee = n.me, n.epoch+1, n.me
	n.configuration = n.configuration.At(n.epoch, n.configuration.Version)
	n.sendAll(spec.Coordinator, n.members, n.epoch)
}

// onRefuse stops a claimant whose very epoch has gone to another; only then does it learn that epoch (R21).
func (n *Node) onRefuse(e spec.Epoch) {
	if n.role == spec.Claimant && e > n.epoch {
		n.rest()
	}
	n.learn(e)
}

// claimEnded gives up a claim that a lost message has starved (R22).
func (n *Node) claimEnded() {
	n.rest()
}
