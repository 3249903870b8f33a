package sim

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/seed-fdf591db/bully/spec"
)

// Plan is everything about a run that is not the implementation: the same plan on the same implementation gives the same
// run, to the byte, on any machine. Generate makes one from a seed; a plan that has been shrunk is a file. The order of fields, here
// and in what they are made of, is that of the file.
type Plan struct {
	Seed    uint64        // of every delay, loss and wait that the run draws, at most 2^53-1; each link, disk and node draws from a stream of its own
	Members []spec.NodeID // ascending, 1 to MaxNodes; where members change, all nodes
	Timing  Timing        `line:"field"` // of every host
	Links   Weather       `line:"field"` // of every link, where no fault says otherwise
	Disk    Range         // how long a save takes
	Rates   []float64     // Rates[i] is how many seconds the clock of member i counts in one; none: all 1. Within 1-Drift to 1+Drift they are bounded
	Proofs  bool          // hosts are told truthfully, within a delay, that a member is dead (R41)
	Length  time.Duration // when the faults, all of which have ended, may be said to be over; the time to settle comes after
	Faults  []Fault       `line:"field each"` // in the order of At

	First   []spec.Member `line:"field"` // ascending: the first members, where members change; the other nodes know of none (R49). None: Members are fixed
	Changes []Change      `line:"each"`  // what operators ask for, in the order of At; only where members change
}

// Weather is what a link does to messages.
type Weather struct {
	Delay Range   // how long a message is under way; messages of one link never overtake
	Loss  float64 // the part of messages that is lost, from 0 to 1
}

// Range is a time drawn evenly from Min to Max, both included.
type Range struct{ Min, Max time.Duration }

// Timing is what a host sets timers to (R36, R37).
type Timing struct {
	Delay time.Duration // δ
	Drift float64       // ρ

	Beat, Quorum, Heartbeat, Election, Coordinator, Claim time.Duration

	Preempt time.Duration `never:"yes"` // below 0: never
	Stagger time.Duration
}

// FaultKind names a fault. The set is closed.
type FaultKind string

const (
	// CrashFault crashes Node at At, or in its first step from At on (Cut), and restarts it after For.
	CrashFault FaultKind = "crash"
	// CutFault makes Links carry nothing for For, and loses what is under way on them.
	CutFault FaultKind = "cut"
	// BreakFault loses what is under way on Links, at once, and is over.
	BreakFault FaultKind = "break"
	// WeatherFault gives Links another Weather for For.
	WeatherFault FaultKind = "weather"
	// PauseFault lets Node do nothing for For: its timers run, its messages wait.
	PauseFault FaultKind = "pause"
	// SlowDiskFault makes saves of Node take Disk for For.
	SlowDiskFault FaultKind = "slow-disk"
	// FailDiskFault fails the next save of Node from At on: what was to be saved is on disk if Kept, and the node stops for
	// good. It is restarted after For.
	FailDiskFault FaultKind = "fail-disk"
	// JumpFault lets the clock of Node jump ahead by For, as one does that was suspended and tells nobody.
	JumpFault FaultKind = "jump"
	// EarlyFault ends all timers of Node, whenever they would end.
	EarlyFault FaultKind = "early"
	// DeadFault tells Node that the holder of its lease is dead, true or not.
	DeadFault FaultKind = "dead"
	// ResignFault calls Node to resign.
	ResignFault FaultKind = "resign"
)

// FaultKinds returns every kind of fault.
func FaultKinds() []FaultKind {
	return []FaultKind{CrashFault, CutFault, BreakFault, WeatherFault, PauseFault, SlowDiskFault, FailDiskFault, JumpFault,
		EarlyFault, DeadFault, ResignFault}
}

// Valid reports whether k is one of FaultKinds.
func (k FaultKind) Valid() bool { return slices.Contains(FaultKinds(), k) }

// ofLinks reports whether a fault of this kind befalls links, and not a node.
func (k FaultKind) ofLinks() bool { return k == CutFault || k == BreakFault || k == WeatherFault }

// lasts reports whether a fault of this kind takes time: it is over For after At, or what it did is undone then.
func (k FaultKind) lasts() bool {
	return k == CrashFault || k == CutFault || k == WeatherFault || k == PauseFault || k == SlowDiskFault || k == FailDiskFault
}

