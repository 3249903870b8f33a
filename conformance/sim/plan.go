package sim

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/seed-fdf591db/bully/conformance/sim/simnet"
	"github.com/seed-fdf591db/bully/spec"
)

// Plan is everything about a run that is not the implementation: the same plan on the same implementation gives the same
// run, to the byte, on any machine. Generate makes one from a seed; a plan that has been shrunk is a file. The order of fields, here
// and in what they are made of, is that of the file.
type Plan struct {
	Seed    uint64        // of every delay, loss and wait that the run draws, at most 2^53-1; each link, disk and node draws from a stream of its own
	Members []spec.NodeID // ascending, 1 to MaxNodes; where members change, all nodes
	Timing  Timing        `line:"field"` // of every host
	Links   Conditions    `line:"field"` // of every link, where no fault says otherwise
	Disk    Range         // how long a save takes
	Rates   []float64     // Rates[i] is how many seconds the clock of member i counts in one; none: all 1. Within 1-Drift to 1+Drift they are bounded
	Proofs  bool          // hosts are told truthfully, within a delay, that a member is dead (R41), and to whom they are connected
	Length  time.Duration // when the faults, all of which have ended, may be said to be over; the time to settle comes after
	Faults  []Fault       `line:"field each"` // in the order of At

	First   []spec.Member `line:"field"` // ascending: the first members, where members change; the other nodes know of none (R49). None: Members are fixed
	Changes []Change      `line:"each"`  // what operators ask for, in the order of At; only where members change
}

// What a link does to messages, and a time that is drawn, are those of the network.
type (
	Conditions = simnet.Conditions
	Range      = simnet.Range
)

// Clone returns a copy of p that shares no memory with it.
func (p *Plan) Clone() Plan {
	q := *p
	q.Members, q.Rates, q.Faults = slices.Clone(p.Members), slices.Clone(p.Rates), slices.Clone(p.Faults)
	q.First, q.Changes = slices.Clone(p.First), slices.Clone(p.Changes)
	for i := range q.Faults {
		q.Faults[i].Links = slices.Clone(q.Faults[i].Links)
	}
	return q
}

// String returns the plan as a timeline for people: what holds throughout, then a line for each fault and change.
func (p *Plan) String() string {
	var b strings.Builder
	t := &p.Timing
	preempt := t.Preempt.String()
	if t.Preempt < 0 {
		preempt = "never"
	}
	fmt.Fprintf(&b, "%d nodes %s, seed %d, faults until %s\n", len(p.Members), p.Members, p.Seed, p.Length)
	fmt.Fprintf(&b, "  timing  δ %s, ρ %v, heartbeat %s, reign %s, patience %s, election %s, coordinator %s, claim %s, preempt %s, stagger %s, settle %s\n",
		t.Delay, t.Drift, t.Heartbeat, t.Reign, t.Patience, t.Election, t.Coordinator, t.Claim, preempt, t.Stagger, t.Defer)
	fmt.Fprintf(&b, "  links   %s; a save takes %s", p.Links, p.Disk)
	if p.Rates != nil {
		fmt.Fprintf(&b, "; rates of clocks %v", p.Rates)
	}
	if p.Proofs {
		b.WriteString("; deaths are proved")
	}
	b.WriteByte('\n')
	if p.changes() {
		fmt.Fprintf(&b, "  first   %s\n", p.configuration())
	}
	faults, changes := p.Faults, p.Changes
	for len(faults)+len(changes) > 0 {
		if len(changes) == 0 || len(faults) > 0 && faults[0].At <= changes[0].At {
			fmt.Fprintf(&b, "%12s  %s\n", faults[0].At, faults[0].words(len(p.Members)))
			faults = faults[1:]
		} else {
			fmt.Fprintf(&b, "%12s  %s\n", changes[0].At, changes[0].words())
			changes = changes[1:]
		}
	}
	return b.String()
}
