package compare

import (
	"time"

	"github.com/seed-fdf591db/bully/conformance/sim/simnet"
	"github.com/seed-fdf591db/bully/spec/policy"
)

// Algorithm is an election algorithm, in one of its variants.
type Algorithm struct {
	Name     string   // such as "textbook" or "raft-plain"; small letters, digits and hyphens
	Title    string   // as people call it, such as "Raft without pre-vote"
	Servers  int      // how many servers it needs beside the nodes
	MaxNodes int      // how many nodes it can have; 0: as many as a scenario
	Timers   []string // the names of the timers of a node; a Timer is a place in it
	Urgent   uint64   // bit t says that an overdue end of timer t goes before messages that wait
	// Again has a bit for each timer by whose end a node that stands, and goes on standing, begins another round.
	Again uint64
	// Upkeep lists the kinds of messages that are what a reign costs, not an election: heartbeats and their answers.
	Upkeep []string
	// Fences says that a resource may refuse an epoch below the highest it has seen: epochs are ordered, and a reign that is
	// granted later has a higher one.
	Fences bool
	// Epochs says that a node has an epoch at all, ordered or not.
	Epochs bool
	// New makes a node or a server, which has not started.
	New func(c Config) Node
}

// Timer is one of the timers of a node: a place in Algorithm.Timers.
type Timer int

// Config is what a node is told when it is made.
type Config struct {
	ID     int            // 1 to Nodes, or of a server: from Nodes+1 on
	Nodes  int            // how many nodes there are, without servers
	Order  []int          // the ids of the nodes as they stand in a ring; the neighbour of the last is the first
	Timing Timing         // what its timers are derived from
	Random *simnet.Random // for random waits; a node has a stream of its own, which survives its crashes
	// Clock returns what the node's clock shows.
	Clock func() time.Duration
}

// Timing is what the timers of all algorithms are derived from, so that they can be compared.
type Timing struct {
	Delay     time.Duration // how long a message takes at most, as far as the algorithms are told
	Heartbeat time.Duration // how often a leader is heard of
	Patience  time.Duration // how long a follower hears nothing before it suspects its leader
	TTL       time.Duration // how long a lease in a store is good for
	Cooldown  time.Duration // how long a node that has returned waits before it takes over, where an algorithm waits
}

// TimingOf returns what the timers of all algorithms are derived from so that those of ours are these.
func TimingOf(t policy.Timing) Timing {
	return Timing{Delay: t.Delay, Heartbeat: t.Heartbeat, Patience: t.Patience, TTL: t.Patience, Cooldown: max(t.Preempt, 0)}
}

// LAN is the timing of a local network that all algorithms are compared with: that of the profile of this name, but for patience.
// That is long enough for three heartbeats, as people set it who use the others; ours alone could do with less.
func LAN() Timing {
	lan := policy.LAN()
	lan.Patience = 325 * time.Millisecond
	return TimingOf(lan)
}

// Message is what a node sends. Kind is the name of its type, such as "ELECTION", and Body the algorithm's own message.
type Message struct {
	Kind string
	Body any
}

// Node is a node of an algorithm, or a server: a function of what it is given, without a clock. It is asked by one goroutine.
// Before each call the Output is empty, but for the memory of its slices.
type Node interface {
	// Start starts a node for the first time, on an empty disk.
	Start(out *Output)
	// Restart starts a node that was made anew after a crash. Saved is what it saved last, or nil.
	Restart(saved any, out *Output)
	// Receive gives it a message.
	Receive(from int, m Message, out *Output)
	// End gives it the end of a timer, which runs no longer.
	End(t Timer, out *Output)
	// Suspect tells a node, right or wrong, that its leader is dead, as if its patience had ended. It may hold an election.
	// A node that leads, and a server, ignore it. To an algorithm whose followers keep leases, a suspicion that is wrong is a
	// timer that ends before its bound.
	Suspect(out *Output)
	// Status returns what it takes itself and others for. It is asked after each step.
	Status() Status
}

// Output is what a node does in one step.
type Output struct {
	Save any // what is to be on disk before anything below leaves the node; nil: nothing
	Stop []Timer
	Set  []SetTimer // each begins anew if it runs
	Send []Sent
	Note string // what it has decided, as a timeline tells it, such as "takes 5 for dead"; or ""
}

// SetTimer sets a timer to end after a time of the node's clock.
type SetTimer struct {
	Timer Timer
	After time.Duration
}

// Sent is a message to a node.
type Sent struct {
	To int
	Message
}

// Status is what a node takes itself and others for.
type Status struct {
	Leader   int    // whom it takes for the leader, itself if it leads; 0 if it knows of none
	Leading  bool   // it acts as leader
	Standing bool   // it takes part in an election as one who may win it
	Epoch    uint64 // of the leader it knows of: term, revision, stamp; 0 if there is none
}
