package groups

import (
	"slices"

	"github.com/seed-fdf591db/bully/impl/internal/membership"
	"github.com/seed-fdf591db/bully/spec"
	"github.com/seed-fdf591db/bully/spec/policy"
)

// mostPlaces is how many nodes a loop can know of at once: the members of all groups, those that are to come, and those that have not left yet.
const mostPlaces = 64

// admit returns the place of a node, a new one if it has none; or none if there is no room.
func (l *loop) admit(id spec.NodeID) int {
	if place := l.place(id); place != none {
		return place
	}
	free := slices.Index(l.members, spec.NodeID{})
	if free == none {
		if len(l.members) == mostPlaces {
			return none
		}
		free = len(l.members)
		l.members, l.peers = append(l.members, id), append(l.peers, nil)
	}
	l.members[free], l.peers[free] = id, nil
	if id == l.config.ID {
		l.me = free
	} else {
		l.peers[free] = l.newPeer(id, free)
	}
	return free
}

func (l *loop) newPeer(id spec.NodeID, place int) *peer {
	return &peer{id: id, place: place, number: l.config.Rand.Uint64() >> 16}
}

// setsOf returns the places of the members of a configuration, of those that vote, and of those that may lead.
func (l *loop) setsOf(c spec.Configuration) (members, electors, voters policy.Set) {
	for _, m := range c.Members() {
		one := policy.One(l.admit(m.ID))
		members |= one
		if membership.Votes(m.Kind) {
			electors |= one
		}
		if m.Kind == spec.Voter {
			voters |= one
		}
	}
	return members, electors, voters
}

// fits reports whether all members of a configuration have places, or can be given some.
func (l *loop) fits(c spec.Configuration) bool {
	for _, m := range c.Members() {
		if l.admit(m.ID) == none {
			return false
		}
	}
	return true
}

// sweep says whom the transport is to be connected to, and frees the places of nodes that no group knows any more, if members have changed.
func (l *loop) sweep() {
	if !l.changing || !l.reformed {
		return
	}
	l.reformed = false
	known, follow := policy.One(l.me)|l.all, true
	for _, g := range l.list {
		known |= g.members
		follow = follow && (g.node == nil || g.members == 0 || l.follows(g))
	}
	if follow {
		own := l.own
		l.of.own.followed.Store(&own)
	}
	l.of.own.leaves.Store(l.leavesNow())
	members := map[spec.NodeID]struct{}{}
	for place, id := range l.members {
		if known.Has(place) {
			members[id] = struct{}{}
		}
	}
	for id := range l.of.own.shared.groups.alsoMembers(members) {
		known |= policy.One(l.place(id))
	}
	for _, g := range l.list {
		known |= g.refersTo()
	}
	if l.mourned != none {
		known |= policy.One(l.mourned)
	}
	l.free(known)
}

// free frees the places of all nodes but some, once nothing that waits to be said can speak of them.
func (l *loop) free(known policy.Set) {
	if l.talks() {
		l.reformed = true
		return
	}
	for place, id := range l.members {
		if one := policy.One(place); known&one == 0 && !id.IsNone() {
			l.members[place], l.peers[place] = spec.NodeID{}, nil
			l.up, l.dead = l.up&^one, l.dead&^one
			for _, g := range l.list {
				g.policy.Broken(place)
				g.policy.Heard(place)
				g.quarrels &^= one
			}
		}
	}
}

// talks reports whether there is something to say to a node yet.
func (l *loop) talks() bool {
	return slices.ContainsFunc(l.peers, func(p *peer) bool { return p != nil && !p.idle() })
}

// follows reports whether a group has the members of the cluster, each of its kind.
func (l *loop) follows(g *group) bool { return l.pending(g) == 0 }

// refersTo returns whom a group speaks of, besides its members.
func (g *group) refersTo() (all policy.Set) {
	all = policy.One(g.leader)
	if s := g.held; s != nil {
		all |= policy.One(s.leader) | policy.One(s.from) | policy.One(s.known) | s.members
	}
	if g.yielding != nil {
		all |= policy.One(g.yielding.from)
	}
	for i := range g.deferred {
		all |= policy.One(g.deferred[i].from)
	}
	return all
}
