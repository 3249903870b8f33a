package spec

import (
	"bytes"
	"encoding"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"strconv"
	"strings"
)

// NodeID names a node. Ids compare as unsigned big-endian bytes, and of two nodes of one rank that of the higher id is the better
// leader (R1). A node keeps its id for life. The zero NodeID is no node; it is null in JSON.
//
// An id is one of two things. An integer from 1 to 2^64-1 fills the low eight bytes, and its text is decimal
// digits without sign or leading zero. A UUID of version 4 and variant 10 fills all sixteen, and its text is
// the canonical one in lower case. The two cannot be mistaken for each other: the version bits of a UUIDv4 lie
// in its high eight bytes, so those are never all zero. Hence every UUID is also higher than every integer.
type NodeID [16]byte

var (
	_ encoding.TextAppender    = NodeID{}
	_ encoding.TextMarshaler   = NodeID{}
	_ encoding.TextUnmarshaler = (*NodeID)(nil)
	_ json.Marshaler           = NodeID{}
	_ json.Unmarshaler         = (*NodeID)(nil)
)

// IntegerID returns the id that is written as the integer n. IntegerID(0) is no node.
func IntegerID(n uint64) (id NodeID) {
	binary.BigEndian.PutUint64(id[8:], n)
	return id
}

// ParseNodeID reads the text of an id. The error says what is wrong with the text.
func ParseNodeID(text string) (NodeID, error) {
	id, problem := parseID(text)
	if problem != "" {
		return NodeID{}, &FieldError{Field: "node id", Problem: problem}
	}
	return id, nil
}

// Compare returns -1, 0 or +1 as id is lower than b, is b, or is higher than b. No node is lower than every node.
func (id NodeID) Compare(b NodeID) int { return bytes.Compare(id[:], b[:]) }

// IsNone reports whether id is no node.
func (id NodeID) IsNone() bool { return id == NodeID{} }

// Valid reports whether id names a node: whether it is an integer that is not 0, or a UUIDv4.
func (id NodeID) Valid() bool { return !id.IsNone() && (id.isInteger() || id.isUUID()) }

func (id NodeID) isInteger() bool { return binary.BigEndian.Uint64(id[:8]) == 0 }

func (id NodeID) isUUID() bool { return id[6]>>4 == 4 && id[8]>>6 == 2 }

// String returns the text of id, or "none". Bytes that are no valid id are written as if they were a UUID.
func (id NodeID) String() string {
	if id.IsNone() {
		return "none"
	}
	return string(id.appendText(nil))
}

// AppendText appends the text of id to b. No node, and bytes that are no valid id, have none: an error.
func (id NodeID) AppendText(b []byte) ([]byte, error) {
	if problem := id.problem(); problem != "" {
		return b, &FieldError{Field: "node id", Problem: problem}
	}
	return id.appendText(b), nil
}

// MarshalText returns the text of id. No node, and bytes that are no valid id, have none: an error.
func (id NodeID) MarshalText() ([]byte, error) { return id.AppendText(nil) }

// UnmarshalText reads the text of an id. The error says what is wrong with the text.
func (id *NodeID) UnmarshalText(text []byte) error {
	parsed, err := ParseNodeID(string(text))
	if err == nil {
		*id = parsed
	}
	return err
}

// MarshalJSON returns the text of id as a string, or null for no node.
func (id NodeID) MarshalJSON() ([]byte, error) {
	if !id.IsNone() && !id.Valid() {
		return nil, &FieldError{Field: "node id", Problem: id.problem()}
	}
	return id.appendJSON(nil), nil
}

// UnmarshalJSON reads a string, or null for no node. A JSON number is an error: it would not hold every id.
func (id *NodeID) UnmarshalJSON(data []byte) error {
	s := newScanner(data)
	parsed := s.idOrNull()
	if err := s.end("node id"); err != nil {
		return err
	}
	*id = parsed
	return nil
}

