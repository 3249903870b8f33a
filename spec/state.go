package spec

import (
	"encoding/json"
	"slices"
	"strconv"
	"strings"
)

// State is the whole state of a node, in the words of the spec. Two nodes in the same state that are given
// the same input take the same step.
//
//	{"role":"electing","leader":"3","lease":7,"epoch":4,"grantee":"3","support":[],"asked":0,"latest":5}
//	{"role":"leader","leader":"3","lease":0,"epoch":4,"grantee":"3","support":["1"],"asked":0,"latest":9,"dated":8,"answered":[{"node":"1","question":8}]}
//	{"role":"electing","leader":"3","lease":7,"epoch":4,"grantee":"3","support":[],"asked":0,"latest":5,"configuration":{"epoch":3,"version":2,"members":[…]}}
type State struct {
	Role          Role
	Leader        NodeID        // the node whose lease this node keeps, or none (R5)
	Lease         Question      // the latest question of Leader that this node has answered; 0 if there is none, or it is its own
	Epoch         Epoch         // the highest epoch that this node has promised; durable
	Grantee       NodeID        // the node that this epoch was promised to, or none; durable
	Support       []NodeID      // the nodes that back this node, ascending, each once
	Asked         Question      // the ELECTION or CLAIM that this node is asking now; 0 if none
	Latest        Question      // the latest number that this node has used; durable, as the end of its block
	Dated         Question      // of a leader, and of nobody else: the latest question that a quorum has answered
	Answered      []Answered    // of a leader, and of nobody else: the latest question that each node has answered, by ascending node
	Configuration Configuration // none, and left out, if members are fixed; of no epoch above Epoch; durable
}

// Answered is the latest question of a leader that a node has answered.
//
//	{"node":"1","question":8}
type Answered struct {
	Node     NodeID
	Question Question
}

// Durable is the part of a State that survives a crash: a promise, which numbers may have been used, and who the members are.
//
//	{"epoch":4,"grantee":"3","reserved":1048576}
//	{"epoch":4,"grantee":"3","reserved":1048576,"configuration":{"epoch":3,"version":2,"members":[…]}}
type Durable struct {
	Epoch         Epoch
	Grantee       NodeID        // or none
	Reserved      Question      // no number above it has been used; at most MaxReserved
	Configuration Configuration // none, and left out, if members are fixed; of no epoch above Epoch
}

var (
	_ json.Marshaler   = State{}
	_ json.Unmarshaler = (*State)(nil)
	_ json.Marshaler   = Durable{}
	_ json.Unmarshaler = (*Durable)(nil)
)

var (
	stateFields    = []string{"role", "leader", "lease", "epoch", "grantee", "support", "asked", "latest", "dated", "answered", "configuration"}
	answeredFields = []string{"node", "question"}
	durableFields  = []string{"epoch", "grantee", "reserved", "configuration"}
)

// The bits of those of stateFields that leaders alone have, and of the last of stateFields and of durableFields, which are left
// out where members are fixed.
const (
	stateReign           uint = 3 << 8
	stateConfiguration   uint = 1 << 10
	durableConfiguration uint = 1 << 3
)

// Durable returns the part of s that survives a crash.
func (s State) Durable() Durable {
	return Durable{s.Epoch, s.Grantee, s.Latest.Reserved(), s.Configuration}
}

// Equal reports whether s and t are the same state. A slice that is nil and one that is empty are the same.
func (s State) Equal(t State) bool {
	return s.Role == t.Role && s.Leader == t.Leader && s.Lease == t.Lease && s.Epoch == t.Epoch && s.Grantee == t.Grantee &&
		s.Asked == t.Asked && s.Latest == t.Latest && s.Dated == t.Dated && s.Configuration == t.Configuration &&
		slices.Equal(s.Support, t.Support) && slices.Equal(s.Answered, t.Answered)
}

// Clone returns a copy of s that shares no memory with it.
func (s State) Clone() State {
	s.Support, s.Answered = slices.Clone(s.Support), slices.Clone(s.Answered)
	return s
}

// Validate returns nil if the role is known, the ids are valid, the epoch is at most MaxEpoch, the numbers are at most MaxQuestion,
// those asked, dated and answered are at most the latest, only a leader has the two last, support and answers are ascending, and the
// configuration is none, or valid and of no higher epoch; and else a FieldError.
func (s State) Validate() error {
	return s.check(nil).orNil()
}

// check is Validate, and every id must be a member unless members is nil.
func (s *State) check(members []NodeID) *FieldError {
	if !s.Role.Valid() {
		return &FieldError{Field: "role", Problem: unknownWord(string(s.Role), "role")}
	}
	if !s.Leader.IsNone() {
		if err := checkNode(s.Leader, members); err != nil {
			return err.within("leader")
		}
	}
	if !s.Epoch.Valid() {
		return &FieldError{Field: "epoch", Problem: aboveMax(uint64(s.Epoch))}
	}
	if !s.Grantee.IsNone() {
		if err := checkNode(s.Grantee, members); err != nil {
			return err.within("grantee")
		}
	}
	if err := checkAscending("support", s.Support, members); err != nil {
		return err
	}
	if err := s.checkNumbers(members); err != nil {
		return err
	}
	if s.Configuration.IsNone() {
		return nil
	}
	return s.Configuration.checkWithin(s.Epoch, members)
}

