package history

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
)

// fileFormat is the version of the form of a history that this package reads and writes.
const fileFormat = 1

// maxLine is the greatest length of a line of a history in bytes, with its LF.
const maxLine = 64 << 10

// Error says what is wrong with a history, and where.
type Error struct {
	Line    int    // from 1; the header is line 1, and the operation n is line n+1
	Field   string // "" if it is the whole line
	Problem string
	cause   error
}

// Error returns all of it in one line.
func (e *Error) Error() string {
	if e.Field == "" {
		return fmt.Sprintf("line %d: %s", e.Line, e.Problem)
	}
	return fmt.Sprintf("line %d: %s: %s", e.Line, e.Field, e.Problem)
}

// Unwrap returns the error of the reader or the writer underneath, if it had one.
func (e *Error) Unwrap() error { return e.cause }

// field is a field of a line, and where its value is.
type field struct {
	name string
	at   any
}

// table returns the fields of the header, in the order in which they are written.
func (h *Header) table(format *int) []field {
	return []field{{"format", format}, {"source", &h.Source}, {"commit", &h.Commit}, {"raises", &h.Raises}}
}

// table returns all fields that an operation may have, in the order in which they are written. Which it has, its kind and outcome say.
func (o *Op) table() []field {
	return []field{{"client", &o.Client}, {"kind", &o.Kind}, {"epoch", (*uint64)(&o.Epoch)}, {"leader", &o.Leader}, {"resource", &o.Resource},
		{"value", &o.Value}, {"outcome", &o.Outcome}, {"admitted", (*uint64)(&o.Admitted)}, {"call", &o.Call}, {"return", &o.Return}}
}

// Write writes a history: NDJSON, a header and then the operations in the order given, each line ended by LF. It
// writes nothing that Read would refuse.
//
//	{"format":1,"source":"workbench sim -seeds 81","commit":"9fceb02","raises":[]}
//	{"client":"3","kind":"led","epoch":4,"call":1000,"return":1000}
//	{"client":"1","kind":"followed","epoch":4,"leader":"3","call":1400,"return":1400}
//	{"client":"3","kind":"write","epoch":4,"resource":"printer","value":17,"outcome":"done","call":2000,"return":2300}
//	{"client":"2","kind":"write","epoch":3,"resource":"printer","value":16,"outcome":"fenced","admitted":4,"call":2000,"return":2500}
//	{"client":"3","kind":"write","epoch":4,"resource":"printer","value":18,"outcome":"unknown","call":2400}
//	{"client":"reader","kind":"read","epoch":4,"resource":"printer","value":17,"call":2400,"return":2900}
func Write(w io.Writer, h Header, ops []Op) error {
	if err := validate(h, ops); err != nil {
		return err
	}
	out := bufio.NewWriter(w)
	format := fileFormat
	if h.Raises == nil {
		h.Raises = []string{} // which is written as [], and not as null
	}
	writeLine(out, h.table(&format), nil)
	for i := range ops {
		writeLine(out, ops[i].table(), ops[i].fields())
	}
	if err := out.Flush(); err != nil {
		return fmt.Errorf("history: cannot write the history: %w", err)
	}
	return nil
}

// writeLine writes the fields that a line has, or all of them. An error is that of the flush.
func writeLine(out *bufio.Writer, table []field, has map[string]bool) {
	var value bytes.Buffer
	plain := json.NewEncoder(&value)
	plain.SetEscapeHTML(false) // a name may have a < in it
	next := byte('{')
	for _, f := range table {
		if has == nil || has[f.name] {
			value.Reset()
			_ = plain.Encode(f.at) // it is valid
			_ = out.WriteByte(next)
			_, _ = fmt.Fprintf(out, "%q:%s", f.name, bytes.TrimSuffix(value.Bytes(), []byte("\n")))
			next = ','
		}
	}
	_, _ = out.WriteString("}\n")
}

// Read reads a history. It takes the fields of a line in any order, with any white space, and refuses all else that
// Write would not write: fields unknown, missing or given twice, numbers that are not digits, a last line without
// LF, whose operation is lost. The error is a Error.
func Read(r io.Reader) (Header, []Op, error) {
	in := bufio.NewReaderSize(r, maxLine)
	var h Header
	var ops []Op
	for number := 1; ; number++ {
		line, err := in.ReadSlice('\n')
		switch {
		case err == io.EOF && len(line) == 0 && number > 1:
			if fault := uniqueValues(ops); fault != nil {
				return Header{}, nil, fault
			}
			return h, ops, nil
		case err == io.EOF:
			return Header{}, nil, &Error{Line: number, Problem: "cut short: no LF at its end", cause: io.ErrUnexpectedEOF}
		case err == bufio.ErrBufferFull:
			return Header{}, nil, &Error{Line: number, Problem: "longer than 64 KiB"}
		case err != nil:
			return Header{}, nil, &Error{Line: number, Problem: err.Error(), cause: err}
		}
		var fault *Error
		if number == 1 {
			h, fault = readHeader(line)
		} else {
			var op Op
			op, fault = readOp(line)
			ops = append(ops, op)
		}
		if fault != nil {
			fault.Line = number
			return Header{}, nil, fault
		}
	}
}

