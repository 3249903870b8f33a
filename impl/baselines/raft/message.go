package raft

// MaxTerm is the highest term that a message or a disk may have: far above any that elections come to, and far below where
// numbers end.
const MaxTerm = 1 << 62

// Input is what a node takes a step on: a [Start], a [Message], or the [Timer] that has ended.
type Input interface{ input() }

func (Start) input()   {}
func (Message) input() {}
func (Timer) input()   {}

// Start starts a node with what its disk has kept: what was saved last, or nothing, also at its first start.
type Start Saved

// Saved is what must survive a crash of a node (§5.1, figure 2).
type Saved struct {
	Term uint64
	Vote int // whom it voted for in that term, or 0
}

// MessageType says what a message is for.
type MessageType string

// Raft's requests, each with the answers that grant and refuse it (§5.2). The first asks for the term that its sender would
// enter (D 9.6), and its grant repeats it; all others tell the term of their sender.
const (
	RequestPreVote MessageType = "REQUESTPREVOTE"
	PreVote        MessageType = "PREVOTE"
	NoPreVote      MessageType = "NOPREVOTE"
	RequestVote    MessageType = "REQUESTVOTE"
	Vote           MessageType = "VOTE"
	NoVote         MessageType = "NOVOTE"
	AppendEntries  MessageType = "APPENDENTRIES" // without entries: a heartbeat
	Appended       MessageType = "APPENDED"
	NotAppended    MessageType = "NOTAPPENDED"
)

var types = []MessageType{RequestPreVote, PreVote, NoPreVote, RequestVote, Vote, NoVote, AppendEntries, Appended, NotAppended}

// Message is what a node sends to another.
type Message struct {
	Type     MessageType
	From, To int
	Term     uint64 // from 1 to MaxTerm; 0 in the NoPreVote of a node that knows of no term yet
}

// tellsTerm reports whether the term of a message is one that its sender is in (§5.1), and not one that somebody would enter.
func (m Message) tellsTerm() bool { return m.Type != RequestPreVote && m.Type != PreVote }

// Timer is a timer of a node. How long it runs is said in the package comment.
type Timer string

// The four timers.
const (
	Election  Timer = "election"  // until a follower or candidate begins an election
	Lease     Timer = "lease"     // for as long as a follower hears from its leader; none without pre-vote and check-quorum
	Quorum    Timer = "quorum"    // within which a leader must hear from a quorum; none without check-quorum
	Heartbeat Timer = "heartbeat" // from one heartbeat of a leader to the next
)

// Output is what a step comes to. The fields are in order of duty.
type Output struct {
	// Ignored says why the input was ignored, and is to be counted; it is "" if the input was not.
	Ignored string
	// Save says that Saved must be durable before anything below is done. If that fails, the host must stop for good.
	Save  bool
	Saved Saved // zero unless Save
	// Stop and Set are the timers to be stopped, and to be set from now on. One in Set may be running: it begins anew.
	Stop, Set []Timer
	// Send is what leaves the node, in this order. Its memory belongs to the node: the next Step writes over it.
	Send []Message
	// Note says in words what the node has decided, or "".
	Note string
}
