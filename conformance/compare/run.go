package compare

import (
	"time"
)

// Options says what a run keeps. The zero Options keeps what is counted.
type Options struct {
	Timeline bool          // keep what happens, in Result.Timeline
	Upkeep   bool          // ... messages that are upkeep too
	Watch    func(*Moment) // is told of each thing that happens, right after it, if it is not nil
}

// Run runs a scenario on nodes of an algorithm. The error says what of the scenario is not valid, or what the algorithm
// does that no algorithm may: such as to send to a node that there is not.
func Run(s *Scenario, a Algorithm, seed uint64, o Options) (Result, error) {
	p, err := Begin(s, a, seed, o)
	if err != nil {
		return Result{}, err
	}
	for p.Next(s.Length) {
	}
	return p.Finish()
}

// Result is what came of a run.
type Result struct {
	Ended     time.Duration  // when the run ended: its Length, or before if it is Quiet or there is a Storm
	Storm     bool           // more than 50,000 messages, and one more each millisecond, were sent: the run was given up
	Messages  map[string]int // that were sent, by kind
	Election  int            // how many of these were not upkeep
	Lost      int            // how many were lost on their way, or could not be sent; not those that were under way to or from a node that crashed, or over a link that was cut
	Reigns    []Reign        // in the order in which they began
	Elections int            // how often a node came to stand, or began another round
	None      time.Duration  // how long nobody led who was not paused, once somebody had; all the time, if nobody ever did
	Two       time.Duration  // how long more than one led at once who were not paused
	AtOnce    int            // the most that led at once, for longer than no time, who were not paused
	SameEpoch int            // the most nodes that ever led in one epoch; without epochs, 0
	Accepted  int            // writes that the resource accepted
	Refused   int            // writes that it refused
	Stale     int            // writes that it accepted after one of a later reign
	Agreed    bool           // at the end all nodes that run follow one that leads, but for those that are cut off from it
	Faults    []FaultResult  // of each fault
	Timeline  []Entry        // if it was asked for
	Digest    uint64         // of all that happened
}

// Reign is a time during which a node led.
type Reign struct {
	Leader     int
	Epoch      uint64
	Begin, End time.Duration
}

// FaultResult is what came of a fault.
type FaultResult struct {
	Node     int           // whom it befell, or 0 if it befell links
	Began    time.Duration // when; below 0 if it never did
	Election int           // how many messages of elections had been sent by then
	// Healed is how long after that all nodes that run (but for those that are cut off from the leader) came to follow one
	// that leads, and went on for Patience, or to the end, when they had not all done so in between. It is 0 if they always
	// did, and below 0 if they did not any more.
	Healed time.Duration
}

// EntryKind says what an entry of a timeline is about.
type EntryKind string

const (
	Happens  EntryKind = "happens"  // Node is befallen by a fault, or is over it; Text says so. Node is 0 if it is about links
	Decides  EntryKind = "decides"  // Node has decided something, as Text says
	Becomes  EntryKind = "becomes"  // the Status of Node has changed
	Sends    EntryKind = "sends"    // Node sends Text to Other; Arrives says when it is taken, or below 0 if it is lost
	Receives EntryKind = "receives" // Node takes Text from Other
	Writes   EntryKind = "writes"   // a write of Node is accepted or refused by the resource, as Text says; only stale and refused ones are told
)

// Entry is something that happened.
type Entry struct {
	At      time.Duration
	Kind    EntryKind
	Node    int
	Other   int // the other end of a message
	Text    string
	Arrives time.Duration // of a message that is sent
	Status  Status        // of Node, after it
}

// crashes is what a timeline says of a node that crashes.
const crashes = "crashes"
