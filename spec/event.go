package spec

import (
	"encoding/json"
	"math/bits"
	"slices"
	"strconv"
	"strings"
)

// Event is one step of the cluster, and one line of a trace. What it carries depends on the action:
//
//	receipts, timers     node, input, sent, state      Start, Restart   node, sent, state
//	Resign, HolderDead,  node, input, sent, state      Crash            node, state
//	Change                                             Lose, Cut        input
//
// The fields that an action does not carry are zero, and are left out of the line. An input that a node
// ignores (R33, R34, R35) is no step, and has no event.
type Event struct {
	Seq    uint64 // 1 for the first event of a trace, and one more for each further one; at most 2^53-1
	At     uint64 // when, in microseconds since 1970 by the clock of the writer, at most 2^53-1; 0 if not given. No rule reads it
	Node   NodeID // whose step it is
	Action Action
	Input  Input
	Sent   []Message // what the node sent, in order
	State  State     // the node's whole state after the step; after a Crash, what survives: a follower at rest, with its promise
}

var (
	_ json.Marshaler   = Event{}
	_ json.Unmarshaler = (*Event)(nil)
)

var eventFields = []string{"seq", "at", "node", "action", "input", "sent", "state"}

// The fields of an event, as bits in the order of eventFields.
const (
	hasSeq uint = 1 << iota
	hasAt       // never wanted, and never unwanted
	hasNode
	hasAction
	hasInput
	hasSent
	hasState
)

const notWanted = "not wanted with this action"

// Clone returns a copy of e that shares no memory with it.
func (e Event) Clone() Event {
	e.Input.Cut = slices.Clone(e.Input.Cut)
	e.Sent = slices.Clone(e.Sent)
	e.State = e.State.Clone()
	return e
}

// Trigger returns what made the step of a node happen: the input, or that it was started, which the action alone says.
func (e *Event) Trigger() Input {
	in := e.Input
	if e.Action == StartAction || e.Action == RestartAction {
		in.Call = e.Action.Call()
	}
	return in
}

// Written returns in as an event has it, whose action says of a start what there is to say.
func (in *Input) Written() Input {
	if in.Starts() {
		return Input{}
	}
	return *in
}

// Validate returns nil if e is well formed, and else a FieldError. A well-formed event carries what its action
// needs and no more; a node receives what is sent to it and sends in its own name; and all that it is made
// of is valid. Whether the step is one that the rules allow is not looked at.
func (e Event) Validate() error {
	return e.check(e.Action.form(), nil).orNil()
}

// check is Validate of an event of form f, and every id must be a member unless members is nil.
func (e *Event) check(f *form, members []NodeID) *FieldError {
	switch {
	case e.Seq == 0 || e.Seq > uint64(MaxEpoch):
		return &FieldError{Field: "seq", Problem: strconv.FormatUint(e.Seq, 10) + " is not from 1 to 2^53-1"}
	case e.At > uint64(MaxEpoch):
		return &FieldError{Field: "at", Problem: strconv.FormatUint(e.At, 10) + " is above 2^53-1"}
	case f == nil:
		return &FieldError{Field: "action", Problem: unknownWord(string(e.Action), "action")}
	}
	if extra := e.carries() &^ f.fields; extra != 0 {
		return &FieldError{Field: eventFields[bits.TrailingZeros(extra)], Problem: notWanted}
	}
	if err := e.checkInput(f, members); err != nil {
		return err.within("input")
	}
	if f.fields&hasNode == 0 {
		return nil
	}
	if err := checkNode(e.Node, members); err != nil {
		return err.within("node")
	}
	for i := range e.Sent {
		if err := e.Sent[i].check(members); err != nil {
			return err.within("sent" + index(i))
		}
		if from := e.Sent[i].From; from != e.Node {
			return &FieldError{Field: "sent" + index(i) + ".from", Problem: from.String() + " is not the node of this step"}
		}
	}
	return e.State.check(members).within("state")
}

// checkIn says what is wrong with e, of form f, as an event of a trace with this header: where members change, every
// message and state has a configuration, and where they are fixed, none has.
func (e *Event) checkIn(f *form, h *Header) *FieldError {
	if err := e.check(f, h.Members); err != nil {
		return err
	}
	switch {
	case f.input&hasMessage != 0 && e.Input.Message.Configuration.IsNone() == h.Changing:
		return notOfTrace("input.message", h.Changing)
	case f.changing && !h.Changing:
		return notOfTrace("input", false)
	}
	for i := range e.Sent {
		if e.Sent[i].Configuration.IsNone() == h.Changing {
			return notOfTrace("sent"+index(i), h.Changing)
		}
	}
	if f.fields&hasState != 0 && e.State.Configuration.IsNone() == h.Changing {
		return notOfTrace("state", h.Changing)
	}
	return nil
}

func notOfTrace(field string, changing bool) *FieldError {
	problem := "not wanted: the header does not say that members change"
	if changing {
		problem = "missing: the header says that members change"
	}
	return &FieldError{Field: field + ".configuration", Problem: problem}
}

// carries returns which fields of e are not zero, but for seq, at and action.
func (e *Event) carries() (fields uint) {
	if !e.Node.IsNone() {
		fields |= hasNode
	}
	if e.Input.carries() != 0 {
		fields |= hasInput
	}
	if len(e.Sent) > 0 {
		fields |= hasSent
	}
	if !e.State.Equal(State{}) {
		fields |= hasState
	}
	return fields
}

