package spec

import (
	"encoding/json"
	"math/bits"
	"slices"
	"strconv"
	"strings"
)

// Link is one direction between two nodes: what From says to To goes over it. In JSON it is ["3","2"].
type Link struct {
	From, To NodeID
}

// Compare orders links by From, then by To.
func (l Link) Compare(k Link) int {
	if c := l.From.Compare(k.From); c != 0 {
		return c
	}
	return l.To.Compare(k.To)
}

// Event is one step of the cluster, and one line of a trace. What it carries depends on the action:
//
//	receipts, timers     node, input, sent, state      Start, Restart   node, sent, state
//	Resign, HolderDead   node, input, sent, state      Crash            node, state
//	                                                   Lose, Cut        input
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

// Input is what made a step happen. At most one of its fields is set, and the action says which.
type Input struct {
	Message Message // the message received, or lost
	Timer   Timer   // the timer that fired
	Call    Call    // what the node was called to do, or told
	Cut     []Link  // every link that now carries nothing, ascending, each once; none if all is healed
}

var (
	_ json.Marshaler   = Event{}
	_ json.Unmarshaler = (*Event)(nil)
)

var (
	eventFields = []string{"seq", "at", "node", "action", "input", "sent", "state"}
	inputFields = []string{"message", "timer", "call", "cut"}
)

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

// The inputs, as bits in the order of inputFields.
const (
	hasMessage uint = 1 << iota
	hasTimer
	hasCall
	hasCut
)

const notWanted = "not wanted with this action"

// Clone returns a copy of e that shares no memory with it.
func (e Event) Clone() Event {
	e.Input.Cut = slices.Clone(e.Input.Cut)
	e.Sent = slices.Clone(e.Sent)
	e.State = e.State.Clone()
	return e
}

// Validate returns nil if e is well formed, and else a FieldError. A well-formed event carries what its action
// needs and no more; a node receives what is sent to it and sends in its own name; and all that it is made
// of is valid. Whether the step is one that the rules allow is not looked at.
func (e Event) Validate() error {
	if err := e.check(nil); err != nil {
		return err
	}
	return nil
}

// check is Validate, and every id must be a member unless members is nil.
func (e *Event) check(members []NodeID) *FieldError {
	f := e.Action.form()
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
	if s := &e.State; s.Role != "" || !s.Leader.IsNone() || s.Durable() != (Durable{}) || len(s.Support) > 0 {
		fields |= hasState
	}
	return fields
}

// carries returns which of the inputs are not zero.
func (in *Input) carries() (inputs uint) {
	if in.Message != (Message{}) {
		inputs |= hasMessage
	}
	if in.Timer != "" {
		inputs |= hasTimer
	}
	if in.Call != "" {
		inputs |= hasCall
	}
	if len(in.Cut) > 0 {
		inputs |= hasCut
	}
	return inputs
}

