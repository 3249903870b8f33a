package algorithms

import (
	"fmt"
	"time"

	"github.com/seed-fdf591db/bully/conformance/compare"
	"github.com/seed-fdf591db/bully/impl/baselines/textbook"
)

// textbooks are all forms of the textbook Bully.
func textbooks() []compare.Algorithm {
	stamp := textbookForm("textbook-stamp", "Textbook Bully with an un-ordered epoch", textbook.Config{Stamp: true})
	stamp.Epochs = true
	return []compare.Algorithm{
		// As it is taught: T_coord is 2·T_elec, and a node that returns holds an election at once.
		textbookForm("textbook", "Textbook Bully", textbook.Config{}),
		// Who was told OK waits for COORDINATOR without end: a bug that is often seen.
		textbookForm("textbook-no-tcoord", "Textbook Bully without T_coord", textbook.Config{NoTcoord: true}),
		// A node that returns waits Timing.Cooldown before it takes over.
		textbookForm("textbook-cooldown", "Textbook Bully, cool-down on return", textbook.Config{Return: textbook.CoolDown}),
		// A node that returns follows whoever leads.
		textbookForm("textbook-suppressed", "Textbook Bully, no takeover on return", textbook.Config{Return: textbook.Suppressed}),
		// Leaders pick an epoch that nobody compares. A resource could not fence with it: two leaders may have the same, and a later one a lower one.
		stamp,
	}
}

// textbookForm is the algorithm whose nodes are of a form; their ids are those of the run.
func textbookForm(name, title string, form textbook.Config) compare.Algorithm {
	a := compare.Algorithm{Name: name, Title: title, Upkeep: []string{string(textbook.Heartbeat)}}
	for t := textbook.Telec; t <= textbook.Return; t++ {
		a.Timers = append(a.Timers, t.String())
	}
	a.New = func(c compare.Config) compare.Node {
		own := form
		own.ID, own.Nodes = c.ID, c.Nodes
		core, err := textbook.New(own)
		if err != nil {
			panic(err) // the ids of a run are 1 to Nodes
		}
		return &textbookNode{core: core, after: textbookWaits(c.Timing, form.Return)}
	}
	return a
}

// textbookWaits returns how long each timer runs. T_elec is a round trip and a little, so that an OK that takes no longer than
// it is said to comes before its end; T_coord is twice that, as taught. All followers have the same patience: nothing keeps
// them from losing it at the same moment. An answer to IM_BACK takes a round trip too.
func textbookWaits(t compare.Timing, p textbook.Policy) [textbook.Return + 1]time.Duration {
	telec := 2*t.Delay + time.Millisecond
	after := [textbook.Return + 1]time.Duration{
		textbook.Telec: telec, textbook.Tcoord: 2 * telec, textbook.Patience: t.Patience, textbook.Interval: t.Heartbeat, textbook.Return: telec,
	}
	if p == textbook.CoolDown {
		after[textbook.Return] = t.Cooldown
	}
	return after
}

// textbookNode is the core and its host.
type textbookNode struct {
	core  *textbook.Node
	after [textbook.Return + 1]time.Duration // how long each timer runs
	last  textbookStep
}

func (n *textbookNode) Start(out *compare.Output) {
	n.begin(noTimer, textbook.Message{})
	n.step(textbook.Start(), out)
}

// Restart has nothing to take from a disk: the textbook Bully saves nothing.
func (n *textbookNode) Restart(_ any, out *compare.Output) {
	n.begin(noTimer, textbook.Message{})
	n.step(textbook.Restart(), out)
}

func (n *textbookNode) Receive(_ int, m compare.Message, out *compare.Output) {
	message, _ := m.Body.(textbook.Message) // anything else is ignored, as a message of nobody
	n.begin(noTimer, message)
	n.step(textbook.Receive(message), out)
}

func (n *textbookNode) End(t compare.Timer, out *compare.Output) {
	n.begin(textbook.Timer(t), textbook.Message{})
	n.step(textbook.Timeout(textbook.Timer(t)), out)
}

