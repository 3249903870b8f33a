package engine

import (
	"slices"

	"github.com/seed-fdf591db/bully/conformance/check"
	"github.com/seed-fdf591db/bully/spec"
)

// heard is what a trace says of each node last, and what comes after that. A record that just ends is told from a node that lives
// (section 14): a trace that the rules refuse, or that has more nodes than can be checked, is shown too, so the report of a check will not do.
type heard struct {
	last map[spec.NodeID]*lastWord
	cut  []spec.Link
}

// lastWord is the last event of a node.
type lastWord struct {
	seq      uint64
	up       bool
	leads    spec.Epoch // 0 if it does not lead
	said     int        // how many messages have been put on links to it since
	replaced bool       // another node has led a higher epoch since
}

// take takes the next event of the trace.
func (h *heard) take(e *spec.Event) {
	switch {
	case e.Action == spec.CutAction:
		h.cut = slices.Clone(e.Input.Cut)
		return
	case e.Node.IsNone():
		return
	case h.last == nil:
		h.last = map[spec.NodeID]*lastWord{}
	}
	word := &lastWord{seq: e.Seq, up: e.Action != spec.CrashAction}
	if e.State.Role == spec.Leader {
		word.leads = e.State.Epoch
	}
	h.last[e.Node] = word
	for _, other := range h.last {
		other.replaced = other.replaced || other.leads > 0 && other.leads < word.leads
	}
	for k := range e.Sent {
		if to := h.last[e.Sent[k].To]; to != nil && !slices.Contains(h.cut, spec.Link{From: e.Node, To: e.Sent[k].To}) {
			to.said++
		}
	}
}

// endsWith reports whether the node of an event is heard no more after it, though the trace goes on: so much was said to it in vain, or
// it led, and another leads now.
func (h *heard) endsWith(e *spec.Event) bool {
	word := h.last[e.Node]
	return word != nil && word.seq == e.Seq && word.up && (word.said >= check.UnheardFrom || word.replaced)
}
