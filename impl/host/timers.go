package host

import (
	"io"
	"time"

	"github.com/seed-fdf591db/bully/impl/bully"
	"github.com/seed-fdf591db/bully/impl/detector"
	"github.com/seed-fdf591db/bully/spec"
	"github.com/seed-fdf591db/bully/spec/policy"
)

// An instant is a moment, by how long the host has run until then. It counts the time in which the machine was suspended.
type instant = policy.Instant

// never is later than all.
const never = policy.Never

// A watch reads the clock.
type watch struct {
	clock Clock
	limit time.Duration // what the wall clock may be ahead by before it shows a suspension
	now   instant       // at the last reading
	read  time.Time     // the last reading
}

func newWatch(clock Clock, limit time.Duration) *watch {
	return &watch{clock: clock, limit: limit, read: clock.Now()}
}

// tick reads the clock, and reports whether the machine was suspended since the last time.
func (w *watch) tick() (suspended bool) {
	read := w.clock.Now()
	suspended = w.pass(read.Sub(w.read), read.Round(0).Sub(w.read.Round(0)))
	w.read = read
	return suspended
}

// pass notes how much time has passed by the monotonic clock, and by the wall clock. What only the latter has counted is
// time too, if it is more than what setting the clock right would be.
func (w *watch) pass(mono, wall time.Duration) (suspended bool) {
	mono = max(mono, 0)
	asleep := detector.Suspended(mono, wall, w.limit)
	w.now = w.now.Add(mono + min(asleep, maxAsleep))
	return asleep > 0
}

// maxAsleep bounds what one suspension counts for: it is longer than all timers, and 2000 of them do not overflow.
const maxAsleep = 1000 * time.Hour

// at returns the time of an instant.
func (w *watch) at(i instant) time.Time { return w.read.Add(i.After(w.now)) }

// An alarm wakes the loop when the first timer ends. It is one timer of the clock's for all of the node's, and is set
// anew only if it would ring too late: a heartbeat that puts patience off costs nothing.
type alarm struct {
	timer Timer
	set   instant // when it rings; never if it does not
}

func newAlarm(clock Clock) *alarm {
	a := &alarm{timer: clock.NewTimer(policy.MaxTiming), set: never}
	a.timer.Stop()
	return a
}

// release stops a timer for good.
func release(timer Timer) {
	timer.Stop()
	if c, ok := timer.(io.Closer); ok {
		_ = c.Close()
	}
}

// ringBy makes the alarm ring at the given time, or before.
func (a *alarm) ringBy(due, now instant) {
	if due.Before(a.set) || a.set.Before(now) { // in the past it has rung, or the clock has jumped
		a.timer.Reset(max(due.After(now), 0))
		a.set = due
	}
}

// rang notes that it has rung.
func (a *alarm) rang() { a.set = never }

// setTimers arms, restarts and cancels timers after a step that began then (R36). Claims and reigns run from there; patience runs from
// after the step, and the clock was read before what the node has taken came.
func (h *Host) setTimers(began instant, what spec.Input, out *bully.Output) {
	if out.Arm.Has(spec.PatienceTimer) || out.Arm.Has(spec.CoordinatorTimer) {
		h.tick()
	}
	s := policy.Step{Began: began, Now: h.watch.now, Action: out.Action, From: h.links.at(what.Message.From), Cancel: out.Cancel,
		Arm: out.Arm, Sent: out.Send, Role: h.state.Role, Leader: h.links.at(h.state.Leader), Latest: h.state.Latest, Dated: out.Dated}
	if h.state.Role == spec.Follower && h.state.Leader == what.Message.From && out.Arm.Has(spec.PatienceTimer) && !h.state.Leader.IsNone() {
		s.Patience = h.detector.heard(h.state.Leader, h.watch.read)
	}
	h.policy.Follow(&s)
}
