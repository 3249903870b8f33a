package ring

// suspect begins an election: "when any process notices that the coordinator is not functioning, it builds an ELECTION
// message containing its own process number and sends the message to its successor" (Tanenbaum §6.5.1; Coulouris §15.3). So
// does who has waited in vain for the end of another, of which no source speaks. A leader goes on leading meanwhile.
func (n *Node) suspect() {
	n.note("begins an election")
	if !n.Leading() {
		n.leader = 0
	}
	n.stand()
}

// stand sends the node's own id, or a list of it alone.
func (n *Node) stand() {
	n.participating = true
	if n.config.Form == ChangRoberts {
		n.pass(Message{Kind: ElectionKind, ID: n.config.ID})
	} else {
		n.pass(Message{Kind: ElectionKind, List: []int{n.config.ID}})
	}
}

// follow ends the node's part in an election, in which l was elected, itself perhaps.
func (n *Node) follow(l int) {
	n.leader, n.participating, n.renewed = l, false, true
}

// sendHeartbeats says that the reign goes on. No source says how a follower notices that its leader is dead; this is how
// it is in the other algorithms that it is compared with.
func (n *Node) sendHeartbeats() {
	for _, id := range n.config.Ring {
		if id != n.config.ID {
			n.out.Send = append(n.out.Send, Message{Kind: HeartbeatKind, From: n.config.ID, To: id})
		}
	}
}

// onHeartbeat follows the sender, unless a higher one is followed: of two leaders the higher is the rightful one, as in an
// election. Who takes part in an election waits for its end.
func (n *Node) onHeartbeat(from int) {
	if !n.participating && from >= n.leader {
		n.follow(from)
	}
}
