package spec

import "bytes"

// quick reads the lines of a trace that are written as TraceWriter writes them: it knows which bytes can come next, and
// compares them. The scanner takes fields in any order, with any white space, and says what is wrong; it reads what quick
// does not, and is several times slower.
type quick struct {
	members  []NodeID
	texts    []string // the members as they are written in JSON
	line     []byte   // what is left of it
	changing bool     // whether messages and states have configurations
	known    [8]known // configurations that were read before; most are read many times
	last     int      // the index of the one read last: what a node sends has the one of its state, mostly
	oldest   int      // the index of the one to forget next
	leader   int      // that was read last: mostly the next node follows it too
}

// known is a configuration of members only, and how it is written in JSON.
type known struct {
	text          string
	configuration Configuration
}

func newQuick(h *Header) quick {
	q := quick{members: h.Members, changing: h.Changing}
	for _, id := range h.Members {
		q.texts = append(q.texts, string(id.appendJSON(nil)))
	}
	return q
}

// event reads an event, and reports whether it could: then the event is well formed, and of members only. Else e may be
// anything. The memory of the slices in e is used again.
func (q *quick) event(line []byte, e *Event) bool {
	q.line = line
	e.reset()
	if !q.take(`{"seq":`) || !q.integer(&e.Seq) {
		return false
	}
	if q.take(`,"at":`) && (!q.integer(&e.At) || e.At == 0) {
		return false
	}
	node := -1
	if q.take(`,"node":`) {
		if node = q.member(0); node < 0 {
			return false
		}
		e.Node = q.members[node]
	}
	if !q.take(`,"action":"`) {
		return false
	}
	i := quickWord(q, &actionWords)
	if i < 0 {
		return false
	}
	f := &forms[i]
	if node >= 0 != (f.fields&hasNode != 0) {
		return false
	}
	e.Action = f.action
	return q.input(e, f, node) && q.sent(e, f, node) && q.state(e, f) && q.take(`}`) && len(q.line) == 0
}

// input reads the field input of an event of form f. Links that are cut are rare, and left to the scanner.
func (q *quick) input(e *Event, f *form, node int) bool {
	in := &e.Input
	switch f.input {
	case 0:
		return true
	case hasTimer:
		in.Timer = f.timer
		return q.take(`,"input":{"timer":"`) && q.take(string(f.timer)) && q.take(`"}`)
	case hasCall:
		in.Call = f.call
		return q.take(`,"input":{"call":"`) && q.take(string(f.call)) && q.take(`"}`)
	case hasChange:
		in.Call = f.call
		return q.changing && q.take(`,"input":{"call":"`) && q.take(string(f.call)) && q.take(`","configuration":`) &&
			q.configuration(&in.Configuration) && q.take(`}`)
	case hasMessage:
		if !q.take(`,"input":{"message":`) {
			return false
		}
		_, to, ok := q.message(&in.Message, q.leader, node)
		return ok && (f.message == "" || in.Message.Type == f.message && to == node) && q.take(`}`)
	}
	return false
}

// sent reads the field sent of an event of form f.
func (q *quick) sent(e *Event, f *form, node int) bool {
	if f.fields&hasSent == 0 {
		return true
	}
	if !q.take(`,"sent":[`) {
		return false
	}
	for from, to, ok := 0, -1, false; !q.take(`]`); {
		if len(e.Sent) > 0 && !q.take(`,`) {
			return false
		}
		e.Sent = append(e.Sent, Message{})
		if from, to, ok = q.message(&e.Sent[len(e.Sent)-1], node, to+1); !ok || from != node {
			return false
		}
	}
	return true
}

// state reads the field state of an event of form f.
func (q *quick) state(e *Event, f *form) bool {
	if f.fields&hasState == 0 {
		return true
	}
	if !q.take(`,"state":{"role":"`) {
		return false
	}
	i, s := quickWord(q, &roleWords), &e.State
	if i < 0 || !q.take(`,"leader":`) || !q.leaderOrNull(&s.Leader) || !q.take(`,"lease":`) || !q.integer((*uint64)(&s.Lease)) ||
		!q.take(`,"epoch":`) || !q.integer((*uint64)(&s.Epoch)) ||
		!q.take(`,"grantee":`) || !q.leaderOrNull(&s.Grantee) || !q.take(`,"support":[`) {
		return false
	}
	s.Role = roles[i]
	for last := -1; !q.take(`]`); {
		if last >= 0 && !q.take(`,`) {
			return false
		}
		i := q.member(last + 1)
		if i <= last { // Members are ascending, and so must support be.
			return false
		}
		s.Support, last = append(s.Support, q.members[i]), i
	}
	return q.numbers(s) && q.configurationWithin(&s.Configuration, s.Epoch) && q.take(`}`)
}

// numbers reads the fields asked to answered of a state.
func (q *quick) numbers(s *State) bool {
	if !q.take(`,"asked":`) || !q.integer((*uint64)(&s.Asked)) || !q.take(`,"latest":`) || !q.integer((*uint64)(&s.Latest)) {
		return false
	}
	if s.Role != Leader {
		return s.Asked <= s.Latest
	}
	if !q.take(`,"dated":`) || !q.integer((*uint64)(&s.Dated)) || !q.take(`,"answered":[`) {
		return false
	}
	for last := -1; !q.take(`]`); {
		if last >= 0 && !q.take(`,`) || !q.take(`{"node":`) {
			return false
		}
		i := q.member(last + 1)
		if i <= last || !q.take(`,"question":`) {
			return false
		}
		a := Answered{Node: q.members[i]}
		if !q.integer((*uint64)(&a.Question)) || a.Question == 0 || a.Question > s.Latest || !q.take(`}`) {
			return false
		}
		s.Answered, last = append(s.Answered, a), i
	}
	return s.Asked <= s.Latest && s.Dated <= s.Latest
}

