// Package reigns is what a node's users hold while it leads, and by which clock that ends: for a host of one election, and for one of many.
//
// A [Reign] is an epoch in which a node leads, with the [Work] that is done in it; a [Keeper] ends it for its users when its deadline passes, though the loop
// of the node hangs; a [Seat] lets users wait for the next one. A [Watch] is the clock as the loop reads it.
package reigns

import (
	"context"
	"sync"
	"sync/atomic"
	"time"

	"github.com/seed-fdf591db/bully/spec"
	"github.com/seed-fdf591db/bully/spec/policy"
)

// A Reign is an epoch in which this node leads, and the work that is done in it.
type Reign struct {
	Epoch spec.Epoch
	Of    string // which election it is of, where there are many

	keeper   *Keeper
	tell     func()                    // has the loop look at the reign; it does not wait
	deadline atomic.Pointer[time.Time] // nil once the reign is over
	until    policy.Instant            // the deadline, for the loop alone

	mu      sync.Mutex
	last    time.Time // the last deadline there was
	closed  bool      // no work may begin, and what runs is being ended
	expired bool      // for users the reign is over, because the deadline has passed
	quiet   bool      // work has reported no progress: the deadline moves no more
	yields  bool      // another is to lead as soon as work has returned: nor does it then
	hangs   bool      // … nor has it returned by the deadline, and whoever is to know that was told
	works   map[*Work]struct{}
}

// New returns a reign that has no deadline yet. The loop is told, without being waited for, when it is to look at it.
func (k *Keeper) New(epoch spec.Epoch, tell func()) *Reign {
	return &Reign{Epoch: epoch, keeper: k, tell: tell, works: map[*Work]struct{}{}}
}

// Renew moves the deadline on, if that is later: to when the leader steps down if nobody answers what it asks any more (R26). It is for the loop alone.
func (r *Reign) Renew(until policy.Instant, w *Watch) {
	if r.until.Before(until) {
		r.until = until
		r.renew(w.At(until))
	}
}

// renew moves the deadline, unless it has passed, and work has been told.
func (r *Reign) renew(deadline time.Time) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if !r.expired && !r.quiet && !r.yields {
		r.last = deadline
		r.deadline.Store(&deadline)
	}
}

// End makes the reign over for everybody who holds it, at once.
func (r *Reign) End(cause error) {
	r.deadline.Store(nil)
	r.Close(cause)
}

// Close ends the contexts of all work, and lets none begin. The reign goes on until it is ended.
func (r *Reign) Close(cause error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.cancel(cause)
}

// Yield is Close of a reign that ends for another node, and reports whether that has to wait, as work acts. The deadline moves no more, so that it waits no longer
// than until then.
func (r *Reign) Yield(cause error) (waits bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.yields = true
	r.cancel(cause)
	return r.acts()
}

// Acts reports whether work runs that may act yet. One that is in another process, and was told the deadline, acts until then without asking again (R39.4). No work
// acts in nil.
func (r *Reign) Acts() bool {
	if r == nil {
		return false
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.acts()
}

// acts is Acts for who holds the lock.
func (r *Reign) acts() bool { return len(r.works) > 0 && !r.expired }

// cancel is Close for who holds the lock.
func (r *Reign) cancel(cause error) {
	if r.closed {
		return
	}
	r.closed = true
	for w := range r.works {
		w.cancel(cause)
	}
}

// Rest is how far the work of a reign has come to its end.
type Rest struct {
	Idle    bool // no work runs
	Expired bool // the deadline has passed for users; the node may lead on
	Quiet   bool // work has reported no progress
	Hangs   bool // … and has not returned by the deadline
	Yields  bool // another node is to lead
}

// Over reports whether the reign is to be resigned from though nobody has asked for that.
func (r Rest) Over() bool { return r.Expired || r.Quiet || r.Yields }

// Rests returns how far the work of a reign has come to its end.
func (r *Reign) Rests() Rest {
	r.mu.Lock()
	defer r.mu.Unlock()
	return Rest{Idle: len(r.works) == 0, Expired: r.expired, Quiet: r.quiet, Hangs: r.hangs, Yields: r.yields}
}

// Deadline returns the deadline, or the zero time once the reign is over. So it does of nil.
func (r *Reign) Deadline() time.Time {
	if r != nil {
		if d := r.deadline.Load(); d != nil {
			return *d
		}
	}
	return time.Time{}
}

// Valid reports whether the deadline lies ahead, by the monotonic and by the wall clock: one may have stood still while
// the machine was suspended, the other may have been set back. It takes no lock.
func (r *Reign) Valid() bool {
	d := r.Deadline()
	if d.IsZero() {
		return false
	}
	now := r.keeper.Now()
	return ahead(d.Sub(now), d.Round(0).Sub(now.Round(0)))
}

// ahead reports whether a deadline lies ahead that is so far away by the monotonic clock, and so far by the wall clock.
func ahead(mono, wall time.Duration) bool {
	return mono > 0 && wall > 0
}

// A Work is one run of a function in a reign.
type Work struct {
	Reign *Reign

	cancel   context.CancelCauseFunc
	began    time.Time
	reported atomic.Int64 // when it reported progress last, in ns since it began
}

// Progress reports that the work gets on. So it may be of nil, which does nothing. It takes no lock.
func (w *Work) Progress() {
	if w != nil {
		w.reported.Store(int64(w.Reign.keeper.Now().Sub(w.began)))
	}
}

// join begins a work in the reign, whose context is returned. It is nil if the reign is closed.
func (r *Reign) join(ctx context.Context) (context.Context, *Work) {
	began := r.keeper.Now()
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.closed {
		return nil, nil
	}
	workCtx, cancel := context.WithCancelCause(ctx)
	w := &Work{Reign: r, cancel: cancel, began: began}
	r.works[w] = struct{}{}
	return workCtx, w
}

// leave ends a work, and reports whether the reign was closed before.
func (w *Work) leave() (closed bool) {
	w.cancel(context.Canceled)
	idle, closed := w.Reign.without(w)
	if idle {
		w.Reign.keeper.wake()
	}
	return closed
}

// without takes out a work, and reports whether no other runs.
func (r *Reign) without(w *Work) (idle, closed bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	delete(r.works, w)
	if idle = len(r.works) == 0; idle && r.closed {
		r.tell()
	}
	return idle, r.closed
}

// run runs work, and reports whether the reign was over, or being ended, when it returned.
func (w *Work) run(ctx context.Context, f func(context.Context, *Work) error) (over bool, err error) {
	w.Reign.keeper.keep(w.Reign)
	defer func() { over = w.leave() }()
	return false, f(ctx, w)
}
