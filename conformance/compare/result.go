package compare

import "time"

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
