package spec

import (
	"encoding/json"
	"errors"
	"slices"
	"strconv"
)

// MessageType says what a message is about. The set is closed; MessageTypes lists it.
type MessageType string

const (
	// Election asks: who is there, and would you follow me? It carries the sender's epoch. It binds nobody.
	Election MessageType = "ELECTION"
	// OK answers the ELECTION of a lower node: I am higher, would grant your claim, and have it in hand.
	OK MessageType = "OK"
	// Assent answers the ELECTION of a higher node: I would grant your claim.
	Assent MessageType = "ASSENT"
	// Claim asks for the promise of the epoch that it carries.
	Claim MessageType = "CLAIM"
	// Grant says that its sender has promised the claimant the epoch, and has it on disk.
	Grant MessageType = "GRANT"
	// Refuse says no, with the epoch of the node that refuses.
	Refuse MessageType = "REFUSE"
	// Coordinator says that its sender has come to lead the epoch.
	Coordinator MessageType = "COORDINATOR"
	// Heartbeat says that its sender leads the epoch still.
	Heartbeat MessageType = "HEARTBEAT"
	// Ack answers a COORDINATOR or a HEARTBEAT: I follow you in this epoch.
	Ack MessageType = "ACK"
	// Resign says that its sender does not lead: whoever keeps a lease for it need not wait.
	Resign MessageType = "RESIGN"
	// ImBack says that its sender does not lead: it has restarted (R30), or is a member that does not stand (R46).
	ImBack MessageType = "IM_BACK"
)

// The order is that of the codes on the wire, which begin at 1.
var messageTypes = []MessageType{Election, OK, Assent, Claim, Grant, Refuse, Coordinator, Heartbeat, Ack, Resign, ImBack}

// MessageTypes returns every message type.
func MessageTypes() []MessageType { return slices.Clone(messageTypes) }

// Valid reports whether t is one of MessageTypes.
func (t MessageType) Valid() bool { return slices.Contains(messageTypes, t) }

// Action returns the step that is the receipt of a message of type t, or "" if t is not valid.
func (t MessageType) Action() Action {
	for i := range forms {
		f := &forms[i] // not a copy: each step asks
		if f.message == t && t != "" {
			return f.action
		}
	}
	return ""
}

// ErrMessageType is wrapped by the error for a message whose type this package does not know. A node ignores
// such a message and goes on (R34): on a stream the next frame can be read.
var ErrMessageType = errors.New("unknown message type")

// Message is what one node says to another. It is valid if its type is, From and To are two different nodes, Epoch is at most
// MaxEpoch, Question is from 1 to MaxQuestion, Keeps is none but in an ELECTION and Granted none but in a RESIGN, and not of a claim of
// From, Names is none but in a RESIGN that has granted nothing and in a CLAIM, and not From, Hold is 0 but in a RESIGN that names, and
// at most MaxHold, and Configuration is none, or valid and of no higher epoch.
//
//	{"type":"CLAIM","from":"3","to":"1","epoch":4,"question":7}
//	{"type":"ELECTION","from":"3","to":"1","epoch":4,"question":6,"keeps":"2"}
//	{"type":"RESIGN","from":"2","to":"1","epoch":4,"question":9,"granted":{"by":"3","epoch":5,"question":7}}
//	{"type":"RESIGN","from":"3","to":"1","epoch":4,"question":9,"names":"2","hold":5000}
//	{"type":"CLAIM","from":"2","to":"1","epoch":5,"question":7,"names":"3"}
//	{"type":"CLAIM","from":"3","to":"1","epoch":4,"question":7,"configuration":{"epoch":3,"version":2,"members":[…]}}
type Message struct {
	Type          MessageType
	From, To      NodeID
	Epoch         Epoch
	Question      Question      // that is asked, or answered; of RESIGN and IM_BACK the sender's latest (R50)
	Keeps         NodeID        // of an ELECTION: whose lease the sender keeps, or none
	Granted       Granted       // of a RESIGN: the claim for which the sender has handed over; none, and left out, if it has not
	Names         NodeID        // of a RESIGN: who is to stand first; of a CLAIM: who has named the sender so, and leads no more (R51); or none
	Hold          Hold          // of a RESIGN that names: for how long that node is not to be pre-empted
	Configuration Configuration // of the sender; none, and left out, if members are fixed
}

var (
	_ json.Marshaler   = Message{}
	_ json.Unmarshaler = (*Message)(nil)
)

var messageFields = []string{"type", "from", "to", "epoch", "question", "keeps", "granted", "names", "hold", "configuration"}

// The bits of those of messageFields that only some messages have.
const (
	messageKeeps uint = 1 << (iota + 5) // ELECTION
	messageGranted
	messageNames
	messageHold
	messageConfiguration
)

// Validate returns nil if m is valid, and else a FieldError.
func (m Message) Validate() error {
	return m.check(nil).orNil()
}

