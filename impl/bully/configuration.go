package bully

import (
	"cmp"
	"errors"
	"fmt"
	"slices"

	"github.com/seed-fdf591db/bully/spec"
)

// roster is who is who for a node: the nodes that it knows of, and what each is in its configuration (R42). Those are
// the members, the node itself, and whom its state names. With fixed members all are voters, for ever.
type roster struct {
	known    []spec.NodeID // ascending
	ranks    []uint16      // of each place, 0 of who is no member (R1); nil if all are 0
	me       place
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
	r.me = r.placeOf(me)
	for _, m := range members {
		at := r.placeOf(m.ID)
		r.rank(at, m.Rank)
		one := set(0).with(at)
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

// rank makes a rank that of the node at a place.
func (r *roster) rank(at place, rank uint16) {
	if rank == 0 {
		return
	}
	if r.ranks == nil {
		r.ranks = make([]uint16, len(r.known))
	}
	r.ranks[at] = rank
}

// placeOf returns the place of a node, and none for no node and for one that is not known.
func (r *roster) placeOf(id spec.NodeID) place {
	for i := range r.known {
		if r.known[i] == id {
			return place(i)
		}
	}
	return none
}

// idOf returns the id of the node at place i, and no node for none.
func (r *roster) idOf(i place) spec.NodeID {
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

// higher reports whether a is higher than b: of a higher rank, or of the same and of a higher id. Every node is higher than none (R1).
func (r *roster) higher(a, b place) bool {
	if r.ranks == nil || a == none || b == none {
		return a > b
	}
	return cmp.Or(cmp.Compare(r.ranks[a], r.ranks[b]), cmp.Compare(a, b)) > 0
}

// outranks reports whether a is to lead rather than b: a higher node, or any if b may not lead. Every node outranks
// none (R46).
func (r *roster) outranks(a, b place) bool { return r.higher(a, b) || !r.voters.has(b) }

// highest returns the place of the highest voter (R13).
func (r *roster) highest() place {
	highest := none
	for i := range r.voters.all() {
		if r.higher(i, highest) {
			highest = i
		}
	}
	return highest
}

// mayStand reports whether the node may lead (R46).
func (r *roster) mayStand() bool { return r.voters.has(r.me) }

// mayVote reports whether the node may promise c an epoch, and say that it would. The two must hold the same
// configuration: or else the promises of two quorums need not meet (R45).
func (r *roster) mayVote(c place, same bool) bool {
	return same && r.electors.has(r.me) && r.voters.has(c)
}

// meets reports whether the rules of section 8 see what comes from a node: it and this node are both members (R44).
func (r *roster) meets(from place) bool {
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
// have. With other members places are others too.
func (n *Node) configure(c spec.Configuration) {
	if !c.SameMembers(n.configuration) {
		r := rosterOf(c, n.id(), n.idOf(n.leader), n.idOf(n.grantee))
		answered := make([]spec.Question, len(r.known))
		for i := range r.members.all() {
			if was := n.placeOf(r.known[i]); was != none {
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

// move translates the places of a state from one roster into those of another. Nobody reads a support from before.
func (s *state) move(from, to *roster) {
	s.leader, s.grantee = to.placeOf(from.idOf(s.leader)), to.placeOf(from.idOf(s.grantee))
	s.support = 0
}

// Configuration returns the node's configuration, by which it goes. It is none with fixed members.
func (n *Node) Configuration() spec.Configuration { return n.configuration }

// Why a configuration cannot be made that of the cluster now (R47). MayChange returns one of them, in a text that says
// what to do.
var (
	// ErrNotLeader says that the node does not lead: another one may.
	ErrNotLeader = errors.New("this node does not lead")
	// ErrStale says that the configuration does not follow that of the leader: of the same epoch, and of the next version.
	ErrStale = errors.New("this is not the next configuration")
	// ErrNotSettled says that a quorum is not known to hold the leader's configuration. That passes as it acknowledges.
	ErrNotSettled = errors.New("the configuration is not settled")
	// ErrMoreThanOne says that more than one member differs, or none.
	ErrMoreThanOne = errors.New("not exactly one member differs")
	// ErrKeepsLeader says that the leader would be no elector.
	ErrKeepsLeader = errors.New("the leader does not stay an elector")
)

var errFixed = errors.New("members are fixed: make the nodes with NewChanging")

// MayChange returns nil if Change(c) would be a step, and else which condition of R47 does not hold: an error that is
// ErrNotLeader, ErrStale, ErrNotSettled, ErrMoreThanOne or ErrKeepsLeader, and says what to do. The error is another one if c
// is not valid, or if members are fixed.
func (n *Node) MayChange(c spec.Configuration) error {
	problem := n.problem(c)
	if problem == nil {
		return nil
	}
	advice := ""
	switch problem {
	case ErrNotLeader:
		leader, _ := n.Leader()
		advice = fmt.Sprintf(": node %s knows of leader %s: ask the leader", n.id(), leader)
	case ErrStale:
		advice = fmt.Sprintf(": epoch %d version %d is given, and the node has %s: begin with that, and ask for epoch %d version %d",
			c.Epoch, c.Version, n.configuration, n.epoch, n.configuration.Version+1)
	case ErrNotSettled:
		advice = fmt.Sprintf(": of the electors of %s only %v are known to hold it: ask again when more have acknowledged a heartbeat",
			n.configuration, n.idsOf(n.support.with(n.me)&n.electors))
	case ErrMoreThanOne:
		advice = fmt.Sprintf(": %d differ between %s and %s: change one at a time", n.differing(c), n.configuration, c)
	case ErrKeepsLeader:
		advice = fmt.Sprintf(": node %s leads: make it a witness, let it resign when that is settled, and let the next leader remove it", n.id())
	}
	return fmt.Errorf("bully: change: %w%s", problem, advice)
}

// problem returns which condition of R47 does not hold, or nil, without words.
func (n *Node) problem(c spec.Configuration) error {
	switch {
	case n.configuration.IsNone():
		return errFixed
	case n.role != spec.Leader:
		return ErrNotLeader
	case c.Epoch != n.epoch || c.Version != n.configuration.Version+1:
		return ErrStale
	case !n.isQuorum():
		return ErrNotSettled
	}
	if err := c.Validate(); err != nil {
		return err
	}
	if n.differing(c) != 1 {
		return ErrMoreThanOne
	}
	if m, is := c.Member(n.id()); !is || m.Kind == spec.Observer {
		return ErrKeepsLeader
	}
	return nil
}

// differing returns how many members have been added, have been removed, or are of another kind, of another rank or at another
// address in c. If it is one, the quorums of both configurations meet (R47).
func (n *Node) differing(c spec.Configuration) int {
	there, differ := 0, 0
	for i := range n.members.all() {
		was, _ := n.configuration.Member(n.known[i])
		m, is := c.Member(was.ID)
		if is {
			there++
		}
		if m != was {
			differ++
		}
	}
	return differ + c.Len() - there
}

// change makes c the configuration of the cluster, and reports whether it may. It tells those who were members, too: so
// one that is removed learns of it (R47).
func (n *Node) change(c spec.Configuration) bool {
	if n.problem(c) != nil {
		return false
	}
	told := n.idsOf(n.members)
	n.configure(c)
	n.number()
	n.date()
	told = append(told, n.idsOf(n.members)...)
	slices.SortFunc(told, spec.NodeID.Compare)
	for _, id := range slices.Compact(told) {
		if id != n.id() {
			n.send(id, spec.Message{Type: spec.Heartbeat, Epoch: n.epoch, Question: n.latest})
		}
	}
	return true
}

// Settled reports whether the node leads, and a quorum is known to hold its configuration: it has acknowledged since the
// last change.
func (n *Node) Settled() bool { return n.role == spec.Leader && n.isQuorum() }
