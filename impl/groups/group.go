package groups

import (
	"log/slog"
	"slices"
	"time"

	"github.com/seed-fdf591db/bully/impl/bully"
	"github.com/seed-fdf591db/bully/impl/host"
	"github.com/seed-fdf591db/bully/impl/internal/reigns"
	"github.com/seed-fdf591db/bully/spec"
	"github.com/seed-fdf591db/bully/spec/policy"
)

// A group is one election, at this node: the core of one node, untouched, with what a host has of it. All but the seat is the loop's alone.
//
// Where members are fixed they have other ids inside a group: integers from 1 on, as the group ranks them, so that its highest is whom it is to be led by (Placement). For fixed members are of one
// rank (R40), and a configuration costs a write more at each follower in a failover (R48). Where members change the configuration has ranks, and ids are what they are. A member has the same
// id as long as its placement stays. Nothing on disk or on the wire has these ids. Where two nodes rank members otherwise, as in the midst of a change, each goes by its own order: whom a node helps against whom is its own
// to say (R10, R11, R17), and neither promises nor leases ask for more.
type group struct {
	name string
	key  uint64 // its number
	at   int    // its place among all of the loop

	ranks  []uint8 // of each place: the rank, from 0, the highest last; nil where members change
	places []uint8 // of each rank: the place; nil there too

	// Where members change:
	founding      spec.Configuration // what this node begins with, if nothing is kept (R49)
	first         uint64             // the digest of its first members; 0 while that is not known
	configuration spec.Configuration // that of the core, as others and users have been told
	members       policy.Set         // of it
	electors      policy.Set         // … those that vote
	voters        policy.Set         // … those that may lead
	said          *stated            // what was said of it last
	wishes        bool               // the members may not be those that are wanted
	attended      bool               // … and reforms is to look at that
	waits         bool               // … and is to again, when something else has changed
	leaves        bool               // this node is to lead it no more, as it is to be no voter
	quarrels      policy.Set         // who has begun it with other first members
	problem       string             // why this node takes no part in it
	starts        policy.Instant     // when it is started; 0 if it is not waited for
	best          int                // whom it is to be led by, if all run: a place; none if that was not looked up

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

	trace host.Trace // of its steps, or nil

	reign     *reigns.Reign   // while it leads
	hung      *reigns.Reign   // an earlier one, whose work hangs
	outlived  *reigns.Reign   // the last that has ended before its deadline: while its work acts until that, all messages are lost (R39.4)
	yielding  *input          // what ends its reign, and waits for work to return; or nil
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
	slept       time.Duration  // what the clock on the wall alone has counted since
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
	members     policy.Set          // of the next
	configured  *spec.Configuration // the new one; nil if it stays
	known       int                 // whom users may be told of as the leader, or none
	knownOf     spec.Epoch
	sent        []spec.Message
	event       *spec.Event // what is to be recorded; nil if nothing is
}

// newGroup returns a group of a name, in which nothing has happened yet.
func newGroup(name string, key uint64, order []spec.NodeID, members []spec.NodeID) *group {
	n := len(members)
	g := &group{name: name, key: key, told: Leadership{Group: name}, ranks: make([]uint8, n), places: make([]uint8, n), leader: none, best: none, gone: make(chan struct{})}
	for i, id := range order {
		place, rank := slices.Index(members, id), n-1-i
		g.ranks[place], g.places[rank] = uint8(rank), uint8(place)
	}
	return g
}

// alias returns the id of a node in a group, and none of none.
func (l *loop) alias(g *group, place int) spec.NodeID {
	switch {
	case place < 0 || place >= len(l.members):
		return spec.NodeID{}
	case l.changing:
		return l.members[place]
	}
	return spec.IntegerID(uint64(g.ranks[place]) + 1)
}

// placeOf returns the place of the node of such an id, and none of none.
func (l *loop) placeOf(g *group, alias spec.NodeID) int {
	if l.changing {
		return l.place(alias)
	}
	if rank := int(alias[len(alias)-1]) - 1; rank >= 0 && rank < len(g.places) {
		return int(g.places[rank])
	}
	return none
}

