package compare

import "time"

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