// checkInput says what is wrong with the input of an event of form f.
func (e *Event) checkInput(f *form, members []NodeID) *FieldError {
	in := &e.Input
	if extra := in.carries() &^ (f.input | f.optional); extra != 0 {
		return &FieldError{Field: inputFields[bits.TrailingZeros(extra)], Problem: notWanted}
	}
	switch {
	case f.input == hasMessage:
		return e.checkReceived(f, members).within("message")
	case in.Timer != f.timer:
		return &FieldError{Field: "timer", Problem: strconv.Quote(string(in.Timer)) + " where " + strconv.Quote(string(f.timer)) + " is wanted"}
	case in.Call != f.call:
		return &FieldError{Field: "call", Problem: strconv.Quote(string(in.Call)) + " where " + strconv.Quote(string(f.call)) + " is wanted"}
	case f.input&hasConfiguration != 0:
		return in.Configuration.checkAmong(members).within("configuration")
	case f.optional != 0:
		return in.checkNames(e.Node, members)
	}
	return checkCut(in.Cut, members)
}

// checkReceived says what is wrong with the message received or lost in an event of form f.
func (e *Event) checkReceived(f *form, members []NodeID) *FieldError {
	m := &e.Input.Message
	switch err := m.check(members); {
	case err != nil:
		return err
	case f.message == "": // Lose takes a message of any type, to any node.
		return nil
	case m.Type != f.message:
		return &FieldError{Field: "type", Problem: string(m.Type) + " where " + string(f.message) + " is wanted"}
	case m.To != e.Node:
		return &FieldError{Field: "to", Problem: m.To.String() + " is not the node of this step"}
	}
	return nil
}

// String returns e as a person would say it: 7 OnClaim 3→2 CLAIM epoch:4 | 2→3 GRANT epoch:4 | 2 is electing …
func (e Event) String() string {
	parts := []string{strconv.FormatUint(e.Seq, 10) + " " + string(e.Action) + e.Input.Besides()}
	for _, m := range e.Sent {
		parts = append(parts, m.String())
	}
	if e.Action.OfNode() {
		parts = append(parts, e.Node.String()+" is "+e.State.String())
	}
	return strings.Join(parts, " | ")
}

// MarshalJSON writes e as a line of a trace, without the LF. An event that is not well formed is an error.
func (e Event) MarshalJSON() ([]byte, error) {
	if err := e.Validate(); err != nil {
		return nil, err
	}
	return e.appendJSON(e.Action.form(), nil), nil
}

// UnmarshalJSON reads a well-formed event. A field unknown, missing or given twice is an error.
func (e *Event) UnmarshalJSON(data []byte) error {
	return unmarshal(data, e, (*scanner).event)
}

// appendJSON appends e, of form f, as a line of a trace.
func (e *Event) appendJSON(f *form, b []byte) []byte {
	b = strconv.AppendUint(append(b, `{"seq":`...), e.Seq, 10)
	if e.At != 0 {
		b = strconv.AppendUint(append(b, `,"at":`...), e.At, 10)
	}
	if f.fields&hasNode != 0 {
		b = e.Node.appendJSON(append(b, `,"node":`...))
	}
	b = append(append(append(b, `,"action":"`...), e.Action...), '"')
	if f.fields&hasInput != 0 {
		b = e.Input.appendJSON(append(b, `,"input":`...), f.input)
	}
	if f.fields&hasSent != 0 {
		b = append(b, `,"sent":[`...)
		for i := range e.Sent {
			if i > 0 {
				b = append(b, ',')
			}
			b = e.Sent[i].appendJSON(b)
		}
		b = append(b, ']')
	}
	if f.fields&hasState != 0 {
		b = e.State.appendJSON(append(b, `,"state":`...))
	}
	return append(b, '}')
}

// reset makes e the zero event, but for the memory of its slices, which is to be used again.
func (e *Event) reset() {
	sent, support, answered, cut := e.Sent[:0], e.State.Support[:0], e.State.Answered[:0], e.Input.Cut[:0]
	*e = Event{}
	e.Sent, e.State.Support, e.State.Answered, e.Input.Cut = sent, support, answered, cut
}

// event reads the syntax of an event, and that it has the fields of its action; check says whether it is well
// formed. The memory of the slices in e is used again.
func (s *scanner) event(e *Event) {
	e.reset()
	var inputs uint
	seen := s.object(eventFields, func(field int) {
		switch field {
		case 0:
			e.Seq = s.integer()
		case 1:
			e.At = s.positive()
		case 2:
			e.Node = s.id()
		case 3:
			e.Action = word(s, actions, "action", nil)
		case 4:
			inputs = s.input(&e.Input)
		case 5:
			s.array(func(i int) {
				e.Sent = append(e.Sent, Message{})
				s.message(&e.Sent[i])
			})
		case 6:
			s.state(&e.State)
		}
	})
	f := e.Action.form()
	if f == nil { // The action is unknown, or missing.
		f = &form{fields: seen | hasAction, input: inputs}
	}
	s.require(eventFields, seen&^hasAt, f.fields&^hasAt)
	s.push("input", -1)
	s.require(inputFields, inputs|f.optional, f.input|f.optional)
	s.pop()
}