// check is Validate, and all ids must be members unless members is nil.
func (m *Message) check(members []NodeID) *FieldError {
	if !m.Type.Valid() {
		return &FieldError{Field: "type", Problem: unknownWord(string(m.Type), "message type"), cause: ErrMessageType}
	}
	if err := checkNode(m.From, members); err != nil {
		return err.within("from")
	}
	if err := m.checkOther(m.To, members); err != nil {
		return err.within("to")
	}
	if !m.Epoch.Valid() {
		return &FieldError{Field: "epoch", Problem: aboveMax(uint64(m.Epoch))}
	}
	if err := checkAsked(m.Question); err != nil {
		return err
	}
	if err := m.checkMore(members); err != nil {
		return err
	}
	if m.Configuration.IsNone() {
		return nil
	}
	return m.Configuration.checkWithin(m.Epoch, members)
}

// checkMore says what is wrong with what only messages of some types have.
func (m *Message) checkMore(members []NodeID) *FieldError {
	switch {
	case !m.Keeps.IsNone() && m.Type != Election:
		return &FieldError{Field: "keeps", Problem: "only an ELECTION says whose lease is kept"}
	case m.Granted != Granted{} && m.Type != Resign:
		return &FieldError{Field: "granted", Problem: "only a RESIGN says which claim was granted"}
	case !m.Names.IsNone() && (m.Type != Resign && m.Type != Claim || m.Granted != Granted{}):
		return &FieldError{Field: "names", Problem: "only a RESIGN that has granted nothing, and a CLAIM, name a node"}
	case m.Hold != 0 && (m.Type != Resign || m.Names.IsNone()):
		return &FieldError{Field: "hold", Problem: "only a RESIGN that names a node says for how long"}
	case !m.Names.IsNone():
		return m.checkNames(members)
	case !m.Keeps.IsNone():
		return checkNode(m.Keeps, members).within("keeps")
	case m.Granted == Granted{}:
		return nil
	}
	if err := m.checkOther(m.Granted.By, members); err != nil {
		return err.within("granted.by")
	}
	return m.Granted.check().within("granted")
}

// checkOther says what is wrong with a node that must be another than the sender.
func (m *Message) checkOther(id NodeID, members []NodeID) *FieldError {
	if id == m.From {
		return &FieldError{Problem: id.String() + " is the sender itself"}
	}
	return checkNode(id, members)
}

// checkNames says what is wrong with the node that m names, and with the time for which that one is not to be pre-empted.
func (m *Message) checkNames(members []NodeID) *FieldError {
	if err := m.checkOther(m.Names, members); err != nil {
		return err.within("names")
	}
	return m.Hold.check()
}

// String returns m as a person would say it: 3→1 CLAIM epoch:4 question:7, and what else there is.
func (m Message) String() string {
	text := m.From.String() + "→" + m.To.String() + " " + string(m.Type) + " epoch:" + strconv.FormatUint(uint64(m.Epoch), 10) +
		" question:" + m.Question.String()
	if !m.Keeps.IsNone() {
		text += " keeps:" + m.Keeps.String()
	}
	if m.Granted != (Granted{}) {
		text += " granted " + m.Granted.String()
	}
	text += namingText(m.Names, m.Hold)
	return text + m.Configuration.suffix()
}

// MarshalJSON writes the fields in the order of the examples. A message that is not valid is an error.
func (m Message) MarshalJSON() ([]byte, error) {
	if err := m.Validate(); err != nil {
		return nil, err
	}
	return m.appendJSON(nil), nil
}

// UnmarshalJSON reads a valid message. A field unknown, missing or given twice is an error, as is a string
// with an escape: no word and no id needs one.
func (m *Message) UnmarshalJSON(data []byte) error {
	return unmarshal(data, m, (*scanner).message)
}

func (m *Message) appendJSON(b []byte) []byte {
	b = append(append(b, `{"type":"`...), m.Type...)
	b = m.From.appendJSON(append(b, `","from":`...))
	b = m.To.appendJSON(append(b, `,"to":`...))
	b = strconv.AppendUint(append(b, `,"epoch":`...), uint64(m.Epoch), 10)
	b = strconv.AppendUint(append(b, `,"question":`...), uint64(m.Question), 10)
	if m.Type == Election {
		b = m.Keeps.appendJSON(append(b, `,"keeps":`...))
	}
	if m.Granted != (Granted{}) {
		b = m.Granted.appendJSON(append(b, `,"granted":`...))
	}
	b = appendNaming(b, m.Names, m.Hold)
	if !m.Configuration.IsNone() {
		b = m.Configuration.appendJSON(append(b, `,"configuration":`...))
	}
	return append(b, '}')
}

// message reads the syntax of a message; check says whether it is valid.
func (s *scanner) message(m *Message) {
	seen := s.object(messageFields, func(field int) {
		switch field {
		case 0:
			m.Type = word(s, messageTypes, "message type", ErrMessageType)
		case 1:
			m.From = s.id()
		case 2:
			m.To = s.id()
		case 3:
			m.Epoch = s.epoch()
		case 4:
			m.Question = s.question()
		case 5:
			m.Keeps = s.idOrNull()
		case 6:
			s.granted(&m.Granted)
		case 7:
			m.Names = s.id()
		case 8:
			m.Hold = s.hold()
		case 9:
			m.Configuration = s.configuration()
		}
	})
	want := uint(1<<len(messageFields) - 1)
	if m.Type != Election {
		want &^= messageKeeps
	}
	optional := messageGranted | messageNames | messageHold | messageConfiguration
	s.require(messageFields, seen|optional, want|optional)
}
