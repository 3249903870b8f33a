package detector

import (
	"fmt"
	"time"
)

// PauseGuard notices that its own node did not run: that the process was stopped, starved of the processor, held up
// by its disk or by the garbage collector, or that the machine was suspended. Such a node finds its timers overdue and
// messages queued. It must not conclude that others were silent; so after a pause, suspicion is put off for a while, in
// which what is queued is taken and the others' next heartbeat arrives. Putting off is always safe (R37, Besides 3), but
// for the leader's quorum: that one is to be given first, and the host should resign.
//
// A pause that is over before the loop's next timer is due goes unnoticed. It does no harm: no timer is overdue, and
// what was queued looks like a burst.
//
// It is Cassandra's guard, but for one thing: Cassandra's loop looks every second and takes a gap above 5 s for a pause.
// Here the loop says when it asked to be woken, so that a pause of some milliseconds shows.
type PauseGuard struct {
	limit, hold time.Duration
	now, wall   time.Time // of the latest turn; zero if there was none
	until       time.Time
}

// NewPauseGuard returns a guard that takes what is longer than limit for a pause, and then puts off suspicion for hold.
// A good limit is the time that a loop may be late by, Timing.Delay of the host; a good hold is twice the heartbeat interval.
// Limit must be above 0 and hold not below; the error is a *ConfigError.
func NewPauseGuard(limit, hold time.Duration) (*PauseGuard, error) {
	if limit <= 0 {
		return nil, &ConfigError{"PauseGuard.limit", fmt.Sprintf("is %v, but must be above 0", limit)}
	}
	if hold < 0 {
		return nil, &ConfigError{"PauseGuard.hold", fmt.Sprintf("is %v, but must not be negative", hold)}
	}
	return &PauseGuard{limit: limit, hold: hold}, nil
}

// Ran notes a turn of the loop. It is called first thing after each wait, before a message is taken or a timer is
// given. Now is the time with its monotonic reading, wall the same by the wall clock alone, which is now.Round(0); due
// is when the loop had asked to be woken at the latest, or the zero time if no timer ran.
//
// It returns how long the node did not run, which is more than the limit, or 0. If the machine was suspended, timers
// have stood still for so long.
func (g *PauseGuard) Ran(now, wall, due time.Time) time.Duration {
	var pause time.Duration
	if !due.IsZero() {
		pause = now.Sub(due)
	}
	if !g.now.IsZero() {
		pause = max(pause, Suspended(now.Sub(g.now), wall.Sub(g.wall), g.limit))
	}
	g.now, g.wall = now, wall
	if pause <= g.limit {
		return 0
	}
	g.until = now.Add(g.hold)
	return pause
}

// Until returns the time before which nobody is to be suspected, and nothing is to be learned from arrivals, because
// of the latest pause: the zero time if there was none.
func (g *PauseGuard) Until() time.Time {
	return g.until
}

// Postpone returns when a suspicion that is due may come: at due, but not before Until.
func (g *PauseGuard) Postpone(due time.Time) time.Time {
	if due.Before(g.until) {
		return g.until
	}
	return due
}

// Suspended returns for how long the machine was suspended between two readings of its clocks, if for longer than
// limit, or else 0. Mono is the time that passed by the monotonic clock, which on Linux and macOS stands still in
// suspension (golang/go#24595), and wall that by the wall clock, which goes on.
//
// Somebody who sets the wall clock forward looks the same: a host then does without need what it does after a
// suspension, and no harm is done. A wall clock set back shows nothing.
func Suspended(mono, wall, limit time.Duration) time.Duration {
	if asleep := wall - mono; asleep > limit {
		return asleep
	}
	return 0
}
