package groups

import (
	"context"
	"sync"
	"sync/atomic"
	"time"

	"github.com/seed-fdf591db/bully/impl/host"
	"github.com/seed-fdf591db/bully/spec"
	"github.com/seed-fdf591db/bully/spec/policy"
)

// Reign is what work is given: the epoch in which this node leads a group, and until when it is sure to. It may be copied, and used by many goroutines. The zero
// Reign is over. It is what host.Reign is of one election.
type Reign struct {
	r *reign
	w *work
}

// Epoch returns the epoch of the reign. It is the fencing token: give it to the resource of the group with each write (R38).
func (r Reign) Epoch() spec.Epoch {
	if r.r == nil {
		return 0
	}
	return r.r.epoch
}

// Deadline returns when the reign is over if nobody is heard any more, or the zero time once it is over. It moves on as acknowledgements come.
func (r Reign) Deadline() time.Time {
	if r.r != nil {
		if d := r.r.deadline.Load(); d != nil {
			return *d
		}
	}
	return time.Time{}
}

// Valid reports whether the deadline lies ahead, by the monotonic and by the wall clock. Who acts on what is not fenced calls it before each act (R39).
func (r Reign) Valid() bool {
	d := r.Deadline()
	if d.IsZero() {
		return false
	}
	now := r.r.clock.Now()
	return d.Sub(now) > 0 && d.Round(0).Sub(now.Round(0)) > 0
}

// Progress reports that the work of the group gets on. With Config.Progress, work that has not for so long loses its reign: a group that is stuck does not hide behind
// its node, which is well.
func (r Reign) Progress() {
	if r.w != nil {
		r.w.reported.Store(int64(r.r.clock.Now().Sub(r.w.began)))
	}
}

// A reign is an epoch in which this node leads a group, and the work that is done in it.
type reign struct {
	epoch    spec.Epoch
	clock    host.Clock
	group    *group
	tell     func(*group)              // has the loop look at the group
	deadline atomic.Pointer[time.Time] // nil once the reign is over
	until    policy.Instant            // the deadline, for the loop alone

	mu      sync.Mutex
	last    time.Time // the last deadline there was
	closed  bool      // no work may begin, and what runs is being ended
	expired bool      // the deadline has passed
	quiet   bool      // work has reported no progress: the deadline moves no more
	hangs   bool      // … nor has it returned by the deadline
	works   map[*work]struct{}
}

// A work is one run of a function given to Lead.
type work struct {
	reign    *reign
	cancel   context.CancelCauseFunc
	began    time.Time
	reported atomic.Int64 // when it reported progress last, in ns since it began
}

// renew moves the deadline, unless it has passed, and work has been told.
func (r *reign) renew(deadline time.Time) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if !r.expired && !r.quiet {
		r.last = deadline
		r.deadline.Store(&deadline)
	}
}

// end makes the reign over for everybody who holds it.
func (r *reign) end(cause error) {
	r.deadline.Store(nil)
	r.close(cause)
}

// close ends the contexts of all work, and lets none begin. The reign goes on until it is ended.
func (r *reign) close(cause error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.cancel(cause)
}

// cancel is close for who holds the lock.
func (r *reign) cancel(cause error) {
	if r.closed {
		return
	}
	r.closed = true
	for w := range r.works {
		w.cancel(cause)
	}
}

// rest is how far the work of a reign has come to its end.
type rest struct{ idle, expired, quiet, hangs bool }

func (r *reign) rests() rest {
	r.mu.Lock()
	defer r.mu.Unlock()
	return rest{len(r.works) == 0, r.expired, r.quiet, r.hangs}
}

// join begins a work in the reign, whose context is returned. It is nil if the reign is closed.
func (r *reign) join(ctx context.Context) (context.Context, *work) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.closed {
		return nil, nil
	}
	workCtx, cancel := context.WithCancelCause(ctx)
	w := &work{reign: r, cancel: cancel, began: r.clock.Now()}
	if r.works == nil {
		r.works = map[*work]struct{}{}
	}
	r.works[w] = struct{}{}
	return workCtx, w
}

// leave ends a work, and reports whether the reign was closed before.
func (w *work) leave() (closed bool) {
	w.cancel(context.Canceled)
	r := w.reign
	r.mu.Lock()
	defer r.mu.Unlock()
	delete(r.works, w)
	if r.closed && len(r.works) == 0 {
		r.tell(r.group)
	}
	return r.closed
}

// look ends the reign for its users when its deadline has passed, though the loop may hang, and ends work that reports no progress. It returns how long it has nothing to do.
func (r *reign) look(now time.Time, progress time.Duration, overrun func(string, Reign)) time.Duration {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.expired || r.deadline.Load() == nil {
		return policy.MaxTiming
	}
	left := r.last.Sub(now)
	if left > 0 {
		return min(left, r.awaitProgress(now, progress))
	}
	r.expired = true
	r.deadline.Store(nil)
	r.cancel(ErrNotLeader)
	if overrun != nil {
		for w := range r.works {
			overrun(r.group.name, Reign{r, w})
		}
	}
	r.hangs = r.quiet && len(r.works) > 0
	r.tell(r.group)
	return policy.MaxTiming
}

// awaitProgress ends the contexts of work, and moves the deadline no more, if one of it has reported no progress for too long. It returns when to look again.
func (r *reign) awaitProgress(now time.Time, most time.Duration) time.Duration {
	next := policy.MaxTiming
	if most == 0 || r.closed {
		return next
	}
	for w := range r.works {
		quiet := now.Sub(w.began) - time.Duration(w.reported.Load())
		if quiet >= most {
			r.quiet = true
			r.cancel(ErrNoProgress)
			r.tell(r.group)
			return policy.MaxTiming
		}
		next = min(next, most-quiet)
	}
	return next
}

// A keeper looks at all reigns of a node, in a goroutine of its own: deadlines are kept though the loop waits.
type keeper struct {
	clock    host.Clock
	progress time.Duration
	overrun  func(string, Reign)
	kick     chan struct{}

	mu     sync.Mutex
	reigns map[*reign]struct{}
	next   time.Time // when it looks again
}

// add has it look at a reign too, and in time.
func (k *keeper) add(r *reign) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.reigns[r] = struct{}{}
	if d := r.deadline.Load(); d != nil && d.Before(k.next) {
		select {
		case k.kick <- struct{}{}:
		default:
		}
	}
}

func (k *keeper) remove(r *reign) {
	k.mu.Lock()
	defer k.mu.Unlock()
	delete(k.reigns, r)
}

// look looks at all, and returns how long there is nothing to do.
func (k *keeper) look() time.Duration {
	k.mu.Lock()
	defer k.mu.Unlock()
	now, next := k.clock.Now(), policy.MaxTiming
	for r := range k.reigns {
		next = min(next, r.look(now, k.progress, k.overrun))
	}
	k.next = now.Add(next)
	return next
}

// run looks until done is closed.
func (k *keeper) run(done <-chan struct{}) {
	timer := k.clock.NewTimer(policy.MaxTiming)
	defer release(timer)
	for {
		timer.Reset(k.look())
		select {
		case <-done:
			return
		case <-k.kick:
		case <-timer.C():
		}
	}
}