// checkInput says what is wrong with the input of an event of form f.
func (e *Event) checkInput(f *form, members []NodeID) *FieldError {
	in := &e.Input
	if extra := in.carries() &^ f.input; extra != 0 {
		return &FieldError{Field: inputFields[bits.TrailingZeros(extra)], Problem: notWanted}
	}
	switch {
	case f.input == hasMessage:
		return e.checkReceived(f, members).within("message")
	case in.Timer != f.timer:
		return &FieldError{Field: "timer", Problem: strconv.Quote(string(in.Timer)) + " where " + strconv.Quote(string(f.timer)) + " is wanted"}
	case in.Call != f.call:
		return &FieldError{Field: "call", Problem: strconv.Quote(string(in.Call)) + " where " + strconv.Quote(string(f.call)) + " is wanted"}
	}
	for i, link := range in.Cut {
		if err := link.check(members); err != nil {
			return err.within("cut" + index(i))
		}
		if i > 0 && in.Cut[i-1].Compare(link) >= 0 {
			return &FieldError{Field: "cut" + index(i), Problem: "ascending order is wanted, each link once"}
		}
	}
	return nil
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

func (l Link) check(members []NodeID) *FieldError {
	if err := checkNode(l.From, members); err != nil {
		return err.within("[0]")
	}
	if err := checkNode(l.To, members); err != nil {
		return err.within("[1]")
	}
	if l.From == l.To {
		return &FieldError{Problem: "a link joins two different nodes"}
	}
	return nil
}

// String returns e as a person would say it: 7 OnClaim 3→2 CLAIM epoch:4 | 2→3 GRANT epoch:4 | 2 is electing …
func (e Event) String() string {
	parts := []string{strconv.FormatUint(e.Seq, 10) + " " + string(e.Action) + e.Input.String()}
	for _, m := range e.Sent {
		parts = append(parts, m.String())
	}
	if e.Action.OfNode() {
		parts = append(parts, e.Node.String()+" is "+e.State.String())
	}
	return strings.Join(parts, " | ")
}

// String returns in as a person would say it, with a space before it; a timer and a call go without saying.
func (in Input) String() string {
	var b strings.Builder
	if in.Message != (Message{}) {
		b.WriteString(" " + in.Message.String())
	}
	for _, l := range in.Cut {
		b.WriteString(" " + l.From.String() + "→" + l.To.String())
	}
	return b.String()
}

// MarshalJSON writes e as a line of a trace, without the LF. An event that is not well formed is an error.
func (e Event) MarshalJSON() ([]byte, error) {
	if err := e.Validate(); err != nil {
		return nil, err
	}
	return e.appendJSON(nil), nil
}

// UnmarshalJSON reads a well-formed event. A field unknown, missing or given twice is an error.
func (e *Event) UnmarshalJSON(data []byte) error {
	s := newScanner(data)
	var parsed Event
	s.event(&parsed)
	if err := s.end(""); err != nil {
		return err
	}
	if err := parsed.Validate(); err != nil {
		return err
	}
	*e = parsed
	return nil
}

func (e *Event) appendJSON(b []byte) []byte {
	f := e.Action.form()
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

func (in *Input) appendJSON(b []byte, input uint) []byte {
	switch input {
	case hasMessage:
		b = in.Message.appendJSON(append(b, `{"message":`...))
	case hasTimer:
		b = append(append(append(b, `{"timer":"`...), in.Timer...), '"')
	case hasCall:
		b = append(append(append(b, `{"call":"`...), in.Call...), '"')
	case hasCut:
		b = append(b, `{"cut":[`...)
		for i, l := range in.Cut {
			if i > 0 {
				b = append(b, ',')
			}
			b = l.From.appendJSON(append(b, '['))
			b = append(l.To.appendJSON(append(b, ',')), ']')
		}
		b = append(b, ']')
	}
	return append(b, '}')
}

// event reads the syntax of an event, and that it has the fields of its action; check says whether it is well
// formed. The memory of the slices in e is used again.
func (s *scanner) event(e *Event) {
	*e = Event{Sent: e.Sent[:0], State: State{Support: e.State.Support[:0]}, Input: Input{Cut: e.Input.Cut[:0]}}
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
	s.require(inputFields, inputs, f.input)
	s.pop()
}

// input reads the syntax of an input, and returns which there were.
func (s *scanner) input(in *Input) (inputs uint) {
	return s.object(inputFields, func(field int) {
		switch field {
		case 0:
			s.message(&in.Message)
		case 1:
			in.Timer = word(s, timers, "timer", nil)
		case 2:
			in.Call = word(s, calls, "call", nil)
		case 3:
			s.array(func(int) { in.Cut = append(in.Cut, s.link()) })
		}
	})
}

// link reads an array of two ids.
func (s *scanner) link() (l Link) {
	ends := 0
	s.array(func(i int) {
		switch i {
		case 0:
			l.From = s.id()
		case 1:
			l.To = s.id()
		default:
			s.fail("a link has two ends", nil)
		}
		ends++
	})
	if ends < 2 {
		s.fail("a link has two ends", nil)
	}
	return l
}
