package traces

import (
	"bufio"
	"fmt"
	"io"

	"github.com/seed-fdf591db/bully/spec"
)

// dataHead begins module TraceData. The tables that follow say for whom they are in the order of their names here.
const dataHead = `----------------------------- MODULE TraceData -----------------------------
(***************************************************************************)
(* Recorded runs, for module TraceCluster.  Written by tla/check/traces.   *)
(*                                                                         *)
(* Events    <<action, node, from, epoch, state, sent>>: from and epoch of *)
(*           the message received; which of States comes; which of Sents   *)
(*           is sent, or lost by a Lose; of a Cut, which of CutSets is cut *)
(* Leaders   of each run, of each epoch from 0, who was the first to lead  *)
(* Highest   of each run, what the highest epoch of all is here, or -1     *)
(* Frames    states of the whole cluster between two events                *)
(* Chunks    parts of runs, from one frame to another; 0 is the run's end  *)
(***************************************************************************)
EXTENDS Node

Members == %d

Being(role, leader, epoch, grantee, support) ==
  [role |-> role, leader |-> leader, epoch |-> epoch, grantee |-> grantee, support |-> support]
`

// table numbers texts from 1, and the same text always the same.
type table struct {
	texts  []string
	places map[string]int
}

func (t *table) place(text []byte) int {
	place, ok := t.places[string(text)]
	if !ok {
		if t.places == nil {
			t.places = map[string]int{}
		}
		t.texts = append(t.texts, string(text))
		place = len(t.texts)
		t.places[string(text)] = place
	}
	return place
}

// writer makes module TraceData of chunks.
type writer struct {
	events, leaders, highest, chunks table // the texts of these are not looked for
	states, sents, cuts, frames      table
	runs                             map[*trace]int
	text                             []byte           // used again and again
	known                            [3]map[int32]int // of the trace written last, the places of its states, sents and cuts
	last                             *trace
}

// write writes module TraceData with chunks, all of the same number of members, and returns for each the number of its
// first event in it.
func write(out io.Writer, chunks []chunk) (firsts []int, err error) {
	w := writer{runs: map[*trace]int{}}
	for i := range chunks {
		firsts = append(firsts, len(w.events.texts)+1)
		w.chunk(&chunks[i])
	}
	b := bufio.NewWriter(out)
	_, _ = fmt.Fprintf(b, dataHead, len(chunks[0].trace.members))
	for _, part := range []struct {
		name string
		table
	}{{"Events", w.events}, {"States", w.states}, {"Sents", w.sents}, {"CutSets", w.cuts}, {"Leaders", w.leaders},
		{"Highest", w.highest}, {"Frames", w.frames}, {"Chunks", w.chunks}} {
		_, _ = fmt.Fprintf(b, "\n%s == <<", part.name)
		for i, text := range part.texts {
			if i > 0 {
				_ = b.WriteByte(',')
			}
			_, _ = b.WriteString("\n  ")
			_, _ = b.WriteString(text)
		}
		_, _ = b.WriteString("\n>>\n")
	}
	_, _ = b.WriteString("\n=============================================================================\n")
	return firsts, b.Flush()
}

// chunk adds a chunk, and its run if that is new.
func (w *writer) chunk(c *chunk) {
	t := c.trace
	if w.last != t {
		w.last, w.known = t, [3]map[int32]int{{}, {}, {}}
	}
	run, ok := w.runs[t]
	if !ok {
		run = len(w.runs) + 1
		w.runs[t] = run
		w.leaders.texts = append(w.leaders.texts, string(appendList(nil, "<<", t.leaders, ">>")))
		w.highest.texts = append(w.highest.texts, fmt.Sprint(t.highest))
	}
	first := len(w.events.texts) + 1
	for i := range t.events[c.first:c.last] {
		w.event(t, &t.events[c.first+i])
	}
	end := 0
	begin := w.frame(t, c.begin)
	if c.end != nil {
		end = w.frame(t, c.end)
	}
	w.chunks.texts = append(w.chunks.texts, fmt.Sprintf("[run |-> %d, first |-> %d, last |-> %d, begin |-> %d, end |-> %d]",
		run, first, len(w.events.texts), begin, end))
}

