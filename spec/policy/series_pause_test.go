package policy

import "time"

// pauseGuard puts suspicion off after a pause of the follower of a test, as impl/host does after its own: what is queued is taken first, and the others' next
// heartbeat arrives. It is the guard of Cassandra's FailureDetector, but for one thing: Cassandra's loop looks every second, and takes a gap above 5 s for a pause.
// Here the loop says when it asked to be woken, so that a pause of some milliseconds shows.
type pauseGuard struct {
	limit, hold time.Duration
	now, wall   time.Time // of the latest turn; zero if there was none
	until       time.Time
}

// ran notes a turn of the loop, which had asked to be woken at due; zero if no timer ran. It returns how long the node did not run, if that is more than the limit, or 0.
func (g *pauseGuard) ran(now, wall, due time.Time) time.Duration {
	var pause time.Duration
	if !due.IsZero() {
		pause = now.Sub(due)
	}
	if !g.now.IsZero() {
		pause = max(pause, wall.Sub(g.wall)-now.Sub(g.now)) // the machine was suspended
	}
	g.now, g.wall = now, wall
	if pause <= g.limit {
		return 0
	}
	g.until = now.Add(g.hold)
	return pause
}

// postpone returns when a suspicion that is due may come: at due, but not before the end of the latest pause.
func (g *pauseGuard) postpone(due time.Time) time.Time {
	if due.Before(g.until) {
		return g.until
	}
	return due
}
