package ring

// onID compares an id that goes round with the node's own (Chang and Roberts; Coulouris §15.3). An id that comes back has
// met no higher one. Whether it was sent in this life of the node is not asked.
func (n *Node) onID(id int) {
	switch {
	case id == n.config.ID:
		n.note("has its own id back")
		n.follow(n.config.ID)
		n.pass(Message{Kind: ElectedKind, ID: n.config.ID})
	case id > n.config.ID:
		n.note("passes %d on", id)
		n.participating = true
		n.pass(Message{Kind: ElectionKind, ID: id})
	case n.participating:
		n.note("swallows %d", id)
	default:
		n.note("swallows %d, and sends its own id", id)
		n.stand()
	}
}

// onElected follows the one elected, "and, unless it is the new coordinator, forwards the message" (Coulouris §15.3): so
// what was sent by one who has died since goes round for ever.
func (n *Node) onElected(id int) {
	if id == n.config.ID {
		return
	}
	n.note("passes on that %d leads", id)
	n.follow(id)
	n.pass(Message{Kind: ElectedKind, ID: id})
}
