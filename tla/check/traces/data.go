package traces

import (
	"bufio"
	"cmp"
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
(* Events    <<action, node, msg, conf, state, sent, names>>: which of     *)
(*           Msgs is received or lost, or 0; which of Confs is asked for   *)
(*           by a Change, or is started with; else 1, the empty one; which *)
(*           of States comes; which of Sents is sent; of a Cut, which of   *)
(*           CutSets is cut; whom a Resign names, or 0                     *)
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

Conf(epoch, version, voters, witnesses, observers, ranks, addresses) ==
  [epoch |-> epoch, version |-> version, voters |-> voters, witnesses |-> witnesses, observers |-> observers,
   ranks |-> ranks, addresses |-> addresses]
`
	confsFoot = `
Being(role, leader, lease, epoch, grantee, support, asked, latest, dated, answered, c) ==
  [role |-> role, leader |-> leader, lease |-> lease, epoch |-> epoch, grantee |-> grantee, support |-> support, asked |-> asked,
   latest |-> latest, dated |-> dated, answered |-> answered, conf |-> Confs[c]]

Saying(type, from, to, epoch, question, keeps, by, e, q, names, c) ==
  [type |-> type, from |-> from, to |-> to, epoch |-> epoch, question |-> question, keeps |-> keeps,
   granted |-> [by |-> by, epoch |-> e, question |-> q], names |-> names, conf |-> Confs[c]]
`
	dataFoot = `
\* What no run has: for the Empty and First of modules that know no addresses.
EmptyAddressed == Confs[1]
Plain == [epoch |-> 0, version |-> 0, voters |-> {}, witnesses |-> {}, observers |-> {}, ranks |-> {}]
`
)

// table numbers texts from 1, and the same text always the same.
type table struct{ list[string, string] }

func (t *table) place(text []byte) int {
	return int(t.list.place(string(text), func() string { return string(text) })) + 1
}

// add puts a text at the end, without looking whether it is there.
func (t *table) add(text string) { t.all = append(t.all, text) }

// writer makes module TraceData of chunks.
type writer struct {
	events, leaders, highest, names, chunks  table // the texts of these are not looked for
	states, msgs, sents, cuts, confs, frames table
	runs                                     map[*trace]int
	text                                     []byte        // used again and again
	known                                    map[known]int // of the trace written last: where it is
	last                                     *trace
}

// known is something of a trace that has been written to a table: what has this place in the trace.
type known struct {
	in    *table
	place int32
}

// write writes module TraceData with chunks, all of the same kind, and returns for each the number of its first event in it.
func write(out io.Writer, chunks []chunk) (firsts []int, err error) {
	w, of := writer{runs: map[*trace]int{}}, chunks[0].trace
	w.confs.place(of.appendConf(nil, spec.EmptyConfiguration())) // it comes first
	for i := range chunks {
		firsts = append(firsts, len(w.events.all)+1)
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
	for i, text := range t.all {
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
		w.last, w.known = t, map[known]int{}
	}
	run, ok := w.runs[t]
	if !ok {
		run = len(w.runs) + 1
		w.runs[t] = run
		w.leaders.add(string(appendList(nil, "<<", t.leaders, ">>")))
		w.highest.add(fmt.Sprint(t.highest))
		names := make([]int, len(t.names))
		for i, c := range t.names {
			names[i] = w.conf(t, c)
		}
		w.names.add(string(appendList(nil, "{", names, "}")))
	}
	first := len(w.events.all) + 1
	for i := range t.events[c.first:c.last] {
		w.event(t, &t.events[c.first+i])
	}
	end := 0
	begin := w.frame(t, c.begin)
	if c.end != nil {
		end = w.frame(t, c.end)
	}
	w.chunks.add(fmt.Sprintf("[run |-> %d, first |-> %d, last |-> %d, begin |-> %d, end |-> %d]",
		run, first, len(w.events.all), begin, end))
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
	if e.input != 0 {
		message = w.message(t, e.input)
	}
	w.events.add(fmt.Sprintf("<<%q, %d, %d, %d, %d, %d, %d>>", e.action, e.node, message, w.conf(t, t.confOf(e)), w.state(t, e.state), sent, e.names))
}

// confOf returns which configuration is said beside an event: that which is asked for, or started with; else the empty one.
func (t *trace) confOf(e *event) spec.Configuration {
	if e.action == spec.StartAction {
		return t.states.all[e.state].Configuration
	}
	return t.confs.all[e.conf]
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

func (w *writer) state(t *trace, place int32) int {
	return w.once(&w.states, place, func(b []byte) []byte {
		s := &t.states.all[place]
		support := make([]rank, len(s.Support))
		for i, id := range s.Support {
			support[i] = t.ranks[id]
		}
		answers := make([]int, len(t.members)) // the question that each node has answered
		for _, a := range s.Answered {
			answers[t.ranks[a.Node]-1] = t.number(a.Question)
		}
		c := w.conf(t, s.Configuration)
		b = fmt.Appendf(b, "Being(%q, %d, %d, %d, %d, ", s.Role, t.ranks[s.Leader], t.number(s.Lease), t.epochs.small(uint64(s.Epoch)), t.ranks[s.Grantee])
		b = fmt.Appendf(appendList(b, "{", support, "}"), ", %d, %d, %d, ", t.number(s.Asked), t.number(s.Latest), t.number(s.Dated))
		return fmt.Appendf(appendList(b, "<<", answers, ">>"), ", %d)", c)
	})
}

func (w *writer) conf(t *trace, c spec.Configuration) int {
	return w.once(&w.confs, t.conf(c), func([]byte) []byte { return t.appendConf(nil, cmp.Or(c, t.fixed)) })
}

func (w *writer) sent(t *trace, place int32) int {
	return w.once(&w.sents, place, func([]byte) []byte {
		places := make([]int, len(t.sents.all[place]))
		for i, m := range t.sents.all[place] {
			places[i] = w.message(t, m)
		}
		return appendList(nil, "<<", places, ">>")
	})
}

func (w *writer) cut(t *trace, place int32) int {
	return w.once(&w.cuts, place, func(b []byte) []byte {
		b = append(b, '{')
		for i, l := range t.cuts.all[place] {
			if i > 0 {
				b = append(b, ", "...)
			}
			b = fmt.Appendf(b, "<<%d, %d>>", t.ranks[l.From], t.ranks[l.To])
		}
		return append(b, '}')
	})
}

func (w *writer) message(t *trace, place int32) int {
	return w.once(&w.msgs, place, func([]byte) []byte {
		m := &t.messages.all[place]
		return fmt.Appendf(nil, "Saying(%q, %d, %d, %d, %d, %d, %d, %d, %d, %d, %d)", m.Type, t.ranks[m.From], t.ranks[m.To], t.epochs.small(uint64(m.Epoch)), t.number(m.Question),
			t.ranks[m.Keeps], t.ranks[m.Granted.By], t.epochs.small(uint64(m.Granted.Epoch)), t.number(m.Granted.Question), t.ranks[m.Names], w.conf(t, m.Configuration))
	})
}

// once returns the place in a table of something of the trace, whose text is made the first time.
func (w *writer) once(in *table, place int32, text func([]byte) []byte) int {
	at, ok := w.known[known{in, place}]
	if !ok {
		w.text = text(w.text[:0])
		at = in.place(w.text)
		w.known[known{in, place}] = at
	}
	return at
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
