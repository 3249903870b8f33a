package check

import (
	"fmt"
	"slices"

	"github.com/seed-fdf591db/bully/model/rules"
	"github.com/seed-fdf591db/bully/spec"
)

// links are what has been said between the nodes, and which links are cut. The network may lose, repeat, reorder and delay what is
// said, and deliver it over restarts (section 2): so what was put on a link may arrive from then on at any time, and again.
type links struct {
	said [][]log     // said[i][j]: by i to j
	cut  []rules.Set // cut[i]: to whom nothing of what i sends comes
}

// newLinks returns the links between n nodes.
func newLinks(n int) links {
	l := links{said: make([][]log, n+1), cut: make([]rules.Set, n+1)}
	all := make([]log, (n+1)*(n+1))
	for i := range l.said {
		l.said[i], all = all[:n+1], all[n+1:]
	}
	return l
}

// log is what was put on one link, first sent first. A leader says HEARTBEAT for days, and numbers each: messages that differ in
// nothing but numbers that follow each other are one run, and there are at most maxRuns.
type log struct {
	runs     []run
	exceeded bool // there were more than maxRuns, and the oldest have been forgotten
}

// run is a message with each of the numbers from one to another.
type run struct {
	kind     rules.MessageType
	epoch    spec.Epoch
	from, to spec.Question
	more     *more // what only some messages have; nil if this one has nothing of it
	// What the sender has as long as it stays the same: nodes send the same one again and again. Nil where members are fixed.
	configuration *spec.Configuration
}

// more is what only messages of some types have.
type more struct {
	keeps   spec.NodeID
	granted spec.Granted
}

// maxRuns is how many runs are remembered of a link: then the older half is forgotten. No node waits for so many messages.
const maxRuns = 1 << 14

// is reports whether the run is of messages that are m but for the number.
func (r *run) is(kind rules.MessageType, m *spec.Message) bool {
	return r.kind == kind && r.epoch == m.Epoch && r.besides() == (more{m.Keeps, m.Granted}) &&
		(r.configuration == nil || *r.configuration == m.Configuration)
}

func (r *run) besides() more {
	if r.more == nil {
		return more{}
	}
	return *r.more
}

// send puts a message under way, unless its link is cut, and reports whether it did. Its configuration is c.
func (l *links) send(from, to rules.ID, m *spec.Message, c *spec.Configuration) bool {
	if l.cut[from].Has(to) {
		return false
	}
	l.said[from][to].push(m, c)
	return true
}

// may reports whether a message may arrive, or be lost: whether it has been put on its link.
func (l *links) may(from, to rules.ID, m *spec.Message) bool {
	g, kind := &l.said[from][to], rules.MessageTypeOf(m.Type)
	for i := len(g.runs) - 1; i >= 0; i-- { // what was sent last arrives next, mostly
		if r := &g.runs[i]; r.is(kind, m) && r.from <= m.Question && m.Question <= r.to {
			return true
		}
	}
	return false
}

// change makes cut the links that are cut, from now on and no others. It reports whether that is a change. What is under way
// arrives, or does not.
func (l *links) change(cut []rules.Set) bool {
	if slices.Equal(l.cut, cut) {
		return false
	}
	l.cut = cut
	return true
}

func (g *log) push(m *spec.Message, c *spec.Configuration) {
	kind := rules.MessageTypeOf(m.Type)
	if len(g.runs) > 0 {
		last := &g.runs[len(g.runs)-1]
		if last.is(kind, m) && last.from <= m.Question && m.Question <= last.to+1 {
			last.to = max(last.to, m.Question)
			return
		}
	}
	if len(g.runs) == maxRuns {
		g.runs, g.exceeded = slices.Delete(g.runs, 0, maxRuns/2), true
	}
	r := run{kind: kind, epoch: m.Epoch, from: m.Question, to: m.Question, configuration: c}
	if !m.Keeps.IsNone() || m.Granted != (spec.Granted{}) {
		r.more = &more{m.Keeps, m.Granted}
	}
	g.runs = append(g.runs, r)
}

// lose takes a message that the network is said to have lost: it has been sent. It may arrive all the same, if it was sent twice.
func (r *replay) lose(e *spec.Event) *TraceError {
	if m := &e.Input.Message; !r.links.may(r.rank(m.From), r.rank(m.To), m) {
		return r.notUnderWay(e, m)
	}
	return nil
}

// changeCut changes which links are cut.
func (r *replay) changeCut(e *spec.Event) *TraceError {
	cut := make([]rules.Set, len(r.links.cut))
	for _, l := range e.Input.Cut {
		from := r.rank(l.From)
		cut[from] = cut[from].With(r.rank(l.To))
	}
	if !r.links.change(cut) {
		return &TraceError{Rule: nodesAndLinks, Problem: "Cut" + e.Input.Besides() + ": these links are cut already, and no others"}
	}
	return nil
}

// notUnderWay says that a message cannot arrive, or be lost.
func (r *replay) notUnderWay(e *spec.Event, m *spec.Message) *TraceError {
	from, to := r.rank(m.From), r.rank(m.To)
	g := &r.links.said[from][to]
	fault := &TraceError{Rule: nodesAndLinks, Expected: g.latest(m.From, m.To), Got: m.String(), unsent: true}
	verb := "receives"
	if e.Action == spec.LoseAction {
		verb = "would have received"
	}
	fault.Problem = fmt.Sprintf("%s: node %s %s what was never put on that link", e.Action, m.To, verb)
	switch {
	case r.links.cut[from].Has(to):
		fault.Problem += ": it is cut now"
	case g.exceeded:
		fault.Problem += fmt.Sprintf(", as far as can be remembered: more than %d different messages were, and the oldest are forgotten", maxRuns)
	}
	return fault
}

// latest says what was put on the link last, as far as fits.
func (g *log) latest(from, to spec.NodeID) string {
	if len(g.runs) == 0 {
		return "nothing: no message was sent there"
	}
	text := ""
	for i := len(g.runs) - 1; i >= max(0, len(g.runs)-5); i-- {
		r := &g.runs[i]
		m := spec.Message{Type: r.kind.Spec(), From: from, To: to, Epoch: r.epoch, Question: r.to, Keeps: r.besides().keeps, Granted: r.besides().granted}
		if r.configuration != nil {
			m.Configuration = *r.configuration
		}
		if text != "" {
			text += "\n"
		}
		text += m.String()
		if r.from < r.to {
			text += fmt.Sprintf(" (and from question:%d on)", r.from)
		}
	}
	return text
}
