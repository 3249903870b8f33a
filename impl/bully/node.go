package bully

import (
	"errors"
	"fmt"
	"slices"

	"github.com/seed-fdf591db/bully/spec"
)

// MaxMembers is the greatest number of members that a node can have.
const MaxMembers = 64

// Node is the core of one node. It is not safe for concurrent use: it takes one step at a time.
type Node struct {
	members []spec.NodeID // ascending: the place of a member here is its rank
	me      rank
	started bool
	state
	sent []spec.Message // what the step sends, in order; its memory is used again by the next
}

// New returns the node id of a cluster. The members are all nodes of the cluster, in any order, from 1 to MaxMembers,
// each once, and id is among them (R40); the error says which of this does not hold. The node has not started: its
// first input is [Start] or [Restart].
func New(id spec.NodeID, members []spec.NodeID) (*Node, error) {
	sorted := slices.SortedFunc(slices.Values(members), spec.NodeID.Compare)
	if len(sorted) < 1 || len(sorted) > MaxMembers {
		return nil, fmt.Errorf("bully: %d members: give from 1 to %d", len(sorted), MaxMembers)
	}
	for i, member := range sorted {
		if !member.Valid() {
			return nil, fmt.Errorf("bully: member %s is no id: give integers from 1 on or UUIDs of version 4", member)
		}
		if i > 0 && member == sorted[i-1] {
			return nil, fmt.Errorf("bully: member %s is there twice: give each once", member)
		}
	}
	n := &Node{members: sorted, state: blank(), sent: make([]spec.Message, 0, len(sorted)+1)}
	if n.me = n.rankOf(id); n.me == none {
		return nil, fmt.Errorf("bully: node %s is no member: add it to the members, or correct its id", id)
	}
	return n, nil
}

// At returns a node that is in state s already, for replays and tests. The id and the members are those of New. The
// error says what of s is not valid, names a stranger, or is a state that no input leads to (section 6).
func At(id spec.NodeID, members []spec.NodeID, s spec.State) (*Node, error) {
	n, err := New(id, members)
	if err != nil {
		return nil, err
	}
	if err := s.Validate(); err != nil {
		return nil, fmt.Errorf("bully: state: %w", err)
	}
	n.role, n.epoch = s.Role, s.Epoch
	for _, named := range []struct {
		field string
		id    spec.NodeID
		put   func(rank)
	}{
		{"leader", s.Leader, func(r rank) { n.leader = r }},
		{"grantee", s.Grantee, func(r rank) { n.grantee = r }},
	} {
		r := n.rankOf(named.id)
		if r == none && !named.id.IsNone() {
			return nil, fmt.Errorf("bully: state: %s: %s is no member", named.field, named.id)
		}
		named.put(r)
	}
	for _, backer := range s.Support {
		r := n.rankOf(backer)
		if r == none {
			return nil, fmt.Errorf("bully: state: support: %s is no member", backer)
		}
		n.support = n.support.with(r)
	}
	if broken := n.broken(); broken != "" {
		return nil, errors.New("bully: state: no input leads to it: " + broken)
	}
	n.started = true
	return n, nil
}

// State returns a copy of the node's state. Before the first start that is a blank one.
func (n *Node) State() (s spec.State) {
	n.CopyState(&s)
	return s
}

// CopyState is State for who asks after every step: it writes over s, and uses the memory of its support again.
func (n *Node) CopyState(s *spec.State) {
	support := s.Support[:0]
	for r, member := range n.members {
		if n.support.has(rank(r)) {
			support = append(support, member)
		}
	}
	*s = spec.State{Role: n.role, Leader: n.idOf(n.leader), Epoch: n.epoch, Grantee: n.idOf(n.grantee), Support: support}
}

// promise returns what of the state must survive a crash.
func (n *Node) promise() spec.Durable {
	return spec.Durable{Epoch: n.epoch, Grantee: n.idOf(n.grantee)}
}

// rankOf returns the rank of a member, and none for no node and for a stranger.
func (n *Node) rankOf(id spec.NodeID) rank {
	for r := range n.members {
		if n.members[r] == id {
			return rank(r)
		}
	}
	return none
}

// idOf returns the id of the member of rank r, and no node for none.
func (n *Node) idOf(r rank) spec.NodeID {
	if r == none {
		return spec.NodeID{}
	}
	return n.members[r]
}

// highest returns the rank of the highest of all members.
func (n *Node) highest() rank { return rank(len(n.members) - 1) }

// send adds a message to one other member.
func (n *Node) send(t spec.MessageType, to rank, e spec.Epoch) {
	n.sent = append(n.sent, spec.Message{Type: t, From: n.members[n.me], To: n.members[to], Epoch: e})
}

// sendAll adds a message to every other member, in ascending order of ids.
func (n *Node) sendAll(t spec.MessageType, e spec.Epoch) {
	n.sendAllBut(t, e, 0)
}

// sendAllBut is sendAll, but sends nothing to the members in spared.
func (n *Node) sendAllBut(t spec.MessageType, e spec.Epoch, spared set) {
	spared = spared.with(n.me)
	for r := range rank(len(n.members)) {
		if !spared.has(r) {
			n.send(t, r, e)
		}
	}
}
