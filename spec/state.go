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
//	{"role":"electing","leader":"3","epoch":4,"grantee":"3","support":[]}
//	{"role":"electing","leader":"3","epoch":4,"grantee":"3","support":[],"configuration":{"epoch":3,"version":2,"members":[…]}}
type State struct {
	Role          Role
	Leader        NodeID        // the node whose lease this node keeps, or none (R5)
	Epoch         Epoch         // the highest epoch that this node has promised; durable
	Grantee       NodeID        // the node that this epoch was promised to, or none; durable
	Support       []NodeID      // the nodes that back this node, ascending, each once
	Configuration Configuration // none, and left out, if members are fixed; of no epoch above Epoch; durable
}

// Durable is the part of a State that survives a crash: a promise, and who the members are.
//
//	{"epoch":4,"grantee":"3"}
//	{"epoch":4,"grantee":"3","configuration":{"epoch":3,"version":2,"members":[…]}}
type Durable struct {
	Epoch         Epoch
	Grantee       NodeID        // or none
	Configuration Configuration // none, and left out, if members are fixed; of no epoch above Epoch
}

var (
	_ json.Marshaler   = State{}
	_ json.Unmarshaler = (*State)(nil)
	_ json.Marshaler   = Durable{}
	_ json.Unmarshaler = (*Durable)(nil)
)

var (
	stateFields   = []string{"role", "leader", "epoch", "grantee", "support", "configuration"}
	durableFields = []string{"epoch", "grantee", "configuration"}
)

// The bits of the last of stateFields and of durableFields, which are left out where members are fixed.
const (
	stateConfiguration   uint = 1 << 5
	durableConfiguration uint = 1 << 2
)

// Durable returns the part of s that survives a crash.
func (s State) Durable() Durable { return Durable{s.Epoch, s.Grantee, s.Configuration} }

// Equal reports whether s and t are the same state. Support that is nil and support that is empty are the same.
func (s State) Equal(t State) bool {
	return s.Role == t.Role && s.Leader == t.Leader && s.Epoch == t.Epoch && s.Grantee == t.Grantee &&
		s.Configuration == t.Configuration && slices.Equal(s.Support, t.Support)
}

// Clone returns a copy of s that shares no memory with it.
func (s State) Clone() State {
	s.Support = slices.Clone(s.Support)
	return s
}

// Validate returns nil if the role is known, the ids are valid, the epoch is at most MaxEpoch, the support is
// ascending, and the configuration is none, or valid and of no higher epoch; and else a FieldError.
func (s State) Validate() error {
	if err := s.check(nil); err != nil {
		return err
	}
	return nil
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
	if s.Configuration.IsNone() {
		return nil
	}
	return s.Configuration.checkWithin(s.Epoch, members)
}

// Validate returns nil if the epoch is at most MaxEpoch, the grantee is none or valid, and the configuration is none, or
// valid and of no higher epoch; and else a FieldError.
func (d Durable) Validate() error {
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

// String returns s as a person would say it, with its configuration if it has one: electing leader:3 epoch:4
// grantee:3 support:{1 2}.
func (s State) String() string {
	names := make([]string, len(s.Support))
	for i, id := range s.Support {
		names[i] = id.String()
	}
	return string(s.Role) + " leader:" + s.Leader.String() + " epoch:" + strconv.FormatUint(uint64(s.Epoch), 10) +
		" grantee:" + s.Grantee.String() + " support:{" + strings.Join(names, " ") + "}" + s.Configuration.suffix()
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
	scan := newScanner(data)
	var parsed State
	scan.state(&parsed)
	if err := scan.end(""); err != nil {
		return err
	}
	if err := parsed.Validate(); err != nil {
		return err
	}
	*s = parsed
	return nil
}

// MarshalJSON writes the fields in the order of the examples. A record that is not valid is an error.
func (d Durable) MarshalJSON() ([]byte, error) {
	if err := d.Validate(); err != nil {
		return nil, err
	}
	b := strconv.AppendUint([]byte(`{"epoch":`), uint64(d.Epoch), 10)
	b = d.Grantee.appendJSON(append(b, `,"grantee":`...))
	if !d.Configuration.IsNone() {
		b = d.Configuration.appendJSON(append(b, `,"configuration":`...))
	}
	return append(b, '}'), nil
}

// UnmarshalJSON reads a valid record. A field unknown, missing or given twice is an error.
func (d *Durable) UnmarshalJSON(data []byte) error {
	scan := newScanner(data)
	var parsed Durable
	seen := scan.object(durableFields, func(field int) {
		switch field {
		case 0:
			parsed.Epoch = scan.epoch()
		case 1:
			parsed.Grantee = scan.idOrNull()
		case 2:
			parsed.Configuration = scan.configuration()
		}
	})
	scan.require(durableFields, seen|durableConfiguration, 1<<len(durableFields)-1)
	if err := scan.end(""); err != nil {
		return err
	}
	if err := parsed.Validate(); err != nil {
		return err
	}
	*d = parsed
	return nil
}

func (s *State) appendJSON(b []byte) []byte {
	b = append(append(b, `{"role":"`...), s.Role...)
	b = s.Leader.appendJSON(append(b, `","leader":`...))
	b = strconv.AppendUint(append(b, `,"epoch":`...), uint64(s.Epoch), 10)
	b = s.Grantee.appendJSON(append(b, `,"grantee":`...))
	b = appendIDs(append(b, `,"support":`...), s.Support)
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

// state reads the syntax of a state; check says whether it is valid. The memory of st.Support is used again.
func (s *scanner) state(st *State) {
	seen := s.object(stateFields, func(field int) {
		switch field {
		case 0:
			st.Role = word(s, roles, "role", nil)
		case 1:
			st.Leader = s.idOrNull()
		case 2:
			st.Epoch = s.epoch()
		case 3:
			st.Grantee = s.idOrNull()
		case 4:
			st.Support = s.ids(st.Support[:0])
		case 5:
			st.Configuration = s.configuration()
		}
	})
	s.require(stateFields, seen|stateConfiguration, 1<<len(stateFields)-1)
}

// ids reads an array of ids and appends them to ids.
func (s *scanner) ids(ids []NodeID) []NodeID {
	s.array(func(int) { ids = append(ids, s.id()) })
	return ids
}
