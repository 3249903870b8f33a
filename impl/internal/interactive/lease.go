package interactive

import (
	"strings"
	"time"

	"github.com/seed-fdf591db/bully/conformance/compare"
	"github.com/seed-fdf591db/bully/impl/internal/algorithms"
	"github.com/seed-fdf591db/bully/spec"
	"github.com/seed-fdf591db/bully/traces/recording"
)

// deadlines is since when a node has each of its deadlines, by their ends.
type deadlines map[time.Duration]time.Duration

// asks notes what a node of ours has asked by its step, and when.
func (s *Run) asks(m *compare.Moment) {
	if m.Node == 0 || m.Out == nil {
		return
	}
	if ours, ok := s.play.View(m.Node).Node.(algorithms.Ours); ok {
		c := ours.Case()
		s.nodes[m.Node-1].asked.Note(&c.Want.State, m.At.Microseconds())
	}
}

// lease returns how long a node may act as leader; nil if it does not, or if nothing bounds it. Ours acts until its reign ends, which is
// dated from a question (R26); who has a lease in a store, until the first deadline of its renewals.
func (s *Run) lease(id int, state *recording.State) *recording.Lease {
	n, deadline := &s.nodes[id-1], s.deadline(id)
	if state.Look != recording.Leads {
		return nil
	}
	if ours, ok := s.play.View(id).Node.(algorithms.Ours); ok {
		c := ours.Case()
		lease := n.asked.Lease(&c.Want.State)
		if due, runs := s.play.Due(id, s.timer(string(spec.ReignTimer))); lease != nil && runs {
			lease.Ends = due.Microseconds()
		}
		return lease
	}
	if deadline < 0 {
		return nil
	}
	return &recording.Lease{Asked: n.leases[deadline].Microseconds(), Ends: deadline.Microseconds()}
}

// deadline returns the first end of a timer that is a deadline, and notes since when each runs; below 0 if none does.
func (s *Run) deadline(id int) (first time.Duration) {
	was, now := s.nodes[id-1].leases, deadlines{}
	first = -1
	for k, name := range s.algorithm.Timers {
		due, runs := s.play.Due(id, compare.Timer(k))
		if !runs || !strings.HasPrefix(name, "deadline") {
			continue
		}
		since, known := was[due]
		if !known {
			since = s.play.Now()
		}
		if now[due] = since; first < 0 || due < first {
			first = due
		}
	}
	s.nodes[id-1].leases = now
	return first
}

// wrote returns what has come to the resource.
func wrote(m *compare.Moment) *recording.Writing {
	w := &recording.Writing{Epoch: m.Epoch, Looked: m.Looked.Microseconds(), Fate: recording.Taken}
	switch {
	case m.Refused:
		w.Fate = recording.Refused
	case m.Stale > 0:
		w.Fate = recording.Stale
	}
	return w
}
