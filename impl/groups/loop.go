package groups

import (
	"fmt"
	"log/slog"
	"time"

	"github.com/seed-fdf591db/bully/impl/bully"
	"github.com/seed-fdf591db/bully/impl/host"
	"github.com/seed-fdf591db/bully/impl/internal/membership"
	"github.com/seed-fdf591db/bully/impl/internal/reigns"
	"github.com/seed-fdf591db/bully/impl/transport"
	"github.com/seed-fdf591db/bully/spec"
	"github.com/seed-fdf591db/bully/spec/policy"
)

// A loop takes the steps of all groups of a node. It turns: it takes what has come, gives the ends of timers, begins a save if there is something to be
// saved, and says in one bundle to each peer what there is to say.
//
// A step that promises something waits for its save (R4), and its group with it: it takes no further step, and what it is to send and to tell is held. All other groups
// go on. There is one save at a time, and what waits for the next one is saved together. So a disk that is slow holds up the groups that elect, and no others.
type loop struct {
	config  *Config
	members []spec.NodeID // places are places here; where members are fixed ascending, and else none where nobody is
	me      int
	all     policy.Set // the members: where they change, those of the cluster
	up      policy.Set
	dead    policy.Set
	mourned int     // the node of whose death groups are being told, or none
	unheard int     // … the first of the list that has not been
	paces   paces   // … and how many may be
	peers   []*peer // by place; nil for this node
	watch   *reigns.Watch
	state   spec.State  // of the node that has stepped last
	one     *bully.Node // that was made first, beside which all take their steps

	list  []*group         // all
	due   []policy.Instant // of each, when the first of its timers ends, but for heartbeat; in a row, as each turn looks at all
	byKey map[uint64]*group
	turn  uint64

	changing   bool                   // members come and go
	own        spec.Configuration     // of the cluster: all are its members
	electors   policy.Set             // … those that vote
	voters     policy.Set             // … those that may lead
	wanted     <-chan host.Membership // of the cluster; nil where members are fixed
	ruled      <-chan host.Leadership // who leads the cluster's own election
	leaderless bool                   // this node knows of nobody who does
	placement  *Placement             // of these
	placed     uint64                 // by which weights and pins this node goes
	looks      bool                   // what groups wait for that are to have other members may have come
	attended   []*group               // whose members are to be looked at
	waiting    []*group               // … that wait
	reformed   bool                   // members have changed, of the cluster or of a group

	changes uint64 // of byKey
	taken   uint64 // inputs

	begun    bool           // links had time to open
	begins   policy.Instant // when they have had it
	beat     policy.Instant // when all groups that this node leads say HEARTBEAT next
	preempts int            // groups that stand against their leaders
	rested   policy.Instant // when the last turn ended

	next   job  // to be saved next
	saving *job // … and what is being saved, or nil
	paid   paid // … and what that was of the last
	saves  chan *job
	saved  chan error

	guard   reigns.Guarded
	turns   bool           // it was told that the loop turns, which does not rest since
	told    policy.Instant // when it was told so last
	timer   host.Timer
	rings   policy.Instant
	stats   Counters
	err     error
	unsure  bool    // a save has failed: it may be on disk, or not
	of      *Groups // whom it tells
	closing bool    // it ends when it leads nothing any more
	buffer  []byte  // of what is said
	heard   []byte  // … and of what is read
	reader  reader
}

// mostSteps is how many steps of one kind are taken in a turn, before what they say is said: when a thousand groups have lost their leader at once, the first of them are to
// have another before the last have begun. All nodes go through their groups in the same order, if they have added them in that.
const mostSteps = 128

// run turns until the node is closed, or stops for good.
func (l *loop) run(calls <-chan func(), wake <-chan struct{}, closing <-chan struct{}) {
	defer reigns.Release(l.timer)
	for l.err == nil {
		l.tick()
		l.notePause()
		more := l.drain()
		l.begin()
		l.mourns()
		more = l.endTimers() || more
		l.beats()
		more = l.reforms() || more
		for _, g := range l.of.news() {
			l.look(g)
		}
		l.save()
		l.flush()
		l.sweep()
		l.rested = l.watch.Now
		if l.err != nil || l.closing && !l.leads() {
			return
		}
		var now chan struct{}
		if more {
			now = closed
		} else {
			l.rests()
		}
		select {
		case <-closing:
			return
		case f := <-calls:
			l.tick()
			f()
		case err := <-l.saved:
			l.tick()
			l.release(err)
			l.flush() // what others wait for is not to wait for what has come meanwhile
		case r, ok := <-l.ruled:
			if l.leaderless, l.looks = r.Leader.IsNone(), true; !ok {
				l.ruled = nil
			}
		case m, ok := <-l.wanted:
			l.tick()
			if l.wants(m); !ok {
				l.wanted = nil
			}
		case <-now:
		case <-wake:
		case <-l.config.Transport.Wake():
		case <-l.timer.C():
			l.rings = policy.Never
		}
	}
}

