package compare

import (
	"time"

	"github.com/seed-fdf591db/bully/conformance/sim/simnet"
)

// What says what a moment is about.
type What uint8

const (
	Started   What = iota + 1 // Node has started for the first time
	Restarted                 // Node is back after a crash
	Took                      // Node has taken a message
	Lost                      // a message to Node is lost on its way: by the network, or by somebody's doing
	Ended                     // Timer of Node has ended
	Called                    // Node was told something, as Call says
	Saved                     // the disk of Node has what it was saving: what the node has sent leaves now
	Crashed                   // Node has crashed
	Paused                    // Node does nothing from now on
	WentOn                    // Node does something again
	Linked                    // links carry nothing, or are slow, or are as before, as Text says
	Wrote                     // a write of Node has come to the resource
	Injected                  // what is under way, or when a timer ends, was changed, as Text says
)

// Call is what a node is told by those who look on.
type Call string

const (
	SuspectCall Call = "suspect" // its leader is dead, right or wrong: Node.Suspect
	ResignCall  Call = "resign"  // it is to lead no longer: Resigner
	AskCall     Call = "ask"     // what only its algorithm knows: Asker
)

// Resigner is a Node that can be told to lead no longer.
type Resigner interface {
	Node
	Resign(out *Output)
}

// Asker is a Node that can be asked for something that only its algorithm knows. MayAsk says why it cannot be done now; else Ask
// does it.
type Asker interface {
	Node
	MayAsk(what any) error
	Ask(what any, out *Output)
}

// Moment is a thing that happened, as who watches a run is told. It, and all that it points at, is there until the next one.
// There is at most one for each event.
type Moment struct {
	What    What
	At      time.Duration
	Node    int           // whom it befell; 0 if it befell none
	From    int           // of a message: its sender
	Number  int           // of a message: as of its Flight
	Message Message       // of Took and Lost
	Behind  int           // of Lost: how many messages were before it on its link, and are not lost with it
	Timer   Timer         // of Ended
	Call    Call          // of Called
	Text    string        // of Linked and Injected
	For     time.Duration // of Paused: how long; 0: until somebody lets it go on
	Epoch   uint64        // of Wrote: that of the reign in which the leader has looked whether it leads
	Looked  time.Duration // of Wrote: when it has looked
	Refused bool          // of Wrote: the resource has refused it
	Stale   int           // of Wrote: it was accepted after a write of this leader, of a later reign; or 0
	Planned bool          // the scenario has planned it
	Moved   []Arrival     // of Injected: the messages that now arrive at another time
	Out     *Output       // of a step of Node: what it does; else nil
	Sent    []Flight      // what leaves Node; if it saves, once that is done
}

// Flight is a message that is sent.
type Flight struct {
	Number   int // from 1 on, in the order in which messages are sent
	From, To int
	Message
	Upkeep bool
	Due    time.Duration // when it should arrive
	Lost   bool          // it does not leave: the link is cut, or the receiver is down
}

// Arrival is when a message under way should arrive.
type Arrival struct {
	Number int
	Due    time.Duration
}

// View is what a node is, as who watches sees it.
type View struct {
	Node   Node   // not to be asked to do anything
	Status Status // that has had its effects: while the node saves, the one before
	Up     bool
	Paused bool
	Acts   bool // it runs, is not paused, and leads
	Saves  bool // it waits for its disk
	Saved  any  // what is on its disk; nil if it has saved nothing
	Writes int  // how many of its writes have not come to the resource yet, though it has looked whether it leads
}

// View returns what a node is. The id is one of a node or a server.
func (p *Play) View(id int) View {
	h := &p.hosts[id-1]
	return View{Node: h.node, Status: h.status, Up: p.network.Up(id-1) && p.started >= id, Paused: p.network.Paused(id - 1),
		Acts: p.acts(id - 1), Saves: h.saves, Saved: h.saved, Writes: h.writes}
}

// Due returns when a timer of a node ends, and whether it runs.
func (p *Play) Due(id int, t Timer) (due time.Duration, runs bool) {
	return p.network.Due(id-1, int(t))
}

// IsCut reports whether a link carries nothing.
func (p *Play) IsCut(from, to int) bool { return p.network.IsCut(from-1, to-1) }

// Now returns the time.
func (p *Play) Now() time.Duration { return p.network.Now() }

// Planned reports whether a fault of the scenario is still to begin or to end, but for those that wait for a leader.
func (p *Play) Planned() bool { return p.alarms > 0 }

// notice begins a moment that an event of the network is.
func (p *Play) notice(what What, e *simnet.Event[packet]) {
	m := &p.moment
	m.What, m.Node, m.Timer = what, e.Node+1, Timer(e.Timer)
	if what == Took || what == Lost {
		m.From, m.Number, m.Message = e.From+1, e.Message.number, e.Message.Message
	}
}

// tellWatch tells who watches, if there is something to tell.
func (p *Play) tellWatch() {
	if p.options.Watch != nil && p.moment.What != 0 && p.err == nil {
		p.moment.At = p.network.Now()
		p.options.Watch(&p.moment)
	}
}
