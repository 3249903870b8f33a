package algorithms

import (
	"fmt"
	"strings"

	"github.com/seed-fdf591db/bully/conformance/compare"
	"github.com/seed-fdf591db/bully/impl/baselines/lease"
)

// leaseStep is the last step of a candidate or of the store, as far as it is told of.
type leaseStep struct {
	leader int // before it, of a candidate
	led    bool
	did    lease.Output
	timer  lease.Timer
	ended  bool // it is the end of that timer
	got    lease.Message
}

// begin notes what people are told of a step that begins.
func (n *leaseNode) begin(step leaseStep) {
	if n.candidate != nil {
		step.leader, _ = n.candidate.Leader()
		step.led = n.candidate.Leads()
	}
	n.last = step
}

// Tell tells whether a candidate holds the lease, and what is in the store.
func (n *leaseNode) Tell() Telling {
	if n.candidate == nil {
		saved := n.core.(*lease.Store).Saved()
		return Telling{Role: "store", Epoch: uint64(saved.Revision), Fields: []Field{{"lease", entries(saved.Entries)}, {"revision", fmt.Sprint(saved.Revision)}}}
	}
	leader, revision := n.candidate.Leader()
	t := Telling{Role: "silent", Epoch: uint64(revision)}
	switch {
	case n.candidate.Leads():
		t.Role = "holder"
	case n.candidate.Stands():
		t.Role = "asks"
	case leader > 0:
		t.Role = "watches"
	}
	if leader > 0 {
		t.Fields = []Field{{"holder", fmt.Sprint(leader)}, {"revision", fmt.Sprint(revision)}}
	}
	return t
}

// entries says who holds what, whose reign is first.
func entries(of []lease.Entry) string {
	var text []string
	for _, e := range of {
		text = append(text, fmt.Sprintf("%d (revision %d)", e.Holder, e.Revision))
	}
	if len(text) == 0 {
		return "free"
	}
	return strings.Join(text, ", ")
}

// Kept tells the entries of the store. A candidate saves nothing.
func (n *leaseNode) Kept(saved any) string {
	kept, ok := saved.(lease.Saved)
	if !ok {
		return ""
	}
	return fmt.Sprintf("revision %d, lease: %s", kept.Revision, entries(kept.Entries))
}

// About tells which entry a message is about.
func (n *leaseNode) About(m compare.Message) (epoch uint64, text string) {
	message, _ := m.Body.(lease.Message)
	if message.Entry.Revision > 0 {
		return uint64(message.Entry.Revision), fmt.Sprintf("lease of %d", message.Entry.Holder)
	}
	return 0, ""
}

// Did tells of the last step.
func (n *leaseNode) Did() Step {
	step := Step{Note: n.last.did.Note}
	switch t := n.last.timer; {
	case !n.last.ended:
	case t == lease.Tick:
		step.Text = "looks which leases have run out"
	case t == lease.Renewal && n.candidate.Stands():
		step.Text = "asks the store again"
	case t == lease.Renewal:
		step.Text = "renews its lease"
	case t == lease.Rewatch:
		step.Text = "has heard nothing from the store for a while"
	default:
		step.Text = "a deadline of its own has come"
	}
	if m := &n.last.got; step.Note == "" && !n.last.ended && m.Kind != "" {
		step.Note = n.heard(m)
	}
	switch {
	case step.Note != "" || n.last.ended || n.last.got.Kind != "":
	case n.candidate == nil:
		step.Note = "keeps the key that all want"
	case n.candidate.Stands():
		step.Note = "asks the store for the lease"
	}
	return step
}

// heard tells what is made of a message, where the core does not.
func (n *leaseNode) heard(m *lease.Message) string {
	sent := func(k lease.Kind) bool {
		return len(n.last.did.Send) > 0 && n.last.did.Send[0].Kind == k
	}
	switch {
	case n.last.did.Ignored != "":
		return "takes no notice of it: it is late"
	case n.candidate != nil:
		return n.answered(m)
	case m.Kind == lease.Create && n.last.did.Save != nil:
		return fmt.Sprintf("nobody has the key: it is %d's now", m.From)
	case sent(lease.Held):
		return fmt.Sprintf("says no: %d has the key", n.last.did.Send[0].Entry.Holder)
	case m.Kind == lease.Create:
		return fmt.Sprintf("the key is %d's already", m.From)
	case sent(lease.Renewed):
		return fmt.Sprintf("the lease of %d begins anew", m.From)
	case sent(lease.Gone):
		return "says that this lease is gone"
	case m.Kind == lease.Watch:
		return fmt.Sprintf("will tell %d when it goes", m.From)
	}
	return ""
}

// answered tells what a candidate has made of what the store says.
func (n *leaseNode) answered(m *lease.Message) string {
	leader, revision := n.candidate.Leader()
	switch {
	case n.candidate.Leads() && !n.last.led:
		return fmt.Sprintf("has the lease: was the first to ask for it, whatever its number; its reign is revision %d", revision)
	case n.candidate.Leads():
		return "still has the lease"
	case n.candidate.Stands():
		return "asks for the lease"
	case leader > 0:
		return fmt.Sprintf("%d has the lease: follows it, and watches", leader)
	}
	return ""
}
