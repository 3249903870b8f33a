package sim

import (
	"fmt"
	"io"
	"time"

	"github.com/seed-fdf591db/bully/conformance"
	"github.com/seed-fdf591db/bully/spec"
)

// MaxNodes is the greatest number of members that a plan can have.
const MaxNodes = 7

// Options says what a run shows of itself. The zero Options shows nothing.
type Options struct {
	// Trace is where the trace of the run is written (spec, section 14), or nil. Its at is virtual time, after the
	// beginning of the year 2026.
	Trace io.Writer
	// Commit is the version of the program, for the header of the trace; "" is written as "unknown".
	Commit string
	// Observe is told of each input that a node is given, and what comes of it; Want says so, and is Ignored if there was
	// no step. What it is given is used again for the next.
	Observe func(c *conformance.Case)
	// Tell is told what nodes tell their users (R39), in the order of duty: that a reign is over before any message of
	// that step leaves.
	Tell func(Told)
}

// Told is what a node tells its user has changed (R39).
type Told struct {
	At      time.Duration // virtual time
	Node    spec.NodeID
	Leader  spec.NodeID // or none
	Epoch   spec.Epoch  // of the leader, or 0
	Leading bool        // Leader is Node
	Up      bool        // false if the node has gone down, or has stopped for good; true again when it has started
}

// Reign is an epoch and the node that led it.
type Reign struct {
	Epoch  spec.Epoch
	Leader spec.NodeID
}

// Result is what came of a run.
type Result struct {
	Steps    uint64 // of nodes; an input that was ignored is none
	Events   uint64 // of the network: steps, ignored inputs, losses, saves, crashes, faults
	Messages uint64 // that were sent
	Lost     uint64 // of these, for any reason
	// Reigns is in the order in which they began. If there is a Runner, the memory is its own.
	Reigns []Reign
	// Settled is how long after the plan's Length the cluster became as it then stayed; 0 if it was so before.
	Settled time.Duration
	// Bound is how long after the plan's Length it must be so: the plan's SettleBound, but for pre-emptions, of which there have
	// not been so many in vain. 0: nothing is promised.
	Bound time.Duration
	// Timely says that NoDisruption was asked throughout: the plan is timely, and no message and no timer came to wait for longer
	// than δ behind saves. OneActing is asked of every plan that is Steady.
	Timely bool
	Digest uint64 // of all steps: the same plan on the same implementation has the same, on any machine
	Stats  Stats

	Violation *Violation // the promise that was broken, which ended the run, or nil
}

// Stats counts what happened in a run, or in many.
type Stats struct {
	Actions [26]uint64 // by place in spec.Actions
	Ignored uint64     // inputs that were no step
	Saves   uint64     // that were completed
	Torn    uint64     // steps that were not taken: a crash or a failing disk came before the save
	Cut     uint64     // steps of which not all messages left
	Proofs  uint64     // true ones that were given to a node (R41)
	Deposed uint64     // leaders of which NoDisruption was asked
	Stale   uint64     // of these, those deposed by an epoch that is promised to nobody who reaches a quorum still, or is down: links have changed

	// Where members change. How many changes were made says Actions.
	Asked   uint64 // calls to change that reached a node that ran
	Told    uint64 // changes of which an operator was told that they are settled
	Stopped uint64 // nodes that their hosts stopped, because they had been removed
}

// Of returns how often a happened. Of an action that there is none it is 0.
func (s Stats) Of(a spec.Action) uint64 {
	for i, b := range spec.Actions() {
		if a == b {
			return s.Actions[i]
		}
	}
	return 0
}

// Add adds what t counted to s.
func (s *Stats) Add(t *Stats) {
	for i := range s.Actions {
		s.Actions[i] += t.Actions[i]
	}
	s.Ignored += t.Ignored
	s.Saves += t.Saves
	s.Torn += t.Torn
	s.Cut += t.Cut
	s.Proofs += t.Proofs
	s.Deposed += t.Deposed
	s.Stale += t.Stale
	s.Asked += t.Asked
	s.Told += t.Told
	s.Stopped += t.Stopped
}

// Violation is a promise, a rule or a duty that was broken in a run.
type Violation struct {
	Property    spec.Property // such as OneActing; or the rule, such as R36; or panic, or flood
	At          time.Duration // virtual time
	Step        uint64        // how many steps had been taken, this one included
	Seed        uint64        // of the plan
	Explanation string        // who did what
}

var _ error = (*Violation)(nil)

// Error says what was broken, how, and where.
func (v *Violation) Error() string {
	return fmt.Sprintf("%s: %s (seed %d, step %d, at %s)", v.Property, v.Explanation, v.Seed, v.Step, v.At)
}

// Run runs a plan on nodes of newNode. The error says what of the plan is not valid, or that the trace could not be
// written. A promise that is broken ends the run, and is Result.Violation.
func Run(p *Plan, newNode conformance.Maker, o Options) (Result, error) {
	return NewRunner(newNode).Run(p, o)
}
