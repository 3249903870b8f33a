package spec

import (
	"encoding/json"
	"strconv"
)

const (
	// TraceFormat is the version of the format of traces.
	TraceFormat = 3
	// Version is the version of the rules in spec/README.md that traces follow.
	Version = "2.0"
)

// Header is the first line of a trace. It says who the members are, and where the trace comes from: from a
// simulation, which its seed repeats, or from a host. Where members change, it says who was ever one.
//
//	{"format":3,"spec":"2.0","members":["1","2","3"],"seed":81,"commit":"9fceb02"}
//	{"format":3,"spec":"2.0","members":["1","2","3"],"host":"db-1.example","commit":"9fceb02"}
//	{"format":3,"spec":"2.0","changing":true,"members":["1","2","3","4"],"seed":81,"commit":"9fceb02"}
//
// Host and Commit are at most 255 printable ASCII characters other than " and \.
type Header struct {
	Changing bool     // whether members change: every message and state has its configuration; left out if not
	Members  []NodeID // every node that is a member at any time, ascending, each once; at least one
	Seed     uint64   // at most 2^53-1; 0 if there is a host
	Host     string   // or "" if there is a seed
	Commit   string   // of the program that wrote the trace
}

var (
	_ json.Marshaler   = Header{}
	_ json.Unmarshaler = (*Header)(nil)
)

var headerFields = []string{"format", "spec", "changing", "members", "seed", "host", "commit"}

// The fields of a header, as bits in the order of headerFields.
const (
	hasFormat uint = 1 << iota
	hasSpec
	hasChanging
	hasMembers
	hasSeed
	hasHost
	hasCommit
)

const (
	maxName     = 255
	seedAndHost = "a trace has a seed or a host, not both"
)

// Validate returns nil if h is as described at its fields, and else a FieldError.
func (h Header) Validate() error {
	if err := h.check(); err != nil {
		return err
	}
	return nil
}

func (h *Header) check() *FieldError {
	if len(h.Members) == 0 {
		return &FieldError{Field: "members", Problem: "there is none"}
	}
	if err := checkAscending("members", h.Members, nil); err != nil {
		return err
	}
	switch {
	case h.Seed > uint64(MaxEpoch):
		return &FieldError{Field: "seed", Problem: aboveMax(h.Seed)}
	case h.Seed != 0 && h.Host != "":
		return &FieldError{Field: "host", Problem: seedAndHost}
	}
	if err := checkName("host", h.Host); err != nil && h.Host != "" {
		return err
	}
	return checkName("commit", h.Commit)
}

func checkName(field, name string) *FieldError {
	if name == "" || len(name) > maxName {
		return &FieldError{Field: field, Problem: strconv.Itoa(len(name)) + " characters: from 1 to " + strconv.Itoa(maxName) + " are wanted"}
	}
	for _, c := range []byte(name) {
		if c < ' ' || c > '~' || c == '"' || c == '\\' {
			return &FieldError{Field: field, Problem: strconv.Quote(name) + ": printable ASCII without \" and \\ is wanted"}
		}
	}
	return nil
}

// MarshalJSON writes h as the first line of a trace, without the LF. A header that is not valid is an error.
func (h Header) MarshalJSON() ([]byte, error) {
	if err := h.Validate(); err != nil {
		return nil, err
	}
	return h.appendJSON(nil), nil
}

// UnmarshalJSON reads a valid header. A field unknown, missing or given twice is an error.
func (h *Header) UnmarshalJSON(data []byte) error {
	s := newScanner(data)
	var parsed Header
	s.header(&parsed)
	if err := s.end(""); err != nil {
		return err
	}
	if err := parsed.Validate(); err != nil {
		return err
	}
	*h = parsed
	return nil
}

func (h *Header) appendJSON(b []byte) []byte {
	b = strconv.AppendUint(append(b, `{"format":`...), TraceFormat, 10)
	b = append(b, `,"spec":"`+Version+`"`...)
	if h.Changing {
		b = append(b, `,"changing":true`...)
	}
	b = appendIDs(append(b, `,"members":`...), h.Members)
	if h.Host != "" {
		b = append(b, `,"host":"`+h.Host+`"`...)
	} else {
		b = strconv.AppendUint(append(b, `,"seed":`...), h.Seed, 10)
	}
	return append(b, `,"commit":"`+h.Commit+`"}`...)
}

// header reads the syntax of a header; check says whether it is valid.
func (s *scanner) header(h *Header) {
	seen := s.object(headerFields, func(field int) {
		switch field {
		case 0:
			if format := s.integer(); s.err == nil && format != TraceFormat {
				s.fail(strconv.FormatUint(format, 10)+" is no trace format that is known: "+strconv.Itoa(TraceFormat), nil)
			}
		case 1:
			if version := string(s.text()); s.err == nil && version != Version {
				s.fail(strconv.Quote(version)+" is not the version of the spec that is known: "+Version, nil)
			}
		case 2:
			h.Changing = s.yes()
		case 3:
			h.Members = s.ids(nil)
		case 4:
			h.Seed = s.integer()
		case 5:
			if h.Host = string(s.text()); h.Host == "" {
				s.fail("empty", nil)
			}
		case 6:
			h.Commit = string(s.text())
		}
	})
	switch from := seen & (hasSeed | hasHost); {
	case from == hasSeed|hasHost:
		s.push("host", -1)
		s.fail(seedAndHost, nil)
		s.pop()
	case from == hasHost:
		s.require(headerFields, seen|hasChanging, hasFormat|hasSpec|hasChanging|hasMembers|hasHost|hasCommit)
	default:
		s.require(headerFields, seen|hasChanging, hasFormat|hasSpec|hasChanging|hasMembers|hasSeed|hasCommit)
	}
}