// inGroup returns a promise with the ids of the group.
func (l *loop) inGroup(g *group, p spec.Durable) spec.Durable {
	p.Grantee = l.alias(g, l.place(p.Grantee))
	return p
}

// onDisk returns a promise with the ids of the members.
func (l *loop) onDisk(g *group, p spec.Durable) spec.Durable {
	if place := l.placeOf(g, p.Grantee); place != none && !l.changing {
		p.Grantee = l.members[place]
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
			l.startSoon(g)
		}
	}
}

// add adds a group, and starts it as soon as groups are.
func (l *loop) add(g *group) {
	g.at = len(l.list)
	l.list, l.due = append(l.list, g), append(l.due, policy.Never)
	l.byKey[g.key] = g
	l.changes++
	for place, p := range l.peers {
		if p != nil && l.up.Has(place) && g.first != 0 {
			p.firsts = append(p.firsts, first{g.key, g.first})
		}
	}
	if l.begun {
		l.startSoon(g)
	}
}

// startSoon starts a group: where members change, and nothing is kept of it, when the others had time to say that they begin it with other members.
func (l *loop) startSoon(g *group) {
	if l.changing && g.first != 0 {
		if kept, found := l.config.Storage.Load(g.key); !found || kept.First == 0 {
			l.tick()
			g.starts = l.watch.Now.Add(2 * l.config.Timing.Delay)
			l.settle(g)
			return
		}
	}
	l.start(g)
}

// start makes the core of a group, and gives it its first step: a restart, if anything is kept of the group (R30, R32).
func (l *loop) start(g *group) {
	l.tick()
	g.starts = 0
	core := l.fixedCore
	if l.changing {
		core = l.coreOf
	}
	node, in, err := core(g)
	if err != nil {
		l.fail("starting group "+g.name, err)
	}
	if node == nil {
		return
	}
	if l.one == nil {
		l.one = node
	}
	node.Beside(l.one)
	peers := policy.Peers{Me: l.me}
	if !l.changing {
		peers = policy.NewPeers(l.me, l.all, l.all, l.all, g.higher)
	}
	peers.Up, peers.Dead = l.up, l.dead
	g.node, g.policy, g.role, g.leader = node, policy.New(l.config.Timing, l.config.Rand, peers), "", none
	if l.changing {
		l.reconfigure(g, g.configuration)
	}
	l.stepOn(g, in, spec.Input{}, none)
}

// fixedCore returns the core of a group of fixed members, and its first step.
func (l *loop) fixedCore(g *group) (*bully.Node, bully.Input, error) {
	aliases := make([]spec.NodeID, len(l.members))
	for place := range l.members {
		aliases[place] = l.alias(g, place)
	}
	node, err := bully.New(l.alias(g, l.me), aliases)
	if kept, found := l.config.Storage.Load(g.key); found {
		return node, bully.Restart(l.inGroup(g, kept.Promise)), err
	}
	return node, bully.Start(), err
}

// rest has a group take no step any more, as if this node had crashed, for that group alone. Its promise is kept.
func (l *loop) rest(g *group) {
	l.recordEnd(g)
	g.node, g.role, g.leader, g.deferred, g.starts = nil, "", none, nil, 0
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
	l.reformed = true
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
		if g.hung = nil; !g.removing && !l.closing && g.problem == "" {
			l.start(g)
			return
		}
	}
	if l.yield(g); g.held != nil || g.removing && g.outlived.Acts() {
		return // a group that is removed may be added again, and then says IM_BACK (R39.4)
	}
	resigned := g.reign != nil
	if r := g.reign; r != nil {
		rests := r.Rests()
		asked := rests.Over() || len(g.resigning) > 0 || l.closing || g.removing || g.leaves
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
		l.step(g, resign, none)
	}
	g.leaves = false
	for _, over := range g.resigning {
		close(over)
	}
	g.resigning = nil
	if g.removing || g.hung != nil || l.closing && resigned {
		l.rest(g) // else it might be elected again
	}
	l.withdraw(g)
	if g.removing {
		g.over = true
		l.next.gone = append(l.next.gone, g)
	}
}
