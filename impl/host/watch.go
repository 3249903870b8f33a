package host

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"github.com/seed-fdf591db/bully/spec"
)

// Leadership is what a user may be told (R39): who leads, and in which epoch.
type Leadership struct {
	Leader  spec.NodeID // or none: the node knows of no leader
	Epoch   spec.Epoch  // of the reign; 0 if there is none
	Leading bool        // this node leads
	Since   time.Time   // when this node came to know of it; zero before the first time that anybody led
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
	l.Since = h.watch.read
	h.told = l
	h.show() // so that who is told, and looks, sees the same
	h.watchers.tell(l)
	h.config.Metrics.Changed(l)
	h.config.Logger.Info("leadership", slog.String("node", h.config.ID.String()), slog.String("leader", l.Leader.String()),
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
