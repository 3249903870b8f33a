package lease

// Kind is the type of a message.
type Kind string

// What candidates ask, and what the store answers.
const (
	Create Kind = "CREATE" // make the entry of this key, unless there is one: CREATED, or HELD
	Renew  Kind = "RENEW"  // begin the TTL of my entry anew: RENEWED, or GONE
	Watch  Kind = "WATCH"  // tell me when this entry goes: GONE, then or at once
	Delete Kind = "DELETE" // my entry; there is no answer

	Created Kind = "CREATED" // Entry is yours, from now on or since your last CREATE
	Held    Kind = "HELD"    // Entry has your key
	Renewed Kind = "RENEWED" // the TTL of your Entry has begun anew
	Gone    Kind = "GONE"    // Entry, which is yours or which you watch, is there no more
)

// StoreID is the id of the store in messages. Those of candidates are 1 and above.
const StoreID = 0

// Message is what goes between a candidate and the store.
type Message struct {
	Kind     Kind
	From, To int
	Number   int   // of a CREATE or a RENEW, ascending from 1 on, and again in its answer
	Entry    Entry // what it is about
	Before   Entry // in CREATED and RENEWED: the one with the next lower revision, or none
	First    Entry // in CREATED, RENEWED and HELD: the one with the lowest revision, whose holder leads
}

// Entry is a key that somebody holds. The zero Entry is none.
type Entry struct {
	Key      int // SharedKey, or the id of the candidate whose own it is
	Holder   int
	Session  uint64 // the life of the holder that has created it
	Revision int    // of the store when it was created; 1 and above
}

// SharedKey is the key that all want where there is one.
const SharedKey = 0

func (e Entry) exists() bool { return e.Revision > 0 }

// Timer is a timer of a candidate, or of the store.
type Timer int

// Deadlines is how many CREATEs and RENEWs of a candidate can be under way, each with a deadline of its own.
const Deadlines = 4

// The timers. The deadlines are those from 0 to Deadlines-1, in turn.
const (
	Renewal Timer = Deadlines + iota // of a candidate: it renews its entry, or asks again
	Rewatch                          // of a candidate: it watches again what it watches, or asks again if it has given up; no shorter than the TTL
	Tick                             // of the store: a part of the TTL has passed
)

// Input is what happens to a candidate or to a store. The functions below make it; the zero Input is none.
type Input struct {
	kind    inputKind
	message Message
	timer   Timer
	saved   Saved
}

type inputKind int

const (
	start inputKind = iota + 1
	receive
	ended
	suspect
	resign
)

// Start starts a candidate, in each of its lives, or a store for the first time.
func Start() Input { return Input{kind: start} }

// Restart starts a store with what it has saved last, or the zero Saved. A candidate takes it for Start.
func Restart(saved Saved) Input { return Input{kind: start, saved: saved} }

// Receive is the receipt of a message.
func Receive(m Message) Input { return Input{kind: receive, message: m} }

// Timeout is the end of a timer, which runs no longer.
func Timeout(t Timer) Input { return Input{kind: ended, timer: t} }

// Suspect makes a candidate that does not lead ask the store whether anybody does.
func Suspect() Input { return Input{kind: suspect} }

// Resign ends the life of a candidate: it lets go its entry, and takes no further input (client-go: ReleaseOnCancel). Who is to
// stand again is made anew, with another session: a DELETE that is late must not find an entry of the same.
func Resign() Input { return Input{kind: resign} }

// Output is what the host of a candidate or a store is to do, from top to bottom.
type Output struct {
	Ignored string // why nothing came of the input; or ""
	Save    *Saved // what a store wants on disk before anything below leaves it; nil: nothing
	Stop    []Timer
	Set     []Timer
	Send    []Message
	Note    string // what was decided, for people; or ""
}
