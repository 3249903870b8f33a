package textbook

import "fmt"

// MessageType is the type of a message.
type MessageType string

const (
	Election    MessageType = "ELECTION"    // to higher nodes: I hold an election
	OK          MessageType = "OK"          // to a lower one: I am here, and hold one myself
	Coordinator MessageType = "COORDINATOR" // to all, or to who has asked: I lead
	Heartbeat   MessageType = "HEARTBEAT"   // to all: I still lead
	ImBack      MessageType = "IM_BACK"     // to all: I have returned; who leads?
)

// receipts are the rules of those who receive.
var receipts = map[MessageType]func(n *Node, m Message){
	Election:    (*Node).onElection,
	OK:          (*Node).onOk,
	Coordinator: (*Node).onCoordinator,
	Heartbeat:   (*Node).onHeartbeat,
	ImBack:      (*Node).onImBack,
}

// Message is a message between nodes. Stamp is that of a reign, in COORDINATOR and HEARTBEAT.
type Message struct {
	Type     MessageType
	From, To int
	Stamp    uint64
}

// Timer is a timer of a node.
type Timer uint8

const (
	Telec    Timer = iota // a candidate waits for OK
	Tcoord                // an electing node waits for COORDINATOR
	Patience              // a follower waits for its leader's HEARTBEAT
	Interval              // a leader waits before it says HEARTBEAT again: the heartbeat interval
	Return                // a node that has returned waits: a cool-down, or for an answer to IM_BACK
	allTimers
)

// String returns the timer's name; of what is none, "no timer".
func (t Timer) String() string {
	return [...]string{"T_elec", "T_coord", "patience", "heartbeat", "return", "no timer"}[min(t, allTimers)]
}

// timers is a set of timers: bit t stands for timer t.
type timers uint8

func (s timers) have(t Timer) bool { return t < allTimers && s>>t&1 != 0 }

// Cause says why an input was ignored.
type Cause string

const (
	Malformed       Cause = "malformed"         // the zero Input
	UnknownType     Cause = "unknown-type"      // a message of a type that there is not
	NonMember       Cause = "non-member"        // a message of no other node: of nobody, of an id that there is not, of itself
	Misaddressed    Cause = "misaddressed"      // a message to another node
	WrongWay        Cause = "wrong-way"         // ELECTION from a higher node, or OK from a lower one: no node sends it
	TimerNotRunning Cause = "timer-not-running" // the end of a timer that does not run
	NotStarted      Cause = "not-started"       // an input before the start
	StartedTwice    Cause = "started-twice"     // a start of a node that has started
)

// Input is what a node takes a step on. Start, Restart, Receive, Ended and Suspect make one.
type Input struct {
	kind    kind
	message Message
	timer   Timer
}

type kind uint8

const (
	none kind = iota
	start
	restart
	receive
	ended
	suspect
)

// Start is the first start of a node.
func Start() Input { return Input{kind: start} }

// Restart is a start after a crash, of a node made anew. It has forgotten all but its Config.
func Restart() Input { return Input{kind: restart} }

// Receive is a message that has arrived.
func Receive(m Message) Input { return Input{kind: receive, message: m} }

// Timeout is the end of a timer.
func Timeout(t Timer) Input { return Input{kind: ended, timer: t} }

// Suspect tells a follower that its leader is dead, right or wrong: its patience ends now. Others it does not concern.
func Suspect() Input { return Input{kind: suspect} }

// Output is what the host must do, in order of duty. Its slices belong to the node: the next Step writes over them.
type Output struct {
	Ignored Cause     // why the input was ignored, and has changed nothing; "" if it was not
	Stop    []Timer   // those that run no longer
	Set     []Timer   // those that run from now on; one that runs already begins anew
	Send    []Message // in this order
	Note    string    // why, in words, such as "takes 5 for dead"; "" if there is nothing to say
}

// Step takes one step: it changes the state by the rules, and returns what the host must do.
func (n *Node) Step(in Input) Output {
	n.out = Output{Stop: n.out.Stop[:0], Set: n.out.Set[:0], Send: n.out.Send[:0]}
	if n.out.Ignored = n.ignores(&in); n.out.Ignored != "" {
		return n.out
	}
	n.started = true
	switch in.kind {
	case start:
		n.start()
	case restart:
		n.comeBack()
	case suspect:
		n.suspects()
	case ended:
		n.running &^= 1 << in.timer
		[allTimers]func(){n.nobodyAnswered, n.waitedInVain, n.suspects, n.heartbeat, n.hasWaited}[in.timer]()
	case receive:
		receipts[in.message.Type](n, in.message)
	}
	return n.out
}

// ignores returns why an input makes no step, or "" if it makes one.
func (n *Node) ignores(in *Input) Cause {
	m, starts := &in.message, in.kind == start || in.kind == restart
	switch {
	case in.kind == none:
		return Malformed
	case starts && n.started:
		return StartedTwice
	case !starts && !n.started:
		return NotStarted
	case in.kind == ended && !n.running.have(in.timer):
		return TimerNotRunning
	case in.kind != receive:
		return ""
	case m.From < 1 || m.From > n.config.Nodes || m.From == n.config.ID:
		return NonMember
	case m.To != n.config.ID:
		return Misaddressed
	case receipts[m.Type] == nil:
		return UnknownType
	case m.Type == Election && m.From > n.config.ID, m.Type == OK && m.From < n.config.ID:
		return WrongWay
	}
	return ""
}

// become changes what the node does, and whom it takes for the leader. Of the timers that run, only those to keep go on.
func (n *Node) become(r Role, leader int, keep timers) {
	n.role, n.leader, n.stamp = r, leader, 0
	for t := range allTimers {
		if (n.running &^ keep).have(t) {
			n.out.Stop = append(n.out.Stop, t)
		}
	}
	n.running &= keep
}

// set begins a timer.
func (n *Node) set(t Timer) {
	n.running |= 1 << t
	n.out.Set = append(n.out.Set, t)
}

// send sends a message to one node. What only a leader sends bears the stamp of its reign.
func (n *Node) send(t MessageType, to int) {
	m := Message{Type: t, From: n.config.ID, To: to}
	if t == Coordinator || t == Heartbeat {
		m.Stamp = n.stamp
	}
	n.out.Send = append(n.out.Send, m)
}

// sendAbove sends a message to all other nodes whose ids are above the given one, in ascending order.
func (n *Node) sendAbove(id int, t MessageType) {
	for to := id + 1; to <= n.config.Nodes; to++ {
		if to != n.config.ID {
			n.send(t, to)
		}
	}
}

// note says why the node does what it does.
func (n *Node) note(format string, args ...any) { n.out.Note = fmt.Sprintf(format, args...) }
