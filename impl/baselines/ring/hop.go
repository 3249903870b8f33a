package ring

import "slices"

// after returns the neighbour of a node of the ring.
func (n *Node) after(id int) int {
	return n.config.Ring[(slices.Index(n.config.Ring, id)+1)%len(n.config.Ring)]
}

// pass sends a message to the neighbour, unless the same waits for an ACK: that never is so without faults. With them, who
// hears an ACK too late passes a message on twice, and if all do there is soon no end of copies.
func (n *Node) pass(m Message) {
	same := func(p Message) bool { return p.Kind == m.Kind && p.ID == m.ID && slices.Equal(p.List, m.List) }
	if !slices.ContainsFunc(n.pending, same) {
		n.sent++
		m.Hop = n.sent
		n.try(m, n.after(n.config.ID))
	}
}

// try sends a message to a node, and waits for its ACK. What has gone past all others is back where it came from.
func (n *Node) try(m Message, to int) {
	m.From, m.To = n.config.ID, to
	if to == n.config.ID {
		n.hear(m)
		return
	}
	n.pending = append(n.pending, m)
	n.out.Send = append(n.out.Send, m)
}

// waiting returns the place of the message that an ACK is for, or -1. It may be late, of one who has been skipped since: all
// that counts is that somebody has the message.
func (n *Node) waiting(ack Message) int {
	return slices.IndexFunc(n.pending, func(m Message) bool { return m.Hop == ack.Hop })
}

// skip takes who has not answered for dead: "if the successor is down, the sender skips over the successor and goes to the
// next member along the ring" (Tanenbaum §6.5.1). What was sent later than the timer was set waits once more.
func (n *Node) skip() {
	pending := n.pending
	n.pending = nil
	for _, m := range pending {
		if m.Hop > n.watched {
			n.pending = append(n.pending, m)
		} else {
			n.note("skips %d: no ACK", m.To)
			n.try(m, n.after(m.To))
		}
	}
}
