package groups

import (
	"cmp"
	"context"
	"log/slog"
	"slices"
	"sync"

	"github.com/seed-fdf591db/bully/impl/bully"
	"github.com/seed-fdf591db/bully/spec"
)

// Leadership is what a user may be told of a group: who leads it, and in which epoch (R39).
type Leadership struct {
	Group   string
	Leader  spec.NodeID // or none: this node knows of no leader
	Epoch   spec.Epoch  // of the reign; 0 if there is none
	Leading bool        // this node leads
}

// Watch returns a channel that has the leadership of each group as it is now, and then whenever it changes. Who reads slowly misses what was between, of each group never the latest. When a
// reign of this node ends, that is told before anybody else hears of it (R39). The channel is closed when ctx ends and when the node does.
func (g *Groups) Watch(ctx context.Context) <-chan Leadership {
	w := &watcher{latest: map[string]Leadership{}, more: make(chan struct{}, 1), over: make(chan struct{})}
	told := make(chan Leadership)
	err := g.call(ctx, func() {
		for _, one := range g.loop.list {
			w.put(one.told)
		}
		g.mu.Lock()
		defer g.mu.Unlock()
		if g.watchers != nil {
			g.watchers[w] = struct{}{}
		}
	})
	if err != nil {
		close(told)
		return told
	}
	go func() {
		defer close(told)
		defer g.forget(w)
		for {
			l, ok := w.take()
			if !ok {
				select {
				case <-w.more:
					continue
				case <-ctx.Done():
					return
				case <-w.over:
					if l, ok = w.take(); !ok {
						return
					}
				}
			}
			select {
			case told <- l:
			case <-ctx.Done():
				return
			}
		}
	}()
	return told
}

// tells tells watchers.
func (g *Groups) tells(l Leadership) {
	g.mu.Lock()
	defer g.mu.Unlock()
	for w := range g.watchers {
		w.put(l)
	}
}

func (g *Groups) forget(w *watcher) {
	g.mu.Lock()
	defer g.mu.Unlock()
	delete(g.watchers, w)
}

// A watcher holds what it has not been told yet: of each group the latest, in the order in which they changed.
type watcher struct {
	more chan struct{}
	over chan struct{}

	mu     sync.Mutex
	order  []string
	latest map[string]Leadership
}

func (w *watcher) put(l Leadership) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if _, there := w.latest[l.Group]; !there {
		w.order = append(w.order, l.Group)
	}
	w.latest[l.Group] = l
	select {
	case w.more <- struct{}{}:
	default:
	}
}

func (w *watcher) take() (l Leadership, ok bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if len(w.order) == 0 {
		return l, false
	}
	l = w.latest[w.order[0]]
	delete(w.latest, w.order[0])
	w.order = w.order[1:]
	return l, true
}

// end has the channel closed when all has been told.
func (w *watcher) end() { close(w.over) }

// Status is a node as it is now, in all groups.
type Status struct {
	ID       spec.NodeID   `json:"id"`
	Groups   []GroupStatus `json:"groups"`  // in the order of their names
	Leading  int           `json:"leading"` // how many of them this node leads
	Up       []spec.NodeID `json:"up"`      // the others to which there is a connection
	Dead     []spec.NodeID `json:"dead"`    // the others that are proved dead
	Counters Counters      `json:"counters"`
}

// GroupStatus is a group as this node knows it.
type GroupStatus struct {
	Name   string      `json:"name"`
	Role   spec.Role   `json:"role"`   // of this node; "" if it takes no part now, as it starts, goes, or hangs
	Leader spec.NodeID `json:"leader"` // as Watch tells it
	Epoch  spec.Epoch  `json:"epoch"`
	Wanted spec.NodeID `json:"wanted"` // who is to lead it if all run
	Stuck  bool        `json:"stuck"`  // its work has reported no progress, and has not returned

	Members spec.Configuration `json:"-"`                 // of the group, as this node has them; none where members are fixed
	Problem string             `json:"problem,omitempty"` // why this node takes no part in it, or waits, where members change
	Pending int                `json:"pending,omitempty"` // how many members it has otherwise than the cluster, as this node has both: it lags behind
	Lags    string             `json:"lags,omitempty"`    // … and why, for people; the node that leads the group knows best
}

