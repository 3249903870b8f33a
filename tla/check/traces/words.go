package traces

import (
	"fmt"
	"slices"
	"strings"

	"github.com/seed-fdf591db/bully/spec"
)

// What package spec calls what has small numbers here.

// id returns the node of a rank.
func (t *trace) id(r rank) spec.NodeID {
	if r == 0 || int(r) > len(t.members) {
		return spec.NodeID{}
	}
	return t.members[r-1]
}

// stateOf returns a state that TLC has said.
func (t *trace) stateOf(s *said) spec.State {
	state := spec.State{Role: spec.Role(s.role), Leader: t.id(s.leader), Epoch: t.large(s.epoch), Grantee: t.id(s.grantee),
		Lease: t.question(s.lease), Asked: t.question(s.asked), Latest: t.question(s.latest), Dated: t.question(s.dated)}
	for i, q := range s.answered {
		if q != 0 {
			state.Answered = append(state.Answered, spec.Answered{Node: t.id(rank(i + 1)), Question: t.question(q)})
		}
	}
	for _, r := range s.support {
		state.Support = append(state.Support, t.id(r))
	}
	slices.SortFunc(state.Support, spec.NodeID.Compare)
	state.Configuration = t.configurationSaid(&s.conf)
	return state
}

// lines writes messages that TLC has said below a first line, if there is one.
func (t *trace) lines(first string, messages []told) string {
	var lines []string
	if first != "" {
		lines = append(lines, first)
	}
	for _, m := range messages {
		message := spec.Message{Type: spec.MessageType(m.kind), From: t.id(m.from), To: t.id(m.to), Epoch: t.large(m.epoch), Question: t.question(m.question),
			Keeps: t.id(m.keeps), Names: t.id(m.names), Configuration: t.configurationSaid(&m.conf)}
		if m.granted.by != 0 {
			message.Granted = spec.Granted{By: t.id(m.granted.by), Epoch: t.large(m.granted.epoch), Question: t.question(m.granted.question)}
		}
		lines = append(lines, message.String())
	}
	return strings.Join(lines, "\n")
}

// eventAt returns an event as it was read, as far as it is kept.
func (t *trace) eventAt(i int) spec.Event {
	e := &t.events[i]
	out := spec.Event{Seq: uint64(i + 1), Node: t.id(e.node), Action: e.action, Input: spec.Input{Message: t.messages.all[e.input]}}
	out.Input.Names = t.id(e.names)
	if e.action == spec.ChangeAction {
		out.Input.Configuration = t.confs.all[e.conf]
	}
	if e.action.OfNode() {
		out.State, out.Sent = t.states.all[e.state], t.messagesSent(e)
	}
	return out
}

// messagesSent returns what is sent in an event of a node.
func (t *trace) messagesSent(e *event) (messages []spec.Message) {
	for _, m := range t.sents.all[e.sent] {
		messages = append(messages, t.messages.all[m])
	}
	return messages
}

// latest says what was sent last on a link before an event, a line for each.
func (t *trace) latest(from, to spec.NodeID, before int) string {
	var lines []string
	for i := before - 1; i >= 0 && len(lines) < 5; i-- {
		if t.events[i].action == spec.CutAction {
			continue
		}
		for _, m := range slices.Backward(t.messagesSent(&t.events[i])) {
			if m.From == from && m.To == to {
				lines = append(lines, m.String())
			}
		}
	}
	if lines == nil {
		return "nothing: no message was sent there"
	}
	return strings.Join(lines, "\n")
}

// what says which step an event is.
func what(e *spec.Event) string {
	text := string(e.Action)
	if !e.Node.IsNone() {
		text += fmt.Sprintf(" of node %s", e.Node)
	}
	if e.Input.Message != (spec.Message{}) {
		text += fmt.Sprintf(" (%s)", e.Input.Message)
	}
	if !e.Input.Configuration.IsNone() {
		text += fmt.Sprintf(" (to %s)", e.Input.Configuration)
	}
	return text
}
