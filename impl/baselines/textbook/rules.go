package textbook

// The rules, by the names of tla/Textbook.tla where it has them. The sources are in the package's doc.

// start is the first start: the node listens, and holds an election if it hears of no leader. (Practice)
func (n *Node) start() { n.set(Patience) }

// comeBack is the return from a crash, by Config.Return. (Tanenbaum: who was down and comes back holds an election; that is
// TakesOver. Practice: the other two policies, so that not every return deposes a leader.)
func (n *Node) comeBack() {
	switch n.config.Return {
	case Immediate:
		n.stand("is back")
	case CoolDown:
		n.set(Patience)
		n.set(Return)
		n.note("is back, and waits before it takes over")
	case Suppressed:
		n.set(Return)
		n.sendAbove(0, ImBack)
		n.note("is back, and asks who leads")
	}
}

// hasWaited is the end of what comeBack waits for. After IM_BACK, who follows anybody goes on; after a cool-down, who follows
// a higher node has nothing to take over. (Practice)
func (n *Node) hasWaited() {
	if n.leader == 0 || n.leader < n.config.ID && n.config.Return == CoolDown {
		n.stand("has waited long enough")
	}
}

// suspects is Probes: a follower whose leader falls silent holds an election. (Garcia-Molina: the time-out of a node that
// waits for its coordinator; Tanenbaum: a node that notices that the coordinator no longer responds. Practice: silence is
// that of HEARTBEAT.)
func (n *Node) suspects() {
	switch {
	case n.role == Follower && n.leader == 0:
		n.stand("knows of no leader")
	case n.role == Follower:
		n.stand("takes %d for dead", n.leader)
	}
}

// stand holds an election: Asked, ELECTION goes to all higher nodes. (Garcia-Molina, stage 1; Tanenbaum, step 1)
// The highest has nobody to ask. (Coulouris: it may elect itself simply by COORDINATOR; that is Shortcut.)
func (n *Node) stand(why string, args ...any) {
	n.become(Candidate, 0, 0)
	if n.config.Shortcut && n.config.ID == n.config.Nodes {
		n.lead()
		n.note(why+", and has nobody to ask", args...)
		return
	}
	n.set(Telec)
	n.sendAbove(n.config.ID, Election)
	n.note(why, args...)
}

// onElection is Answers and Stands: OK to the lower node, and an election of one's own, unless it is in one already. Who
// leads is in none. (Tanenbaum: holds an election, unless it is already holding one; Coulouris: unless it has begun one)
func (n *Node) onElection(m Message) {
	n.send(OK, m.From)
	switch n.role {
	case Follower:
		n.stand("hears that %d holds an election", m.From)
	case Leader:
		n.stand("leads, but hears that %d holds an election", m.From)
	}
}

// onOk is GivesWay: a candidate that hears OK waits for COORDINATOR. One that comes too late changes nothing.
// (Tanenbaum, step 3: if one of the higher ones answers, it takes over; Coulouris: T', which is T_coord)
func (n *Node) onOk(m Message) {
	if n.role != Candidate {
		return
	}
	n.become(Electing, 0, 0)
	if !n.config.NoTcoord {
		n.set(Tcoord)
	}
	n.note("gives way to %d", m.From)
}

// nobodyAnswered is Declares: a candidate that nobody answered within T_elec leads. (Tanenbaum, step 2)
func (n *Node) nobodyAnswered() {
	n.lead()
	n.note("is answered by nobody")
}

// waitedInVain is Retries: who waits for COORDINATOR in vain, T_coord long, holds a new election. (Coulouris: if none
// arrives within T', it begins another election)
func (n *Node) waitedInVain() { n.stand("waits for COORDINATOR in vain") }

// lead is Told: a new leader tells everybody. (Tanenbaum: a message to all; Coulouris: to all lower ones)
func (n *Node) lead() {
	n.become(Leader, n.config.ID, 0)
	if n.config.Stamp {
		n.pickStamp()
	}
	n.set(Interval)
	n.sendAbove(0, Coordinator)
}

// pickStamp picks the number of the node's own reign: one above the highest that it has heard of. Nobody is asked for it, so
// two may pick the same. (Practice)
func (n *Node) pickStamp() {
	n.stamp, n.heard = n.heard+1, n.heard+1
}

// heartbeat says that the leader is there. (Practice; Garcia-Molina has the coordinator asked instead)
func (n *Node) heartbeat() {
	n.sendAbove(0, Heartbeat)
	n.set(Interval)
}

// onCoordinator is Accepts: whoever hears COORDINATOR follows its sender, whoever that is. (Garcia-Molina, stage 2;
// Coulouris: it sets its variable elected to the id in it)
func (n *Node) onCoordinator(m Message) {
	if n.role == Leader {
		n.note("is deposed by %d", m.From)
	}
	n.follow(m)
}

// onHeartbeat renews a follower's patience with its leader, and tells one that knows of no leader whom to follow. Nobody
// else heeds it: who follows another, or leads, goes on; an election is ended only by COORDINATOR. (Practice)
func (n *Node) onHeartbeat(m Message) {
	if n.role == Follower && (n.leader == 0 || n.leader == m.From) {
		n.follow(m)
	}
}

// onImBack is the answer of a living leader to a node that has returned. (Practice)
func (n *Node) onImBack(m Message) {
	if n.role == Leader {
		n.send(Coordinator, m.From)
		n.note("tells %d, who is back, that it leads", m.From)
	}
}

// follow takes the sender of a message for the leader, and its stamp as it comes: an old one is as good as a new one. The
// timer Return goes on: hasWaited looks whom the node follows.
func (n *Node) follow(m Message) {
	n.become(Follower, m.From, 1<<Patience|1<<Return)
	n.set(Patience)
	if n.config.Stamp {
		n.stamp, n.heard = m.Stamp, max(n.heard, m.Stamp)
	}
}