// checkNumbers says what is wrong with the numbers of a state.
func (s *State) checkNumbers(members []NodeID) *FieldError {
	if !s.Lease.Valid() {
		return &FieldError{Field: "lease", Problem: aboveMax(uint64(s.Lease))}
	}
	if !s.Latest.Valid() {
		return &FieldError{Field: "latest", Problem: aboveMax(uint64(s.Latest))}
	}
	for _, own := range []struct {
		field string
		Question
	}{{"asked", s.Asked}, {"dated", s.Dated}} {
		if own.Question > s.Latest {
			return &FieldError{Field: own.field, Problem: own.String() + " is above the latest, which is " + s.Latest.String()}
		}
	}
	if s.Role != Leader && (s.Dated != 0 || len(s.Answered) > 0) {
		return &FieldError{Field: "answered", Problem: "only a leader has answers and a date of its reign"}
	}
	for i, a := range s.Answered {
		if err := checkNode(a.Node, members); err != nil {
			return err.within("answered" + index(i) + ".node")
		}
		if i > 0 && s.Answered[i-1].Node.Compare(a.Node) >= 0 {
			return &FieldError{Field: "answered" + index(i) + ".node", Problem: notAscending(s.Answered[i-1].Node, a.Node)}
		}
		if a.Question == 0 || a.Question > s.Latest {
			return &FieldError{Field: "answered" + index(i) + ".question", Problem: a.Question.String() + " is not from 1 to the latest, which is " + s.Latest.String()}
		}
	}
	return nil
}

// Validate returns nil if the epoch is at most MaxEpoch, the grantee is none or valid, the numbers reserved are at most MaxReserved,
// and the configuration is none, or valid and of no higher epoch; and else a FieldError.
func (d Durable) Validate() error {
	if d.Reserved > MaxReserved {
		return &FieldError{Field: "reserved", Problem: d.Reserved.String() + " is above 2^52"}
	}
	return State{Role: Follower, Epoch: d.Epoch, Grantee: d.Grantee, Configuration: d.Configuration}.Validate()
}

// checkNode says what is wrong with id where a node is wanted: that it is none or not valid, or not among members.
func checkNode(id NodeID, members []NodeID) *FieldError {
	if members != nil {
		if slices.Contains(members, id) {
			return nil
		}
		if id.Valid() {
			return &FieldError{Problem: id.String() + " is not a member"}
		}
	}
	if !id.Valid() {
		return &FieldError{Problem: id.problem()}
	}
	return nil
}

// checkAscending says what is wrong with a list of nodes that stands for a set.
func checkAscending(field string, ids, members []NodeID) *FieldError {
	for i, id := range ids {
		if err := checkNode(id, members); err != nil {
			return err.within(field + index(i))
		}
		if i > 0 && ids[i-1].Compare(id) >= 0 {
			return &FieldError{Field: field + index(i), Problem: notAscending(ids[i-1], id)}
		}
	}
	return nil
}

func index(i int) string { return "[" + strconv.Itoa(i) + "]" }

// String returns s as a person would say it, without numbers that are 0, and with its configuration if it has one: electing
// leader:3 lease:7 epoch:4 grantee:3 support:{1 2} latest:5.
func (s State) String() string {
	names := make([]string, len(s.Support))
	for i, id := range s.Support {
		names[i] = id.String()
	}
	text := string(s.Role) + " leader:" + s.Leader.String() + numberText("lease", s.Lease) +
		" epoch:" + strconv.FormatUint(uint64(s.Epoch), 10) + " grantee:" + s.Grantee.String() +
		" support:{" + strings.Join(names, " ") + "}" + numberText("asked", s.Asked) + numberText("latest", s.Latest) + numberText("dated", s.Dated)
	if len(s.Answered) > 0 {
		answers := make([]string, len(s.Answered))
		for i, a := range s.Answered {
			answers[i] = a.Node.String() + ":" + a.Question.String()
		}
		text += " answered:{" + strings.Join(answers, " ") + "}"
	}
	return text + s.Configuration.suffix()
}

func numberText(field string, q Question) string {
	if q == 0 {
		return ""
	}
	return " " + field + ":" + q.String()
}

// MarshalJSON writes the fields in the order of the examples. A state that is not valid is an error.
func (s State) MarshalJSON() ([]byte, error) {
	if err := s.Validate(); err != nil {
		return nil, err
	}
	return s.appendJSON(nil), nil
}

