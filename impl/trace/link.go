package trace

import (
	"fmt"

	"github.com/seed-fdf591db/bully/spec"
)

// ref names a step: the place of its node among the records, and its own in the record.
type ref struct{ node, step int }

// sending is where a message was sent first, and how often it was sent. A node repeats what it says: the same answer to the same
// question, the same claim. To whoever receives it, one is as good as another, and the network may deliver each more than once
// (section 2), so all that is asked of a receipt is that it comes after the first.
type sending struct {
	first ref
	times int
}

// join finds out where each message was sent. It returns the first one received that nobody has sent, if there is one.
func (m *merger) join() error {
	known := map[spec.NodeID]bool{}
	m.sent = map[spec.Message]sending{}
	for node := range m.records {
		r := &m.records[node]
		known[r.node] = true
		for i := range r.steps {
			for _, message := range r.steps[i].Sent {
				if message.From != r.node {
					continue
				}
				s, again := m.sent[message]
				if !again {
					s.first = ref{node, i}
				}
				s.times++
				m.sent[message] = s
			}
		}
	}
	for node := range m.records {
		for i := range m.records[node].steps {
			s := &m.records[node].steps[i]
			message := s.Input.Message
			switch _, sent := m.sent[message]; {
			case sent || message == (spec.Message{}):
			case known[message.From]:
				return fmt.Errorf("%s: node %s receives %s, which node %s is not recorded to have sent", s.place, s.Node, message, message.From)
			default:
				return fmt.Errorf("%s: node %s receives %s, and no record of node %s is given", s.place, s.Node, message, message.From)
			}
		}
	}
	return nil
}
