package spec

import (
	"bytes"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// FieldError says which field of a message, a state, an event or a header is wrong, and how.
type FieldError struct {
	Field   string // the path to it, such as state.epoch or sent[1].from; "" if it is the whole
	Problem string
	cause   error
}

func (e *FieldError) Error() string {
	if e.Field == "" {
		return e.Problem
	}
	return e.Field + ": " + e.Problem
}

// Unwrap returns ErrMessageType or ErrWireVersion if that is what is wrong.
func (e *FieldError) Unwrap() error { return e.cause }

// orNil returns e as an error: an interface that holds a nil *FieldError is not nil.
func (e *FieldError) orNil() error {
	if e == nil {
		return nil
	}
	return e
}

// within moves e into the field that it was found in.
func (e *FieldError) within(field string) *FieldError {
	switch {
	case e == nil:
	case e.Field == "" || e.Field[0] == '[':
		e.Field = field + e.Field
	default:
		e.Field = field + "." + e.Field
	}
	return e
}

func unknownWord(text, kind string) string { return strconv.Quote(text) + " is no " + kind }

// scanner reads one JSON text, and is stricter than JSON: an object has the fields it should, each once; an
// integer is digits only; a string is printable ASCII without escapes. After the first fault it reads nothing more.
type scanner struct {
	data []byte
	pos  int
	err  *FieldError

	// The path to the value being read: names of fields, whose index is -1, and indices of elements.
	depth int
	path  [8]struct {
		name  string
		index int
	}
}

func newScanner(data []byte) *scanner { return &scanner{data: data} }

// fail records a fault in the value being read, unless there was one before.
func (s *scanner) fail(problem string, cause error) {
	if s.err == nil {
		s.err = &FieldError{Field: s.where(), Problem: problem, cause: cause}
	}
	s.pos = len(s.data)
}

// failWithin records a fault in a field of the value that has just been read, unless there was one before.
func (s *scanner) failWithin(err *FieldError) {
	if where := s.where(); s.err == nil && where != "" {
		err = err.within(where)
	}
	if s.err == nil {
		s.err = err
	}
	s.pos = len(s.data)
}

func (s *scanner) where() string {
	var b strings.Builder
	for _, step := range s.path[:s.depth] {
		switch {
		case step.index >= 0:
			fmt.Fprintf(&b, "[%d]", step.index)
		case b.Len() > 0:
			b.WriteString("." + step.name)
		default:
			b.WriteString(step.name)
		}
	}
	return b.String()
}

// end returns the fault found, if only that something follows the value. A fault of the whole gets the name.
func (s *scanner) end(name string) error {
	if s.err == nil && s.peek() != 0 {
		s.expected("the end")
	}
	if s.err == nil {
		return nil
	}
	if s.err.Field == "" {
		s.err.Field = name
	}
	return s.err
}

// unmarshal reads one value into v, which must be valid, and leaves v as it is if there is a fault.
func unmarshal[T interface{ Validate() error }](data []byte, v *T, read func(*scanner, *T)) error {
	s := newScanner(data)
	var parsed T
	read(s, &parsed)
	if err := s.end(""); err != nil {
		return err
	}
	if err := parsed.Validate(); err != nil {
		return err
	}
	*v = parsed
	return nil
}

// peek returns the next byte that is not white space, or 0 at the end.
func (s *scanner) peek() byte {
	for ; s.pos < len(s.data); s.pos++ {
		switch c := s.data[s.pos]; {
		case c > ' ':
			return c
		case c != ' ' && c != '\t' && c != '\r' && c != '\n':
			s.fail(fmt.Sprintf("control character 0x%02x at column %d", c, s.pos+1), nil)
			return 0
		}
	}
	return 0
}

// take passes over c if it is next.
func (s *scanner) take(c byte) bool {
	if s.peek() != c {
		return false
	}
	s.pos++
	return true
}

func (s *scanner) expected(what string) {
	found := "the end"
	if s.pos < len(s.data) {
		found = strconv.QuoteRune(rune(s.data[s.pos]))
		if s.data[s.pos] >= 0x80 {
			found = fmt.Sprintf("byte 0x%02x", s.data[s.pos])
		}
	}
	s.fail(fmt.Sprintf("%s expected at column %d, found %s", what, s.pos+1, found), nil)
}

// push makes the path one step longer: into a field, or into an element if index is not negative.
func (s *scanner) push(name string, index int) {
	s.path[s.depth].name, s.path[s.depth].index = name, index
	s.depth++
}

func (s *scanner) pop() { s.depth-- }

// object reads an object with some of the fields, calls value to read that of each, and returns which there were.
func (s *scanner) object(fields []string, value func(field int)) (seen uint) {
	if !s.take('{') {
		s.expected("an object")
		return 0
	}
	for field := s.field(fields, 0, true); field >= 0; field = s.field(fields, field+1, false) {
		s.push(fields[field], -1)
		if seen&(1<<field) != 0 {
			s.fail("given twice", nil)
		} else {
			value(field)
		}
		s.pop()
		seen |= 1 << field
	}
	return seen
}

// field reads from where the object begins, or a value in it has ended, to where the next value begins, and returns
// the index of its name; or it reads the end of the object, and returns -1. The likely field is tried first, and then
// the one after it, as TraceWriter writes them: few objects leave out two fields in a row.
func (s *scanner) field(fields []string, likely int, first bool) int {
	for next := likely; next < len(fields) && next < likely+2; next++ {
		if s.canonical(fields[next], first) {
			return next
		}
	}
	if first && s.take('}') || !first && !s.more('}') {
		return -1
	}
	name := s.text()
	field := slices.IndexFunc(fields, func(known string) bool { return string(name) == known })
	if field >= 0 && s.take(':') {
		return field
	}
	s.push(string(name), -1)
	if field < 0 {
		s.fail(unknownField(string(name)), nil)
	} else {
		s.expected("a colon")
	}
	s.pop()
	return -1
}

// canonical passes over the name of a field with its colon, and the comma before it unless it is the first, if
// there is no white space among them.
func (s *scanner) canonical(name string, first bool) bool {
	at := s.pos
	if !first {
		if at == len(s.data) || s.data[at] != ',' {
			return false
		}
		at++
	}
	end := at + 1 + len(name)
	if end+1 >= len(s.data) || s.data[at] != '"' || s.data[end] != '"' || s.data[end+1] != ':' || string(s.data[at+1:end]) != name {
		return false
	}
	s.pos = end + 2
	return true
}

// more passes over the comma before another element, or over the end of the object or array.
func (s *scanner) more(end byte) bool {
	if s.take(',') {
		return true
	}
	if s.err == nil && !s.take(end) {
		s.expected("a comma or " + strconv.QuoteRune(rune(end)))
	}
	return false
}

// require fails if the fields of an object that there were are not those there should be.
func (s *scanner) require(fields []string, seen, want uint) {
	for i := 0; s.err == nil && seen != want && i < len(fields); i++ {
		if bit := uint(1) << i; (seen^want)&bit != 0 {
			problem := "missing"
			if seen&bit != 0 {
				problem = notWanted
			}
			s.push(fields[i], -1)
			s.fail(problem, nil)
			s.pop()
		}
	}
}

// array reads an array, and calls element to read each element.
func (s *scanner) array(element func(index int)) {
	if !s.take('[') {
		s.expected("an array")
		return
	}
	if s.take(']') {
		return
	}
	for i, more := 0, true; more && s.err == nil; i, more = i+1, s.more(']') {
		s.push("", i)
		element(i)
		s.pop()
	}
}

// text reads a string.
func (s *scanner) text() []byte {
	if !s.take('"') {
		s.expected("a string")
		return nil
	}
	for i := s.pos; i < len(s.data); i++ {
		switch c := s.data[i]; {
		case c == '"':
			text := s.data[s.pos:i]
			s.pos = i + 1
			return text
		case c == '\\' || c < ' ' || c > '~':
			s.fail(fmt.Sprintf("byte 0x%02x at column %d: a string is printable ASCII without escapes", c, i+1), nil)
			return nil
		}
	}
	s.fail("a string without an end", nil)
	return nil
}

// word reads a string that is one of all.
func word[T ~string](s *scanner, all []T, kind string, cause error) T {
	text := s.text()
	for _, w := range all {
		if string(text) == string(w) {
			return w
		}
	}
	s.fail(unknownWord(string(text), kind), cause)
	return ""
}

// integer reads an integer from 0 to 2^53-1.
func (s *scanner) integer() uint64 {
	first := s.peek()
	begin := s.pos
	var n uint64
	for ; s.pos < len(s.data); s.pos++ {
		digit := uint64(s.data[s.pos] - '0')
		if digit > 9 {
			break
		}
		if n <= uint64(MaxEpoch) { // Beyond the bound it stays beyond it.
			n = 10*n + digit
		}
	}
	token := s.data[begin:s.pos]
	switch {
	case first == '-':
		s.fail("negative: an integer from 0 to 2^53-1 is wanted", nil)
	case len(token) == 0:
		s.expected("an integer")
	case token[0] == '0' && len(token) > 1:
		s.fail(string(token)+" has a leading zero", nil)
	case s.pos < len(s.data) && strings.IndexByte(".eE", s.data[s.pos]) >= 0:
		s.fail("an integer is digits only, without fraction or exponent", nil)
	case n > uint64(MaxEpoch):
		s.fail(string(token)+" is above 2^53-1", nil)
	}
	return n
}

// positive reads an integer from 1 to 2^53-1, of a field that is left out where there is nothing to say.
func (s *scanner) positive() uint64 {
	n := s.integer()
	if n == 0 && s.err == nil {
		s.fail("0: an integer from 1 to 2^53-1 is wanted, or no such field", nil)
	}
	return n
}

// yes reads true, of a field that is left out where it is not so.
func (s *scanner) yes() bool {
	if s.peek() != 't' || !bytes.HasPrefix(s.data[s.pos:], []byte("true")) {
		s.expected("true, or no such field,")
		return false
	}
	s.pos += len("true")
	return true
}

func (s *scanner) epoch() Epoch { return Epoch(s.integer()) }

// id reads the id of a node.
func (s *scanner) id() NodeID {
	text := s.text()
	if s.err != nil {
		return NodeID{}
	}
	id, problem := parseID(text)
	if problem != "" {
		s.fail(problem, nil)
	}
	return id
}

// idOrNull reads the id of a node, or null for none.
func (s *scanner) idOrNull() NodeID {
	if s.peek() != 'n' {
		return s.id()
	}
	if !bytes.HasPrefix(s.data[s.pos:], []byte("null")) {
		s.expected("a string or null")
		return NodeID{}
	}
	s.pos += len("null")
	return NodeID{}
}

func unknownField(name string) string { return "unknown field " + strconv.Quote(name) }
