package reigns

import (
	"sync"
	"time"

	"github.com/seed-fdf591db/bully/spec/policy"
)

// A Keeper ends reigns for their users when their deadlines pass, even if the loop hangs in a disk that does not answer and cannot say so; and it notes work that
// reports no progress. It looks at the reigns in which work runs, in a goroutine of its own, which ends when there is none. Its fields are set before it is used.
type Keeper struct {
	Now      func() time.Time // is called without a lock
	NewTimer func(d time.Duration) Timer

	Progress time.Duration // how long work may report no progress; 0 for ever
	Over     error         // the cause for which contexts end at the deadline
	Stalled  error         // … and when work has reported no progress

	// Overrun, if given, is called of each work that has not returned by the last deadline of its reign, in a goroutine of its own; the loop is told after it.
	Overrun func(*Work)
	// Quiet, if given, is called when work has reported no progress for so long.
	Quiet func(r *Reign, now time.Time, long time.Duration)

	mu     sync.Mutex // is locked before that of a reign
	reigns map[*Reign]struct{}
	next   time.Time     // when it looks again
	kick   chan struct{} // nil while it does not run
}

// keep has it look at a reign too, and in time.
func (k *Keeper) keep(r *Reign) {
	now := k.Now()
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.reigns == nil {
		k.reigns = map[*Reign]struct{}{}
	}
	k.reigns[r] = struct{}{}
	if k.kick == nil {
		k.kick = make(chan struct{}, 1)
		go k.run(k.kick)
		return
	}
	r.mu.Lock()
	due := r.last
	r.mu.Unlock()
	if due.Before(k.next) || k.Progress != 0 && now.Add(k.Progress).Before(k.next) {
		k.kicks()
	}
}

// wake has it look soon.
func (k *Keeper) wake() {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.kicks()
}

// kicks is wake for who holds the lock.
func (k *Keeper) kicks() {
	select {
	case k.kick <- struct{}{}:
	default: // it looks soon, or it does not run
	}
}

// run looks until there is nothing to look at.
func (k *Keeper) run(kick <-chan struct{}) {
	timer := k.NewTimer(policy.MaxTiming)
	defer Release(timer)
	for {
		wait, over := k.look()
		if over {
			return
		}
		timer.Reset(wait)
		select {
		case <-kick:
		case <-timer.C():
		}
	}
}

// look looks at all reigns, and returns how long there is nothing to do.
func (k *Keeper) look() (wait time.Duration, over bool) {
	now := k.Now()
	k.mu.Lock()
	defer k.mu.Unlock()
	wait = policy.MaxTiming
	for r := range k.reigns {
		left, kept := r.look(now)
		if !kept {
			delete(k.reigns, r)
		}
		wait = min(wait, left)
	}
	k.next = now.Add(wait)
	if len(k.reigns) == 0 {
		k.kick = nil
	}
	return wait, k.kick == nil
}

// look ends the reign for its users when its deadline has passed, and ends work that reports no progress. It returns how long it has nothing to do, and
// whether it is to be looked at again.
func (r *Reign) look(now time.Time) (left time.Duration, kept bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(r.works) == 0 || r.expired {
		return policy.MaxTiming, false
	}
	if left = r.last.Sub(now); left > 0 {
		return min(left, r.awaitProgress(now)), true
	}
	r.expire()
	return policy.MaxTiming, false
}

// expire makes the reign over for its users. Who is to know of work that still runs is told before the loop: it may end the process, and then nobody must lead
// before it has.
func (r *Reign) expire() {
	r.expired = true
	r.deadline.Store(nil)
	r.cancel(r.keeper.Over)
	for w := range r.works {
		go func() {
			if r.keeper.Overrun != nil {
				r.keeper.Overrun(w)
			}
			r.hang()
		}()
	}
	r.tell()
}

// hang notes that work still runs after the deadline, and has the loop resign if it had reported no progress.
func (r *Reign) hang() {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.quiet {
		r.hangs = len(r.works) > 0
		r.tell()
	}
}

// awaitProgress ends the contexts of all work, and moves the deadline no more, if one of it has reported no progress for too long. It returns when to look again.
func (r *Reign) awaitProgress(now time.Time) time.Duration {
	k := r.keeper
	if k.Progress == 0 || r.closed {
		return policy.MaxTiming
	}
	next := policy.MaxTiming
	for w := range r.works {
		long := now.Sub(w.began) - time.Duration(w.reported.Load())
		if long >= k.Progress {
			r.quiet = true
			r.cancel(k.Stalled)
			if k.Quiet != nil {
				k.Quiet(r, now, long)
			}
			r.tell()
			return policy.MaxTiming
		}
		next = min(next, k.Progress-long)
	}
	return next
}
