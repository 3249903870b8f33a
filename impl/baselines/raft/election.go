package raft

// electionEnded is for a follower that has heard from no leader and voted for nobody for an election timeout, and for a
// candidate whose election has had no winner (§5.2).
func (n *Node) electionEnded() {
	n.leader, n.lease = 0, false
	if n.config.PreVote {
		n.ask()
	} else {
		n.stand()
	}
}

// ask asks all whether they would vote for the node in the next term. Neither its term nor its vote changes (D 9.6).
func (n *Node) ask() {
	n.role, n.heard = PreCandidate, nil
	n.set(Election)
	n.note("asks who would elect it in term %d", n.saved.Term+1)
	n.sendAll(RequestPreVote, n.saved.Term+1)
	n.hear(n.config.ID)
}

// stand begins an election: the node enters the next term, votes for itself, and asks all for their votes (§5.2). Its own
// vote is durable before the others are asked: else it could cast another one after a crash.
func (n *Node) stand() {
	n.role, n.heard, n.saved = Candidate, nil, Saved{Term: n.saved.Term + 1, Vote: n.config.ID}
	n.set(Election)
	n.note("stands for term %d", n.saved.Term)
	n.sendAll(RequestVote, n.saved.Term)
	n.hear(n.config.ID)
}

// onRequestPreVote says whether this node would vote as it is asked. A yes carries the term that was asked for, and not the
// voter's own: the one who asked may be ahead of the voter, and would take an answer of a lower term for an old one. Then
// nobody could be elected any more (canonical/raft#279, etcd-io/etcd#8243). A no carries the voter's term, from which one who
// is behind learns it, even if it asked for a term that is long over (etcd-io/etcd#8501).
func (n *Node) onRequestPreVote(m Message) {
	if n.wouldVote(m) {
		n.send(PreVote, m.From, m.Term)
	} else {
		n.send(NoPreVote, m.From, n.saved.Term)
	}
}

// wouldVote reports whether a node that hears from no leader could vote as it is asked (D 9.6).
func (n *Node) wouldVote(m Message) bool {
	return !n.hearsLeader() && (m.Term > n.saved.Term || n.mayVote(m))
}

// onRequestVote votes, or refuses with its own term (§5.1, §5.2). Who votes gives the candidate time to win: its election
// timeout begins anew, and if it was a pre-candidate, it follows again.
func (n *Node) onRequestVote(m Message) {
	if !n.mayVote(m) {
		n.send(NoVote, m.From, n.saved.Term)
		return
	}
	n.role, n.saved.Vote = Follower, m.From
	n.set(Election)
	n.send(Vote, m.From, n.saved.Term)
}

// mayVote reports whether the node has no other vote in this term: one vote each term, first come first served (§5.2).
func (n *Node) mayVote(m Message) bool {
	return m.Term == n.saved.Term && (n.saved.Vote == 0 || n.saved.Vote == m.From)
}
