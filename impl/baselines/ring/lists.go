package ring

import "slices"

// onList adds the node to a list, or ends the round: the message is back "when it receives an incoming message containing
// its own process number. At that point, the message type is changed to COORDINATOR and circulated once again"
// (Tanenbaum §6.5.1). So a list whose first node has died is ended by the next.
func (n *Node) onList(list []int) {
	if !slices.Contains(list, n.config.ID) {
		n.note("adds itself to %v", list)
		n.participating = true
		n.pass(Message{Kind: ElectionKind, List: append(slices.Clip(list), n.config.ID)})
		return
	}
	n.note("ends the list %v", list)
	n.follow(slices.Max(list))
	n.pass(Message{Kind: CoordinatorKind, List: list, Informed: []int{n.config.ID}})
}

// onCoordinator follows "the list member with the highest number". "When this message has circulated once, it is removed"
// (Tanenbaum §6.5.1): by who has been told by it, as an ELECTION is ended by who is in its list.
func (n *Node) onCoordinator(m Message) {
	if slices.Contains(m.Informed, n.config.ID) {
		n.note("removes COORDINATOR: all are told")
		return
	}
	n.note("passes on that %d leads", slices.Max(m.List))
	n.follow(slices.Max(m.List))
	n.pass(Message{Kind: CoordinatorKind, List: m.List, Informed: append(slices.Clip(m.Informed), n.config.ID)})
}
