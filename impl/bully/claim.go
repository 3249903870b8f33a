package bully

import (
	"slices"

	"github.com/seed-fdf591db/bully/spec"
)

// mayClaim reports whether a quorum would follow, and there is an epoch left to claim (R14, R2).
func (n *Node) mayClaim() bool {
	return n.isQuorum() && n.epoch < spec.MaxEpoch
}

// claim asks all for the promise of the next epoch. The node's own is made only on winning (R16).
func (n *Node) claim() { n.claimAfter(spec.NodeID{}) }

// claimAfter is claim of who was named by the node that has led before, or by none: it says so, and by that frees who has not heard
// of the end of that reign (R51).
func (n *Node) claimAfter(names spec.NodeID) {
	n.become(spec.Claimant)
	n.asked = n.number()
	if n.mayWin() { // the only member
		n.win()
		return
	}
	n.sendClaim(n.electors, names)
}

// sendClaim asks a set of nodes, or asks them again, for the promise: it is one question (R16, R29).
func (n *Node) sendClaim(to set, names spec.NodeID) {
	n.sendAll(to, spec.Message{Type: spec.Claim, Epoch: n.epoch + 1, Question: n.asked, Names: names})
}

// heardOfEnd ends the lease of l, of whom a CLAIM says that its reign has ended: it leads no epoch below the one that is claimed. A
// lease of a later reign goes on (R51).
func (n *Node) heardOfEnd(l place, e spec.Epoch) {
	if l != none && l != n.me && n.leader == l && n.epoch < e {
		n.free()
	}
}

// onClaim grants or refuses what c claims. A leader grants only by handing over to a node that outranks it, and says to whom: who
// is free by that grants the claim as well (R17, R18).
func (n *Node) onClaim(c place, m *spec.Message) {
	n.heardOfEnd(n.placeOf(m.Names), m.Epoch)
	led := n.role == spec.Leader
	if !n.mayVote(c, n.same(m)) || led && !n.handsOver(c, m.Epoch) || !led && !n.mayGrant(c, m.Epoch) {
		n.answer(m, spec.Refuse, n.epoch)
		return
	}
	resign := spec.Message{
		Type: spec.Resign, Epoch: n.epoch, Question: n.latest,
		Granted: spec.Granted{By: m.From, Epoch: m.Epoch, Question: m.Question},
	}
	n.become(spec.Electing)
	n.bind(c, m.Question)
	n.epoch, n.grantee = m.Epoch, c
	n.answer(m, spec.Grant, m.Epoch)
	if led {
		n.sendAll(n.members, resign)
	}
}

// Yields reports whether the node leads, and would not any more if it took this message: a CLAIM for which it hands over (R18), or one from which it learns of a
// higher epoch (R7). Whoever acts for it is to have stopped before it takes that (R39.4); until then the message may wait, as in a network that is slow.
func (n *Node) Yields(m *spec.Message) bool {
	if n.role != spec.Leader || m.Epoch <= n.epoch && !m.Configuration.Newer(n.configuration) {
		return false
	}
	trial := *n
	trial.answered, trial.scratch = slices.Clone(n.answered), nil
	return trial.Step(Receive(*m)).ReignEnded
}

// handsOver reports whether a leader grants e to c (R18).
func (n *Node) handsOver(c place, e spec.Epoch) bool {
	return n.outranks(c, n.me) && e > n.epoch
}

// mayGrant reports whether a node that does not lead grants e to c: it has promised it to nobody else, keeps no lease that shields
// it from c, and does not claim that epoch, or a higher one, itself, as the better of the two (R17, R5).
func (n *Node) mayGrant(c place, e spec.Epoch) bool {
	if n.bound() && n.leader != c || n.role == spec.Claimant && !n.outranks(c, n.me) && e <= n.epoch+1 {
		return false
	}
	return e > n.epoch || e == n.epoch && (n.grantee == none || n.grantee == c)
}

// onGrant counts the grant of the very claim that the node makes; another one only teaches its epoch (R19).
func (n *Node) onGrant(c place, m *spec.Message) {
	if !n.ownClaim(m.Epoch) || !n.isAsked(m) {
		n.learnIfFree(m.Epoch)
		return
	}
	if n.leader == c { // who grants does not lead: it has handed over
		n.unbind()
	}
	n.support = n.support.with(c)
	if n.mayWin() {
		n.win()
	}
}

// mayWin reports whether a claimant has a quorum of grants, and keeps no lease of a node that may still act (R20).
func (n *Node) mayWin() bool {
	return n.isQuorum() && !n.bound()
}

// win promises the claimed epoch to the node itself, which leads it from now on (R20). Its reign is dated from the CLAIM, which a
// quorum has answered. It stamps its configuration with that epoch: now none that it does not know of is newer (R48).
func (n *Node) win() {
	granted, claim := n.support, n.asked
	n.become(spec.Leader)
	n.leader, n.epoch, n.grantee, n.dated = n.me, n.epoch+1, n.me, claim
	for r := range granted.all() {
		n.answered[r] = claim
	}
	n.configuration = n.configuration.At(n.epoch, n.configuration.Version)
	n.tell(spec.Coordinator)
}

// onRefuse stops a claimant whose very epoch has gone to another; only then does it learn that epoch. Another refusal binds nobody
// (R21).
func (n *Node) onRefuse(m *spec.Message) {
	if n.role == spec.Claimant && n.isAsked(m) && m.Epoch > n.epoch {
		n.rest()
		n.learn(m.Epoch)
		return
	}
	n.learnIfFree(m.Epoch)
}

// claimEnded gives up a claim that a lost message has starved (R22).
func (n *Node) claimEnded() {
	n.rest()
}
