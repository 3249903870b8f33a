package groups

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/seed-fdf591db/bully/impl/host"
	"github.com/seed-fdf591db/bully/impl/internal/reigns"
	"github.com/seed-fdf591db/bully/impl/storage"
	"github.com/seed-fdf591db/bully/impl/transport"
	"github.com/seed-fdf591db/bully/spec"
	"github.com/seed-fdf591db/bully/spec/policy"
)

// Groups is a node that takes part in many elections. Open makes one. All its methods may be called at the same time.
type Groups struct {
	// Own is the cluster's own election, where members change, and nil where they are fixed: its AddMember, RemoveMember and the like change the members of the cluster, and the groups follow. It runs
	// as long as this node does.
	Own *host.Host
	// Links is the transport, or nil if it is none of TCP: for what it has counted.
	Links *transport.TCP

	config    Config
	placement Placement // of fixed members
	own       *own      // nil where members are fixed
	loop      *loop
	keeper    *reigns.Keeper
	opened    *storage.Groups // that Open has opened, or nil

	calls   chan func()
	wake    chan struct{} // there is news
	closing chan struct{} // closed by Close
	closed  sync.Once
	done    chan struct{} // closed when the node has ended
	ended   sync.WaitGroup

	mu       sync.Mutex
	byName   map[string]*group
	names    map[uint64]string // of their numbers, and of those that are leaving
	leaving  map[string]*group
	noticed  []*group // that the loop is to look at
	watchers map[*watcher]struct{}
}

// Open begins to run the node. It takes part in no group yet: see Add and Lead. The error says what of the Config is wrong, or is that of the storage or of the transport.
func Open(config Config) (*Groups, error) {
	config, err := config.withDefaults()
	if err != nil {
		return nil, err
	}
	var opened *storage.Groups
	var own *own
	if config.changing() {
		if own, opened, err = config.openOwn(); err != nil {
			err = errors.Join(err, own.close())
			if opened != nil {
				err = errors.Join(err, opened.Close())
			}
		}
	} else {
		opened, err = config.open()
	}
	if err != nil {
		return nil, err
	}
	links, _ := config.Transport.(*transport.TCP)
	if own != nil && own.node != nil {
		links = own.node.Links()
	}
	config.Logger = config.Logger.With("node", config.ID.String())
	g := &Groups{
		Links: links, config: config, opened: opened, own: own,
		calls: make(chan func()), wake: make(chan struct{}, 1), closing: make(chan struct{}), done: make(chan struct{}),
		byName: map[string]*group{}, names: map[uint64]string{}, leaving: map[string]*group{}, watchers: map[*watcher]struct{}{},
	}
	g.keeper = &reigns.Keeper{Now: config.Clock.Now, NewTimer: func(d time.Duration) reigns.Timer { return config.Clock.NewTimer(d) },
		Progress: config.Progress, Over: ErrNotLeader, Stalled: ErrNoProgress}
	if config.Overrun != nil {
		g.keeper.Overrun = func(w *reigns.Work) { config.Overrun(w.Reign.Of, Reign{w.Reign, w}) }
	}
	g.loop = g.newLoop()
	if t, ok := config.Transport.(interface{ Begun() }); ok {
		t.Begun() // the storage has written a file of this life
	}
	if own != nil {
		g.Own = own.Host
		own.sayFounders(config.Logger)
		own.run(g.ownEnded)
	}
	g.ended.Go(g.saves)
	go g.run()
	return g, nil
}

func (g *Groups) newLoop() *loop {
	c := &g.config
	l := &loop{config: c, of: g, mourned: none, guard: c.Guard.Loop(&c.Timing), byKey: map[uint64]*group{}, watch: reigns.NewWatch(c.Clock.Now, c.Timing.Delay),
		beat: policy.Never, rings: policy.Never, saves: make(chan *job, 1), saved: make(chan error, 1), timer: c.Clock.NewTimer(policy.MaxTiming), turn: 1}
	l.begins = l.watch.Now.Add(c.Timing.Heartbeat)
	if g.own != nil {
		l.changing, l.placed = true, c.placedBy()
		l.admit(c.ID)
		l.wanted, l.ruled, l.leaderless = g.own.WatchMembers(context.Background()), g.own.Watch(context.Background()), true
		l.wants(host.Membership{Configuration: g.own.first})
		return l
	}
	g.placement = c.placement(slices.Collect(maps.Keys(c.Addresses)))
	l.members = g.placement.sorted()
	l.all = 1<<len(l.members) - 1
	for place, id := range l.members {
		if id == c.ID {
			l.me = place
			l.peers = append(l.peers, nil)
			continue
		}
		l.peers = append(l.peers, l.newPeer(id, place))
	}
	return l
}

