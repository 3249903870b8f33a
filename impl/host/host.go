package host

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"github.com/seed-fdf591db/bully/impl/bully"
	"github.com/seed-fdf591db/bully/impl/internal/reigns"
	"github.com/seed-fdf591db/bully/spec"
	"github.com/seed-fdf591db/bully/spec/policy"
)

// Host is a node with a clock, a disk, a network and users. New makes one; Run runs it. All its methods may be called
// at the same time, by any goroutine, before and after Run too.
type Host struct {
	config   Config
	node     *bully.Node
	links    *links
	detector *judge
	counters *counters
	numbers  numbers
	watchers hub[Leadership]
	members  hub[Membership]
	seat     reigns.Seat
	keeper   *reigns.Keeper
	seen     atomic.Pointer[seen]
	quiet    atomic.Pointer[QuietStatus]

	calls   chan func()   // what the loop is to do for a user
	idle    chan struct{} // the last work of a reign that is to end has returned
	closing chan struct{} // closed by Close
	done    chan struct{} // closed when the host has ended
	mu      sync.Mutex
	phase   phase

	// The rest is the loop's alone; after done is closed, it may be read.
	watch      *reigns.Watch
	alarm      *alarm
	watched    *watched // by the guard; nil if there is none, or while it does not run
	policy     policy.Policy
	state      spec.State
	told       Leadership
	reign      *reigns.Reign   // while the node leads
	hung       *reigns.Reign   // an earlier one, whose work hangs; or nil
	outlived   *reigns.Reign   // the last that has ended before its deadline: while its work acts until that, all messages are lost (R39.4)
	yielding   spec.Message    // the message that ends its reign, and waits for work to return; without a type if none does
	resigning  []chan struct{} // to be closed when the node leads no longer
	names      naming          // whom its RESIGN is to name then
	held       held            // the reign for which it was named itself
	membership Membership      // as told last
	change     *change         // that is under way, or nil
	leaves     instant         // when it stops as it is no member any more; never while it is one
	stopping   bool            // Run's context has ended
	ended      bool            // nothing is sent any more
	traceBad   bool            // that Trace fails has been logged
	err        error           // why the host has stopped for good
	waits      string          // what its first start waits for, see Config.Together

	saidExhausted bool       // that the epochs are used up has been logged
	saidHalf      bool       // that more than half of them are
	unbelieved    nonMembers // whom it has not believed
}

// phase is how far a host is in its life.
type phase uint8

const (
	made phase = iota
	running
	over
)

// New returns a host that has not begun to run. The error is a *ConfigError. The host takes over the transport: it is
// closed by Run when that returns, or by Close.
func New(config Config) (*Host, error) {
	config, err := config.withDefaults()
	if err != nil {
		return nil, err
	}
	node, err := newNode(config)
	if err != nil {
		return nil, err
	}
	links := linksOf(config.ID, spec.EmptyConfiguration())
	if !config.changing() {
		links = newLinks(config.ID, config.Members)
	}
	h := &Host{
		config: config, node: node, links: links, detector: &judge{Detector: config.Detector}, counters: newCounters(),
		calls: make(chan func()), idle: make(chan struct{}, 1), closing: make(chan struct{}), done: make(chan struct{}),
		watch: reigns.NewWatch(config.Clock.Now, config.Timing.Delay), leaves: never,
		policy: policy.New(config.Timing, config.Rand, links.who),
	}
	h.keeper = h.newKeeper()
	h.seen.Store(&seen{stopped: true, links: links})
	return h, nil
}

// Run starts the node and runs it until ctx ends, Close is called, or the host must stop for good. It may be called once.
//
// When ctx ends the node stops in good order: if it leads, the contexts of work end; it leads on, and says so, until all
// work has returned; it resigns, so that others need not wait (R28); and it closes the transport, which sends what is
// left and only then stops listening. Run then returns nil. If work never returns, nor does Run: see Close.
//
// An error wraps ErrStopped and the reason: the promise could not be read or saved, and the node has stopped where it
// was, and sent nothing of the step (R4). Or it is a *MembersError that is ErrRemoved, with the configuration in which the
// node is no member any more. It has then run on at rest for a while (see doc), in case that configuration is lost. If it
// is lost later, start the node again: it asks, and is a member once more; else it ends in the same way. Only if the
// transport does not close is the error another.
func (h *Host) Run(ctx context.Context) error {
	h.mu.Lock()
	was := h.phase
	if was == made {
		h.phase = running
	}
	h.mu.Unlock()
	switch was {
	case running:
		return fmt.Errorf("host: Run: it runs already: make another Host")
	case over:
		return ErrClosed
	}
	h.alarm = newAlarm(h.config.Clock)
	defer reigns.Release(h.alarm.timer)
	h.watched = h.config.Guard.watch(&h.config.Timing)
	if h.start(ctx) {
		h.loop(ctx)
	}
	h.outlive()
	return h.end()
}

