package raft

// lead makes a candidate the leader of its term, which tells all at once (§5.2).
func (n *Node) lead() {
	n.role, n.leader = Leader, n.config.ID
	n.note("is elected for term %d", n.saved.Term)
	n.heartbeatEnded()
	n.checkAnew()
}

// heartbeatEnded sends a heartbeat: AppendEntries without entries, to all (§5.2).
func (n *Node) heartbeatEnded() {
	n.set(Heartbeat)
	n.sendAll(AppendEntries, n.saved.Term)
}

// checkAnew begins a time within which a leader must hear from a quorum (D 6.2). One who answers at its beginning may be
// the last that answers, so that a leader without a quorum goes on for two election timeouts at most, as in go.etcd.io/raft.
func (n *Node) checkAnew() {
	n.heard = append(n.heard[:0], n.config.ID)
	n.set(Quorum)
}

// quorumEnded lets a leader step down that a quorum has not answered for an election timeout (D 6.2). Its term stays: it has
// not heard of another one. A node that is alone is a quorum.
func (n *Node) quorumEnded() {
	if !n.isQuorum() {
		n.note("steps down: it has not heard from a quorum")
		n.role, n.leader = Follower, 0
	}
	n.checkAnew()
}

// onAppendEntries follows the leader of this term, also as a candidate for it (§5.2). One of a lower term is told of this
// one, and steps down (§5.1). Nothing else would make a good leader enter the term of a node that comes back with a higher
// one, if check-quorum keeps it from taking notice of requests for votes (etcd-io/etcd#5468).
func (n *Node) onAppendEntries(m Message) {
	if m.Term < n.saved.Term {
		n.send(NotAppended, m.From, n.saved.Term)
		return
	}
	n.role, n.leader, n.lease = Follower, m.From, n.config.PreVote || n.config.CheckQuorum
	n.set(Election)
	n.set(Lease)
	n.send(Appended, m.From, n.saved.Term)
}

// disregards reports whether a node hears from a leader, and so takes no notice of one who wants its vote: it neither
// enters its term nor votes (D 4.2.3). Without check-quorum it must not be so deaf: a leader whom no answer reaches would stay
// for ever.
func (n *Node) disregards(m Message) bool {
	return n.config.CheckQuorum && m.Type == RequestVote && m.Term > n.saved.Term && n.hearsLeader()
}

// hearsLeader reports whether the node leads, or has heard from the leader within an election timeout (D 4.2.3).
func (n *Node) hearsLeader() bool { return n.role == Leader || n.lease }

// anotherLeads reports whether a leader comes forward in a term of which the node knows another one. Rules keep that from
// happening (§5.2), but not a node that does not follow them.
func (n *Node) anotherLeads(m Message) bool {
	return m.Type == AppendEntries && m.Term == n.saved.Term && n.leader != 0 && n.leader != m.From
}
