package spec

import (
	"slices"
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

// Input is what made a step happen. At most one of its fields is set, and the action says which; a call to change comes
// with the configuration that is wanted, and a call to resign may come with whom the RESIGN is to name, and for how long. The zero Input, given to a node, is a message that is none (R33).
type Input struct {
	Message       Message       // the message received, or lost
	Timer         Timer         // the timer that fired
	Call          Call          // what the node was called to do, or told
	Configuration Configuration // the one that the cluster is to have, with its epoch and version; of a call to change (R47)
	Names         NodeID        // who is to stand first; of a call to resign, or none (R51)
	Hold          Hold          // for how long that one is not to be pre-empted; of a call to resign that names a node
	Cut           []Link        // every link that now carries nothing, ascending, each once; none if all is healed
}

var inputFields = []string{"message", "timer", "call", "configuration", "names", "hold", "cut"}

// The inputs, as bits in the order of inputFields.
const (
	hasMessage uint = 1 << iota
	hasTimer
	hasCall
	hasConfiguration
	hasNames
	hasHold
	hasCut

	hasChange = hasCall | hasConfiguration
)

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
	if !in.Configuration.IsNone() {
		inputs |= hasConfiguration
	}
	if !in.Names.IsNone() {
		inputs |= hasNames
	}
	if in.Hold != 0 {
		inputs |= hasHold
	}
	if len(in.Cut) > 0 {
		inputs |= hasCut
	}
	return inputs
}

// checkNames says what is wrong with whom a call to resign names, and for how long, beside the node that is called.
func (in *Input) checkNames(node NodeID, members []NodeID) *FieldError {
	switch {
	case in.Names.IsNone() && in.Hold == 0:
		return nil
	case in.Names == node:
		return &FieldError{Field: "names", Problem: node.String() + " is the node of this step itself"}
	}
	if err := checkNode(in.Names, members); err != nil {
		return err.within("names")
	}
	return in.Hold.check()
}

// checkCut says what is wrong with a list of links that are cut.
func checkCut(cut []Link, members []NodeID) *FieldError {
	for i, link := range cut {
		if err := link.check(members); err != nil {
			return err.within("cut" + index(i))
		}
		if i > 0 && cut[i-1].Compare(link) >= 0 {
			return &FieldError{Field: "cut" + index(i), Problem: "ascending order is wanted, each link once"}
		}
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

// String returns in as a person would say it: 3→1 CLAIM epoch:4.
func (in Input) String() string {
	switch {
	case in.Call == StartCall:
		return "first start"
	case in.Timer != "":
		return string(in.Timer) + " ends"
	case !in.Configuration.IsNone():
		return string(in.Call) + " to " + in.Configuration.String()
	case in.Call != "":
		return string(in.Call) + namingText(in.Names, in.Hold)
	}
	return in.Message.String()
}

// Besides returns what an action does not say of in already, with a space before it: nothing of a timer and a call.
func (in *Input) Besides() string {
	var b strings.Builder
	if in.Message != (Message{}) {
		b.WriteString(" " + in.Message.String())
	}
	if !in.Configuration.IsNone() {
		b.WriteString(" " + in.Configuration.String())
	}
	b.WriteString(namingText(in.Names, in.Hold))
	for _, l := range in.Cut {
		b.WriteString(" " + l.From.String() + "→" + l.To.String())
	}
	return b.String()
}

func (in *Input) appendJSON(b []byte, input uint) []byte {
	switch input {
	case hasMessage:
		b = in.Message.appendJSON(append(b, `{"message":`...))
	case hasTimer:
		b = append(append(append(b, `{"timer":"`...), in.Timer...), '"')
	case hasCall:
		b = append(append(append(b, `{"call":"`...), in.Call...), '"')
		b = appendNaming(b, in.Names, in.Hold)
	case hasChange:
		b = append(append(append(b, `{"call":"`...), in.Call...), `","configuration":`...)
		b = in.Configuration.appendJSON(b)
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
			in.Configuration = s.configuration()
		case 4:
			in.Names = s.id()
		case 5:
			in.Hold = s.hold()
		case 6:
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

// Step is what a node does with an input. Which step it is, Input.Action says.
type Step struct {
	// Ignored says that there was no step: the state stays, and all else is zero, whether the input is to be counted (R33,
	// R34, R35) or not (R28, R41, R47).
	Ignored bool
	State   State     // the state after the step; that before it, if there was none
	Sent    []Message // what the step sends, in order

	// What the step asks of its host besides follows from the states before and after; it is zero where nobody asks for it.

	Save        bool     // epoch, grantee and configuration must be on disk before anything is sent (R4, R42)
	Cancel, Arm TimerSet // R36; a timer that is armed may be running, and then begins anew
}

// Equal reports whether two steps are the same.
func (s Step) Equal(t Step) bool {
	return s.Ignored == t.Ignored && s.Save == t.Save && s.Cancel == t.Cancel && s.Arm == t.Arm &&
		s.State.Equal(t.State) && slices.Equal(s.Sent, t.Sent)
}

// Action returns the step that a node takes on in, if it takes one: "" for a message that is none.
func (in *Input) Action() Action {
	switch {
	case in.Timer != "":
		return in.Timer.Action()
	case in.Call != "":
		return in.Call.Action()
	}
	return in.Message.Type.Action()
}

// OfMessage reports whether in is a message, well formed or not.
func (in *Input) OfMessage() bool { return in.Timer == "" && in.Call == "" }

// Starts reports whether in begins the life of a node, or begins it again.
func (in *Input) Starts() bool { return in.Call == StartCall || in.Call == RestartCall }
