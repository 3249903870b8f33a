package host

import (
	"context"
	"sync"
	"sync/atomic"
	"time"

	"github.com/seed-fdf591db/bully/spec"
)

// Lead runs work in each reign of this node, one reign after the other, until work returns by itself. It waits while
// another node leads. Several goroutines may call Lead: in each reign all their work runs at once.
//
// Work is given a context that ends when the reign does, when the host is to stop, when Resign is called, and with ctx;
// context.Cause tells which: ErrNotLeader, ErrClosed, ErrNotLeader, or the cause of ctx. Work must then return soon:
// another node may lead from now on. Lead comes back in one of these ways:
//
//   - Work returns while its reign goes on. The node resigns, and Lead returns what work has returned: nil too. It
//     waits for the resignation, and so for other work of this reign to end, but no longer than ctx. A node that
//     resigns and runs on may lead again, and does if it is the highest; only its end prevents that.
//   - Work reports no progress for Config.Progress, and its context ends because of ErrNoProgress. If it then returns before
//     the deadline, the node resigns at once, and Lead waits for the next reign. Else the node resigns at the deadline; and it
//     ends, if it would lead again while work still runs, as nobody would do the work then.
//   - The reign ends. Lead waits for work to return, drops what it returns, and waits for the next reign.
//   - Ctx ends. Lead waits for work to return, and returns ctx.Err(). The node leads on: Resign, or the end of Run, is
//     what ends that.
//   - The host ends. Lead waits for work to return, and returns ErrClosed, or an error that wraps ErrStopped.
//
// Whatever it returns, no work runs when Lead returns. A panic of work is the caller's to recover; for the host, work
// has then returned.
func (h *Host) Lead(ctx context.Context, work func(context.Context, Reign) error) error {
	for {
		workCtx, w, err := h.reigns.next(ctx, h.done, h.reason)
		if err != nil {
			return err
		}
		over, err := h.run(workCtx, w, work)
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if !over {
			h.resignFrom(ctx, w.reign.epoch)
			return err
		}
	}
}

// run runs work, and reports whether the reign was over, or being ended, when it returned.
func (h *Host) run(ctx context.Context, w *work, f func(context.Context, Reign) error) (over bool, err error) {
	done, guarded := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(guarded)
		w.guard(done, h)
	}()
	defer func() {
		over = w.leave()
		close(done)
		<-guarded
	}()
	return false, f(ctx, Reign{w.reign, w})
}

// Resign makes the node lead no longer: it ends the contexts of all work, leads on until that has returned, and then
// tells the others (R28). It returns nil when that has been done, and at once if the node does not lead. If ctx ends
// before, Resign returns its error, and the node resigns all the same once work has returned. So work that calls Resign
// with its own context, and then returns, does what it means; with another context it would wait for itself.
//
// A node that resigns and runs on may lead again, in a later epoch, and if it is the highest it will. That is what a
// leader wants that a fence has refused (R38). To move leadership away, end Run.
func (h *Host) Resign(ctx context.Context) error {
	return h.resignFrom(ctx, 0)
}

// resignFrom resigns if the node leads the epoch, or any if it is 0.
func (h *Host) resignFrom(ctx context.Context, epoch spec.Epoch) error {
	return h.resignNaming(ctx, epoch, naming{})
}

// resignNaming is resignFrom, and names a node, if it is not none.
func (h *Host) resignNaming(ctx context.Context, epoch spec.Epoch, names naming) error {
	over := make(chan struct{})
	var refused error
	ask := func() {
		if h.reign == nil || epoch != 0 && h.reign.epoch != epoch {
			close(over)
			return
		}
		if names != (naming{}) {
			if refused = h.mayName(names.node); refused != nil {
				close(over)
				return
			}
			h.names = names
		}
		h.reign.close(ErrNotLeader)
		h.resigning = append(h.resigning, over)
	}
	if err := h.call(ctx, ask); err != nil {
		return err
	}
	select {
	case <-over:
		return refused
	case <-ctx.Done():
		return ctx.Err()
	case <-h.done:
		return h.reason()
	}
}