// problem says why id names no node, or is "".
func (id NodeID) problem() string {
	switch {
	case id.IsNone():
		return "none: a node is wanted"
	case !id.Valid():
		return id.String() + " is neither an integer nor a UUID of version 4 and variant 10"
	}
	return ""
}

func (id NodeID) appendText(b []byte) []byte {
	if id.isInteger() {
		return strconv.AppendUint(b, binary.BigEndian.Uint64(id[8:]), 10)
	}
	b = hex.AppendEncode(b, id[:4])
	for _, group := range [][]byte{id[4:6], id[6:8], id[8:10], id[10:]} {
		b = hex.AppendEncode(append(b, '-'), group)
	}
	return b
}

func (id NodeID) appendJSON(b []byte) []byte {
	if id.IsNone() {
		return append(b, "null"...)
	}
	return append(id.appendText(append(b, '"')), '"')
}

// parseID reads the text of an id. It returns what is wrong with the text, or "".
func parseID[T string | []byte](text T) (id NodeID, problem string) {
	if len(text) == 36 {
		return parseUUID(text)
	}
	quoted := func(problem string) (NodeID, string) { return NodeID{}, strconv.Quote(string(text)) + problem }
	if len(text) == 0 {
		return quoted(" is empty")
	}
	var n uint64
	for i := range len(text) {
		digit := uint64(text[i] - '0')
		switch {
		case i == 0 && (text[i] == '+' || text[i] == '-'):
			return quoted(" has a sign: an id is an unsigned integer or a UUID")
		case digit > 9:
			return quoted(" is neither a decimal integer nor a UUID of 36 characters")
		case n > (1<<64-1-digit)/10:
			return quoted(" is above 2^64-1")
		}
		n = 10*n + digit
	}
	switch {
	case n == 0 && len(text) == 1:
		return quoted(" is no id: integers begin at 1")
	case text[0] == '0':
		return quoted(" has a leading zero")
	}
	return IntegerID(n), ""
}

// parseUUID reads the text of a UUID of 36 characters. It returns what is wrong with the text, or "".
func parseUUID[T string | []byte](text T) (id NodeID, problem string) {
	ok := true
	for i, at := range uuidPairs {
		high, low := hexDigits[text[at]], hexDigits[text[at+1]]
		ok = ok && high|low < 16
		id[i] = high<<4 | low
	}
	if ok && text[8] == '-' && text[13] == '-' && text[18] == '-' && text[23] == '-' && id.isUUID() {
		return id, ""
	}
	return NodeID{}, strconv.Quote(string(text)) + uuidProblem(string(text), id)
}

// uuidPairs is where the two digits of each byte are in the text of a UUID.
var uuidPairs = [16]int{0, 2, 4, 6, 9, 11, 14, 16, 19, 21, 24, 26, 28, 30, 32, 34}

// hexDigits is the value of each lower-case hexadecimal digit, and 255 for every other byte.
var hexDigits = func() (values [256]byte) {
	for c := range values {
		values[c] = byte(min(255, uint(strings.IndexByte("0123456789abcdef", byte(c)))))
	}
	return values
}()

// uuidProblem says why a text of 36 characters is no UUIDv4; id is its digits.
func uuidProblem(text string, id NodeID) string {
	for i, c := range []byte(text) {
		place := " is no UUID: character " + strconv.Itoa(i+1)
		switch {
		case i == 8 || i == 13 || i == 18 || i == 23:
			if c != '-' {
				return place + " is not a hyphen"
			}
		case 'A' <= c && c <= 'F':
			return " has upper-case letters: a UUID is written in lower case"
		case hexDigits[c] > 15:
			return place + " is not a hexadecimal digit"
		}
	}
	if id[6]>>4 != 4 {
		return " is a UUID of version " + strconv.Itoa(int(id[6]>>4)) + ": version 4 is wanted"
	}
	return " is a UUID of another variant than 10"
}
