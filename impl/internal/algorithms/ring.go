package algorithms

import (
	"fmt"
	"strings"
	"time"

	"github.com/seed-fdf591db/bully/conformance/compare"
	"github.com/seed-fdf591db/bully/impl/baselines/ring"
)

// rings are both forms of the ring, and the variant that waits for ever.
func rings() []compare.Algorithm {
	return []compare.Algorithm{
		// An id goes round, and the highest comes back (Chang and Roberts, 1979).
		ringForm("ring-chang-roberts", "Ring of Chang and Roberts", ring.Config{Form: ring.ChangRoberts}),
		// Lists go round, and failed neighbours are skipped (Le Lann, 1977; Tanenbaum).
		ringForm("ring", "Ring of lists", ring.Config{Form: ring.Lists}),
		// As it is published: who takes part in an election waits for its end without end.
		ringForm("ring-no-retry", "Ring of lists, no end of the wait", ring.Config{Form: ring.Lists, NoRetry: true}),
	}
}

// ringForm is the algorithm whose nodes are of a form; their ids, and how they stand, are those of the run. ACKs are
// upkeep here, though elections cause them: the sources have none, and count messages without. Each message of an election
// that arrives costs one more.
func ringForm(name, title string, form ring.Config) compare.Algorithm {
	return compare.Algorithm{
		Name: name, Title: title, Timers: []string{"patience", "election", "hop", "heartbeat"}, Again: 1 << 1,
		Upkeep: []string{string(ring.HeartbeatKind), string(ring.AckKind)},
		New: func(c compare.Config) compare.Node {
			own := form
			own.ID, own.Ring = c.ID, c.Order
			core, err := ring.New(own)
			if err != nil {
				panic(err) // compare.Run has seen to it that the order is one of the ids 1 to Nodes
			}
			return &ringNode{core: core, after: ringWaits(c)}
		},
	}
}

// ringWaits returns how long each timer runs. For an ACK a node waits for a round trip and a little. For the end of an
// election it waits as long as the longest without faults takes, which is one of 3n−1 hops, and has patience on top of that,
// in which a dozen failed neighbours are skipped. All followers have the same patience, as in the textbook Bully.
func ringWaits(c compare.Config) [4]time.Duration {
	return [4]time.Duration{
		ring.Patience: c.Timing.Patience, ring.Election: time.Duration(3*c.Nodes)*c.Timing.Delay + c.Timing.Patience,
		ring.Hop: 2*c.Timing.Delay + time.Millisecond, ring.Heartbeat: c.Timing.Heartbeat,
	}
}

// ringNode is the core and its host.
type ringNode struct {
	core  *ring.Node
	after [4]time.Duration // how long each timer runs
	last  ringStep
}

func (n *ringNode) Start(out *compare.Output) {
	n.last = ringStep{}
	n.step(ring.Start(), out)
}

// Restart has nothing to take from a disk: a ring saves nothing.
func (n *ringNode) Restart(_ any, out *compare.Output) {
	n.last = ringStep{}
	n.step(ring.Restart(), out)
}

func (n *ringNode) Receive(_ int, m compare.Message, out *compare.Output) {
	message, _ := m.Body.(ring.Message) // anything else is ignored, as a message of nobody
	n.last = ringStep{leader: n.core.Leader(), got: message}
	n.step(ring.Receive(message), out)
}

func (n *ringNode) End(t compare.Timer, out *compare.Output) {
	n.last = ringStep{leader: n.core.Leader(), timer: ring.Timer(t), ended: true}
	n.step(ring.Timeout(ring.Timer(t)), out)
}

func (n *ringNode) Suspect(out *compare.Output) {
	n.last = ringStep{leader: n.core.Leader()}
	n.step(ring.Suspect(), out)
}

// Status has all stand that take part: the highest of them is to win, whoever began.
func (n *ringNode) Status() compare.Status {
	return compare.Status{Leader: n.core.Leader(), Leading: n.core.Leading(), Standing: n.core.Participating()}
}

// step lets the core take a step, and does its duties.
func (n *ringNode) step(in ring.Input, out *compare.Output) {
	did := n.core.Step(in)
	for _, t := range did.Stop {
		out.Stop = append(out.Stop, compare.Timer(t))
	}
	for _, t := range did.Set {
		out.Set = append(out.Set, compare.SetTimer{Timer: compare.Timer(t), After: n.after[t]})
	}
	for _, m := range did.Send {
		out.Send = append(out.Send, compare.Sent{To: m.To, Message: compare.Message{Kind: string(m.Kind), Body: m}})
	}
	out.Note, n.last.did = strings.Join(did.Notes, "; "), did
}

// ringStep is the last step of a node, as far as it is told of.
type ringStep struct {
	leader int // before it
	did    ring.Output
	timer  ring.Timer
	ended  bool // it is the end of that timer
	got    ring.Message
}

// Tell tells whether the node takes part in an election.
func (n *ringNode) Tell() Telling {
	t := Telling{Role: "no leader", Fields: []Field{{"takes part", "no"}}}
	switch {
	case n.core.Leading():
		t.Role = "leader"
	case n.core.Leader() > 0:
		t.Role = "follower"
	}
	if n.core.Participating() {
		t.Role, t.Fields[0].Value = "participant", "yes"
	}
	return t
}

// Kept has nothing to tell: a ring saves nothing.
func (n *ringNode) Kept(any) string { return "" }

// About tells what goes round.
func (n *ringNode) About(m compare.Message) (epoch uint64, text string) {
	message, _ := m.Body.(ring.Message)
	switch {
	case message.Kind == ring.AckKind || message.Kind == ring.HeartbeatKind:
		return 0, ""
	case message.ID > 0:
		return 0, fmt.Sprintf("id %d", message.ID)
	}
	return 0, "list " + strings.Trim(fmt.Sprint(message.List), "[]")
}

// Did tells of the last step.
func (n *ringNode) Did() Step {
	step := Step{Note: strings.Join(n.last.did.Notes, "; ")}
	switch {
	case !n.last.ended:
	case n.last.timer == ring.Patience && n.last.leader > 0:
		step.Text = fmt.Sprintf("has heard nothing from %d for too long", n.last.leader)
	case n.last.timer == ring.Patience:
		step.Text = "has waited long enough for a leader"
	case n.last.timer == ring.Election:
		step.Text = "has waited in vain for the end of an election"
	case n.last.timer == ring.Hop:
		step.Text = "has waited long enough for an ACK of its neighbour"
	case n.last.timer == ring.Heartbeat:
		step.Text = "says that it still leads"
	}
	switch m := &n.last.got; {
	case step.Note != "" || n.last.ended || m.Kind == "":
	case n.last.did.Ignored != "":
		step.Note = "takes no notice of it"
	case m.Kind == ring.AckKind:
		step.Note = fmt.Sprintf("%d has what it was sent", m.From)
	case m.Kind == ring.HeartbeatKind && n.core.Leader() == m.From && n.last.leader != m.From:
		step.Note = fmt.Sprintf("follows %d", m.From)
	case m.Kind == ring.HeartbeatKind && n.core.Leader() == m.From:
		step.Note = fmt.Sprintf("%d still leads", m.From)
	case m.Kind == ring.ElectedKind:
		step.Note = "has it back: it has been told to all that it leads"
	case m.Kind == ring.HeartbeatKind:
		step.Note = "goes on as before"
	}
	return step
}