// closed is a channel that can always be received from.
var closed = func() chan struct{} {
	c := make(chan struct{})
	close(c)
	return c
}()

// leads reports whether this node leads a group, or has told so, or work acts as though it did.
func (l *loop) leads() bool {
	for _, g := range l.list {
		if g.role == spec.Leader || g.reign != nil || g.outlived.Acts() {
			return true
		}
	}
	return false
}

// tick reads the clock, and tells a guard from time to time that the turn goes on: it is longer with many groups.
func (l *loop) tick() {
	if asleep := l.watch.Tick(); asleep > 0 {
		l.slept(asleep)
	}
	if !l.turns || l.watch.Now.After(l.told) >= l.config.Timing.Delay/4 {
		l.turns, l.told = true, l.watch.Now
		l.guard.Turns(l.watch.Read)
	}
}

// slept has all groups wait for as much longer as only the clock on the wall has counted, and gives others time to be heard.
func (l *loop) slept(long time.Duration) {
	l.stats.Pauses++
	l.rings = policy.Never // the timer stood still as well
	for _, g := range l.list {
		g.policy.Slept(long)
		if g.held != nil {
			g.held.slept += long
			continue
		}
		g.policy.HeldUp(l.watch.Now)
		l.settle(g)
	}
	l.rested = l.watch.Now // notePause has nothing to add
}

// rests sets the timer to when there is something to do without being asked, and tells a guard.
func (l *loop) rests() {
	next := min(l.beat, l.guard.RousesBy(l.watch.Now))
	if !l.begun {
		next = min(next, l.begins)
	}
	if l.mourned != none {
		next = min(next, l.watch.Now.Add(pace))
	}
	for _, due := range l.due {
		next = min(next, due)
	}
	if l.gathers() {
		next = min(next, l.paid.until(l.config))
	}
	if next < l.rings || l.rings < l.watch.Now {
		l.rings = next
		l.timer.Reset(max(min(next.After(l.watch.Now), policy.MaxTiming), 0))
	}
	l.guard.Rests(l.rings, l.watch.Now)
	l.turns = false // the next turn is told of at once
}

// notePause gives others time to be heard, if this node was held up for longer than Delay: what they have said may not have been read yet.
func (l *loop) notePause() {
	first := policy.Never
	for _, due := range l.due {
		first = min(first, due)
	}
	if first = max(first, l.rested); l.watch.Now.After(first) <= l.config.Timing.Delay {
		return
	}
	l.stats.Pauses++
	for _, g := range l.list {
		if g.node != nil && g.held == nil {
			g.policy.HeldUp(l.watch.Now)
			l.settle(g)
		}
	}
}

// drain takes what has come, for a part of Delay at most, and reports whether there may be more. Somebody who always has more to say, in one group or in none, would else keep the timers of all groups from
// ending, and saves, callers and beats from their turn (decision 0058).
func (l *loop) drain() (more bool) {
	began, steps := l.watch.Now, l.stats.Steps
	for l.stats.Steps-steps < 4*mostSteps && l.watch.Now.After(began) < l.config.Timing.Delay/4 {
		event, ok := l.config.Transport.Next()
		if !ok || l.err != nil {
			return false
		}
		l.tick()
		place := l.place(event.Node)
		if place == none && l.changing {
			place, l.reformed = l.admit(event.Node), true
		}
		if place == none || place == l.me {
			continue
		}
		l.hear(place, &event)
	}
	return true
}

// place returns the place of a node; none of no node, though places may be free.
func (l *loop) place(id spec.NodeID) int {
	for i, member := range l.members {
		if member == id && !id.IsNone() {
			return i
		}
	}
	return none
}