// Point is where in a step a crash comes.
type Point int

const (
	// Between is between two steps.
	Between Point = -2
	// BeforeSave is in the next step, before its promise is on disk; if it has none to save, before it is taken.
	BeforeSave Point = -1
	// AfterSave is in the next step, before anything is sent. AfterSave + k is after k messages.
	AfterSave Point = 0
)

// String returns the point as a person would say it: after 2 messages.
func (p Point) String() string {
	switch {
	case p < BeforeSave:
		return "between steps"
	case p == BeforeSave:
		return "before the save"
	case p == AfterSave:
		return "after the save"
	case p == AfterSave+1:
		return "after 1 message"
	}
	return fmt.Sprintf("after %d messages", int(p))
}

// Fault is something that goes wrong. Which fields count, its kind says.
type Fault struct {
	At    time.Duration
	Kind  FaultKind
	Node  spec.NodeID
	Links []spec.Link
	Point Point
	For   time.Duration
	Weather
	Disk Range
	Kept bool
}

// end returns when the fault is over.
func (f *Fault) end() time.Duration {
	if f.Kind.lasts() {
		return f.At + f.For
	}
	return f.At
}

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
	fmt.Fprintf(&b, "  timing  δ %s, ρ %v, beat %s, quorum %s, heartbeat %s, election %s, coordinator %s, claim %s, preempt %s, stagger %s\n",
		t.Delay, t.Drift, t.Beat, t.Quorum, t.Heartbeat, t.Election, t.Coordinator, t.Claim, preempt, t.Stagger)
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

// String returns the weather as a person would say it: 1ms to 5ms, 10% lost.
func (w Weather) String() string {
	if w.Loss == 0 {
		return w.Delay.String()
	}
	return fmt.Sprintf("%s, %.3g%% lost", w.Delay, 100*w.Loss)
}

// String returns the range as a person would say it: 1ms to 5ms, or 3ms.
func (r Range) String() string {
	if r.Min == r.Max {
		return r.Min.String()
	}
	return r.Min.String() + " to " + r.Max.String()
}

// String returns the fault as a person would say it, with its time.
func (f Fault) String() string { return f.At.String() + " " + f.words(0) }

// words says what the fault does in a cluster of n nodes.
func (f *Fault) words(n int) string {
	switch f.Kind {
	case CrashFault:
		return fmt.Sprintf("node %s crashes %s, and restarts %s later", f.Node, f.Point, f.For)
	case CutFault:
		return fmt.Sprintf("%s cut for %s", linkWords(f.Links, n), f.For)
	case BreakFault:
		return linkWords(f.Links, n) + " broken: what is under way is lost"
	case WeatherFault:
		return fmt.Sprintf("%s for %s: %s", linkWords(f.Links, n), f.For, f.Weather)
	case PauseFault:
		return fmt.Sprintf("node %s pauses for %s", f.Node, f.For)
	case SlowDiskFault:
		return fmt.Sprintf("a save of node %s takes %s for %s", f.Node, f.Disk, f.For)
	case FailDiskFault:
		kept := "is not on disk"
		if f.Kept {
			kept = "is on disk"
		}
		return fmt.Sprintf("the next save of node %s fails, and %s; it restarts %s later", f.Node, kept, f.For)
	case JumpFault:
		return fmt.Sprintf("the clock of node %s jumps ahead by %s", f.Node, f.For)
	case EarlyFault:
		return fmt.Sprintf("all timers of node %s end", f.Node)
	case DeadFault:
		return fmt.Sprintf("node %s is told that the holder of its lease is dead", f.Node)
	case ResignFault:
		return fmt.Sprintf("node %s is called to resign", f.Node)
	}
	return string(f.Kind)
}

// linkWords names links of a cluster of n nodes: 1→2 2→1, or all links.
func linkWords(links []spec.Link, n int) string {
	if len(links) == n*(n-1) {
		return "all links"
	}
	var words []string
	for _, l := range links {
		words = append(words, l.From.String()+"→"+l.To.String())
	}
	return strings.Join(words, " ")
}
