package detector

import "time"

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
