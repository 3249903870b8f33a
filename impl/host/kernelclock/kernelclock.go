// Package kernelclock is a clock for package host whose timers are the kernel's, where there are such: on Linux they are
// timerfds, elsewhere those of package time. It is for programs that should cost next to nothing while nothing happens:
//
//	node, err := host.New(host.Config{ID: me, Members: members, Storage: store, Transport: links, Clock: kernelclock.New()})
//
// A timer of package time ends up to a millisecond late, because the runtime waits for the network in whole
// milliseconds; and in that last millisecond a thread of the runtime looks many times whether it is time. A leader whose
// timers end twenty times a second spends half of its processor time on that. The end of a timerfd wakes it like a
// message does.
//
// Tests that make time themselves, as package testing/synctest does, must not use this clock.
package kernelclock

import (
	"time"

	"github.com/seed-fdf591db/bully/impl/host"
)

// Clock is a host.Clock. Its time is that of package time.
type Clock struct{ host.SystemClock }

var _ host.Clock = Clock{}

// New returns the clock.
func New() Clock { return Clock{} }

// NewTimer returns a timer that ends after d. Where the kernel has none to give, it is one of package time. The host
// closes those that are to be closed.
func (c Clock) NewTimer(d time.Duration) host.Timer {
	if t, err := newKernelTimer(d); err == nil {
		return t
	}
	return c.SystemClock.NewTimer(d)
}