// event adds an event.
func (w *writer) event(t *trace, e *event) {
	from, epoch, sent := e.input.from, 0, 0
	switch e.action {
	case spec.CutAction:
		sent = w.cut(t, e.sent)
	case spec.LoseAction:
		from, sent = 0, w.sents.place(t.appendMessages(w.text[:0], []message{e.input}))
	default:
		sent = w.sent(t, e.sent)
	}
	if from != 0 {
		epoch = t.small[e.input.epoch]
	}
	w.events.texts = append(w.events.texts, fmt.Sprintf("<<%q, %d, %d, %d, %d, %d>>", e.action, e.node, from, epoch, w.state(t, e.state), sent))
}

// frame adds a frame, and returns its place.
func (w *writer) frame(t *trace, f *frame) int {
	states := make([]int, 0, len(f.states))
	for _, s := range f.states[1:] {
		states = append(states, w.state(t, s))
	}
	net := w.sents.place(t.appendMessages(w.text[:0], f.way))
	cut := w.cut(t, f.cut)
	b := appendList(append(w.text[:0], "[node |-> "...), "<<", states, ">>")
	b = appendList(append(b, ", up |-> "...), "{", ranksOf(f.up), "}")
	b = appendList(append(b, ", new |-> "...), "{", ranksOf(f.new), "}")
	b = fmt.Appendf(b, ", net |-> %d, cut |-> %d]", net, cut)
	w.text = b
	return w.frames.place(b)
}

// The kinds of what a writer remembers of a trace.
const (
	aState = iota
	aSent
	aCut
)

func (w *writer) state(t *trace, place int32) int {
	return w.once(aState, &w.states, place, func(b []byte) []byte {
		s := &t.states[place]
		b = fmt.Appendf(b, "Being(%q, %d, %d, %d, ", s.role, s.leader, t.small[s.epoch], s.grantee)
		return append(appendList(b, "{", []byte(s.support), "}"), ')')
	})
}

func (w *writer) sent(t *trace, place int32) int {
	return w.once(aSent, &w.sents, place, func(b []byte) []byte { return t.appendMessages(b, t.sents[place]) })
}

func (w *writer) cut(t *trace, place int32) int {
	return w.once(aCut, &w.cuts, place, func(b []byte) []byte {
		b = append(b, '{')
		for i, l := range t.cuts[place] {
			if i > 0 {
				b = append(b, ", "...)
			}
			b = fmt.Appendf(b, "<<%d, %d>>", l.from, l.to)
		}
		return append(b, '}')
	})
}

// once returns the place in a table of something of the trace, whose text is made the first time.
func (w *writer) once(kind int, in *table, place int32, text func([]byte) []byte) int {
	at, ok := w.known[kind][place]
	if !ok {
		w.text = text(w.text[:0])
		at = in.place(w.text)
		w.known[kind][place] = at
	}
	return at
}

// appendMessages appends a sequence of messages.
func (t *trace) appendMessages(b []byte, messages []message) []byte {
	b = append(b, "<<"...)
	for i, m := range messages {
		if i > 0 {
			b = append(b, ", "...)
		}
		b = fmt.Appendf(b, "Msg(%q, %d, %d, %d)", m.kind, m.from, m.to, t.small[m.epoch])
	}
	return append(b, ">>"...)
}

// appendList appends numbers with commas between them.
func appendList[T byte | rank | int](b []byte, open string, numbers []T, shut string) []byte {
	b = append(b, open...)
	for i, n := range numbers {
		if i > 0 {
			b = append(b, ", "...)
		}
		b = fmt.Append(b, n)
	}
	return append(b, shut...)
}

// ranksOf returns the ranks that are true.
func ranksOf(are []bool) []rank {
	var ranks []rank
	for r, is := range are {
		if is {
			ranks = append(ranks, rank(r))
		}
	}
	return ranks
}