// UnmarshalJSON reads a valid state. A field unknown, missing or given twice is an error.
func (s *State) UnmarshalJSON(data []byte) error {
	return unmarshal(data, s, (*scanner).state)
}

// MarshalJSON writes the fields in the order of the examples. A record that is not valid is an error.
func (d Durable) MarshalJSON() ([]byte, error) {
	if err := d.Validate(); err != nil {
		return nil, err
	}
	b := strconv.AppendUint([]byte(`{"epoch":`), uint64(d.Epoch), 10)
	b = d.Grantee.appendJSON(append(b, `,"grantee":`...))
	b = strconv.AppendUint(append(b, `,"reserved":`...), uint64(d.Reserved), 10)
	if !d.Configuration.IsNone() {
		b = d.Configuration.appendJSON(append(b, `,"configuration":`...))
	}
	return append(b, '}'), nil
}

// UnmarshalJSON reads a valid record. A field unknown, missing or given twice is an error.
func (d *Durable) UnmarshalJSON(data []byte) error {
	return unmarshal(data, d, (*scanner).durable)
}

func (s *State) appendJSON(b []byte) []byte {
	b = append(append(b, `{"role":"`...), s.Role...)
	b = s.Leader.appendJSON(append(b, `","leader":`...))
	b = strconv.AppendUint(append(b, `,"lease":`...), uint64(s.Lease), 10)
	b = strconv.AppendUint(append(b, `,"epoch":`...), uint64(s.Epoch), 10)
	b = s.Grantee.appendJSON(append(b, `,"grantee":`...))
	b = appendIDs(append(b, `,"support":`...), s.Support)
	b = strconv.AppendUint(append(b, `,"asked":`...), uint64(s.Asked), 10)
	b = strconv.AppendUint(append(b, `,"latest":`...), uint64(s.Latest), 10)
	if s.Role == Leader {
		b = strconv.AppendUint(append(b, `,"dated":`...), uint64(s.Dated), 10)
		b = appendAnswered(append(b, `,"answered":`...), s.Answered)
	}
	if !s.Configuration.IsNone() {
		b = s.Configuration.appendJSON(append(b, `,"configuration":`...))
	}
	return append(b, '}')
}

func appendIDs(b []byte, ids []NodeID) []byte {
	b = append(b, '[')
	for i, id := range ids {
		if i > 0 {
			b = append(b, ',')
		}
		b = id.appendJSON(b)
	}
	return append(b, ']')
}

func appendAnswered(b []byte, answers []Answered) []byte {
	b = append(b, '[')
	for i, a := range answers {
		if i > 0 {
			b = append(b, ',')
		}
		b = a.Node.appendJSON(append(b, `{"node":`...))
		b = append(strconv.AppendUint(append(b, `,"question":`...), uint64(a.Question), 10), '}')
	}
	return append(b, ']')
}

// state reads the syntax of a state; check says whether it is valid. The memory of the slices in st is used again.
func (s *scanner) state(st *State) {
	seen := s.object(stateFields, func(field int) {
		switch field {
		case 0:
			st.Role = word(s, roles, "role", nil)
		case 1:
			st.Leader = s.idOrNull()
		case 2:
			st.Lease = s.question()
		case 3:
			st.Epoch = s.epoch()
		case 4:
			st.Grantee = s.idOrNull()
		case 5:
			st.Support = s.ids(st.Support[:0])
		case 6:
			st.Asked = s.question()
		case 7:
			st.Latest = s.question()
		case 8:
			st.Dated = s.question()
		case 9:
			st.Answered = s.answered(st.Answered[:0])
		case 10:
			st.Configuration = s.configuration()
		}
	})
	want := uint(1<<len(stateFields) - 1)
	if st.Role != Leader {
		want &^= stateReign
	}
	s.require(stateFields, seen|stateConfiguration, want)
}

// durable reads the syntax of a record; Validate says whether it is valid.
func (s *scanner) durable(d *Durable) {
	seen := s.object(durableFields, func(field int) {
		switch field {
		case 0:
			d.Epoch = s.epoch()
		case 1:
			d.Grantee = s.idOrNull()
		case 2:
			d.Reserved = s.question()
		case 3:
			d.Configuration = s.configuration()
		}
	})
	s.require(durableFields, seen|durableConfiguration, 1<<len(durableFields)-1)
}

// answered reads an array of answers and appends them to answers.
func (s *scanner) answered(answers []Answered) []Answered {
	s.array(func(int) {
		var a Answered
		seen := s.object(answeredFields, func(field int) {
			switch field {
			case 0:
				a.Node = s.id()
			case 1:
				a.Question = s.question()
			}
		})
		s.require(answeredFields, seen, 1<<len(answeredFields)-1)
		answers = append(answers, a)
	})
	return answers
}

// ids reads an array of ids and appends them to ids.
func (s *scanner) ids(ids []NodeID) []NodeID {
	s.array(func(int) { ids = append(ids, s.id()) })
	return ids
}