func (n *textbookNode) Suspect(out *compare.Output) {
	n.begin(noTimer, textbook.Message{})
	n.step(textbook.Suspect(), out)
}

// Status has only candidates stand: an electing node has given way.
func (n *textbookNode) Status() compare.Status {
	role := n.core.Role()
	return compare.Status{Leader: n.core.Leader(), Leading: role == textbook.Leader, Standing: role == textbook.Candidate, Epoch: n.core.Stamp()}
}

// step lets the core take a step, and does its duties.
func (n *textbookNode) step(in textbook.Input, out *compare.Output) {
	did := n.core.Step(in)
	for _, t := range did.Stop {
		out.Stop = append(out.Stop, compare.Timer(t))
	}
	for _, t := range did.Set {
		out.Set = append(out.Set, compare.SetTimer{Timer: compare.Timer(t), After: n.after[t]})
	}
	for _, m := range did.Send {
		out.Send = append(out.Send, compare.Sent{To: m.To, Message: compare.Message{Kind: string(m.Type), Body: m}})
	}
	out.Note, n.last.did = did.Note, did
}

// textbookStep is the last step of a node, as far as it is told of.
type textbookStep struct {
	role   textbook.Role // before it
	leader int
	did    textbook.Output
	timer  textbook.Timer
	got    textbook.Message
}

// noTimer is no timer.
const noTimer textbook.Timer = 0xff

// begin notes what people are told of a step that begins: the timer that has ended, or the message.
func (n *textbookNode) begin(t textbook.Timer, m textbook.Message) {
	n.last = textbookStep{role: n.core.Role(), leader: n.core.Leader(), timer: t, got: m}
}

// Tell tells the role. There is nothing else in it.
func (n *textbookNode) Tell() Telling {
	return Telling{Role: string(n.core.Role()), Epoch: n.core.Stamp(), Waits: n.core.Role() == textbook.Electing}
}

// Kept has nothing to tell: the textbook Bully saves nothing.
func (n *textbookNode) Kept(any) string { return "" }

// About tells the stamp of a reign, which nobody compares.
func (n *textbookNode) About(m compare.Message) (epoch uint64, text string) {
	message, _ := m.Body.(textbook.Message)
	return message.Stamp, ""
}

// Did tells of the last step.
func (n *textbookNode) Did() Step {
	step := Step{Note: n.last.did.Note}
	switch n.last.timer {
	case textbook.Telec:
		step.Text = "has waited T_elec for an OK of a higher node"
	case textbook.Tcoord:
		step.Text = "has waited T_coord for COORDINATOR"
	case textbook.Patience:
		step.Text = "has waited long enough for a leader"
		if n.last.leader > 0 {
			step.Text = fmt.Sprintf("has heard nothing from %d for too long", n.last.leader)
		}
	case textbook.Interval:
		step.Text = "says that it still leads"
	case textbook.Return:
		step.Text = "has waited long enough since its return"
	}
	if n.core.Role() == textbook.Candidate && n.last.role != textbook.Candidate {
		step.Note += ": holds an election, and asks all that are higher"
		if len(n.last.did.Send) == 0 || n.last.did.Send[len(n.last.did.Send)-1].Type != textbook.Election {
			step.Note += ", but nobody is"
		}
	}
	if step.Note == "" && n.last.got.Type != "" {
		step.Note = n.heard(&n.last.got)
	}
	return step
}

// heard tells what the node has made of a message, where the core does not.
func (n *textbookNode) heard(m *textbook.Message) string {
	switch {
	case n.last.did.Ignored != "":
		return "takes no notice of it"
	case m.Type == textbook.Election:
		return fmt.Sprintf("says OK to %d, and goes on with its own election", m.From)
	case m.Type == textbook.OK:
		return "waits for COORDINATOR already, or comes too late"
	case n.core.Role() == textbook.Follower && (n.last.role != textbook.Follower || n.last.leader != n.core.Leader()):
		return fmt.Sprintf("follows %d, whoever that is", m.From)
	case n.core.Role() == textbook.Follower && n.core.Leader() == m.From:
		return fmt.Sprintf("%d still leads", m.From)
	}
	return "takes no notice of it"
}