// message reads a message, and returns which members it is from and to. Those that are likely are tried first.
func (q *quick) message(m *Message, likelyFrom, likelyTo int) (from, to int, ok bool) {
	if !q.take(`{"type":"`) {
		return 0, 0, false
	}
	i := quickWord(q, &messageWords)
	if i < 0 || !q.take(`,"from":`) {
		return 0, 0, false
	}
	from = q.member(likelyFrom)
	if from < 0 || !q.take(`,"to":`) {
		return 0, 0, false
	}
	to = q.member(likelyTo)
	if to < 0 || to == from {
		return 0, 0, false
	}
	m.Type, m.From, m.To = messageTypes[i], q.members[from], q.members[to]
	return from, to, q.take(`,"epoch":`) && q.integer((*uint64)(&m.Epoch)) &&
		q.take(`,"question":`) && q.integer((*uint64)(&m.Question)) && m.Question > 0 && q.more(m) && q.configurationWithin(&m.Configuration, m.Epoch) && q.take(`}`)
}

// more reads what only messages of some types have. That a leader has handed over is rare, and left to the scanner.
func (q *quick) more(m *Message) bool {
	return m.Type != Election || q.take(`,"keeps":`) && q.leaderOrNull(&m.Keeps)
}

// configurationWithin reads the last field of a message or a state of an epoch.
func (q *quick) configurationWithin(c *Configuration, e Epoch) bool {
	return !q.changing || q.take(`,"configuration":`) && q.configuration(c) && c.Epoch <= e
}

// configuration reads a configuration of members only.
func (q *quick) configuration(c *Configuration) bool {
	for i := range q.known {
		at := (q.last + i) % len(q.known)
		if k := &q.known[at]; k.text != "" && q.take(k.text) {
			*c, q.last = k.configuration, at
			return true
		}
	}
	s := newScanner(q.line)
	*c = s.configuration()
	if s.err != nil || c.checkAmong(q.members) != nil {
		return false
	}
	q.known[q.oldest], q.last = known{string(q.line[:s.pos]), *c}, q.oldest
	q.oldest = (q.oldest + 1) % len(q.known)
	q.line = q.line[s.pos:]
	return true
}

// take passes over text if it is next.
func (q *quick) take(text string) bool {
	if len(q.line) < len(text) || string(q.line[:len(text)]) != text {
		return false
	}
	q.line = q.line[len(text):]
	return true
}

// words are the words of a list by their length: few have the same.
type words[T ~string] struct {
	all      []T
	byLength [maxWord + 1][]int // indices of all
}

// maxWord is the greatest length of a word.
const maxWord = 31

var (
	actionWords  = wordsOf(actions)
	roleWords    = wordsOf(roles)
	messageWords = wordsOf(messageTypes)
)

func wordsOf[T ~string](all []T) words[T] {
	w := words[T]{all: all}
	for i := range all {
		n := len(all[i])
		w.byLength[n] = append(w.byLength[n], i)
	}
	return w
}

// quickWord reads a word up to its closing quote, and returns which of all it is, or -1.
func quickWord[T ~string](q *quick, w *words[T]) int {
	n := bytes.IndexByte(q.line[:min(len(q.line), maxWord+1)], '"')
	if n < 0 {
		return -1
	}
	for _, i := range w.byLength[n] {
		if string(q.line[:n]) == string(w.all[i]) {
			q.line = q.line[n+1:]
			return i
		}
	}
	return -1
}

// member reads the id of a member, and returns which one it is, or -1. It tries first the one that is likely, if there is such a
// member.
func (q *quick) member(likely int) int {
	if likely >= 0 && likely < len(q.texts) && q.take(q.texts[likely]) {
		return likely
	}
	for i, text := range q.texts { // Most differ after the opening quote, or before the closing one.
		if end := len(text) - 2; end < len(q.line) && q.line[1] == text[1] && q.line[end] == text[end] && q.take(text) {
			return i
		}
	}
	return -1
}

// leaderOrNull reads the id of a member that leads, or is to lead, or null for none.
func (q *quick) leaderOrNull(id *NodeID) bool {
	if q.take(`null`) {
		return true
	}
	i := q.member(q.leader)
	if i < 0 {
		return false
	}
	*id, q.leader = q.members[i], i
	return true
}

// integer reads an integer from 0 to 2^53-1, which has at most 16 digits.
func (q *quick) integer(n *uint64) bool {
	digits := 0
	for ; digits < len(q.line) && digits < 17; digits++ {
		digit := uint64(q.line[digits] - '0')
		if digit > 9 {
			break
		}
		*n = 10**n + digit
	}
	if digits == 0 || digits > 1 && q.line[0] == '0' || *n > uint64(MaxEpoch) {
		return false
	}
	q.line = q.line[digits:]
	return true
}