// hear takes one event.
func (l *loop) hear(place int, event *transport.Event) {
	one := policy.One(place)
	if place == l.mourned || event.Kind == transport.Dead {
		l.mournsAll() // what comes after a proof of death comes after it in all groups
	}
	switch event.Kind {
	case transport.Bundle:
		if l.dead.Has(place) {
			l.dead &^= one
			for _, g := range l.list {
				g.policy.Heard(place)
			}
		}
		l.read(l.peers[place], event.Bundle)
	case transport.Up:
		l.up, l.dead, l.looks = l.up|one, l.dead&^one, true
		l.peers[place].forget()
		l.peers[place].placed = 0 // it may have been started with others; it is asked, unless it says so
		l.introduce(l.peers[place])
		for _, g := range l.list {
			g.policy.Connected(place, l.watch.Now)
			l.settle(g)
		}
	case transport.Down:
		l.up, l.looks = l.up&^one, true
		for _, g := range l.list {
			g.policy.Broken(place)
			l.reconciles(g, place)
		}
	case transport.Dead:
		l.up, l.dead, l.looks = l.up&^one, l.dead|one, true
		l.config.Logger.Debug("proved dead", slog.String("dead", event.Node.String()))
		l.mourned, l.unheard, l.paces = place, 0, paces{began: l.watch.Now}
	case transport.LostDisk:
		l.config.Logger.Error("a node is not heeded: its disk is lost, or an old copy, or two nodes run under this id", slog.String("lost", event.Node.String()))
	case transport.Disowned:
		l.fail("asking the others who it was", fmt.Errorf("%w: node %v remembers what it has said after its record was written, or two nodes run under this id", host.ErrLostDisk, event.Node))
	}
}

// endUrgent gives the ends of reign and claim.
func (l *loop) endUrgent(g *group) {
	for _, t := range [...]policy.Timer{policy.ReignTimer, policy.ClaimTimer} {
		l.endTimer(g, t)
	}
}

// endTimer gives the end of a timer, if it is due.
func (l *loop) endTimer(g *group, t policy.Timer) {
	if g.node != nil && g.held == nil && !l.watch.Now.Before(g.policy.Due[t]) {
		g.policy.Ended(t)
		l.step(g, spec.Input{Timer: t.Name()}, none)
	}
}

// endTimers gives the ends of timers of all groups: of those that can wait so many in a turn; and reports whether there are more. A group that would stand against its leader
// waits while too many do: any moment is safe for that (R9).
func (l *loop) endTimers() (more bool) {
	began := l.stats.Steps
	for i := 0; i < len(l.due) && l.err == nil; i++ {
		if l.watch.Now.Before(l.due[i]) {
			continue
		}
		g := l.list[i]
		l.tick()
		if g.starts != 0 {
			l.start(g)
			continue
		}
		l.endUrgent(g)
		if l.stats.Steps-began >= mostSteps {
			more = true
			continue
		}
		l.hears(g)
		l.endDeferral(g, spec.NodeID{})
		for _, t := range policy.Patient() {
			if t == policy.PreemptTimer && l.preempts >= l.config.Preemptions && !l.watch.Now.Before(g.policy.Due[t]) {
				g.policy.Due[t] = l.watch.Now.Add(l.config.Timing.Delay)
				continue
			}
			l.endTimer(g, t)
		}
		l.settle(g)
	}
	return more
}

// beats has all groups that this node leads say HEARTBEAT in one turn: to say it early is safe. A group whose core does not step does not beat.
func (l *loop) beats() {
	if l.watch.Now.Before(l.beat) {
		return
	}
	l.beat = policy.Never
	for _, g := range l.list {
		if g.role != spec.Leader || g.held != nil || g.node == nil {
			continue
		}
		l.tick()
		if l.endUrgent(g); g.role == spec.Leader && g.held == nil {
			g.policy.Ended(policy.HeartbeatTimer)
			l.step(g, spec.Input{Timer: spec.HeartbeatTimer}, none)
		}
	}
}

// endElection ends the election of a candidate that has nothing more to wait for.
func (l *loop) endElection(g *group) {
	if g.node == nil || g.held != nil || g.role != spec.Candidate {
		return
	}
	g.node.CopyState(&l.state)
	if g.policy.ElectionOver(l.backed(g)) {
		g.policy.Ended(policy.ElectionTimer)
		l.step(g, spec.Input{Timer: spec.ElectionTimer}, none)
	}
}

// backed reports whether the support in l.state, and the node itself, are a quorum (R3, R42).
func (l *loop) backed(g *group) bool {
	if !l.changing {
		return 2*(len(l.state.Support)+1) > len(l.members)
	}
	backing := policy.One(l.me)
	for _, id := range l.state.Support {
		backing |= policy.One(l.place(id))
	}
	return membership.IsQuorum(backing, g.electors)
}

// settle notes when the first timer of a group ends.
func (l *loop) settle(g *group) {
	due := policy.Never
	if g.node != nil && g.held == nil {
		due = g.policy.DeferredUntil()
		for t, end := range g.policy.Due {
			if policy.Timer(t) != policy.HeartbeatTimer {
				due = min(due, end)
			}
		}
	}
	if g.node == nil && g.starts != 0 {
		due = g.starts
	}
	l.due[g.at] = due
}