// Counters count since the node was opened. All are few: none is of a group.
type Counters struct {
	Steps      uint64 `json:"steps"`    // of all groups
	Saves      uint64 `json:"saves"`    // waits for the disk
	Messages   uint64 `json:"messages"` // said, in all groups
	Bundles    uint64 `json:"bundles"`  // said: frames
	Bytes      uint64 `json:"bytes"`    // of these
	Heard      uint64 `json:"heard"`    // bundles
	Malformed  uint64 `json:"malformed"`
	Unknown    uint64 `json:"unknown"`    // messages of groups that are not here
	Ignored    uint64 `json:"ignored"`    // messages that no node sends in that state (R33, R34)
	Unbelieved uint64 `json:"unbelieved"` // messages of nodes that are no members, and say that there are others (decision 0032)
	Changes    uint64 `json:"changes"`    // of what users were told
	Pauses     uint64 `json:"pauses"`     // the node was held up for longer than Timing.Delay
	Quiets     uint64 `json:"quiets"`     // how often work of a group reported no progress, and the node resigned in that group
}

// Status returns the node as it is now. Of one that has ended it is the last.
func (g *Groups) Status() (s Status) {
	read := func() { s = g.loop.status() }
	if err := g.call(context.Background(), read); err != nil {
		read()
	}
	return s
}

// bestOf returns who is to lead a group if all run.
func (l *loop) bestOf(g *group) spec.NodeID {
	if !l.changing {
		return l.members[g.places[len(g.places)-1]]
	}
	if g.best == none {
		if order := l.placement.Order(g.name); len(order) > 0 {
			g.best = l.place(order[0])
		}
	}
	return l.alias(g, g.best)
}

// waitsFor returns what is wrong with a group, or what it waits for.
func (g *group) waitsFor() string {
	if g.problem == "" && g.node != nil && g.configuration.IsEmpty() {
		return "waits until its leader adds this node, or until its first members are named"
	}
	return g.problem
}

func (l *loop) status() Status {
	s := Status{ID: l.config.ID, Counters: l.stats, Groups: make([]GroupStatus, 0, len(l.list))}
	for _, g := range slices.SortedFunc(slices.Values(l.list), func(a, b *group) int { return cmp.Compare(a.name, b.name) }) {
		if g.told.Leading {
			s.Leading++
		}
		s.Groups = append(s.Groups, GroupStatus{Name: g.name, Role: g.role, Leader: g.told.Leader, Epoch: g.epoch, Wanted: l.bestOf(g), Stuck: g.hung != nil, Members: g.configuration, Problem: g.waitsFor(),
			Pending: l.pending(g), Lags: l.lags(g)})
	}
	for place, id := range l.members {
		if l.up.Has(place) {
			s.Up = append(s.Up, id)
		}
		if l.dead.Has(place) {
			s.Dead = append(s.Dead, id)
		}
	}
	return s
}

// eventOf returns what a trace says of a step; nil if there is none.
func (l *loop) eventOf(g *group, what spec.Input, out *bully.Output) *spec.Event {
	if g.trace == nil {
		return nil
	}
	return &spec.Event{Node: l.alias(g, l.me), Action: out.Action, Input: what, Sent: slices.Clone(out.Send), State: g.node.State()}
}

// record records a step: when what it promises is on disk, and before anything of it is said. A trace with a gap would be none, so it ends with the first failure.
func (l *loop) record(g *group, e *spec.Event) {
	if e == nil || g.trace == nil {
		return
	}
	if err := g.trace.Record(e); err != nil {
		g.trace = nil
		l.config.Logger.Error("the trace of a group ends: a step could not be recorded", slog.String("group", g.name), slog.Any("err", err))
	}
}

// recordSaved records the steps whose promises are on disk by now, of a node that ends: nothing of them is said.
func (l *loop) recordSaved(err error) {
	if err != nil {
		l.unsure = true
		return
	}
	for _, g := range l.saving.groups {
		l.record(g, g.held.event)
	}
}

// recordEnd says that nothing follows until the group starts again at this node. If a save has failed nobody knows what is on disk, and the trace just ends.
func (l *loop) recordEnd(g *group) {
	if t, ok := g.trace.(interface{ Stopped() error }); ok && !l.unsure {
		_ = t.Stopped() // else it just ends, as that of a node that is killed
	}
}
