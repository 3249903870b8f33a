package check

import (
	"fmt"
	"slices"

	"github.com/seed-fdf591db/bully/model/rules"
	"github.com/seed-fdf591db/bully/spec"
)

// links are what is under way between the nodes, on one FIFO link in each direction, and which links are cut (section 2).
type links struct {
	under [][]queue   // under[i][j]: from i to j
	cut   []rules.Set // cut[i]: to whom nothing of what i sends comes
	lost  uint64      // messages that were lost without a word
}

// newLinks returns the links between n nodes.
func newLinks(n int) links {
	l := links{under: make([][]queue, n+1), cut: make([]rules.Set, n+1)}
	all := make([]queue, (n+1)*(n+1))
	for i := range l.under {
		l.under[i], all = all[:n+1], all[n+1:]
	}
	return l
}

// queue is what is under way on one link, first sent first. A trace of a real run does not say what the network has
// lost, and so what was lost stays here until a message sent after it arrives. A leader that says HEARTBEAT for days over
// a link that carries nothing would fill the memory: hence the same message many times over is one run, and there are at
// most maxRuns.
type queue struct {
	runs     []run // but for the first head ones
	head     int
	exceeded bool // there were more than maxRuns, and the oldest have been taken for lost
}

// run is the same message, sent so many times with nothing between.
type run struct {
	kind  rules.MessageType
	count uint32
	epoch spec.Epoch
	// What the sender has as long as it stays the same: nodes send the same one again and again. Nil where members are fixed.
	configuration *spec.Configuration
}

// is reports whether the run is of a message.
func (r *run) is(kind rules.MessageType, m *spec.Message) bool {
	return r.kind == kind && r.epoch == m.Epoch && (r.configuration == nil || *r.configuration == m.Configuration)
}

// maxRuns is how many runs a link may hold: then the older half is taken for lost. No node waits for so many messages.
const maxRuns = 1 << 14

// send puts a message under way, unless its link is cut. Its configuration is c. Whether its receiver is up is for the caller
// to say.
func (l *links) send(from, to rules.ID, m *spec.Message, c *spec.Configuration) {
	if !l.cut[from].Has(to) {
		l.under[from][to].push(m, c)
	}
}

// take takes a message off its link, and reports whether it was under way. What lay before it is lost: on a FIFO link it
// can no longer arrive.
//
// If the same message is under way more than once, it takes the first. That is complete: if any choice explains the rest
// of the trace, this one does. What is left after it is what is left after another choice, and more that was sent before
// that. Whatever comes later, a message sent, a message taken, a link emptied, leaves it so, since taking the first of the
// longer queue passes over no more than taking any of the shorter; and a message more that is under way hinders nobody.
func (l *links) take(from, to rules.ID, m *spec.Message) bool {
	q := &l.under[from][to]
	i := q.find(m)
	if i < 0 {
		return false
	}
	for _, passed := range q.runs[q.head:i] {
		l.lost += uint64(passed.count)
	}
	q.head = i
	if q.runs[i].count--; q.runs[i].count == 0 {
		q.head++
	}
	return true
}

// lose takes a message off its link that is said to be lost, and reports whether it was under way. What lies before it
// was not lost with it: a Lose is of the first message on a link, or of one before which others were lost in silence.
func (l *links) lose(from, to rules.ID, m *spec.Message) bool {
	q := &l.under[from][to]
	i := q.find(m)
	if i < 0 {
		return false
	}
	if q.runs[i].count--; q.runs[i].count == 0 {
		q.runs = slices.Delete(q.runs, i, i+1)
	}
	return true
}

// find returns the first run of a message, or -1.
func (q *queue) find(m *spec.Message) int {
	kind := rules.MessageTypeOf(m.Type)
	for i := q.head; i < len(q.runs); i++ {
		if q.runs[i].is(kind, m) {
			return i
		}
	}
	return -1
}

// clear loses all that is under way to and from node i.
func (l *links) clear(i rules.ID) {
	for j := range l.under {
		l.under[i][j].empty()
		l.under[j][i].empty()
	}
}

// change makes cut the links that are cut, from now on and no others. What is under way on them is lost. It reports
// whether that is a change.
func (l *links) change(cut []rules.Set) bool {
	if slices.Equal(l.cut, cut) {
		return false
	}
	l.cut = cut
	for i, to := range cut {
		for j := range l.under[i] {
			if to.Has(rules.ID(j)) {
				l.under[i][j].empty()
			}
		}
	}
	return true
}

func (q *queue) empty() { q.runs, q.head = q.runs[:0], 0 }

func (q *queue) push(m *spec.Message, c *spec.Configuration) {
	kind := rules.MessageTypeOf(m.Type)
	if q.head == len(q.runs) {
		q.empty()
	} else if last := &q.runs[len(q.runs)-1]; last.is(kind, m) && last.count < 1<<32-1 {
		last.count++
		return
	}
	if len(q.runs) == cap(q.runs) { // Use the memory of what has arrived again before asking for more.
		if len(q.runs)-q.head >= maxRuns {
			q.head, q.exceeded = len(q.runs)-maxRuns/2, true
		}
		if q.head > len(q.runs)/4 {
			q.runs, q.head = slices.Delete(q.runs, 0, q.head), 0
		}
	}
	q.runs = append(q.runs, run{kind, 1, m.Epoch, c})
}

// lose takes a message that the network is said to have lost.
func (r *replay) lose(e *spec.Event) *TraceError {
	if m := &e.Input.Message; !r.links.lose(r.rank(m.From), r.rank(m.To), m) {
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
	q := &r.links.under[from][to]
	fault := &TraceError{Rule: nodesAndLinks, Expected: q.first(m.From, m.To), Got: m.String()}
	verb := "receives"
	if e.Action == spec.LoseAction {
		verb = "would have received"
	}
	fault.Problem = fmt.Sprintf("%s: node %s %s what is not under way", e.Action, m.To, verb)
	switch {
	case !r.nodes[to].up:
		fault.Problem += ": it is down"
	case r.links.cut[from].Has(to):
		fault.Problem += ": the link is cut"
	case q.exceeded:
		fault.Problem += fmt.Sprintf(", as far as can be remembered: more than %d different messages were, and the oldest were taken for lost", maxRuns)
	}
	return fault
}

// first says what is under way, as far as fits.
func (q *queue) first(from, to spec.NodeID) string {
	runs, more := q.runs[q.head:], ""
	if len(runs) == 0 {
		return "nothing: no message is under way"
	}
	if len(runs) > 5 {
		runs, more = runs[:5], "\n…"
	}
	text := ""
	for i, r := range runs {
		if i > 0 {
			text += "\n"
		}
		m := spec.Message{Type: r.kind.Spec(), From: from, To: to, Epoch: r.epoch}
		if r.configuration != nil {
			m.Configuration = *r.configuration
		}
		text += m.String()
		if r.count > 1 {
			text += fmt.Sprintf(" (%d times)", r.count)
		}
	}
	return text + more
}
