package recording

// Version is the version of the form of recordings that this package writes and reads.
const Version = 1

// Recording is a run as people look at it.
type Recording struct {
	Header
	Frames []Frame
}

// Header says what holds throughout a recording. It is its first line.
type Header struct {
	Recording  int         `json:"recording"`            // Version
	Title      string      `json:"title"`                // what it is, in a few words
	Source     Source      `json:"source"`               // where it comes from
	Algorithm  string      `json:"algorithm,omitempty"`  // such as "bully" or "raft-plain"; "" if that is not known
	Nodes      []string    `json:"nodes"`                // the ids, as people write them, ascending; servers come last
	Servers    int         `json:"servers,omitempty"`    // how many of Nodes are servers
	Timed      bool        `json:"timed"`                // At is a time; else it only says what comes first
	Watch      string      `json:"watch,omitempty"`      // what there is to see: a sentence or two
	Open       int         `json:"open,omitempty"`       // how many frames have happened where people should begin to look
	Resource   Resource    `json:"resource,omitempty"`   // what leaders write to; "" if nothing is known of their writes
	Indicators []Indicator `json:"indicators,omitempty"` // every property that is looked at, as it is before the first frame
}

// Source is where a recording comes from.
type Source string

const (
	Run            Source = "run"            // nodes in a simulated world, now
	Trace          Source = "trace"          // a trace (section 14 of the specification)
	Counterexample Source = "counterexample" // of TLC, or of the explorer
	Live           Source = "live"           // a cluster that runs
)

// Resource is what leaders write to, each as long as it takes itself for the leader.
type Resource string

const (
	Fenced   Resource = "fenced"   // it refuses a write of an epoch below the highest it has taken
	Unfenced Resource = "unfenced" // it takes every write: there is nothing by which it could refuse one
)

// Kind is what happens in a frame. The set is closed.
type Kind string

const (
	Start     Kind = "start"     // Node starts for the first time
	Restart   Kind = "restart"   // Node is back after a crash
	Receive   Kind = "receive"   // Node takes the message Takes
	Timer     Kind = "timer"     // a timer of Node ends
	Call      Kind = "call"      // Node is called, or told, something
	Save      Kind = "save"      // the disk of Node has what it was saving
	Crash     Kind = "crash"     // Node crashes
	Pause     Kind = "pause"     // Node does nothing from now on: its timers run, its messages wait
	Resume    Kind = "resume"    // Node goes on
	Lose      Kind = "lose"      // the message Takes is lost
	Links     Kind = "links"     // other links than before carry nothing, or are slow
	Write     Kind = "write"     // a write of Node reaches the resource
	Intervene Kind = "intervene" // somebody has changed what is under way, or when a timer ends
	Step      Kind = "step"      // anything else that a state machine does: a step of a specification
)

// Frame is one thing that happened, and what it changed.
type Frame struct {
	At     int64  `json:"at"` // microseconds since the beginning, or the place in the order if the recording is not Timed
	Kind   Kind   `json:"kind"`
	Node   int    `json:"node"`             // whom it befell: a place in Header.Nodes, from 0; -1 if it befell none
	Text   string `json:"text"`             // what happened, in words, without the name of the node: "takes CLAIM of epoch 4 from 3"
	Note   string `json:"note,omitempty"`   // what the node made of it, or what there is to see: "grants epoch 4, and waits for it to lead"
	Action string `json:"action,omitempty"` // as the specification names it: OnClaim
	Rule   string `json:"rule,omitempty"`   // the rule that the step follows from: R17
	By     By     `json:"by,omitempty"`     // whose doing it is, if not the nodes'
	Upkeep bool   `json:"upkeep,omitempty"` // it is what a reign costs, and no part of an election: a heartbeat, its answer, their timers

	Takes      int         `json:"takes,omitempty"`      // the number of the message that is taken or lost
	Sends      []Message   `json:"sends,omitempty"`      // what leaves Node
	Moves      []Move      `json:"moves,omitempty"`      // what is under way, and arrives at another time than was said: somebody has intervened
	State      *State      `json:"state,omitempty"`      // of Node, after it; nil if that is as before
	Wrote      *Writing    `json:"wrote,omitempty"`      // of Write: what has come to the resource, and what became of it
	Cut        *[]Link     `json:"cut,omitempty"`        // every link that now carries nothing; nil if that is as before
	Indicators []Indicator `json:"indicators,omitempty"` // those that have changed

	// Configurations are those that nobody has had before. They are numbered from 1 on, in the order in which frames tell them.
	Configurations []Configuration `json:"configurations,omitempty"`
}

// Writing is a write to the resource.
type Writing struct {
	Epoch  uint64 `json:"epoch,omitempty"` // of the reign in which its leader looked whether it leads; 0 if it has none
	Looked int64  `json:"looked"`          // when it did, in microseconds: it may have been paused since
	Fate   Fate   `json:"fate,omitempty"`  // "" as long as it is on its way
}

// Fate is what becomes of a write.
type Fate string

const (
	Taken   Fate = "taken"   // the resource takes it, as it should
	Refused Fate = "refused" // the resource refuses it: its epoch is past
	Stale   Fate = "stale"   // the resource takes it, though it has taken one of a later reign
)

// By is whose doing a frame is.
type By string

const (
	Plan By = "plan" // the scenario's
	You  By = "you"  // the doing of whoever looks on
)

