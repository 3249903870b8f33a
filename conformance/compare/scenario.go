package compare

import (
	"fmt"
	"slices"
	"time"
)

// Scenario is what happens to the nodes.
type Scenario struct {
	Name   string
	Nodes  int           // from 1 to 101
	Length time.Duration // of the run
	Timing Timing
	Delay  Range         // how long messages are under way; 1 ms if zero
	Loss   float64       // the part of messages that is lost, from 0 to 1
	Disk   Range         // how long a save takes
	Rates  []float64     // how many seconds the clock of each node counts in one; nil if all are right
	Order  []int         // of the nodes in a ring; nil: 1 to Nodes
	Work   time.Duration // how often a leader writes to the resource; 0: never
	Faults []Fault
	// Quiet ends the run as soon as nothing that belongs to an election is under way, all nodes that run follow one leader,
	// and a fault has happened.
	Quiet bool
}

// Range is a time drawn evenly from Min to Max, both included.
type Range struct{ Min, Max time.Duration }

// WriteDelay is how long a write takes from the moment in which a leader looks whether it leads.
const WriteDelay = time.Millisecond

// FaultKind says what goes wrong.
type FaultKind string

const (
	Crash FaultKind = "crash" // Node crashes, and restarts after For, or never if that is 0
	Pause FaultKind = "pause" // Node does nothing for For: its timers run, its messages wait
	Cut   FaultKind = "cut"   // Links carry nothing for For, or ever again if that is 0
	Slow  FaultKind = "slow"  // Links have another Delay and Loss for For, or ever after if that is 0
	// Suspect tells Node that its leader is dead, right or wrong. To an algorithm whose followers keep leases, a suspicion that
	// is wrong is a timer that ends before its bound.
	Suspect FaultKind = "suspect"
)

// Leader, in place of a node in a fault, is whoever leads when the fault begins: of many, the one that has begun last.
// If nobody leads, the fault waits until somebody does.
const Leader = -1

// Lowest, at an end of a link, is the lowest node that does not lead when the fault begins.
const Lowest = -2

// Fault is something that goes wrong.
type Fault struct {
	Kind  FaultKind
	At    time.Duration
	For   time.Duration
	Node  int    // an id, or Leader; of a crash, a pause, a suspicion
	Links []Link // of a cut or slow links
	Aside int    // of a cut, instead of Links: it parts the leader, and so many of the lowest other nodes, from all else; 0: by Links
	Delay Range
	Loss  float64
}

// Link is the direction from one node to another. 0 is any node or server; Leader and Lowest are found when the fault begins.
type Link struct{ From, To int }

// Between returns the links in both directions between two nodes.
func Between(a, b int) []Link { return []Link{{a, b}, {b, a}} }

// MaxNodes is the greatest number of nodes of a scenario.
const MaxNodes = 101

// Validate says what of a scenario cannot be, and where.
func (s *Scenario) Validate() error {
	wrong := func(field, format string, args ...any) error {
		return fmt.Errorf("compare: scenario %q: %s: %s", s.Name, field, fmt.Sprintf(format, args...))
	}
	t := &s.Timing
	switch {
	case s.Nodes < 1 || s.Nodes > MaxNodes:
		return wrong("Nodes", "%d is not from 1 to %d", s.Nodes, MaxNodes)
	case s.Length <= 0:
		return wrong("Length", "%s is not above 0", s.Length)
	case s.Work < 0:
		return wrong("Work", "%s is below 0", s.Work)
	case s.Loss < 0 || s.Loss > 1:
		return wrong("Loss", "%g is not from 0 to 1", s.Loss)
	case !s.Delay.valid() || !s.Disk.valid():
		return wrong("Delay and Disk", "a range goes from Min, 0 or above, to Max")
	case s.Rates != nil && len(s.Rates) != s.Nodes:
		return wrong("Rates", "there are %d for %d nodes", len(s.Rates), s.Nodes)
	case slices.ContainsFunc(s.Rates, func(r float64) bool { return !(r > 0) }):
		return wrong("Rates", "a clock that does not go forward")
	case t.Delay <= 0 || t.Heartbeat <= 0 || t.Patience <= t.Heartbeat || t.TTL <= t.Heartbeat || t.Cooldown < 0:
		return wrong("Timing", "Delay and Heartbeat are above 0, Patience and TTL above Heartbeat, and Cooldown is not below 0")
	}
	if sorted := slices.Sorted(slices.Values(s.order())); !slices.Equal(sorted, ascending(s.Nodes)) {
		return wrong("Order", "%v does not have each of 1 to %d once", s.Order, s.Nodes)
	}
	for k := range s.Faults {
		if problem := s.Faults[k].problem(s); problem != "" {
			return wrong(fmt.Sprintf("Faults[%d]", k), "%s", problem)
		}
	}
	return nil
}

func (r Range) valid() bool { return r.Min >= 0 && r.Min <= r.Max }

// order returns the ids as they stand in a ring.
func (s *Scenario) order() []int {
	if s.Order == nil {
		return ascending(s.Nodes)
	}
	return s.Order
}

func ascending(n int) (list []int) {
	for i := range n {
		list = append(list, i+1)
	}
	return list
}

// problem says what of a fault cannot be. It may name one id beyond those of the nodes: a server, if there is one.
func (f *Fault) problem(s *Scenario) string {
	switch {
	case f.At < 0 || f.At > s.Length || f.For < 0:
		return fmt.Sprintf("At is %s and For %s: a fault begins within the run, and takes no less than no time", f.At, f.For)
	case !slices.Contains([]FaultKind{Crash, Pause, Cut, Slow, Suspect}, f.Kind):
		return fmt.Sprintf("there is no kind %q", f.Kind)
	case f.Aside < 0 || f.Aside >= s.Nodes || f.Aside > 0 && (f.Kind != Cut || len(f.Links) > 0):
		return fmt.Sprintf("Aside is %d: it is of a cut without Links, and of fewer than all nodes", f.Aside)
	case (f.Kind == Cut || f.Kind == Slow) != (len(f.Links) > 0 || f.Aside > 0):
		return fmt.Sprintf("links are cut or slow, and nothing else; it has %d links and is of kind %s", len(f.Links), f.Kind)
	case f.Kind == Pause && f.For == 0:
		return "a pause takes some time: For is 0"
	case f.Kind == Slow && (!f.Delay.valid() || f.Loss < 0 || f.Loss > 1):
		return "Delay goes from Min, 0 or above, to Max, and Loss from 0 to 1"
	case !f.ofLinks() && f.Node != Leader && (f.Node < 1 || f.Node > s.Nodes+1):
		return fmt.Sprintf("there is no node %d", f.Node)
	}
	for _, l := range f.Links {
		if min(l.From, l.To) < Lowest || max(l.From, l.To) > s.Nodes+1 || l.From == l.To && l.From > 0 {
			return fmt.Sprintf("there is no link from %d to %d", l.From, l.To)
		}
	}
	return ""
}

// Isolate returns the links, in both directions, between some nodes and all others and the server, of so many nodes.
func Isolate(nodes int, some ...int) (links []Link) {
	for _, a := range some {
		for b := 1; b <= nodes+1; b++ {
			if !slices.Contains(some, b) {
				links = append(links, Between(a, b)...)
			}
		}
	}
	return links
}

// Every returns faults that are like f, at times from first on, as often as they begin before end.
func Every(f Fault, first, each, end time.Duration) (faults []Fault) {
	for at := first; at < end; at += each {
		f.At = at
		faults = append(faults, f)
	}
	return faults
}