// resignIfAsked takes the step once it has been asked for and no work runs. It also resigns from a reign whose deadline
// has passed for work, by an accident of timing, while an answer was on its way that dates it anew: there is no work in it any more. And
// from one that is to hand over, as it is no voter any more.
func (h *Host) resignIfAsked() {
	h.endIfHung()
	if h.reign != nil {
		rest := h.reign.rests()
		asked := rest.expired || rest.quiet || len(h.resigning) > 0 || h.stopping || h.demoted()
		if !rest.hangs && !(rest.idle && asked) {
			return
		}
		if rest.hangs {
			h.hung = h.reign
			h.endReign(ErrNoProgress)
		}
		in := spec.Input{Call: spec.ResignCall}
		if h.names != (naming{}) && h.mayName(h.names.node) == nil { // it may have gone while work ended
			in.Names, in.Hold = h.names.node, h.names.hold
		}
		h.take(in)
	}
	h.names = naming{}
	for _, over := range h.resigning {
		close(over)
	}
	h.resigning = nil
}

// reigns lets Lead wait for the next reign.
type reigns struct {
	mu      sync.Mutex
	current *reign        // or nil
	changed chan struct{} // closed when current changes; nil if nobody waits
}

// set makes r the reign of now.
func (s *reigns) set(r *reign) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.current = r
	if s.changed != nil {
		close(s.changed)
		s.changed = nil
	}
}

// now returns the reign of now, and a channel that is closed when it is another.
func (s *reigns) now() (*reign, <-chan struct{}) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.changed == nil {
		s.changed = make(chan struct{})
	}
	return s.current, s.changed
}

// next joins the first reign that can be joined.
func (s *reigns) next(ctx context.Context, done <-chan struct{}, reason func() error) (context.Context, *work, error) {
	for {
		current, changed := s.now()
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
		case <-ctx.Done():
			return nil, nil, ctx.Err()
		case <-done:
			return nil, nil, reason()
		}
	}
}

// Reign is what work is given: the epoch that this node leads, and until when it is sure to. It may be copied, and used
// by many goroutines. The zero Reign is over.
type Reign struct {
	r *reign
	w *work // whose it is
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
// that a quorum has answered. It moves on as acknowledgements come, well before it is reached; one that comes late moves it less (R26).
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
	host     *Host
	clock    Clock
	idle     chan<- struct{}           // told, without waiting, when the last work ends after close
	deadline atomic.Pointer[time.Time] // nil once the reign is over
	until    instant                   // the deadline, for the loop alone

	mu      sync.Mutex
	last    time.Time // the last deadline there was
	closed  bool      // no work may begin, and what runs is being ended
	expired bool      // for users the reign is over, because the deadline has passed
	quiet   bool      // work has reported no progress: the deadline moves no more
	hangs   bool      // … nor has it returned by the deadline, and whoever is to know that was told
	works   map[*work]struct{}
}

// A work is one run of a function given to Lead.
type work struct {
	reign    *reign
	cancel   context.CancelCauseFunc
	began    time.Time
	reported atomic.Int64 // when it reported progress at last, in ns since it began
}

func newReign(epoch spec.Epoch, clock Clock, idle chan<- struct{}) *reign {
	return &reign{epoch: epoch, clock: clock, idle: idle, works: map[*work]struct{}{}}
}

// renew moves the deadline, unless it has passed, and work has been told.
func (r *reign) renew(deadline time.Time) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.expired || r.quiet {
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

// rest is how far the work of a reign has come to its end.
type rest struct {
	idle                  bool // no work runs
	expired, quiet, hangs bool // as of the reign, in which the node may lead on
}

func (r *reign) rests() rest {
	r.mu.Lock()
	defer r.mu.Unlock()
	return rest{idle: len(r.works) == 0, expired: r.expired, quiet: r.quiet, hangs: r.hangs}
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
		r.tellLoop()
	}
	return r.closed
}

// tellLoop has the loop look at the reign.
func (r *reign) tellLoop() {
	select {
	case r.idle <- struct{}{}:
	default: // the loop has not taken the last one yet, and will look
	}
}

// guard ends the reign for its users when the deadline passes, even if the loop hangs in a disk that does not answer
// and cannot say so, and calls Overrun if the work then still runs; and it notes that work reports no progress. It returns when done is closed.
func (w *work) guard(done <-chan struct{}, h *Host) {
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
			timer.Reset(min(left, h.awaitProgress(w)))
			continue
		}
		select {
		case <-done:
		default:
			if h.config.Overrun != nil {
				h.config.Overrun(Reign{w.reign, w})
			}
			w.reign.hang()
		}
		return
	}
}