// saves saves what the loop gives it, one job after the other.
func (g *Groups) saves() {
	for j := range g.loop.saves {
		g.loop.saved <- j.do(g.config.Storage)
	}
}

// run runs the loop, and then ends all.
func (g *Groups) run() {
	l := g.loop
	l.run(g.calls, g.wake, g.closing)
	cause := ErrClosed
	if l.err != nil {
		cause = l.err
	}
	l.tick()
	for _, one := range l.list {
		leads := one.role == spec.Leader
		l.endReign(one, cause)
		if leads && one.held == nil && l.err == nil {
			l.step(one, resign, none)
		}
		if !one.told.Leader.IsNone() {
			l.tell(one, none, 0)
		}
	}
	l.flush()
	l.guard.Ends()
	close(l.saves)
	for _, one := range l.list {
		for l.err != nil && one.outlived.Acts() { // others take an address that refuses for the proof that nobody acts here (R41)
			<-g.wake
		}
	}
	if g.own != nil {
		g.own.end(g.endsNow())
	}
	err := g.config.Transport.Close()
	if l.saving != nil {
		l.recordSaved(<-l.saved) // nobody hears of it; but the storage is not to be closed meanwhile
	}
	for _, one := range l.list {
		l.recordEnd(one)
	}
	if g.opened != nil {
		err = errors.Join(err, g.opened.Close())
	}
	if g.own != nil && g.own.node != nil {
		err = errors.Join(err, g.own.node.Close())
	}
	if l.err == nil && err != nil {
		l.err = fmt.Errorf("groups: closing: %w", err)
	}
	g.mu.Lock()
	for w := range g.watchers {
		w.end()
	}
	g.watchers = nil
	g.mu.Unlock()
	close(g.done)
	for _, one := range l.list {
		close(one.gone)
	}
}

// ownEnded ends this node, as its own election has ended: its disk is lost, or it is no member any more.
func (g *Groups) ownEnded(err error) {
	_ = g.call(context.Background(), func() { g.loop.fail("the cluster's own election", err) })
}

// endsNow returns a channel that is closed when the node is not to wait for anybody.
func (g *Groups) endsNow() <-chan struct{} {
	if g.loop.err != nil {
		return closed
	}
	return g.closing
}

// Close ends the node at once, and returns when it has ended. It ends its reigns and resigns, but does not wait for work to return: see Stop. It returns why the node
// had stopped for good before, if it had.
func (g *Groups) Close() error {
	g.closed.Do(func() { close(g.closing) })
	<-g.done
	g.ended.Wait()
	return g.loop.err
}

// Stop ends the node in good order: the contexts of all work end, and as the work of a group has returned the node resigns from it, so that others need not wait. When it leads
// nothing any more it closes; it also does when ctx ends.
func (g *Groups) Stop(ctx context.Context) error {
	_ = g.call(ctx, func() {
		g.loop.closing = true
		for _, one := range g.loop.list {
			if one.reign != nil {
				one.reign.Close(ErrClosed)
				g.looksAt(one)
			}
		}
	})
	select {
	case <-g.done:
	case <-ctx.Done():
	}
	return g.Close()
}

// Done returns a channel that is closed when the node has ended: by Close, or for good, and then Close says why.
func (g *Groups) Done() <-chan struct{} { return g.done }

// reason returns why the node has ended, or a group is gone.
func (g *Groups) reason() error {
	select {
	case <-g.done:
		if g.loop.err != nil {
			return g.loop.err
		}
	default:
	}
	return ErrClosed
}

// call has the loop do f, and returns when it has.
func (g *Groups) call(ctx context.Context, f func()) error {
	did := make(chan struct{})
	select {
	case g.calls <- func() { f(); close(did) }:
	case <-ctx.Done():
		return fmt.Errorf("groups: the loop has not answered: %w", ctx.Err())
	case <-g.done:
		return g.reason()
	}
	select {
	case <-did:
		return nil
	case <-g.done:
		return g.reason()
	}
}

