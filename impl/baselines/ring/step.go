package ring

import (
	"fmt"
	"slices"
)

// Kind is the type of a message.
type Kind string

const (
	ElectionKind    Kind = "ELECTION"    // ChangRoberts: ID goes round. Lists: List does, and who gets it adds itself
	ElectedKind     Kind = "ELECTED"     // ChangRoberts: ID leads
	CoordinatorKind Kind = "COORDINATOR" // Lists: the highest of List leads; Informed are those who know
	AckKind         Kind = "ACK"         // of the message that had the same number as Hop
	HeartbeatKind   Kind = "HEARTBEAT"   // the sender leads
)

// Message is what goes from one node to another. Nobody writes to its lists once it is sent.
type Message struct {
	Kind           Kind
	From, To       int
	ID             int
	List, Informed []int
	Hop            int // the sender's number of this message, which its ACK repeats
}

// Timer is one of the timers of a node. How long it runs is its host's to say.
type Timer int

const (
	Patience  Timer = iota // how long a node hears of no leader before it takes it for dead
	Election               // how long a node waits for the end of an election
	Hop                    // how long it waits for an ACK
	Heartbeat              // how often a leader says that it leads
	timers
)

// Input is what a node takes a step on. Start, Restart, Receive, Ended and Suspect make one; the zero Input is ignored.
type Input struct {
	start, received, ended bool
	message                Message
	timer                  Timer
}

// Start is the first start of a node.
func Start() Input { return Input{start: true} }

// Restart is any later start, of a new Node. Nothing is on disk, so it is no different.
func Restart() Input { return Start() }

// Receive is a message that has arrived.
func Receive(m Message) Input { return Input{received: true, message: m} }

// Timeout is the end of a timer.
func Timeout(t Timer) Input { return Input{ended: true, timer: t} }

// Suspect is the call that says, right or wrong, that the leader is dead: it ends the node's patience. A node that leads,
// and one that takes part in an election already, ignore it.
func Suspect() Input { return Timeout(Patience) }

// Output is what the host must do, in order of duty.
type Output struct {
	Ignored   string    // why the input was ignored; then nothing else is here
	Notes     []string  // what was decided, in words
	Stop, Set []Timer   // one that is set may be running: it begins anew
	Send      []Message // in this order
}

// Step takes one step. What is bad or out of place is ignored, and changes nothing.
func (n *Node) Step(in Input) Output {
	if reason := n.ignores(in); reason != "" {
		return Output{Ignored: reason}
	}
	n.out, n.renewed = Output{}, false
	ran := n.running()
	ran[in.timer] = ran[in.timer] && !in.ended
	n.take(in)
	for t, runs := range n.running() {
		if ran[t] && !runs {
			n.out.Stop = append(n.out.Stop, Timer(t))
		} else if runs && (!ran[t] || Timer(t) == Patience && n.renewed) {
			n.out.Set = append(n.out.Set, Timer(t))
		}
	}
	if slices.Contains(n.out.Set, Hop) {
		n.watched = n.sent
	}
	return n.out
}

// ignores returns why an input is bad or out of place, or "".
func (n *Node) ignores(in Input) string {
	switch m := in.message; {
	case in.start == n.started || !in.start && !in.ended && !in.received:
		return "no input, one before the start, or a second start"
	case in.ended && (in.timer < 0 || in.timer >= timers || !n.running()[in.timer]):
		return fmt.Sprintf("the end of timer %d, which does not run", in.timer)
	case in.received && (m.To != n.config.ID || m.From == n.config.ID || !n.areIDs(m.From)):
		return fmt.Sprintf("a message from %d to %d", m.From, m.To)
	case in.received && m.Kind == AckKind && n.waiting(m) < 0:
		return fmt.Sprintf("an ACK of %d, for which nothing waits", m.From)
	case in.received && !n.knows(m):
		return fmt.Sprintf("a bad %s", m.Kind)
	}
	return ""
}

// knows reports whether a message is one that the node has a rule for, and names nobody but nodes of the ring.
func (n *Node) knows(m Message) bool {
	switch m.Kind {
	case AckKind, HeartbeatKind:
		return true
	case ElectedKind:
		return n.config.Form == ChangRoberts && n.areIDs(m.ID)
	case CoordinatorKind:
		return n.config.Form == Lists && n.areIDs(m.List...) && n.areIDs(m.Informed...)
	case ElectionKind:
		return n.config.Form == ChangRoberts && n.areIDs(m.ID) || n.config.Form == Lists && n.areIDs(m.List...)
	}
	return false
}

// areIDs reports whether a list has at least one id, and only ids of nodes of the ring, each once.
func (n *Node) areIDs(list ...int) bool {
	sorted := slices.Sorted(slices.Values(list))
	once := len(slices.Compact(sorted)) == len(list)
	return len(list) > 0 && once && sorted[0] >= 1 && sorted[len(list)-1] <= len(n.config.Ring)
}

// take gives an input to its rule.
func (n *Node) take(in Input) {
	switch {
	case in.start:
		n.started = true
	case in.received:
		n.hear(in.message)
	default:
		[timers]func(){Patience: n.suspect, Election: n.suspect, Hop: n.skip, Heartbeat: n.sendHeartbeats}[in.timer]()
	}
}

// hear gives a message to its rule. One that goes round is answered with an ACK, unless it is back where it was sent.
func (n *Node) hear(m Message) {
	if m.Hop > 0 && m.Kind != AckKind && m.From != n.config.ID {
		n.out.Send = append(n.out.Send, Message{Kind: AckKind, From: n.config.ID, To: m.From, Hop: m.Hop})
	}
	switch {
	case m.Kind == AckKind:
		i := n.waiting(m)
		n.pending = slices.Delete(n.pending, i, i+1)
	case m.Kind == HeartbeatKind:
		n.onHeartbeat(m.From)
	case m.Kind == ElectedKind:
		n.onElected(m.ID)
	case m.Kind == CoordinatorKind:
		n.onCoordinator(m)
	case n.config.Form == ChangRoberts:
		n.onID(m.ID)
	default:
		n.onList(m.List)
	}
}

// note adds to what the step tells of itself.
func (n *Node) note(format string, of ...any) {
	n.out.Notes = append(n.out.Notes, fmt.Sprintf(format, of...))
}