// Close ends the host at once, and returns when it has ended. A node that leads ends its reign and resigns, but does
// not wait for work to return: what that still writes only a fence stops (R38). To wait, end the context of Run instead.
// Close may be called more than once, and by work, but not by Metrics, Trace or Overrun. It returns nil.
func (h *Host) Close() error {
	h.mu.Lock()
	was := h.phase
	if was == made {
		h.phase = over
	}
	select {
	case <-h.closing:
	default:
		close(h.closing)
	}
	h.mu.Unlock()
	if was == made {
		return h.end()
	}
	<-h.done
	return nil
}

// Check returns nil if the node runs: if its loop has answered before ctx ended. It does not say that there is a leader.
// A loop that does not answer waits for its disk, or does not get the processor. If there will never be a leader again, as the epochs
// are used up, it returns ErrExhausted.
func (h *Host) Check(ctx context.Context) error {
	if err := h.call(ctx, func() {}); err != nil {
		return err
	}
	if s := h.seen.Load(); exhausted(&s.state) && s.told.Leader.IsNone() {
		return ErrExhausted
	}
	return nil
}

// call makes the loop do f, and returns when it has begun to.
func (h *Host) call(ctx context.Context, f func()) error {
	select {
	case <-h.done:
		return h.reason()
	default:
	}
	select {
	case h.calls <- f:
		return nil
	case <-ctx.Done():
		return fmt.Errorf("host: the loop has not answered: %w", ctx.Err())
	case <-h.done:
		return h.reason()
	}
}

// reason returns why the host has ended. It may be called once done is closed.
func (h *Host) reason() error {
	if h.err != nil {
		return h.err
	}
	return ErrClosed
}

// end closes everything, and tells everybody.
func (h *Host) end() error {
	h.watched.ends()
	h.ended = true
	h.endReign(ErrClosed)
	err := h.config.Transport.Close()
	h.mu.Lock()
	h.phase = over
	h.mu.Unlock()
	h.show()
	h.watchers.close()
	h.members.close()
	close(h.done)
	switch {
	case h.err != nil:
		return h.err
	case err != nil:
		return fmt.Errorf("host: closing the transport: %w", err)
	}
	return nil
}

// start takes the first step: a first start if there is no record, else a restart (R30, R32). It reports whether the node
// runs.
func (h *Host) start(ctx context.Context) bool {
	promise, found, err := h.config.Storage.Load()
	if err != nil {
		h.fail("reading the promise", err)
		return false
	}
	if err := h.remembersAll(promise); err != nil {
		h.fail("reading the promise", err)
		return false
	}
	if h.changing() {
		h.tick()
		if err := h.prepare(promise, found); err != nil {
			h.fail("reading the promise", err)
			return false
		}
	}
	in, action := bully.Start(), spec.StartAction
	if found {
		in, action = bully.Restart(promise), spec.RestartAction
	}
	if h.config.Together && !found && !h.awaitAll(ctx) {
		return false
	}
	if !h.awaitLinks(ctx) {
		return false
	}
	h.tick()
	h.step(in, spec.Input{})
	if h.err == nil && h.state.Role == "" {
		h.fail("starting", fmt.Errorf("%s with the promise %+v is refused: it is of another cluster, or damaged", action, promise))
	}
	if links, ok := h.config.Transport.(beginner); ok && h.err == nil {
		links.Begun()
	}
	return h.err == nil
}

// awaitLinks waits until all others that live are connected, but no longer than a heartbeat interval: IM_BACK is the first
// thing that they should hear, and is lost on a link that is not open (R30, B15). And they may disown this node, which has then not
// yet taken a step: at a first start too, which may be that of a node whose disk was wiped. It reports whether the node is to start.
func (h *Host) awaitLinks(ctx context.Context) bool {
	h.tick()
	until := h.watch.Now.Add(h.config.Timing.Heartbeat)
	for h.err == nil && h.links.who.Others&^h.links.isUp()&^h.links.isDead() != 0 && h.watch.Now.Before(until) {
		h.alarm.ringBy(until, h.watch.Now)
		if !h.await(ctx, func() {}) {
			return false
		}
		h.tick()
	}
	return h.err == nil
}

// Leadership is what a user may be told: who leads, and in which epoch (R39).
type Leadership struct {
	Leader  spec.NodeID // or none: the node knows of no leader
	Epoch   spec.Epoch  // of the reign; 0 if there is none
	Leading bool        // this node leads
	Since   time.Time   // when this node came to know of it; zero before the first time that anybody led
}

