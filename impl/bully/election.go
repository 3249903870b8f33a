package bully

import "github.com/seed-fdf591db/bully/spec"

// ask makes the node a candidate: who is there, and would follow it? It says whose lease it keeps (R8).
func (n *Node) ask() {
	n.become(spec.Candidate)
	n.asked = n.number()
	n.sendAll(n.electors, spec.Message{Type: spec.Election, Epoch: n.epoch, Question: n.asked, Keeps: n.idOf(n.leader)})
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
		n.tell(spec.ImBack)
	}
}

// patienceEnded is the end of a follower's patience, and of the lease it keeps (R8).
func (n *Node) patienceEnded() {
	n.unbind()
	n.askOrSay()
}

// preemptEnded makes a follower stand that outranks its leader. It keeps the lease: the leader still acts (R9).
func (n *Node) preemptEnded() {
	n.ask()
}

// maySupport reports whether the node would grant a claim of c, which keeps the lease of another. It would if it follows a node that
// c outranks and follows too: that one can hand over to c, after which the lease is over (R10).
func (n *Node) maySupport(c, keeps place, same bool) bool {
	return n.mayVote(c, same) &&
		(!n.bound() || n.leader == c || n.outranks(c, n.leader) && n.role != spec.Electing && keeps == n.leader)
}

// onElection answers a candidate: one that this node outranks by R10, any other by R11.
func (n *Node) onElection(c place, m *spec.Message) {
	n.release(c, m.Question)
	n.learnIfFree(m.Epoch)
	lower := !n.outranks(c, n.me)
	switch {
	case n.role == spec.Leader && lower:
		n.answer(m, spec.OK, n.epoch)
		n.sayThatILead(m.From)
	case !n.maySupport(c, n.placeOf(m.Keeps), n.same(m)):
		n.answer(m, spec.Refuse, n.epoch)
	case lower:
		n.outbid(m)
	default:
		n.giveWay(m)
	}
}

// sayThatILead tells a node that this one leads: it repeats its latest question (R10, R31).
func (n *Node) sayThatILead(to spec.NodeID) {
	n.send(to, spec.Message{Type: spec.Coordinator, Epoch: n.epoch, Question: n.latest})
}

// outbid tells a lower candidate that this node has it in hand. Who was idle must then stand itself (R10).
func (n *Node) outbid(m *spec.Message) {
	n.answer(m, spec.OK, n.epoch)
	if n.idle() {
		n.ask()
	}
}

// giveWay tells a higher candidate that this node would grant its claim, and waits for it; but a claimant goes on (R11).
func (n *Node) giveWay(m *spec.Message) {
	if n.role == spec.Candidate || n.idle() {
		n.become(spec.Electing)
	}
	n.answer(m, spec.Assent, n.epoch)
}

// isAsked reports whether m answers what the node asks now (R12, R13, R19, R21).
func (n *Node) isAsked(m *spec.Message) bool { return m.Question == n.asked }

// onOk makes a candidate wait for the higher node c. The OK counts as support all the same: once T_coord has passed, c
// has had its chance (R12).
func (n *Node) onOk(c place, m *spec.Message) {
	n.learnIfFree(m.Epoch)
	if n.asking() && n.isAsked(m) {
		n.role, n.support = spec.Electing, n.support.with(c)
	}
}

// onAssent counts c as support. Nobody can say OK to the highest voter, so it has nothing to wait for (R13).
func (n *Node) onAssent(c place, m *spec.Message) {
	n.learnIfFree(m.Epoch)
	if !n.asking() || !n.isAsked(m) {
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
	n.unbind()
	if n.mayStand() && n.mayClaim() {
		n.claim()
	} else {
		n.askOrSay()
	}
}
