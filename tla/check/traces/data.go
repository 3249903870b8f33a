package traces

import (
	"bufio"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/seed-fdf591db/bully/spec"
)

// dataHead begins module TraceData, confsFoot comes after its table of configurations, and dataFoot at its end. The tables
// that follow say for whom they are in the order of their names here.
const (
	dataHead = `----------------------------- MODULE TraceData -----------------------------
(***************************************************************************)
(* Recorded runs, for module TraceCluster.  Written by tla/check/traces.   *)
(*                                                                         *)
(* Changing  whether the members of these runs may change                  *)
(* Confs     configurations, and the addresses of their members, numbered; *)
(*           0 for one that is no member.  Of two runs, each has its own,  *)
(*           but for members that are fixed: the second is all of them     *)
(* Msgs      messages, numbered                                            *)
(* Events    <<action, node, msg, conf, state, sent>>: which of Msgs is    *)
(*           received or lost, or 0; which of Confs is asked for by a      *)
(*           Change, or is started with; else 1, the empty one; which of   *)
(*           States comes; which of Sents is sent; of a Cut, which of      *)
(*           CutSets is cut                                                *)
(* Sents     of what is sent in a step, which of Msgs each is              *)
(* Leaders   of each run, of each epoch from 0, who was the first to lead  *)
(* Highest   of each run, what the highest epoch of all is here, or -1     *)
(* Names     of each run, of each epoch and version, which of Confs was    *)
(*           the first to have them                                        *)
(* Frames    states of the whole cluster between two events; net says      *)
(*           which of Msgs were sent before, and are heard of after        *)
(* Chunks    parts of runs, from one frame to another; 0 is the run's end  *)
(***************************************************************************)
EXTENDS Node

Nodes == %d
Changing == %s

Conf(epoch, version, voters, witnesses, observers, addresses) ==
  [epoch |-> epoch, version |-> version, voters |-> voters, witnesses |-> witnesses, observers |-> observers,
   addresses |-> addresses]
`
	confsFoot = `
Being(role, leader, lease, epoch, grantee, support, asked, latest, dated, answered, c) ==
  [role |-> role, leader |-> leader, lease |-> lease, epoch |-> epoch, grantee |-> grantee, support |-> support, asked |-> asked,
   latest |-> latest, dated |-> dated, answered |-> answered, conf |-> Confs[c]]

Saying(type, from, to, epoch, question, keeps, by, e, q, c) ==
  [type |-> type, from |-> from, to |-> to, epoch |-> epoch, question |-> question, keeps |-> keeps,
   granted |-> [by |-> by, epoch |-> e, question |-> q], conf |-> Confs[c]]
`
	dataFoot = `
\* What no run has: for the Empty and First of modules that know no addresses.
EmptyAddressed == Confs[1]
Plain == [epoch |-> 0, version |-> 0, voters |-> {}, witnesses |-> {}, observers |-> {}]
`
)

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
	events, leaders, highest, names, chunks  table // the texts of these are not looked for
	states, msgs, sents, cuts, confs, frames table
	runs                                     map[*trace]int
	text                                     []byte           // used again and again
	known                                    [4]map[int32]int // of the trace written last, the places of its states, sents, cuts and confs
	last                                     *trace
}

// write writes module TraceData with chunks, all of the same kind, and returns for each the number of its first event in it.
func write(out io.Writer, chunks []chunk) (firsts []int, err error) {
	w, of := writer{runs: map[*trace]int{}}, chunks[0].trace
	w.last, w.known[aConf] = of, map[int32]int{}
	w.conf(of, 0) // the empty one comes first
	w.last = nil
	for i := range chunks {
		firsts = append(firsts, len(w.events.texts)+1)
		w.chunk(&chunks[i])
	}
	b := bufio.NewWriter(out)
	_, _ = fmt.Fprintf(b, dataHead, len(of.members), strings.ToUpper(strconv.FormatBool(of.changing)))
	writeTable(b, "Confs", w.confs)
	_, _ = b.WriteString(confsFoot)
	writeTable(b, "Events", w.events)
	writeTable(b, "States", w.states)
	writeTable(b, "Msgs", w.msgs)
	writeTable(b, "Sents", w.sents)
	writeTable(b, "CutSets", w.cuts)
	writeTable(b, "Leaders", w.leaders)
	writeTable(b, "Highest", w.highest)
	writeTable(b, "Names", w.names)
	writeTable(b, "Frames", w.frames)
	writeTable(b, "Chunks", w.chunks)
	_, _ = b.WriteString(dataFoot)
	_, _ = b.WriteString("\n=============================================================================\n")
	return firsts, b.Flush()
}

