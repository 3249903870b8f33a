package algorithms

import (
	"time"

	"github.com/seed-fdf591db/bully/conformance/compare"
	"github.com/seed-fdf591db/bully/impl/baselines/textbook"
)

// Textbook is the Bully as it is taught: T_coord is 2·T_elec, and a node that returns holds an election at once.
func Textbook() compare.Algorithm {
	return textbookForm("textbook", "Textbook Bully", textbook.Config{})
}

// TextbookNoTcoord is the textbook Bully in which who was told OK waits for COORDINATOR without end: a bug that is often seen.
func TextbookNoTcoord() compare.Algorithm {
	return textbookForm("textbook-no-tcoord", "Textbook Bully without T_coord", textbook.Config{NoTcoord: true})
}

// TextbookCooldown is the textbook Bully in which a node that returns waits Timing.Cooldown before it takes over.
func TextbookCooldown() compare.Algorithm {
	return textbookForm("textbook-cooldown", "Textbook Bully, cool-down on return", textbook.Config{Return: textbook.CoolDown})
}

// TextbookSuppressed is the textbook Bully in which a node that returns follows whoever leads.
func TextbookSuppressed() compare.Algorithm {
	return textbookForm("textbook-suppressed", "Textbook Bully, no takeover on return", textbook.Config{Return: textbook.Suppressed})
}

// TextbookStamp is the textbook Bully whose leaders pick an epoch that nobody compares. A resource could not fence with it: two
// leaders may have the same, and a later one a lower one.
func TextbookStamp() compare.Algorithm {
	a := textbookForm("textbook-stamp", "Textbook Bully with an un-ordered epoch", textbook.Config{Stamp: true})
	a.Epochs = true
	return a
}

// TextbookAlgorithms returns all forms of the textbook Bully, first that which is taught.
func TextbookAlgorithms() []compare.Algorithm {
	return []compare.Algorithm{Textbook(), TextbookNoTcoord(), TextbookCooldown(), TextbookSuppressed(), TextbookStamp()}
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
	n.step(textbook.Ended(textbook.Timer(t)), out)
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