// readHeader reads the first line.
func readHeader(line []byte) (h Header, fault *Error) {
	format := 0
	table := h.table(&format)
	given, fault := readLine(line, table)
	if fault == nil {
		fault = mustHave(table, given, nil)
	}
	if fault == nil && format != fileFormat {
		fault = &Error{Field: "format", Problem: fmt.Sprintf("%d is not the form of a history that is known: %d", format, fileFormat)}
	}
	if fault == nil {
		fault = h.check()
	}
	return h, fault
}

// readOp reads the line of an operation.
func readOp(line []byte) (o Op, fault *Error) {
	o.Return = Never
	table := o.table()
	given, fault := readLine(line, table)
	if fault == nil {
		fault = mustHave(table, given, o.fields())
	}
	if fault == nil {
		fault = o.check()
	}
	return o, fault
}

// readLine reads a line: one object, in printable ASCII without escapes, each of whose fields is one of the table, and there once.
func readLine(line []byte, table []field) (given map[string]bool, fault *Error) {
	if i := bytes.IndexFunc(line, func(r rune) bool { return r > '~' || r == '\\' }); i >= 0 {
		return nil, &Error{Problem: fmt.Sprintf("byte 0x%02x at column %d: there is printable ASCII only, without escapes", line[i], i+1)}
	}
	in := json.NewDecoder(bytes.NewReader(line))
	if token, err := in.Token(); err != nil || token != json.Delim('{') {
		return nil, &Error{Problem: "it is no object"}
	}
	given = map[string]bool{}
	for in.More() {
		token, err := in.Token()
		if err != nil {
			return nil, &Error{Problem: err.Error()}
		}
		name := token.(string)
		k := slices.IndexFunc(table, func(f field) bool { return f.name == name })
		switch {
		case k < 0:
			return nil, &Error{Problem: fmt.Sprintf("unknown field %q", name)}
		case given[name]:
			return nil, &Error{Field: name, Problem: "given twice"}
		}
		given[name] = true
		if err := readValue(in, table[k].at); err != nil {
			return nil, &Error{Field: name, Problem: err.Error()}
		}
	}
	if _, err := in.Token(); err != nil {
		return nil, &Error{Problem: "the object does not end"}
	}
	if _, err := in.Token(); err != io.EOF {
		return nil, &Error{Problem: "something follows the object"}
	}
	return given, nil
}

// readValue reads a value. The error says what is wanted.
func readValue(in *json.Decoder, at any) error {
	var raw json.RawMessage
	if err := in.Decode(&raw); err != nil {
		return err
	}
	var other *json.UnmarshalTypeError
	err := json.Unmarshal(raw, at)
	if string(raw) == "null" {
		return errors.New("null is no value")
	}
	if !errors.As(err, &other) {
		return err
	}
	switch at.(type) {
	case *[]string:
		return fmt.Errorf("%s: an array of strings is wanted", raw)
	case *int, *int64, *uint64:
		return fmt.Errorf("%s: an integer from 0 to 2^53-1 is wanted, in digits", raw)
	}
	return fmt.Errorf("%s: a string is wanted", raw)
}

// mustHave says which field a line lacks, or is given and should not be. Nil stands for all fields.
func mustHave(table []field, given, has map[string]bool) *Error {
	for _, f := range table {
		switch must := has == nil || has[f.name]; {
		case given[f.name] && !must:
			return &Error{Field: f.name, Problem: "not wanted here"}
		case !given[f.name] && must:
			return &Error{Field: f.name, Problem: "missing"}
		}
	}
	return nil
}

// checkName says what is wrong with a name, or "".
func checkName(name string) string {
	const most = 255
	if name == "" || len(name) > most {
		return fmt.Sprintf("%d characters: from 1 to %d are wanted", len(name), most)
	}
	if strings.ContainsFunc(name, func(r rune) bool { return r < ' ' || r > '~' || r == '"' || r == '\\' }) {
		return fmt.Sprintf("%q: printable ASCII without \" and \\ is wanted", name)
	}
	return ""
}

// check says what is wrong with the header.
func (h *Header) check() *Error {
	for _, field := range []struct{ name, value string }{{"source", h.Source}, {"commit", h.Commit}} {
		if problem := checkName(field.value); problem != "" {
			return &Error{Line: 1, Field: field.name, Problem: problem}
		}
	}
	for _, name := range h.Raises {
		if problem := checkName(name); problem != "" {
			return &Error{Line: 1, Field: "raises", Problem: problem}
		}
	}
	return nil
}

// validate says what is wrong with a header, or the operations.
func validate(h Header, ops []Op) error {
	if fault := h.check(); fault != nil {
		return fault
	}
	for i := range ops {
		if fault := ops[i].check(); fault != nil {
			fault.Line = i + 2
			return fault
		}
	}
	if fault := uniqueValues(ops); fault != nil {
		return fault
	}
	return nil
}

// uniqueValues sees that no value is written twice to a resource, or nobody could say which write a read has seen.
func uniqueValues(ops []Op) *Error {
	type write struct {
		resource string
		value    uint64
	}
	lines := map[write]int{}
	for i := range ops {
		if o := &ops[i]; o.Kind == WriteOp {
			key := write{o.Resource, o.Value}
			if line, twice := lines[key]; twice {
				return &Error{Line: i + 2, Field: "value", Problem: fmt.Sprintf("%d was written to %s in line %d already: each write has a value of its own",
					o.Value, o.Resource, line)}
			}
			lines[key] = i + 2
		}
	}
	return nil
}
