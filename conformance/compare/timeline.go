package compare

import "time"

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
