package traces

import (
	"errors"
	"fmt"
	"io"

	"github.com/seed-fdf591db/bully/spec"
)

// maxMembers bounds the members of a trace: TLC takes time for each link, used or not.
const maxMembers = 16

// rank is the place of a node among the members, from 1: what it is called in TLA+ (R1). 0 is no node.
type rank uint16

// trace is a recorded trace as its data is made from: each state, and each list of messages, once, however often it
// comes.
type trace struct {
	file     string
	changing bool // whether members change
	members  []spec.NodeID
	ranks    map[spec.NodeID]rank
	events   []event
	states   list[string, spec.State] // by their JSON
	messages list[spec.Message, spec.Message]
	sents    list[string, []int32] // by what they print: places in messages
	cuts     list[string, []spec.Link]
	cutShort bool // the last line has no LF

	epochs  scale
	highest int    // what spec.MaxEpoch is in TLC, or none
	leaders []rank // who is the first to lead each epoch, by what it is in TLC

	configurations
	numbers
}

// event is one event. What its action does not carry is zero; what has place 0 is nothing.
type event struct {
	action spec.Action
	node   rank
	state  int32 // a place in trace.states
	sent   int32 // a place in trace.sents; of a Cut, in trace.cuts
	input  int32 // a place in trace.messages: received or lost
	conf   int32 // a place in trace.confs: what is asked for by a Change
	names  rank  // whom a Resign names
}

// list is values, each once, by a key that says all of it.
type list[K comparable, V any] struct {
	all    []V
	places map[K]int32
}

// place returns the place of a value, which is made if it is not there.
func (l *list[K, V]) place(key K, value func() V) int32 {
	place, ok := l.places[key]
	if !ok {
		if l.places == nil {
			l.places = map[K]int32{}
		}
		place = int32(len(l.all))
		l.all, l.places[key] = append(l.all, value()), place
	}
	return place
}

// read reads a trace, up to where it is cut short, if it is. An error says what is malformed; then the trace is what comes
// before, or nil if that is nothing.
func read(file string, in io.Reader) (*trace, error) {
	lines, err := spec.NewTraceReader(in)
	if err != nil {
		return nil, err
	}
	h := lines.Header()
	if len(h.Members) > maxMembers {
		return nil, &spec.TraceError{Line: 1, Field: "members", Problem: fmt.Sprintf("%d are more than TLC is given here, which is %d", len(h.Members), maxMembers)}
	}
	t := &trace{file: file, changing: h.Changing, members: h.Members, ranks: map[spec.NodeID]rank{}}
	for i, id := range t.members {
		t.ranks[id] = rank(i + 1)
	}
	t.found()
	t.state(&spec.State{Role: spec.Follower}) // What every node is before its start has place 0,
	t.message(spec.Message{})                 // no message has,
	t.sent(nil)                               // that nothing is sent,
	t.cut(nil)                                // and no cut.
	var e spec.Event
	for err == nil {
		if err = lines.Read(&e); err == nil {
			t.event(&e)
		}
	}
	t.cutShort = errors.Is(err, io.ErrUnexpectedEOF)
	t.shrink()
	if tooMany := t.shrinkBlocks(); tooMany != nil {
		return nil, tooMany
	}
	if err == io.EOF || t.cutShort {
		return t, nil
	}
	return t, err
}

// event adds an event.
func (t *trace) event(e *spec.Event) {
	compact := event{action: e.Action, node: t.ranks[e.Node], state: t.state(&e.State), input: t.message(e.Input.Message), names: t.ranks[e.Input.Names]}
	if c := e.Input.Configuration; !c.IsNone() {
		compact.conf = t.conf(c)
	}
	if e.Action == spec.CutAction {
		compact.sent = t.cut(e.Input.Cut)
	} else {
		compact.sent = t.sent(e.Sent)
	}
	t.events = append(t.events, compact)
}

// state returns the place of a state. That of a network's event has no role, and is not looked at.
func (t *trace) state(s *spec.State) int32 {
	if s.Role == "" {
		return 0
	}
	key, err := s.MarshalJSON()
	if err != nil {
		panic(fmt.Sprintf("traces: %v: %v", s, err)) // it was read
	}
	return t.states.place(string(key), func() spec.State {
		t.epochs.note(uint64(s.Epoch))
		for _, q := range []spec.Question{s.Lease, s.Asked, s.Latest, s.Dated} {
			t.note(q)
		}
		for _, a := range s.Answered {
			t.note(a.Question)
		}
		t.conf(s.Configuration)
		return s.Clone()
	})
}

// message returns the place of a message; 0 for none.
func (t *trace) message(m spec.Message) int32 {
	return t.messages.place(m, func() spec.Message {
		t.epochs.note(uint64(m.Epoch))
		t.epochs.note(uint64(m.Granted.Epoch))
		t.note(m.Question)
		t.note(m.Granted.Question)
		t.conf(m.Configuration)
		return m
	})
}

// sent returns the place of messages that were sent.
func (t *trace) sent(messages []spec.Message) int32 {
	places := make([]int32, len(messages))
	for i, m := range messages {
		places[i] = t.message(m)
	}
	return t.sents.place(fmt.Sprint(places), func() []int32 { return places })
}

// cut returns the place of links that are cut.
func (t *trace) cut(links []spec.Link) int32 {
	return t.cuts.place(fmt.Sprint(links), func() []spec.Link { return append([]spec.Link(nil), links...) })
}
