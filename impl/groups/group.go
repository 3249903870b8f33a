package groups

import (
	"slices"
	"sync"

	"github.com/seed-fdf591db/bully/impl/bully"
	"github.com/seed-fdf591db/bully/spec"
	"github.com/seed-fdf591db/bully/spec/policy"
)

// A group is one election, at this node: the core of one node, untouched, with what a host has of it. All but what mu guards is the loop's alone.
//
// Inside a group members have other ids: integers from 1 on, as the group ranks them, so that its highest is whom it is to be led by (Placement). A member has the same
// id as long as its placement stays. Nothing on disk or on the wire has these ids. Where two nodes rank members otherwise, as in the midst of a change, each goes by its own order: whom a node helps against whom is its own
// to say (R10, R11, R17), and neither promises nor leases ask for more.
type group struct {
	name string
	key  uint64 // its number
	at   int    // its place among all of the loop

	ranks  []uint8 // of each place: the rank, from 0, the highest last
	places []uint8 // of each rank: the place

	node   *bully.Node // nil while the group rests at this node, as if it had crashed
	policy policy.Policy
	role   spec.Role // as users and others have been told
	leader int       // whose lease is kept: a place, or none
	epoch  spec.Epoch
	told   Leadership

	held     *stepped // a step whose promise is not on disk yet: no further one before it is
	deferred []input  // what has come meanwhile
	preempts bool     // it stands against a leader
	spoke    uint64   // the turn in which it has said something in an item

	reign     *reign          // while it leads
	hung      *reign          // an earlier one, whose work hangs
	resigning []chan struct{} // to be closed when it leads no longer
	removing  bool            // it is to be gone
	over      bool            // it takes no step any more
	gone      chan struct{}   // closed when it is gone

	mu      sync.Mutex
	current *reign        // that can be joined
	changed chan struct{} // closed when current changes; nil if nobody waits
}

// input is what a group takes a step on.
type input struct {
	in   bully.Input
	from int // who has sent the message, or of whom it is known that it is dead
	dead bool
}

// stepped is a step that was taken, and what is to be done for it.
type stepped struct {
	at          policy.Instant // when the clock was read: before the step, and after what it was taken on had come
	action      spec.Action
	from        int
	cancel, arm spec.TimerSet
	role        spec.Role
	leader      int
	epoch       spec.Epoch
	latest      spec.Question
	dated       spec.Question
	reignEnded  bool
	changed     bool
	known       int // whom users may be told of as the leader, or none
	knownOf     spec.Epoch
	sent        []spec.Message
}

// newGroup returns a group of a name, in which nothing has happened yet.
func newGroup(name string, key uint64, order []spec.NodeID, members []spec.NodeID) *group {
	n := len(members)
	g := &group{name: name, key: key, told: Leadership{Group: name}, ranks: make([]uint8, n), places: make([]uint8, n), leader: none, gone: make(chan struct{})}
	for i, id := range order {
		place, rank := slices.Index(members, id), n-1-i
		g.ranks[place], g.places[rank] = uint8(rank), uint8(place)
	}
	return g
}

// alias returns the id of a member in the group, and none of none.
func (g *group) alias(place int) spec.NodeID {
	if place < 0 || place >= len(g.ranks) {
		return spec.NodeID{}
	}
	return spec.IntegerID(uint64(g.ranks[place]) + 1)
}

// placeOf returns the place of the member of such an id, and none of none.
func (g *group) placeOf(alias spec.NodeID) int {
	if rank := int(alias[len(alias)-1]) - 1; rank >= 0 && rank < len(g.places) {
		return int(g.places[rank])
	}
	return none
}

// inGroup returns a promise with the ids of the group.
func (g *group) inGroup(p spec.Durable, members []spec.NodeID) spec.Durable {
	p.Grantee = g.alias(slices.Index(members, p.Grantee))
	return p
}

// onDisk returns a promise with the ids of the members.
func (g *group) onDisk(p spec.Durable, members []spec.NodeID) spec.Durable {
	if place := g.placeOf(p.Grantee); place != none {
		p.Grantee = members[place]
	}
	return p
}

// higher reports whether one member is to lead rather than another.
func (g *group) higher(i, j int) bool { return g.ranks[i] > g.ranks[j] }

// set makes r the reign of now.
func (g *group) set(r *reign) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.current = r
	if g.changed != nil {
		close(g.changed)
		g.changed = nil
	}
}

// now returns the reign of now, and a channel that is closed when it is another.
func (g *group) now() (*reign, <-chan struct{}) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.changed == nil {
		g.changed = make(chan struct{})
	}
	return g.current, g.changed
}