// Add has this node take part in groups, and lead them when it is elected, be there work for them or not. All nodes should have the same groups: a node that has not is
// in them as one that is down. Groups that are there already are left as they are; one that is being removed is waited for.
func (g *Groups) Add(ctx context.Context, names ...string) error {
	for _, name := range names {
		if err := checkName(name); err != nil {
			return err
		}
		if err := g.awaitGone(ctx, name); err != nil {
			return err
		}
	}
	var added []*group
	g.mu.Lock()
	for _, name := range names {
		key := number([]byte(name))
		other, there := g.names[key]
		for _, one := range added { // in the same call
			if one.key == key {
				other, there = one.name, true
			}
		}
		if there {
			if other != name {
				g.mu.Unlock()
				return fmt.Errorf("groups: the names %q and %q have the same number: give one another name", name, other)
			}
			continue
		}
		one, err := g.newGroup(name, key)
		if err != nil {
			g.mu.Unlock()
			return err
		}
		added = append(added, one)
	}
	for _, one := range added {
		g.byName[one.name], g.names[one.key] = one, one.name
	}
	g.mu.Unlock()
	if len(added) == 0 {
		return nil
	}
	return g.call(context.WithoutCancel(ctx), func() {
		for _, one := range added {
			g.loop.add(one)
		}
	})
}

// newGroup returns a group of a name, in which nothing has happened yet.
func (g *Groups) newGroup(name string, key uint64) (one *group, err error) {
	if g.own == nil {
		one = newGroup(name, key, g.placement.Order(name), g.loop.members)
	} else if one, err = g.newChangingGroup(name, key); err != nil {
		return nil, err
	}
	if g.config.Trace != nil {
		one.trace = g.config.Trace(name)
	}
	return one, nil
}

// awaitGone waits until a group that is being removed is gone.
func (g *Groups) awaitGone(ctx context.Context, name string) error {
	g.mu.Lock()
	one := g.leaving[name]
	g.mu.Unlock()
	if one == nil {
		return nil
	}
	return g.await(ctx, one.gone)
}

func (g *Groups) await(ctx context.Context, over <-chan struct{}) error {
	select {
	case <-over:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	case <-g.done:
		return g.reason()
	}
}

// Remove has this node take part in groups no more, and frees their place. It ends their work, resigns as that has returned, and returns when they are gone; if ctx ends
// before, they go all the same. A group may come again at any time: it goes on behind all epochs that it may have had.
func (g *Groups) Remove(ctx context.Context, names ...string) error {
	var removed []*group
	g.mu.Lock()
	for _, name := range names {
		if one := g.byName[name]; one != nil {
			delete(g.byName, name)
			g.leaving[name] = one
			removed = append(removed, one)
		}
	}
	g.mu.Unlock()
	err := g.call(context.WithoutCancel(ctx), func() {
		for _, one := range removed {
			one.removing = true
			if one.reign != nil {
				one.reign.Close(ErrClosed)
			}
			g.looksAt(one)
		}
	})
	for _, one := range removed {
		if err == nil {
			err = g.await(ctx, one.gone)
		}
	}
	return err
}

// drops notes that a group is gone.
func (g *Groups) drops(one *group) {
	g.mu.Lock()
	defer g.mu.Unlock()
	delete(g.leaving, one.name)
	delete(g.names, one.key)
	close(one.gone)
}

// looksAt has the loop look at a group.
func (g *Groups) looksAt(one *group) {
	g.mu.Lock()
	g.noticed = append(g.noticed, one)
	g.mu.Unlock()
	select {
	case g.wake <- struct{}{}:
	default:
	}
}

// news returns the groups that the loop is to look at.
func (g *Groups) news() (noticed []*group) {
	g.mu.Lock()
	defer g.mu.Unlock()
	noticed, g.noticed = g.noticed, nil
	return noticed
}

// Names returns the groups in which this node takes part, in order.
func (g *Groups) Names() []string {
	g.mu.Lock()
	defer g.mu.Unlock()
	return slices.Sorted(maps.Keys(g.byName))
}

// Placement returns who is to lead what. It has the weight of each member. Where members change it is of those that vote in the cluster's own election as it is now.
func (g *Groups) Placement() Placement {
	if g.own == nil {
		return g.placement
	}
	return g.config.placement(votersOf(g.Own.Members()))
}
