package host

import "time"

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