// Message is a message that is sent.
type Message struct {
	Number int    `json:"number"`           // from 1 on, in the order in which they are sent
	To     int    `json:"to"`               // a place in Header.Nodes
	Kind   string `json:"kind"`             // its type: CLAIM
	Epoch  uint64 `json:"epoch,omitempty"`  // of the message; 0 if it has none
	Text   string `json:"text,omitempty"`   // the rest of it, in words
	Upkeep bool   `json:"upkeep,omitempty"` // as of a frame
	Due    int64  `json:"due,omitempty"`    // when it should arrive, in microseconds; 0 if that is not known
	Lost   bool   `json:"lost,omitempty"`   // it does not even leave: the link is cut, or the receiver down
	// Configuration is the number of that which it carries, its sender's; 0 if members are fixed.
	Configuration int `json:"configuration,omitempty"`
}

// Move is when a message under way should arrive now.
type Move struct {
	Number int   `json:"number"`
	Due    int64 `json:"due"` // in microseconds
}

// Link is the direction from one node to another: places in Header.Nodes.
type Link [2]int

// State is what a node is.
type State struct {
	Look   Look   `json:"look"`             // how to draw it
	Role   string `json:"role"`             // in the algorithm's own word
	Leader int    `json:"leader"`           // whom it takes for the leader, a place in Header.Nodes; -1 if it knows of none
	Epoch  uint64 `json:"epoch"`            // as it knows it; 0 if there is none
	Paused bool   `json:"paused,omitempty"` // it does nothing
	// Unheard says of a node that is Down that nobody can tell that it is: it is heard no more, or was never heard. The rest is what it was last.
	Unheard bool    `json:"unheard,omitempty"`
	Saving  bool    `json:"saving,omitempty"` // it waits for its disk: what it has sent has not left
	Disk    string  `json:"disk,omitempty"`   // what its disk has kept, in words: "epoch 4, promised to 3"
	Fields  []Field `json:"fields,omitempty"` // all else, in the algorithm's own words
	Timers  []Due   `json:"timers,omitempty"` // that run
	Lease   *Lease  `json:"lease,omitempty"`  // of who leads: how long it may act; nil if nothing bounds that, or it is not known
	// Writing says that a write of it is on its way: it has looked whether it leads, and its write has not come to the resource.
	Writing bool `json:"writing,omitempty"`
	// Configuration is the number of that which it has; 0 if members are fixed. Settled says that it leads, and that this one
	// holds for good: so many have acknowledged it.
	Configuration int  `json:"configuration,omitempty"`
	Settled       bool `json:"settled,omitempty"`
}

// Configuration is who the members of a cluster are, where they come and go. Of two that of the higher epoch is newer, and if
// the epochs are equal, that of the higher version.
type Configuration struct {
	Epoch   uint64   `json:"epoch"`
	Version uint64   `json:"version"`
	Members []Member `json:"members"` // ascending; none of a node that is to join, and has not been told of any
}

// Member is a node in a configuration.
type Member struct {
	Node    int        `json:"node"`              // a place in Header.Nodes
	Kind    MemberKind `json:"kind"`              // what it may do
	Rank    int        `json:"rank,omitempty"`    // the member of the higher rank is to lead; of two of one rank, the one of the later place
	Address string     `json:"address,omitempty"` // where it listens; "" if that is not known
}

// MemberKind is what a member may do. The set is closed.
type MemberKind string

const (
	Voter    MemberKind = "voter"    // votes, and may lead
	Witness  MemberKind = "witness"  // votes, and never leads
	Observer MemberKind = "observer" // only follows
)

// Look is what a node is, as every algorithm has it.
type Look string

const (
	Leads   Look = "leads"   // acts as leader
	Stands  Look = "stands"  // takes part in an election as one who may win it
	Waits   Look = "waits"   // takes part in one, and lets another win
	Follows Look = "follows" // follows a leader
	Idle    Look = "idle"    // knows of no leader, and does nothing about it
	Down    Look = "down"    // does not run, as far as is known
	Serves  Look = "serves"  // is a server, not a node
)

// Lease is how long a leader may act, unless a quorum answers again: so long since it asked what a quorum has answered.
type Lease struct {
	Question uint64 `json:"question,omitempty"` // that a quorum has answered; 0 if questions have no numbers
	Asked    int64  `json:"asked"`              // when it was asked, in microseconds
	Ends     int64  `json:"ends,omitempty"`     // when the leader stops to act by itself, likewise; 0 if that is not known
}

// Field is a part of a state, as words.
type Field struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

// Due is a timer that runs, and when it ends, in microseconds; 0 if that is not known.
type Due struct {
	Timer string `json:"timer"`
	At    int64  `json:"at,omitempty"`
}

// Indicator is a property, and whether it holds.
type Indicator struct {
	Name  string `json:"name"`           // such as OneActing
	Says  string `json:"says,omitempty"` // what the property says, in Header.Indicators; in a Frame, why it has changed
	Light Light  `json:"light"`
	Once  bool   `json:"once,omitempty"` // in Header.Indicators: once red, it stays red
}

// Light is what an indicator shows.
type Light string

const (
	Green Light = "green" // the property holds
	Amber Light = "amber" // what is wished for is not so now, and need not be: nobody leads
	Red   Light = "red"   // the property is broken
)
