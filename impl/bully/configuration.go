package bully

import (
	"math/bits"
	"slices"

	"github.com/seed-fdf591db/bully/spec"
)

// roster is who is who for a node: the nodes that it knows of, and what each is in its configuration (R42). Those are
// the members, the node itself, and whom its state names. With fixed members all are voters, for ever.
type roster struct {
	known    []spec.NodeID // ascending: the place of a node here is its rank
	me       rank
	members  set
	electors set // the voters and the witnesses
	voters   set
}

// rosterOf returns the roster of node me in a configuration, in which it knows the nodes that are named, too.
func rosterOf(c spec.Configuration, me spec.NodeID, named ...spec.NodeID) roster {
	members := c.Members()
	known := append(named, me)
	for _, m := range members {
		known = append(known, m.ID)
	}
	known = slices.DeleteFunc(known, spec.NodeID.IsNone)
	slices.SortFunc(known, spec.NodeID.Compare)
	r := roster{known: slices.Compact(known)}
	r.me = r.rankOf(me)
	for _, m := range members {
		one := set(0).with(r.rankOf(m.ID))
		r.members |= one
		if m.Kind != spec.Observer {
			r.electors |= one
		}
		if m.Kind == spec.Voter {
			r.voters |= one
		}
	}
	return r
}

// rankOf returns the rank of a node, and none for no node and for one that is not known.
func (r *roster) rankOf(id spec.NodeID) rank {
	for i := range r.known {
		if r.known[i] == id {
			return rank(i)
		}
	}
	return none
}

// idOf returns the id of the node of rank i, and no node for none.
func (r *roster) idOf(i rank) spec.NodeID {
	if i == none {
		return spec.NodeID{}
	}
	return r.known[i]
}

// id returns the node's own id.
func (r *roster) id() spec.NodeID { return r.known[r.me] }

// idsOf returns the ids of a set, ascending.
func (r *roster) idsOf(s set) (ids []spec.NodeID) {
	for i := range s.all() {
		ids = append(ids, r.known[i])
	}
	return ids
}

// isQuorum reports whether the support and this node itself are a quorum.
func (n *Node) isQuorum() bool { return n.isQuorumOf(n.support) }

// isQuorumOf reports whether a set and this node itself are more than half of the electors, who alone count (R3, R42).
func (r *roster) isQuorumOf(s set) bool {
	return 2*(s.with(r.me)&r.electors).len() > r.electors.len()
}

// same reports whether the sender of m holds the same configuration (R45).
func (n *Node) same(m *spec.Message) bool { return m.Configuration == n.configuration }

// outranks reports whether a is to lead rather than b: a higher node, or any if b may not lead. Every node outranks
// none (R46).
func (r *roster) outranks(a, b rank) bool { return a > b || !r.voters.has(b) }

// highest returns the rank of the highest voter (R13).
func (r *roster) highest() rank { return rank(bits.Len64(uint64(r.voters)) - 1) }

// mayStand reports whether the node may lead (R46).
func (r *roster) mayStand() bool { return r.voters.has(r.me) }

// mayVote reports whether the node may promise c an epoch, and say that it would. The two must hold the same
// configuration: or else the promises of two quorums need not meet (R45).
func (r *roster) mayVote(c rank, same bool) bool {
	return same && r.electors.has(r.me) && r.voters.has(c)
}

// meets reports whether the rules of section 8 see what comes from a node: it and this node are both members (R44).
func (r *roster) meets(from rank) bool {
	return from != none && r.members.has(from) && r.members.has(r.me)
}

// turnAway answers who is no member, or asks where this node is none. The answer carries the newer configuration, by
// which a node learns that it has been removed (R44).
func (n *Node) turnAway(m *spec.Message) {
	if !n.configuration.Newer(m.Configuration) {
		return
	}
	switch m.Type {
	case spec.Election, spec.Claim, spec.Coordinator, spec.Heartbeat, spec.ImBack:
		n.answer(m, spec.Refuse, n.epoch)
	}
}

// adopt makes c, which is newer, the node's configuration. Who stood in the older one stands no more (R43).
func (n *Node) adopt(c spec.Configuration) {
	n.configure(c)
	if n.standing() {
		n.rest()
	}
	n.learn(c.Epoch)
}

// configure makes c the node's configuration, in which nobody backs it yet, and it asks nothing; what members have answered, they
// have. With other members ranks are others too.
func (n *Node) configure(c spec.Configuration) {
	if !c.SameMembers(n.configuration) {
		r := rosterOf(c, n.id(), n.idOf(n.leader), n.idOf(n.grantee))
		answered := make([]spec.Question, len(r.known))
		for i := range r.members.all() {
			if was := n.rankOf(r.known[i]); was != none {
				answered[i] = n.answered[was]
			}
		}
		n.answered = answered
		n.state.move(&n.roster, &r)
		n.before.move(&n.roster, &r)
		n.roster = r
	}
	n.configuration, n.support, n.asked = c, 0, 0
}

// move translates the ranks of a state from one roster into those of another. Nobody reads a support from before.
func (s *state) move(from, to *roster) {
	s.leader, s.grantee = to.rankOf(from.idOf(s.leader)), to.rankOf(from.idOf(s.grantee))
	s.support = 0
}

// Configuration returns the node's configuration, by which it goes. It is none with fixed members.
func (n *Node) Configuration() spec.Configuration { return n.configuration }
