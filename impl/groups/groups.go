package groups

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"

	"github.com/seed-fdf591db/bully/impl/bully"
	"github.com/seed-fdf591db/bully/impl/storage"
	"github.com/seed-fdf591db/bully/spec"
	"github.com/seed-fdf591db/bully/spec/policy"
)

// Groups is a node that takes part in many elections. Open makes one. All its methods may be called at the same time.
type Groups struct {
	config    Config
	placement Placement
	loop      *loop
	keeper    *keeper
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
		keeper: &keeper{clock: config.Clock, progress: config.Progress, overrun: config.Overrun, kick: make(chan struct{}, 1), reigns: map[*reign]struct{}{}},
		calls:  make(chan func()), wake: make(chan struct{}, 1), closing: make(chan struct{}), done: make(chan struct{}),
		byName: map[string]*group{}, names: map[uint64]string{}, leaving: map[string]*group{}, watchers: map[*watcher]struct{}{},
	}
	g.loop = g.newLoop()
	if t, ok := config.Transport.(interface{ Begun() }); ok {
		t.Begun() // the storage has written a file of this life
	}
	g.ended.Go(func() { g.keeper.run(g.done) })
	g.ended.Go(g.saves)
	go g.run()
	return g, nil
}

func (g *Groups) newLoop() *loop {
	c := &g.config
	l := &loop{config: c, of: g, members: g.placement.sorted(), byKey: map[uint64]*group{}, watch: watch{clock: c.Clock, limit: c.Timing.Delay, read: c.Clock.Now()},
		beat: policy.Never, rings: policy.Never, saves: make(chan *job, 1), saved: make(chan error, 1), timer: c.Clock.NewTimer(policy.MaxTiming), turn: 1}
	l.begins = l.watch.now.Add(c.Timing.Heartbeat)
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
	l.watch.tick()
	for _, one := range l.list {
		leads := one.role == spec.Leader
		l.endReign(one, cause)
		if leads && one.held == nil && l.err == nil {
			l.step(one, bully.Resign(), none)
		}
		if !one.told.Leader.IsNone() {
			l.tell(one, none, 0)
		}
	}
	l.flush()
	close(l.saves)
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
				one.reign.close(ErrClosed)
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

// reason returns why the node has ended.
func (g *Groups) reason() error {
	if g.loop.err != nil {
		return g.loop.err
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
				one.reign.close(ErrClosed)
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

// Lead runs work in each reign of this node in a group, one reign after the other, until work returns by itself. It adds the group, if it is not there. It waits while another node leads. Work is given a context that ends when the reign does, when the node is to stop, when
// Resign is called, and with ctx; context.Cause tells which: ErrNotLeader, ErrNoProgress, ErrClosed, or the cause of ctx. Work must then return soon: another node may lead from now on.
//
// If work returns while its reign goes on, the node resigns from the group, and Lead returns what work has returned. If the reign has ended, Lead drops that, and waits for the next one. If ctx ends, it waits for
// work to return, and returns ctx.Err(); the node leads the group on: see Resign and Remove. If the node ends, or the group is removed, it returns ErrClosed or an
// error that wraps ErrStopped. Whatever it returns, no work runs when it does.
func (g *Groups) Lead(ctx context.Context, name string, work func(context.Context, Reign) error) error {
	if err := g.Add(ctx, name); err != nil {
		return err
	}
	g.mu.Lock()
	one := g.byName[name]
	g.mu.Unlock()
	if one == nil {
		return ErrClosed
	}
	for {
		workCtx, w, err := g.next(ctx, one)
		if err != nil {
			return err
		}
		over, err := run(workCtx, w, work)
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if !over {
			_ = g.resign(ctx, one, w.reign.epoch)
			return err
		}
	}
}

// run runs work, and reports whether the reign was over, or being ended, when it returned.
func run(ctx context.Context, w *work, f func(context.Context, Reign) error) (over bool, err error) {
	defer func() { over = w.leave() }()
	return false, f(ctx, Reign{w.reign, w})
}

// next joins the first reign that can be joined.
func (g *Groups) next(ctx context.Context, one *group) (context.Context, *work, error) {
	for {
		current, changed := one.now()
		if ctx.Err() != nil {
			return nil, nil, ctx.Err()
		}
		if current != nil {
			if workCtx, w := current.join(ctx); w != nil {
				return workCtx, w, nil
			}
		}
		select {
		case <-changed:
		case <-one.gone:
			return nil, nil, ErrClosed
		case <-ctx.Done():
			return nil, nil, ctx.Err()
		case <-g.done:
			return nil, nil, g.reason()
		}
	}
}

// Resign makes this node lead a group no longer: it ends the contexts of its work, leads on until that has returned, and then tells the others (R28). It returns nil when that
// has been done, and at once if it does not lead the group. It may lead it again, and if it is the highest it will.
func (g *Groups) Resign(ctx context.Context, name string) error {
	g.mu.Lock()
	one := g.byName[name]
	g.mu.Unlock()
	if one == nil {
		return nil
	}
	return g.resign(ctx, one, 0)
}

// resign resigns if the node leads the epoch, or any if it is 0.
func (g *Groups) resign(ctx context.Context, one *group, epoch spec.Epoch) error {
	over := make(chan struct{})
	err := g.call(ctx, func() {
		if one.reign == nil || epoch != 0 && one.reign.epoch != epoch {
			close(over)
			return
		}
		one.reign.close(ErrNotLeader)
		one.resigning = append(one.resigning, over)
		g.looksAt(one)
	})
	if err != nil {
		return err
	}
	return g.await(ctx, over)
}

// begins, ends and tells are what the loop tells.

func (g *Groups) begins(one *group, r *reign) {
	g.keeper.add(r)
	one.set(r)
}

func (g *Groups) ends(one *group, r *reign) {
	g.keeper.remove(r)
	one.set(nil)
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
