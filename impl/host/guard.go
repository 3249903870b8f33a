package host

import (
	"time"

	"github.com/seed-fdf591db/bully/impl/internal/reigns"
	"github.com/seed-fdf591db/bully/spec/policy"
)

// Guard is who watches this process from outside, and is told by the loop of a host that it goes round: a guard (bully run -guard, bully
// guard), which kills the process when it hangs, so that the others need not wait for patience to end; systemd (Type=notify,
// WatchdogSec); or both. [FindGuard] finds them. It belongs to one host.
//
// What is told is that the loop has begun a turn, or when at the latest it will, or that it waits for its disk, which may take its time.
// Telling never waits for whoever is told.
type Guard struct {
	// Lasting says that the process outlasts its host, and runs another with the same Guard when that has ended: systemd is not told that it stops.
	Lasting bool

	account *GuardStatus // or nil: there is no guard
	bell    bell
	systemd systemd
	ring    ring
}

// GuardStatus is what a guard has told this process at its start.
type GuardStatus struct {
	Guard    int       `json:"guard"`          // the process id of the guard
	Kills    int       `json:"kills"`          // of this node by its guard, since that began
	Restarts int       `json:"restarts"`       // after these, and after deaths by a signal of somebody else
	Last     string    `json:"last,omitempty"` // why it had died the last time
	At       time.Time `json:"at,omitzero"`    // and when

	// Stopped says that the guard itself is stopped (SIGSTOP, a debugger): it kills nobody until it goes on. It is looked at when it is asked.
	Stopped bool `json:"stopped,omitempty"`
}

// ring says when a guard is to look, if nothing more is told: it begins to look after first, and then every so often.
type ring struct{ first, every time.Duration }

// ringOf returns when a guard is to look: a loop that is well gets round in less than Delay. One and a half of it later the guard begins to
// look whether the process is only kept from running, and in the end of the second Delay it is sure that it is not.
func ringOf(t *Timing) ring { return ring{first: t.Delay + t.Delay/2, every: t.Delay / 4} }

// Status returns what its guard has told, and whether that is stopped now; or nil if there is no guard.
func (g *Guard) Status() *GuardStatus {
	if g == nil || g.account == nil {
		return nil
	}
	now := *g.account
	now.Stopped = isStopped(now.Guard)
	return &now
}

// Stays tells systemd that this process is well, while no host runs that does: as it waits for members, or for a program. Whoever waits
// calls it about once a second.
func (g *Guard) Stays() {
	if g != nil {
		g.systemd.alive(time.Now())
	}
}

// Loop is for the loop of package groups, which has a guard as that of a host has. It belongs to one of both.
func (g *Guard) Loop(t *Timing) reigns.Guarded {
	g.begin(t)
	return guarded{g}
}

// guarded is a Guard, for the loop of another package.
type guarded struct{ *Guard }

func (g guarded) Turns(now time.Time)                 { g.turns(now) }
func (g guarded) Rests(until, now instant)            { g.rests(until, now) }
func (g guarded) RousesBy(now instant) policy.Instant { return g.rousesBy(now) }
func (g guarded) Ends()                               { g.ends() }

// begin notes the timing of the host.
func (g *Guard) begin(t *Timing) {
	if g != nil {
		g.ring = ringOf(t)
	}
}

// turns tells that the loop begins a turn, which is to be a short one.
func (g *Guard) turns(now time.Time) {
	if g != nil {
		g.bell.set(g.ring.first, g.ring.every)
		g.systemd.alive(now)
	}
}

// rests tells that the loop waits, until then at the latest.
func (g *Guard) rests(until, now instant) {
	if g == nil {
		return
	}
	if until == never {
		g.bell.stop()
		return
	}
	g.bell.set(g.ring.first+max(until.After(now), 0), g.ring.every)
}

// rousesBy returns when the loop is to begin a turn, though it has nothing to do, if it begins to wait now.
func (g *Guard) rousesBy(now instant) instant {
	if g == nil {
		return never
	}
	return min(g.bell.rouses(now, g.ring), g.systemd.rouses(now))
}

// mayStandStill tells that the loop waits for something, a disk or work, which may take its time, until it turns or rests.
func (g *Guard) mayStandStill() {
	if g != nil {
		g.bell.stop()
	}
}

// ends tells that the host ends, which may take its time too.
func (g *Guard) ends() {
	if g != nil {
		g.bell.stop()
		if !g.Lasting {
			g.systemd.ends()
		}
	}
}
