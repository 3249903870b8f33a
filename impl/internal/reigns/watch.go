package reigns

import (
	"io"
	"time"

	"github.com/seed-fdf591db/bully/spec/policy"
)

// A Watch reads a clock. It counts the time in which the machine was suspended, which a monotonic clock may not.
type Watch struct {
	Now  policy.Instant // at the last reading
	Read time.Time      // the last reading

	read  func() time.Time
	limit time.Duration // what the wall clock may be ahead by before it shows a suspension
}

// NewWatch returns a watch whose time begins now.
func NewWatch(read func() time.Time, limit time.Duration) *Watch {
	return &Watch{Read: read(), read: read, limit: limit}
}

// Tick reads the clock, and returns for how long the machine was suspended since the last time, or 0: that is in Now, and whoever set
// a timer by the monotonic clock alone sets it anew.
func (w *Watch) Tick() (asleep time.Duration) {
	read := w.read()
	asleep = w.pass(read.Sub(w.Read), read.Round(0).Sub(w.Read.Round(0)))
	w.Read = read
	return asleep
}

// pass notes how much time has passed by the monotonic clock, and by the wall clock. What only the latter has counted is
// time too, if it is more than what setting the clock right would be.
func (w *Watch) pass(mono, wall time.Duration) (asleep time.Duration) {
	mono = max(mono, 0)
	asleep = min(suspended(mono, wall, w.limit), maxAsleep)
	w.Now = w.Now.Add(mono + asleep)
	return asleep
}

// suspended returns for how long the machine was suspended between two readings of its clocks, if for longer than limit, or else 0. Mono is the time that passed by
// the monotonic clock, which on Linux and macOS stands still in suspension (golang/go#24595), and wall that by the wall clock, which goes on.
//
// Somebody who sets the wall clock forward looks the same: a host then does without need what it does after a suspension. A reign may end so before its deadline, for
// which the host sees that nothing comes of it (R39.4). A wall clock set
// back shows nothing.
func suspended(mono, wall, limit time.Duration) time.Duration {
	if asleep := wall - mono; asleep > limit {
		return asleep
	}
	return 0
}

// maxAsleep bounds what one suspension counts for: it is longer than all timers, and 2000 of them do not overflow.
const maxAsleep = 1000 * time.Hour

// At returns the time of an instant.
func (w *Watch) At(i policy.Instant) time.Time { return w.Read.Add(i.After(w.Now)) }

// Timer is what ends after some time: host.Timer is one.
type Timer interface {
	C() <-chan time.Time
	Reset(d time.Duration) bool
	Stop() bool
}

// Release stops a timer for good.
func Release(timer Timer) {
	timer.Stop()
	if c, ok := timer.(io.Closer); ok {
		_ = c.Close()
	}
}

// Guarded is who watches a loop from outside, and is told that it goes round: see host.Guard.
type Guarded interface {
	Turns(now time.Time)                        // a turn begins, or goes on
	Rests(until, now policy.Instant)            // the loop waits, until then at the latest
	RousesBy(now policy.Instant) policy.Instant // when a turn is to begin, though there is nothing to do
	Ends()                                      // the loop ends, which may take its time
}
