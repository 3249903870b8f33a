package bully

import "github.com/seed-fdf591db/bully/spec"

// onReign follows the node l, which says by COORDINATOR or HEARTBEAT that it leads (R23), unless its epoch is past (R24).
func (n *Node) onReign(l place, m *spec.Message) {
	if m.Epoch < n.epoch {
		n.answer(m, spec.Refuse, n.epoch)
		return
	}
	preempting := n.standing() && n.leader == l && n.epoch == m.Epoch
	if !preempting {
		n.follow(l, m.Epoch)
	}
	n.bind(l, m.Question)
	n.answer(m, spec.Ack, m.Epoch)
}

// follow makes the node a follower of l. An epoch promised to another stays promised to that one (R23).
func (n *Node) follow(l place, e spec.Epoch) {
	if e > n.epoch || n.grantee == none {
		n.grantee = l
	}
	n.become(spec.Follower)
	n.epoch = e
}

// onAck counts the question of this reign that c has answered, and c as support if it holds the same configuration; an ACK of another
// reign, or of what was never asked, only teaches its epoch (R25, R45).
func (n *Node) onAck(c place, m *spec.Message) {
	if n.role != spec.Leader || m.Epoch != n.epoch || m.Question > n.latest {
		n.learnIfFree(m.Epoch)
		return
	}
	if n.same(m) {
		n.support = n.support.with(c)
	}
	n.answered[c] = max(n.answered[c], m.Question)
	n.date()
}

// date dates the reign from the latest question that a quorum has answered, the node itself included (R26).
func (n *Node) date() {
	if n.isQuorumOf(0) {
		n.dated = n.latest
		return
	}
	for _, q := range n.answered {
		if q <= n.dated {
			continue
		}
		since := set(0)
		for r, answered := range n.answered {
			if answered >= q {
				since = since.with(place(r))
			}
		}
		if n.isQuorumOf(since) {
			n.dated = q
		}
	}
}

// reignEnded ends a reign: what a quorum has answered last was asked too long ago (R26).
func (n *Node) reignEnded() {
	n.stepDown()
}

// heartbeatEnded says that the reign goes on: a new question (R27).
func (n *Node) heartbeatEnded() {
	n.number()
	n.date()
	n.tell(spec.Heartbeat)
}

// resign ends the reign of a leader at its user's call, and reports whether it did (R28). A claimant must not say RESIGN: it could claim
// the same epoch again, and count a GRANT whose lease it had ended. The RESIGN names who is to stand first, unless names is none (R51).
func (n *Node) resign(names spec.NodeID, hold spec.Hold) bool {
	if n.role != spec.Leader || !names.IsNone() && !n.mayName(n.placeOf(names)) {
		return false
	}
	n.stepDown()
	n.sendAll(n.members, spec.Message{Type: spec.Resign, Epoch: n.epoch, Question: n.latest, Names: names, Hold: hold})
	return true
}

// mayName reports whether this node may name k, as it resigns, to stand first: another voter (R51).
func (n *Node) mayName(k place) bool {
	return k != none && k != n.me && n.voters.has(k)
}

// onResign ends the lease of j. Whom j names claims at once (R51). Who is free by that grants the claim for which j has handed over, if
// any (R18). A claimant asks again those who may have refused it while they kept the same lease, whosever it was (R29).
func (n *Node) onResign(j place, m *spec.Message) {
	followed := n.leader == j
	n.release(j, m.Question)
	switch {
	case followed && n.isNamed(m):
		n.claimAfter(m.From)
	case n.succeeds(m):
		claim := spec.Message{
			Type: spec.Claim, From: m.Granted.By, Epoch: m.Granted.Epoch, Question: m.Granted.Question, Configuration: m.Configuration,
		}
		n.onClaim(n.placeOf(claim.From), &claim)
	case n.role != spec.Claimant: // nothing waits for it
	case n.mayWin():
		n.win()
	default:
		n.sendClaim(n.electors&^n.support, spec.NodeID{})
	}
}

// isNamed reports whether the RESIGN of the node whose lease this one kept has freed it, and names it: it is to claim at once, for
// nobody leads (R51). It asks nobody first: those who are higher would stand themselves.
func (n *Node) isNamed(m *spec.Message) bool {
	return m.Names == n.id() && n.idle() && n.epoch == m.Epoch && n.epoch < spec.MaxEpoch && n.mayStand() && n.same(m)
}

// succeeds reports whether the claim for which the sender of a RESIGN has handed over is to be granted at once: nothing binds the
// node, and it does not do better itself (R29).
func (n *Node) succeeds(m *spec.Message) bool {
	by := n.placeOf(m.Granted.By)
	if by == none || by == n.me || n.bound() || !n.mayVote(by, n.same(m)) {
		return false
	}
	return n.role == spec.Follower || n.role == spec.Electing || n.role == spec.Candidate && n.outranks(by, n.me)
}

// holderDead ends the lease of a node that is proved dead, and reports whether there was one (R41). A claimant does not
// win by it: it waits for the next GRANT, RESIGN or timer.
func (n *Node) holderDead() bool {
	if !n.bound() || n.leader == n.me {
		return false
	}
	n.free()
	return true
}

// start is the first start in a node's life: it owes nobody anything (R32).
func (n *Node) start() {
	n.state, n.started = blank(n.configuration), true
}

// restart is any later start. The node has forgotten whose lease it kept, and so keeps its own, which makes it refuse
// everybody until T_coord ends or somebody leads. It may have used any number that it had reserved (R30, R50).
func (n *Node) restart(promise spec.Durable) {
	if !promise.Configuration.IsNone() {
		n.roster = rosterOf(promise.Configuration, n.id(), promise.Grantee)
		n.answered = make([]spec.Question, len(n.known))
	}
	n.state, n.started = state{
		role: spec.Electing, leader: n.me, latest: promise.Reserved + 1,
		epoch: promise.Epoch, grantee: n.placeOf(promise.Grantee), configuration: promise.Configuration,
	}, true
	n.tell(spec.ImBack)
}

// onImBack ends the lease of j, and tells j at once who leads, if it is this node (R31).
func (n *Node) onImBack(j place, m *spec.Message) {
	n.release(j, m.Question)
	n.learnIfFree(m.Epoch)
	if n.role == spec.Leader {
		n.sayThatILead(m.From)
	}
}