// LeaderOf returns whom users may be told as the leader by a node in this state, or none (R39).
func LeaderOf(s *spec.State) spec.NodeID {
	if s.Role == spec.Leader || s.Role == spec.Follower {
		return s.Leader
	}
	return spec.NodeID{}
}

// same reports whether l and k tell the same, since whenever.
func (l Leadership) same(k Leadership) bool {
	return l.Leader == k.Leader && l.Epoch == k.Epoch && l.Leading == k.Leading
}

// Watch returns a channel of the caller's own that has the leadership as it is now, at once, and then whenever it
// changes. Who reads slowly misses what was between, never the latest: no reader can hold up the node or another
// reader. When a reign of this node ends, that is told before anybody else hears of it (R39).
//
// The channel is closed when ctx ends and when the host stops; before the latter, it says that there is no leader.
func (h *Host) Watch(ctx context.Context) <-chan Leadership {
	return h.watchers.watch(ctx)
}

// publish tells watchers.
func (h *Host) publish(l Leadership) {
	l.Since = h.watch.Read
	h.told = l
	h.show() // so that who is told, and looks, sees the same
	h.watchers.tell(l)
	h.counters.changes.Add(1)
	h.config.Metrics.Changed(l)
	h.config.Logger.Info("leadership", slog.String("leader", l.Leader.String()),
		slog.Uint64("epoch", uint64(l.Epoch)), slog.Bool("leading", l.Leading))
}

// A hub tells watchers what is latest. Its lock is held for moments, and never while something waits.
type hub[T any] struct {
	mu       sync.Mutex
	latest   T
	closed   bool
	watchers map[*watcher[T]]struct{}
}

type watcher[T any] struct {
	latest chan T      // has room for one; only who holds the lock sends
	stop   func() bool // no longer to wait for the end of the watcher's context
}

func (b *hub[T]) watch(ctx context.Context) <-chan T {
	b.mu.Lock()
	defer b.mu.Unlock()
	w := &watcher[T]{latest: make(chan T, 1)}
	w.latest <- b.latest
	if b.closed || ctx.Err() != nil {
		close(w.latest)
		return w.latest
	}
	if b.watchers == nil {
		b.watchers = map[*watcher[T]]struct{}{}
	}
	b.watchers[w] = struct{}{}
	w.stop = context.AfterFunc(ctx, func() {
		b.mu.Lock()
		defer b.mu.Unlock()
		b.remove(w)
	})
	return w.latest
}

// remove closes the channel of w, once.
func (b *hub[T]) remove(w *watcher[T]) {
	if _, there := b.watchers[w]; there {
		delete(b.watchers, w)
		close(w.latest)
	}
}

// tell gives l to all watchers; what one has not read yet is gone.
func (b *hub[T]) tell(l T) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.latest = l
	for w := range b.watchers {
		select {
		case <-w.latest:
		default:
		}
		w.latest <- l
	}
}

// close closes all channels, now and in future.
func (b *hub[T]) close() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.closed = true
	for w := range b.watchers {
		w.stop()
		b.remove(w)
	}
}

// ErrExhausted is what Check returns when the epochs are used up and nobody leads: this node knows of the last epoch there is, 2^53-1,
// so that it never claims one again, and whoever hears it does not either (R2). That does not come by itself in 285,000 years: a
// program that is no node of this cluster, or a broken one, has sent that epoch. The way back is what bully repair says of such a record.
var ErrExhausted = errors.New("host: the epochs are used up, and nobody can be elected any more: bully repair says the way back")

// exhausted reports whether there is no epoch left to claim.
func exhausted(s *spec.State) bool { return s.Epoch == spec.MaxEpoch }

// noteExhausted says once that the epochs are used up, and before that once that more than half of them are: whoever has raised them
// so far can do the rest, or has left a few on purpose, so that it is not noticed until they are gone.
func (h *Host) noteExhausted() {
	if h.state.Epoch > spec.MaxEpoch/2+1 && !h.saidHalf {
		h.saidHalf = true
		h.config.Logger.Error("more than half of all epochs are used up. Something that is no node of this cluster, or is broken, has sent this epoch; bully repair says the way back, which is needed before they are used up",
			slog.Uint64("epoch", uint64(h.state.Epoch)))
	}
	if exhausted(&h.state) && !h.saidExhausted {
		h.saidExhausted = true
		h.config.Logger.Error("the epochs are used up: when nobody leads, nobody ever will again. Something that is no node of this cluster, or is broken, has sent this epoch; bully repair says the way back",
			slog.Uint64("epoch", uint64(h.state.Epoch)))
	}
}
