package policy

import (
	"time"

	"github.com/seed-fdf591db/bully/spec"
)

// An Instant is a moment, by how long the clock of a host has counted until then. Time in which its machine was suspended
// counts too, which a monotonic clock may leave out (R37, Besides 4).
type Instant time.Duration

// Add returns the instant d later.
func (i Instant) Add(d time.Duration) Instant { return i + Instant(d) }

// After returns how long after j i is.
func (i Instant) After(j Instant) time.Duration { return time.Duration(i - j) }

// Before reports whether i is before j.
func (i Instant) Before(j Instant) bool { return i < j }

// Never is later than all.
const Never = Instant(1<<63 - 1)

// Timer is a timer of a node, by its place in spec.Timers.
type Timer int

// The timers, in the order of spec.Timers.
const (
	PatienceTimer Timer = iota
	ElectionTimer
	CoordinatorTimer
	ClaimTimer
	ReignTimer
	HeartbeatTimer
	PreemptTimer
	TimerCount
)

var names = spec.Timers()

// Name returns the name of a timer.
func (t Timer) Name() spec.Timer { return names[t] }

// Urgent returns the timers whose ends go before any message, in the order in which they are given if several are due: those that end
// what the node does as leader or claimant (R37, Besides 3).
func Urgent() [3]Timer { return [...]Timer{ReignTimer, ClaimTimer, HeartbeatTimer} }

// Patient returns the timers that wait for messages, and whose ends go after those that there are, in the order in which they
// are given if several are due.
func Patient() [4]Timer {
	return [...]Timer{ElectionTimer, CoordinatorTimer, PatienceTimer, PreemptTimer}
}

// in reports whether t is in a set.
func (t Timer) in(s spec.TimerSet) bool { return s>>t&1 == 1 }

// Ends says when each timer ends: Never, if it does not run. One that was cancelled or restarted leaves nothing behind, so its
// old end cannot be given (R36).
type Ends [TimerCount]Instant

// First returns when the first of all timers ends.
func (e *Ends) First() Instant {
	first := Never
	for _, end := range e {
		first = min(first, end)
	}
	return first
}

// Others returns the timers whose ends are others in due.
func (e *Ends) Others(due *Ends) (timers spec.TimerSet) {
	for t := range e {
		if e[t] != due[t] {
			timers |= 1 << t
		}
	}
	return timers
}

// Sooner moves the end of a timer that runs, but not to a later time.
func (e *Ends) Sooner(t Timer, end Instant) {
	if e[t] != Never {
		e[t] = min(e[t], end)
	}
}

// later moves the end of a timer that runs, but not to an earlier time.
func (e *Ends) later(t Timer, end Instant) { e[t] = max(e[t], end) }
