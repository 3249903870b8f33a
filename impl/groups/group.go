package groups

import (
	"log/slog"
	"slices"

	"github.com/seed-fdf591db/bully/impl/bully"
	"github.com/seed-fdf591db/bully/impl/internal/reigns"
	"github.com/seed-fdf591db/bully/spec"
	"github.com/seed-fdf591db/bully/spec/policy"
)

// A group is one election, at this node: the core of one node, untouched, with what a host has of it. All but the seat is the loop's alone.
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
	latest spec.Question // the latest number that it has used
	dated  spec.Question // of a leader: the question that its reign is dated from
	told   Leadership

	held     *stepped // a step whose promise is not on disk yet: no further one before it is
	deferred []input  // what has come meanwhile
	preempts bool     // it stands against a leader
	mourns   bool     // it has been told that its leader is dead, and has no other yet
	spoke    uint64   // the turn in which it has said something in an item

	reign     *reigns.Reign   // while it leads
	hung      *reigns.Reign   // an earlier one, whose work hangs
	claim     input           // which waits for work to return; without a type if none does
	resigning []chan struct{} // to be closed when it leads no longer
	removing  bool            // it is to be gone
	over      bool            // it takes no step any more
	gone      chan struct{}   // closed when it is gone, and when the node is
	seat      reigns.Seat     // where users wait for reigns
}

// input is what a group takes a step on.
type input struct {
	message spec.Message // or, if dead is true, none
	dead    bool
	from    int // who has sent the message, or of whom it is proved that it is dead
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

// begin starts the groups that have been added, once links had time to open: IM_BACK is the first thing that others should hear (R30).
func (l *loop) begin() {
	others := l.all &^ policy.One(l.me)
	if l.begun || others&^l.up&^l.dead != 0 && l.watch.Now.Before(l.begins) {
		return
	}
	l.begun = true
	for _, g := range l.list {
		if g.removing {
			l.look(g)
		} else {
			l.start(g)
		}
	}
}

// add adds a group, and starts it as soon as groups are.
func (l *loop) add(g *group) {
	g.at = len(l.list)
	l.list, l.due = append(l.list, g), append(l.due, policy.Never)
	l.byKey[g.key] = g
	l.changes++
	if l.begun {
		l.start(g)
	}
}

// start makes the core of a group, and gives it its first step: a restart, if anything is kept of the group (R30, R32).
func (l *loop) start(g *group) {
	l.tick()
	aliases := make([]spec.NodeID, len(l.members))
	for place := range l.members {
		aliases[place] = g.alias(place)
	}
	node, err := bully.New(g.alias(l.me), aliases)
	if err != nil {
		l.fail("starting a group", err)
		return
	}
	peers := policy.NewPeers(l.me, l.all, l.all, l.all, g.higher)
	peers.Up, peers.Dead = l.up, l.dead
	g.node, g.policy, g.role, g.leader = node, policy.New(l.config.Timing, l.config.Rand, peers), "", none
	in := bully.Start()
	if promise, found := l.config.Storage.Load(g.key); found {
		in = bully.Restart(g.inGroup(promise, l.members))
	}
	l.step(g, in, none)
}

// rest has a group take no step any more, as if this node had crashed, for that group alone. Its promise is kept.
func (l *loop) rest(g *group) {
	g.node, g.role, g.leader, g.deferred = nil, "", none, nil
	g.policy = policy.Policy{}
	l.settle(g)
	l.preempting(g, false)
	if !g.told.Leader.IsNone() {
		l.tell(g, none, 0)
	}
}

// drop takes out a group whose place is free.
func (l *loop) drop(g *group) {
	l.mournsAll() // in the order of the list
	last := len(l.list) - 1
	l.list[g.at], l.due[g.at] = l.list[last], l.due[last]
	l.list[g.at].at = g.at
	l.list, l.due = l.list[:last], l.due[:last]
	delete(l.byKey, g.key)
	l.changes++
	l.of.drops(g)
}

// preempting notes whether a group stands against its leader.
func (l *loop) preempting(g *group, stands bool) {
	if g.preempts == stands {
		return
	}
	if g.preempts = stands; stands {
		l.preempts++
	} else {
		l.preempts--
	}
}

// look resigns from a reign that is to end, once its work has; and begins a group again whose work was hung.
func (l *loop) look(g *group) {
	if g.held != nil || g.over || l.err != nil {
		return // if its step is held, it is looked at when that is released
	}
	if g.hung != nil && g.hung.Rests().Idle {
		if g.hung = nil; !g.removing && !l.closing {
			l.start(g)
			return
		}
	}
	if l.yield(g); g.held != nil {
		return
	}
	resigned := g.reign != nil
	if r := g.reign; r != nil {
		rests := r.Rests()
		asked := rests.Over() || len(g.resigning) > 0 || l.closing || g.removing
		if !rests.Hangs && !(rests.Idle && asked) {
			return
		}
		if rests.Quiet {
			l.stats.Quiets++
		}
		if rests.Hangs {
			g.hung = r
			l.config.Logger.Warn("the work of a group hangs: this node takes no part in it until that returns", slog.String("group", g.name))
		}
		l.tick()
		l.step(g, bully.Resign(), none)
	}
	for _, over := range g.resigning {
		close(over)
	}
	g.resigning = nil
	if g.removing || g.hung != nil || l.closing && resigned {
		l.rest(g) // else it might be elected again
	}
	if g.removing {
		g.over = true
		l.next.gone = append(l.next.gone, g)
	}
}
