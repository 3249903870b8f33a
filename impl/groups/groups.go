package groups

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/seed-fdf591db/bully/impl/bully"
	"github.com/seed-fdf591db/bully/impl/internal/reigns"
	"github.com/seed-fdf591db/bully/impl/storage"
	"github.com/seed-fdf591db/bully/spec"
	"github.com/seed-fdf591db/bully/spec/policy"
)

// Groups is a node that takes part in many elections. Open makes one. All its methods may be called at the same time.
type Groups struct {
	config    Config
	placement Placement
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
	opened, err := config.open()
	if err != nil {
		return nil, err
	}
	g := &Groups{
		config: config, placement: config.placement(), opened: opened,
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
	g.ended.Go(g.saves)
	go g.run()
	return g, nil
}

func (g *Groups) newLoop() *loop {
	c := &g.config
	l := &loop{config: c, of: g, mourned: none, guard: c.Guard.Loop(&c.Timing), members: g.placement.sorted(), byKey: map[uint64]*group{}, watch: reigns.NewWatch(c.Clock.Now, c.Timing.Delay),
		beat: policy.Never, rings: policy.Never, saves: make(chan *job, 1), saved: make(chan error, 1), timer: c.Clock.NewTimer(policy.MaxTiming), turn: 1}
	l.begins = l.watch.Now.Add(c.Timing.Heartbeat)
	l.all = 1<<len(l.members) - 1
	for place, id := range l.members {
		if id == c.ID {
			l.me = place
			l.peers = append(l.peers, nil)
			continue
		}
		l.peers = append(l.peers, &peer{id: id, place: place, number: c.Rand.Uint64() >> 16})
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
	var acting []*reigns.Reign
	for _, one := range l.list {
		leads := one.role == spec.Leader
		if l.err != nil {
			acting = append(acting, one.reign)
		}
		l.endReign(one, cause)
		if leads && one.held == nil && l.err == nil {
			l.step(one, bully.Resign(), none)
		}
		if !one.told.Leader.IsNone() {
			l.tell(one, none, 0)
		}
	}
	l.flush()
	l.guard.Ends()
	close(l.saves)
	for _, r := range acting {
		for r.Acts() { // others take an address that refuses for the proof that nobody acts here (R41)
			<-g.wake
		}
	}
	err := g.config.Transport.Close()
	if l.saving != nil {
		<-l.saved // nobody hears of it; but the storage is not to be closed meanwhile
	}
	if g.opened != nil {
		err = errors.Join(err, g.opened.Close())
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
		if other, there := g.names[key]; there {
			if other != name {
				g.mu.Unlock()
				return fmt.Errorf("groups: the names %q and %q have the same number: give one another name", name, other)
			}
			continue
		}
		one := newGroup(name, key, g.placement.Order(name), g.loop.members)
		g.byName[name], g.names[key] = one, name
		added = append(added, one)
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

// Placement returns who is to lead what. It has the weight of each member.
func (g *Groups) Placement() Placement { return g.placement }
