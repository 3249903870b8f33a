package host

import (
	"slices"
	"sync/atomic"
	"time"

	"github.com/seed-fdf591db/bully/impl/bully"
	"github.com/seed-fdf591db/bully/spec"
)

// Counters are what a host has counted.
type Counters struct {
	Steps       uint64                      `json:"steps"`
	Actions     map[spec.Action]uint64      `json:"actions"` // steps, by what was done; all that a running node can do
	Ignored     map[bully.Cause]uint64      `json:"ignored"` // inputs that made no step (R33, R34, R35); all causes
	Sent        map[spec.MessageType]uint64 `json:"sent"`    // handed to the transport; all types
	Received    map[spec.MessageType]uint64 `json:"received"`
	Saves       uint64                      `json:"saves"`
	SavedWithin map[time.Duration]uint64    `json:"saved_within_ns"` // of these, those that took at most so long; always the same bounds
	SaveTime    time.Duration               `json:"save_time_ns"`    // what all of them took
	SlowSaves   uint64                      `json:"slow_saves"`      // of these, those that took the disk longer than Timing.Delay
	Changes     uint64                      `json:"changes"`         // how often who leads, or in which epoch, has changed
	Pauses      uint64                      `json:"pauses"`          // how often the loop was held up for longer than Timing.Delay
	Quiets      uint64                      `json:"quiets"`          // how often work has reported no progress, and the node has resigned
	TraceErrors uint64                      `json:"trace_errors"`    // events that could not be recorded
	Unbelieved  uint64                      `json:"unbelieved"`      // messages of nodes that are no members, and claim that there are newer ones
	LostDisks   uint64                      `json:"lost_disks"`      // how often another node did not remember what it has said
}

// counters count without a lock: the loop adds, and Status reads.
type counters struct {
	slowSaves, changes, pauses, quiets, traceErrors, lostDisks, unbelieved atomic.Uint64
	saves                                                                  saveTimes
	actions                                                                map[spec.Action]*atomic.Uint64 // not changed once made, as the others
	ignored                                                                map[bully.Cause]*atomic.Uint64
	sent, received                                                         map[spec.MessageType]*atomic.Uint64
}

func newCounters() *counters {
	return &counters{actions: zeros(actions()), ignored: zeros(bully.Causes()), sent: zeros(spec.MessageTypes()), received: zeros(spec.MessageTypes())}
}

// actions returns what a running node can do: a crash is seen by nobody.
func actions() []spec.Action {
	return slices.DeleteFunc(spec.Actions(), func(a spec.Action) bool { return !a.OfNode() || a == spec.CrashAction })
}

func zeros[K comparable](keys []K) map[K]*atomic.Uint64 {
	m := make(map[K]*atomic.Uint64, len(keys))
	for _, k := range keys {
		m[k] = new(atomic.Uint64)
	}
	return m
}

// count adds one for k; what is no key is not counted.
func count[K comparable](m map[K]*atomic.Uint64, k K) {
	if n := m[k]; n != nil {
		n.Add(1)
	}
}

func (c *counters) read() Counters {
	all := Counters{
		SlowSaves: c.slowSaves.Load(), Changes: c.changes.Load(), Pauses: c.pauses.Load(), Quiets: c.quiets.Load(), TraceErrors: c.traceErrors.Load(),
		LostDisks: c.lostDisks.Load(), Unbelieved: c.unbelieved.Load(),
		Actions: load(c.actions), Ignored: load(c.ignored), Sent: load(c.sent), Received: load(c.received),
	}
	for _, n := range all.Actions {
		all.Steps += n
	}
	all.Saves, all.SavedWithin, all.SaveTime = c.saves.read()
	return all
}

func load[K comparable](m map[K]*atomic.Uint64) map[K]uint64 {
	values := make(map[K]uint64, len(m))
	for k, n := range m {
		values[k] = n.Load()
	}
	return values
}

// What saves are sorted by: from 50 µs, which only memory is faster than, by doubling, to 1.6 s, which no profile waits for.
const (
	fastestSave = 50 * time.Microsecond
	saveBounds  = 16
)

// saveTimes counts saves, by how long they took.
type saveTimes struct {
	up   [saveBounds + 1]atomic.Uint64 // to a bound, and not to the one before; at last those that took longer than all
	time atomic.Int64
}

func (s *saveTimes) add(took time.Duration) {
	i, bound := 0, fastestSave
	for i < saveBounds && took > bound {
		i, bound = i+1, 2*bound
	}
	s.up[i].Add(1)
	s.time.Add(int64(took))
}

func (s *saveTimes) read() (all uint64, within map[time.Duration]uint64, took time.Duration) {
	within, bound := make(map[time.Duration]uint64, saveBounds), fastestSave
	for i := range s.up {
		all += s.up[i].Load()
		if i < saveBounds {
			within[bound] = all
			bound *= 2
		}
	}
	return all, within, time.Duration(s.time.Load())
}