// writeTable writes a table as a tuple.
func writeTable(b *bufio.Writer, name string, t table) {
	_, _ = fmt.Fprintf(b, "\n%s == <<", name)
	for i, text := range t.texts {
		if i > 0 {
			_ = b.WriteByte(',')
		}
		_, _ = b.WriteString("\n  ")
		_, _ = b.WriteString(text)
	}
	_, _ = b.WriteString("\n>>\n")
}

// chunk adds a chunk, and its run if that is new.
func (w *writer) chunk(c *chunk) {
	t := c.trace
	if w.last != t {
		w.last, w.known = t, [4]map[int32]int{{}, {}, {}, {}}
	}
	run, ok := w.runs[t]
	if !ok {
		run = len(w.runs) + 1
		w.runs[t] = run
		w.leaders.texts = append(w.leaders.texts, string(appendList(nil, "<<", t.leaders, ">>")))
		w.highest.texts = append(w.highest.texts, fmt.Sprint(t.highest))
		names := make([]int, len(t.names))
		for i, place := range t.names {
			names[i] = w.conf(t, place)
		}
		w.names.texts = append(w.names.texts, string(appendList(nil, "{", names, "}")))
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
	message, sent := 0, 0
	switch e.action {
	case spec.CutAction:
		sent = w.cut(t, e.sent)
	default:
		sent = w.sent(t, e.sent)
	}
	if e.input.kind != "" {
		message = w.message(t, e.input)
	}
	w.events.texts = append(w.events.texts, fmt.Sprintf("<<%q, %d, %d, %d, %d, %d>>", e.action, e.node, message, w.conf(t, t.confOf(e)), w.state(t, e.state), sent))
}

// confOf returns which configuration is said beside an event: that which is asked for, or started with; else the empty one.
func (t *trace) confOf(e *event) int32 {
	if e.action == spec.StartAction {
		return t.states[e.state].conf
	}
	return e.conf
}

// frame adds a frame, and returns its place.
func (w *writer) frame(t *trace, f *frame) int {
	states := make([]int, 0, len(f.states))
	for _, s := range f.states[1:] {
		states = append(states, w.state(t, s))
	}
	net := make([]int, len(f.way))
	for i, m := range f.way {
		net[i] = w.message(t, m)
	}
	slices.Sort(net)
	cut := w.cut(t, f.cut)
	b := appendList(append(w.text[:0], "[node |-> "...), "<<", states, ">>")
	b = appendList(append(b, ", up |-> "...), "{", ranksOf(f.up), "}")
	b = appendList(append(b, ", new |-> "...), "{", ranksOf(f.new), "}")
	b = fmt.Appendf(appendList(append(b, ", net |-> "...), "{", net, "}"), ", cut |-> %d]", cut)
	w.text = b
	return w.frames.place(b)
}

// The kinds of what a writer remembers of a trace.
const (
	aState = iota
	aSent
	aCut
	aConf
)

func (w *writer) state(t *trace, place int32) int {
	return w.once(aState, &w.states, place, func(b []byte) []byte {
		s := &t.states[place]
		c := w.conf(t, s.conf)
		b = fmt.Appendf(b, "Being(%q, %d, %d, %d, %d, ", s.role, s.leader, t.number(s.lease), t.small[s.epoch], s.grantee)
		b = fmt.Appendf(appendList(b, "{", []byte(s.support), "}"), ", %d, %d, %d, ", t.number(s.asked), t.number(s.latest), t.number(s.dated))
		return fmt.Appendf(appendList(b, "<<", t.answers(s), ">>"), ", %d)", c)
	})
}

func (w *writer) conf(t *trace, place int32) int {
	return w.once(aConf, &w.confs, place, func([]byte) []byte { return t.appendConf(nil, place) })
}

func (w *writer) sent(t *trace, place int32) int {
	return w.once(aSent, &w.sents, place, func([]byte) []byte { return w.messages(t, t.sents[place]) })
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

// messages returns a sequence of messages.
func (w *writer) messages(t *trace, messages []message) []byte {
	places := make([]int, len(messages))
	for i, m := range messages {
		places[i] = w.message(t, m)
	}
	return appendList(nil, "<<", places, ">>")
}

// message returns the place of a message.
func (w *writer) message(t *trace, m message) int {
	e := 0
	if m.granted.by != 0 {
		e = t.small[m.granted.epoch]
	}
	return w.msgs.place(fmt.Appendf(nil, "Saying(%q, %d, %d, %d, %d, %d, %d, %d, %d, %d)", m.kind, m.from, m.to, t.small[m.epoch], t.number(m.question),
		m.keeps, m.granted.by, e, t.number(m.granted.question), w.conf(t, m.conf)))
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
