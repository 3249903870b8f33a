package algorithms

import (
	"fmt"

	"github.com/seed-fdf591db/bully/conformance/compare"
	"github.com/seed-fdf591db/bully/impl/baselines/textbook"
)

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
