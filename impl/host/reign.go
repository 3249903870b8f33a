package host

import (
	"context"
	"sync"
	"sync/atomic"
	"time"

	"github.com/seed-fdf591db/bully/spec"
)

// Reign is what work is given: the epoch that this node leads, and until when it is sure to. It may be copied, and used
// by many goroutines. The zero Reign is over.
type Reign struct {
	r *reign
}

// Epoch returns the epoch of the reign. It is the fencing token: give it to the resource with each write (R38). It
// stays the same after the reign is over.
func (r Reign) Epoch() spec.Epoch {
	if r.r == nil {
		return 0
	}
	return r.r.epoch
}

// Deadline returns when the reign is over if nobody is heard any more: Timing.Reign after the node has asked the latest question
// that a quorum has answered (R26). It moves on as acknowledgements come, well before it is reached; one that comes late moves it less.
// It is the zero time once the reign is over.
//
// Until the deadline no other node leads, however late or lost messages are, if clocks keep Timing.Drift (R37). It has a monotonic and a wall clock reading.
func (r Reign) Deadline() time.Time {
	if r.r == nil {
		return time.Time{}
	}
	if d := r.r.deadline.Load(); d != nil {
		return *d
	}
	return time.Time{}
}

// Valid reports whether the deadline lies ahead, by the monotonic and by the wall clock: one may have stood still while
// the machine was suspended, the other may have been set back. Who acts on what is not fenced calls it before each act
// (R39). It takes no lock.
func (r Reign) Valid() bool {
	if r.r == nil {
		return false
	}
	d := r.r.deadline.Load()
	if d == nil {
		return false
	}
	now := r.r.clock.Now()
	return ahead(d.Sub(now), d.Round(0).Sub(now.Round(0)))
}

// ahead reports whether a deadline lies ahead that is so far away by the monotonic clock, and so far by the wall clock.
func ahead(mono, wall time.Duration) bool {
	return mono > 0 && wall > 0
}

// A reign is an epoch that this node leads, and the work that is done in it.
type reign struct {
	epoch    spec.Epoch
	clock    Clock
	idle     chan<- struct{}           // told, without waiting, when the last work ends after close
	deadline atomic.Pointer[time.Time] // nil once the reign is over
	until    instant                   // the deadline, for the loop alone

	mu      sync.Mutex
	last    time.Time // the last deadline there was
	closed  bool      // no work may begin, and what runs is being ended
	expired bool      // for users the reign is over, because the deadline has passed
	works   map[*work]struct{}
}

// A work is one run of a function given to Lead.
type work struct {
	reign  *reign
	cancel context.CancelCauseFunc
}

func newReign(epoch spec.Epoch, clock Clock, idle chan<- struct{}) *reign {
	return &reign{epoch: epoch, clock: clock, idle: idle, works: map[*work]struct{}{}}
}

// renew moves the deadline, unless it has passed, and work has been told.
func (r *reign) renew(deadline time.Time) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.expired {
		return
	}
	r.last = deadline
	r.deadline.Store(&deadline)
}

// expire makes the reign over for its users if the deadline has passed. Else it returns how long it is until then.
func (r *reign) expire() (left time.Duration) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if left = r.last.Sub(r.clock.Now()); left > 0 {
		return left
	}
	r.expired = true
	r.deadline.Store(nil)
	r.cancel(ErrNotLeader)
	return 0
}

// end makes the reign over for everybody who holds it, at once.
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

// rests reports whether no work runs, and whether the deadline has passed for work, though the node may lead on.
func (r *reign) rests() (idle, expired bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return len(r.works) == 0, r.expired
}

// join begins a work in the reign, whose context is returned. It is nil if the reign is closed.
func (r *reign) join(ctx context.Context) (context.Context, *work) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.closed {
		return nil, nil
	}
	workCtx, cancel := context.WithCancelCause(ctx)
	w := &work{reign: r, cancel: cancel}
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
		select {
		case r.idle <- struct{}{}:
		default: // the loop has not taken the last one yet, and will look
		}
	}
	return r.closed
}

// guard ends the reign for its users when the deadline passes, even if the loop hangs in a disk that does not answer
// and cannot say so, and calls overrun if the work then still runs. It returns when done is closed.
func (w *work) guard(done <-chan struct{}, overrun func(Reign)) {
	timer := w.reign.clock.NewTimer(0)
	defer release(timer)
	for {
		select {
		case <-done:
			return
		case <-timer.C():
		}
		left := w.reign.expire()
		if left > 0 {
			timer.Reset(left)
			continue
		}
		select {
		case <-done:
		default:
			if overrun != nil {
				overrun(Reign{w.reign})
			}
		}
		return
	}
}
