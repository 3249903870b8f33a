package host

import (
	"log/slog"
	"slices"
	"sync"

	"github.com/seed-fdf591db/bully/spec"
)

// A stranger is not believed who the members are (decision 0032): whoever reaches a node, or has a certificate of its cluster, could
// else make it adopt members that were never made such (R43). Its message is not heard, which is what a network may do to any: nothing
// of safety rests on it. Nor does anything of it get lost for good where a member that this node knows has adopted the same: those who
// made the change, or heard of it, say so too.

// maxUnbelieved is how many strangers are remembered, so that people see who they are.
const maxUnbelieved = 16

// strangers are those who were not believed since the node was last told of members. The loop adds, and Status reads.
type strangers struct {
	mu  sync.Mutex
	ids []spec.NodeID // ascending
}

// heeds reports whether a message may be given to the node: not if a stranger says that there are other members.
func (h *Host) heeds(m *spec.Message) bool {
	own := h.state.Configuration
	if own.IsNone() || own.IsEmpty() || !m.Configuration.Newer(own) {
		return true
	}
	if _, member := own.Member(m.From); member || slices.Contains(h.config.Believe, m.From) {
		return true
	}
	h.counters.unbelieved.Add(1)
	if h.strange.note(m.From) {
		h.config.Logger.Warn("a node that is no member, as far as this one knows, says that there are other members, and is not believed. If it is so, a member says it too; if none is left that could, start this node with -believe and that id",
			slog.String("node", h.config.ID.String()), slog.String("stranger", m.From.String()),
			slog.String("claims", m.Configuration.String()), slog.String("members", own.String()))
	}
	return false
}

// note remembers a stranger, and reports whether it is a new one, and there is room for it.
func (s *strangers) note(id spec.NodeID) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	at, known := slices.BinarySearchFunc(s.ids, id, spec.NodeID.Compare)
	if known || len(s.ids) == maxUnbelieved {
		return false
	}
	s.ids = slices.Insert(s.ids, at, id)
	return true
}

// forget forgets all: the node has been told who the members are.
func (s *strangers) forget() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.ids = nil
}

func (s *strangers) unbelieved() []spec.NodeID {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.ids)
}
