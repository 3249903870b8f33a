// Package sim runs a cluster of nodes of any implementation in simulated time, and holds it to every promise of
// spec/README.md at every step. What goes wrong in a run is a [Plan]: which messages take how long and are lost, which links
// are cut, who crashes at which point of which step, whose disk fails, whose clock is wrong. The same plan on the same
// implementation gives the same run, to the byte, on any machine. This is the loop of a test:
//
//	for seed := range uint64(1000) {
//		plan, err := sim.Generate(seed, 5, sim.SwarmProfile)
//		if err != nil {
//			return err
//		}
//		result, err := sim.Run(&plan, mine.NewNode, sim.Options{})
//		if err != nil {
//			return err // the plan says something that means nothing
//		}
//		if result.Violation != nil {
//			return result.Violation // such as: OneLeaderPerEpoch: nodes 2 and 3 have both led epoch 4
//		}
//	}
//
// Who makes many runs makes a [Runner], which uses its memory again.
//
// # What is checked
//
// At each step of each run: that at most one node leads an epoch (OneLeaderPerEpoch); that no node's epoch goes back, over
// restarts too (EpochMonotonic); that what the node asks its host to save, cancel and arm is what R4 and R36 say; that its
// messages are well formed, in its own name and to members (R33, R34); that its state is one of section 6; that an input
// which is no step changes nothing; that it does not panic, nor drown the others in messages (flood).
//
// While clocks keep ρ, patience outlasts reigns, and no proof of death is false: that no two nodes act as leader at once (OneActing).
//
// While the plan, and what comes of it, stays within the bounds of R37 ([Plan.Timely]): that a leader which reaches a quorum of its
// configuration stops leading only by a call, or because of another node that was eligible at some moment since it asked, and until
// it claimed, and to which somebody has promised the epoch that it claimed: the leader, which hands over to it, or others, of whom it
// learns that epoch (NoDisruption). While no link was ever cut, such a node reaches a quorum still, or is down. And that its reign does not
// end if the same quorum has run, been linked with it in both directions, with no message lost, and been members of its
// configuration, since it asked the question from which the reign is dated.
//
// And at the end, when all faults have been over for [Plan.SettleBound]: that there is one leader, whom everybody follows
// (SomeLeader), and that it is the highest (HighestLeads, if pre-emption is on).
//
// # Members that come and go
//
// A plan with [Plan.First] is of changing members (R42 to R49): the nodes that are not among the first start with
// the empty configuration, and operators ask for [Change]s, each of whoever leads then, again if nothing comes of it, and each
// for the configuration that follows on the one that it has seen. [ChangingProfile] draws such plans.
//
// Then what is said above goes by configurations, and there is more at each step: that no node's
// configuration gets older, over restarts too (ConfigurationMonotonic); that an epoch and a version name one list of members
// (OneConfiguration); that a leader is an elector ([LeaderIsElector]); that what every message of the step carries is the node's own
// configuration (R43), and that it is saved (R42). Wherever it counts who is a member, and of which kind, the model is asked the same,
// and the node must do what it does (R43 to R48): package rules of model says that once. And what is settled holds for good (R47):
// whoever comes to lead a higher epoch has a configuration that follows on every one that a leader of a lower epoch knew a quorum
// to hold.
//
// At the end the newest configuration of a node that runs says who is to lead and to follow, and who has been removed, and knows
// it, is at rest; and every change of which an operator was told that it is settled is in that configuration.
//
// A host calls its node to resign when it leads, and is a witness, and that is settled; it stops it when it is no member of its
// own configuration. A plan may say that such a node runs again, with its old disk; and it does if it is added again, or if it is
// seen after a while to be a member after all, since the change was lost.
//
// # The host of a node
//
// How long timers run (R36, R37) is decided by package spec/policy, which the host of this project runs too: what ships is what is
// simulated. When deaths are proved (R41) and connections come up, and which faults there are, is the simulator's.
package sim

import (
	"cmp"
	"fmt"
	"io"
	"math/bits"
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
	// Notify is told what nodes tell their users (R39), in the order of duty: that a reign is over before any message of
	// that step leaves.
	Notify func(Notification)
}

// Notification is what a node tells its user has changed (R39).
type Notification struct {
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
	// than δ behind saves. OneActing is asked of every plan whose clocks keep ρ, as above.
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
	Settled uint64 // changes of which an operator was told that they are settled
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
	s.Settled += t.Settled
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

// traceBegins is the virtual time 0 of a trace: the beginning of the year 2026, in microseconds since 1970.
const traceBegins = 1_767_225_600_000_000

// tracer writes a trace. A nil tracer writes none.
type tracer struct {
	w     *spec.TraceWriter
	event spec.Event
	err   error
}

func newTracer(p *Plan, o *Options) *tracer {
	if o.Trace == nil {
		return nil
	}
	h := spec.Header{Changing: p.changes(), Members: p.Members, Seed: p.Seed, Commit: cmp.Or(o.Commit, "unknown")}
	return &tracer{w: spec.NewTraceWriter(o.Trace, h)}
}

// writeEvent writes an event with its number and its time, if there is a trace: most runs have none, and make no event.
func (r *Runner) writeEvent(event func() spec.Event) {
	t := r.trace
	if t == nil {
		return
	}
	seq := t.event.Seq + 1
	t.event = event()
	t.event.Seq, t.event.At = seq, traceBegins+uint64(r.net.Now().Microseconds())
	if err := t.w.Write(&t.event); err != nil && t.err == nil {
		t.err = err
	}
}

// cutEvent says which links are cut now.
func (r *Runner) cutEvent() spec.Event {
	var cut []spec.Link
	for i := range r.members {
		for j := range r.members {
			if i != j && r.net.IsCut(i, j) {
				cut = append(cut, spec.Link{From: r.members[i], To: r.members[j]})
			}
		}
	}
	return spec.Event{Action: spec.CutAction, Input: spec.Input{Cut: cut}}
}

// flush ends the trace.
func (t *tracer) flush() error {
	if t == nil {
		return nil
	}
	return cmp.Or(t.err, t.w.Flush())
}

// A digest is over words: multiply and rotate, from FNV's offset basis and prime.
const (
	offsetBasis = 0xcbf29ce484222325
	prime       = 0x100000001b3
)

// digest adds a step to the digest of the run: when it is, whose, which; the state after it, and what is sent.
func (r *Runner) digest(i rank, out *spec.Step) {
	d, v := r.result.Digest, &r.hosts[i].view
	add := func(x uint64) { d = bits.RotateLeft64((d^x)*prime, 29) }
	add(uint64(r.net.Now()))
	add(uint64(uint8(r.in.from))<<56 | uint64(uint8(i))<<48 | uint64(r.in.action)<<40 | uint64(v.role)<<32 |
		uint64(uint8(v.leader))<<24 | uint64(uint8(v.grantee))<<16 | uint64(v.support)<<8 | uint64(len(out.Sent)))
	add(uint64(v.epoch))
	for k := range out.Sent {
		add(uint64(typeOf(out.Sent[k].Type))<<56 ^ uint64(r.to[k])<<60 ^ uint64(out.Sent[k].Epoch))
	}
	if c := &v.configuration; !c.IsNone() {
		add(uint64(c.Epoch))
		add(c.Version)
		add(uint64(v.members)<<16 | uint64(v.electors)<<8 | uint64(v.voters))
	}
	r.result.Digest = d
}
