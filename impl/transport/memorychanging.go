package transport

import (
	"maps"
	"slices"

	"github.com/seed-fdf591db/bully/spec"
)

// JoinChanging starts the node id as one of changing members, of this incarnation. It is connected to nobody until
// SetMembers says to whom. A node of that id that runs already is killed first. Nodes of fixed and of changing members do
// not connect to each other.
func (n *Network) JoinChanging(id spec.NodeID, incarnation uint64) *Endpoint {
	n.mu.Lock()
	defer n.mu.Unlock()
	e := n.join(id)
	e.changing, e.incarnation = true, incarnation
	for _, other := range n.nodes {
		if other != id {
			n.refresh(other, id)
		}
	}
	return e
}

// SetMembers says who the members are from now on, as that of TCP does. Of an address only the incarnation counts. A node
// that is no member is heard, and answered as long as it is connected to this one. There is no bound to how many are.
func (e *Endpoint) SetMembers(members map[spec.NodeID]string) {
	n := e.network
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.running[e.id] != e || !e.changing {
		return
	}
	for _, id := range slices.SortedFunc(maps.Keys(e.routes), spec.NodeID.Compare) {
		if _, stays := members[id]; !stays && e.routes[id].member {
			r := e.routes[id]
			*r = route{box: r.box}
			e.inbox.untell(r.box)
		}
	}
	for _, id := range slices.SortedFunc(maps.Keys(members), spec.NodeID.Compare) {
		if id == e.id {
			continue
		}
		if at, found := slices.BinarySearchFunc(n.nodes, id, spec.NodeID.Compare); !found {
			n.nodes = slices.Insert(n.nodes, at, id)
		}
		r := e.know(id)
		r.member = true
		if _, wanted, err := SplitAddress(members[id]); err == nil && wanted != r.wanted {
			r.wanted, r.dead = wanted, false
		}
		n.refresh(e.id, id)
		n.refresh(id, e.id)
	}
}

// admits reports whether another endpoint may be connected to this one.
func (e *Endpoint) admits(other *Endpoint) bool {
	r := e.routes[other.id]
	return e.changing == other.changing && (r == nil || r.wanted == 0 || other.incarnation == r.wanted)
}
