package host

import (
	"slices"
	"sync"
	"time"

	"github.com/seed-fdf591db/bully/impl/internal/reigns"
	"github.com/seed-fdf591db/bully/spec/policy"
)

// Guard is who watches this process from outside, and is told by the loop of a host that it goes round: a guard (bully run -guard, bully
// guard), which kills the process when it hangs, so that the others need not wait for patience to end; systemd (Type=notify,
// WatchdogSec); or both. [FindGuard] finds them. It belongs to one host, or to one node of package groups, all of whose loops are to go round.
//
// What is told is that the loop has begun a turn, or when at the latest it will, or that it waits for its disk, which may take its time.
// Telling never waits for whoever is told.
type Guard struct {
	// Lasting says that the process outlasts its host, and runs another with the same Guard when that has ended: systemd is not told that it stops.
	Lasting bool

	account *GuardStatus // or nil: there is no guard

	mu      sync.Mutex
	bell    bell
	systemd systemd
	ring    ring
	loops   []*watched
	rings   time.Time // when the bell rings; zero if it does not
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
		g.mu.Lock()
		defer g.mu.Unlock()
		g.systemd.alive(time.Now())
	}
}

// Loop is for the loop of package groups, which has a guard as that of a host has. It belongs to one of both.
func (g *Guard) Loop(t *Timing) reigns.Guarded { return guarded{g.watch(t)} }

// guarded is a loop of another package.
type guarded struct{ *watched }

func (g guarded) Turns(now time.Time)                 { g.turns(now) }
func (g guarded) Rests(until, now instant)            { g.rests(until, now) }
func (g guarded) RousesBy(now instant) policy.Instant { return g.rousesBy(now) }
func (g guarded) Ends()                               { g.ends() }

// watched is a loop that is to go round. The bell rings for the first that is late: what the others tell does not put it off.
type watched struct {
	of  *Guard
	due time.Time // when it is to have told again; zero if it may take its time
}

// watch returns what a loop is to tell, or nil if nobody watches.
func (g *Guard) watch(t *Timing) *watched {
	if g == nil {
		return nil
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.ring = ringOf(t); len(g.loops) == 0 {
		g.bell.stop() // whatever it was set to
	}
	w := &watched{of: g}
	g.loops = append(g.loops, w)
	return w
}

// setBell has the bell ring when the first loop is late. One that is late already is not put off.
func (g *Guard) setBell() {
	var first time.Time
	for _, w := range g.loops {
		if !w.due.IsZero() && (first.IsZero() || w.due.Before(first)) {
			first = w.due
		}
	}
	if first.Equal(g.rings) {
		return
	}
	if g.rings = first; first.IsZero() {
		g.bell.stop()
	} else {
		g.bell.set(time.Until(first), g.ring.every)
	}
}

// tell tells when a loop is to be heard again; zero is whenever it likes.
func (w *watched) tell(due time.Time) {
	w.due = due
	w.of.setBell()
}

// turns tells that the loop begins a turn, which is to be a short one. Systemd hears that all is well only while no other loop is late.
func (w *watched) turns(now time.Time) {
	if w == nil {
		return
	}
	w.of.mu.Lock()
	defer w.of.mu.Unlock()
	clock := time.Now()
	w.tell(clock.Add(w.of.ring.first))
	if !slices.ContainsFunc(w.of.loops, func(o *watched) bool { return !o.due.IsZero() && o.due.Before(clock) }) {
		w.of.systemd.alive(now)
	}
}

// rests tells that the loop waits, until then at the latest.
func (w *watched) rests(until, now instant) {
	switch {
	case w == nil:
	case until == never:
		w.mayStandStill()
	default:
		w.of.mu.Lock()
		defer w.of.mu.Unlock()
		w.tell(time.Now().Add(w.of.ring.first + max(until.After(now), 0)))
	}
}

// rousesBy returns when the loop is to begin a turn, though it has nothing to do, if it begins to wait now.
func (w *watched) rousesBy(now instant) instant {
	if w == nil {
		return never
	}
	w.of.mu.Lock()
	defer w.of.mu.Unlock()
	return min(w.of.bell.rouses(now, w.of.ring), w.of.systemd.rouses(now))
}

// mayStandStill tells that the loop waits for something, a disk or work, which may take its time, until it turns or rests.
func (w *watched) mayStandStill() {
	if w != nil {
		w.of.mu.Lock()
		defer w.of.mu.Unlock()
		w.tell(time.Time{})
	}
}

// ends tells that the loop ends, which may take its time too.
func (w *watched) ends() {
	if w == nil {
		return
	}
	w.of.mu.Lock()
	defer w.of.mu.Unlock()
	w.tell(time.Time{})
	w.of.loops = slices.DeleteFunc(w.of.loops, func(o *watched) bool { return o == w })
	if !w.of.Lasting {
		w.of.systemd.ends()
	}
}
