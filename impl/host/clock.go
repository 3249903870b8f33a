package host

import (
	"time"

	"github.com/seed-fdf591db/bully/impl/bully"
	"github.com/seed-fdf591db/bully/spec"
	"github.com/seed-fdf591db/bully/spec/policy"
)

// Clock tells the time.
type Clock interface {
	// Now returns the time, with a monotonic reading if there is a monotonic clock.
	Now() time.Time
	// NewTimer returns a timer that ends after d.
	NewTimer(d time.Duration) Timer
}

// Timer is what a Clock makes; it is that of package time, but for C. One that is an io.Closer is closed when the host
// needs it no more.
type Timer interface {
	// C returns the channel on which the end of the timer is told, once for each NewTimer or Reset.
	C() <-chan time.Time
	// Reset makes the timer end after d. What C held before is gone.
	Reset(d time.Duration) bool
	// Stop makes the timer not end.
	Stop() bool
}

// SystemClock is the clock of package time.
type SystemClock struct{}

// Now implements Clock.
func (SystemClock) Now() time.Time { return time.Now() }

// NewTimer implements Clock.
func (SystemClock) NewTimer(d time.Duration) Timer { return systemTimer{time.NewTimer(d)} }

type systemTimer struct{ *time.Timer }

func (t systemTimer) C() <-chan time.Time { return t.Timer.C }

// KernelClock is a Clock whose timers are the kernel's, where there are such: on Linux they are timerfds, elsewhere those of package
// time. It is for programs that should cost next to nothing while nothing happens.
//
// A timer of package time ends up to a millisecond late, because the runtime waits for the network in whole
// milliseconds; and in that last millisecond a thread of the runtime looks many times whether it is time. A leader whose
// timers end twenty times a second spends half of its processor time on that. The end of a timerfd wakes it like a
// message does.
//
// Tests that make time themselves, as package testing/synctest does, must not use this clock.
type KernelClock struct{ SystemClock }

var _ Clock = KernelClock{}

// NewTimer implements Clock. Where the kernel has no timer to give, it is one of package time. The host closes those that are to be
// closed.
func (c KernelClock) NewTimer(d time.Duration) Timer {
	if t, err := newKernelTimer(d); err == nil {
		return t
	}
	return c.SystemClock.NewTimer(d)
}

// An instant is a moment, by how long the host has run until then. It counts the time in which the machine was suspended.
type instant = policy.Instant

// never is later than all.
const never = policy.Never

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
	names := what.Message.Type == spec.Resign && !what.Message.Names.IsNone()
	s := policy.Step{Began: began, Now: h.watch.Now, Action: out.Action, Names: names, From: h.links.at(what.Message.From), Cancel: out.Cancel,
		Arm: out.Arm, Sent: out.Send, Role: h.state.Role, Leader: h.links.at(h.state.Leader), Latest: h.state.Latest, Dated: out.Dated}
	if h.state.Role == spec.Follower && h.state.Leader == what.Message.From && out.Arm.Has(spec.PatienceTimer) && !h.state.Leader.IsNone() {
		s.Patience = h.detector.heard(h.state.Leader, h.watch.Read)
	}
	h.policy.Follow(&s)
}
