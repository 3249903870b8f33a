package algorithms

import (
	"fmt"
	"strings"

	"github.com/seed-fdf591db/bully/conformance/compare"
	"github.com/seed-fdf591db/bully/impl/baselines/ring"
)

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
