package check

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/seed-fdf591db/bully/spec"
)

// HistoryFormat is the version of the form of a history that this package reads and writes.
const HistoryFormat = 1

// maxHistoryLine is the greatest length of a line of a history in bytes, with its LF.
const maxHistoryLine = 64 << 10

// HistoryError says what is wrong with a history, and where.
type HistoryError struct {
	Line    int    // from 1; the header is line 1, and the operation n is line n+1
	Field   string // "" if it is the whole line
	Problem string
	cause   error
}

// Error returns all of it in one line.
func (e *HistoryError) Error() string {
	if e.Field == "" {
		return fmt.Sprintf("line %d: %s", e.Line, e.Problem)
	}
	return fmt.Sprintf("line %d: %s: %s", e.Line, e.Field, e.Problem)
}

// Unwrap returns the error of the reader or the writer underneath, if it had one.
func (e *HistoryError) Unwrap() error { return e.cause }

// The fields of a line, in the order in which they are written.
var (
	historyHeaderFields = []string{"format", "source", "commit", "raises"}
	opFields            = []string{"client", "kind", "epoch", "leader", "resource", "value", "outcome", "admitted", "call", "return"}
)

// WriteHistory writes a history: NDJSON, a header and then the operations in the order given, each line ended by LF. It
// writes nothing that ReadHistory would refuse.
//
//	{"format":1,"source":"workbench sim -seeds 81","commit":"9fceb02","raises":[]}
//	{"client":"3","kind":"led","epoch":4,"call":1000,"return":1000}
//	{"client":"1","kind":"followed","epoch":4,"leader":"3","call":1400,"return":1400}
//	{"client":"3","kind":"write","epoch":4,"resource":"printer","value":17,"outcome":"done","call":2000,"return":2300}
//	{"client":"2","kind":"write","epoch":3,"resource":"printer","value":16,"outcome":"fenced","admitted":4,"call":2000,"return":2500}
//	{"client":"3","kind":"write","epoch":4,"resource":"printer","value":18,"outcome":"unknown","call":2400}
//	{"client":"reader","kind":"read","epoch":4,"resource":"printer","value":17,"call":2400,"return":2900}
func WriteHistory(w io.Writer, h HistoryHeader, ops []Op) error {
	if err := validHistory(h, ops); err != nil {
		return err
	}
	out := bufio.NewWriter(w)
	_, _ = fmt.Fprintf(out, `{"format":%d,"source":"%s","commit":"%s","raises":[`, HistoryFormat, h.Source, h.Commit)
	for i, name := range h.Raises {
		if i > 0 {
			_ = out.WriteByte(',')
		}
		_, _ = fmt.Fprintf(out, `"%s"`, name)
	}
	_, _ = out.WriteString("]}\n")
	var line []byte
	for i := range ops {
		line = ops[i].appendJSON(line[:0])
		_, _ = out.Write(append(line, '\n'))
	}
	if err := out.Flush(); err != nil {
		return fmt.Errorf("check: cannot write the history: %w", err)
	}
	return nil
}

// appendJSON appends the line of an operation that is well formed, without the LF.
func (o *Op) appendJSON(b []byte) []byte {
	has := o.fields()
	text := func(name, value string) { b = append(append(b, `,"`+name+`":"`+value...), '"') }
	number := func(name string, n uint64) { b = strconv.AppendUint(append(b, `,"`+name+`":`...), n, 10) }
	text("client", o.Client)
	text("kind", string(o.Kind))
	number("epoch", uint64(o.Epoch))
	if has["leader"] {
		text("leader", o.Leader.String())
	}
	if has["resource"] {
		text("resource", o.Resource)
		number("value", o.Value)
	}
	if has["outcome"] {
		text("outcome", string(o.Outcome))
	}
	if has["admitted"] {
		number("admitted", uint64(o.Admitted))
	}
	number("call", uint64(o.Call))
	if has["return"] {
		number("return", uint64(o.Return))
	}
	b = append(b, '}')
	b[0] = '{'
	return b
}

// ReadHistory reads a history. It takes the fields of a line in any order, with any white space, and refuses all else that
// WriteHistory would not write: fields unknown, missing or given twice, numbers that are not digits, a last line without
// LF, whose operation is lost. The error is a HistoryError.
func ReadHistory(r io.Reader) (HistoryHeader, []Op, error) {
	in := bufio.NewReaderSize(r, maxHistoryLine)
	var h HistoryHeader
	var ops []Op
	for number := 1; ; number++ {
		line, err := in.ReadSlice('\n')
		switch {
		case err == io.EOF && len(line) == 0 && number > 1:
			if fault := uniqueValues(ops); fault != nil {
				return HistoryHeader{}, nil, fault
			}
			return h, ops, nil
		case err == io.EOF:
			return HistoryHeader{}, nil, &HistoryError{Line: number, Problem: "cut short: no LF at its end", cause: io.ErrUnexpectedEOF}
		case err == bufio.ErrBufferFull:
			return HistoryHeader{}, nil, &HistoryError{Line: number, Problem: "longer than 64 KiB"}
		case err != nil:
			return HistoryHeader{}, nil, &HistoryError{Line: number, Problem: err.Error(), cause: err}
		}
		var fault *HistoryError
		if number == 1 {
			h, fault = readHeader(line)
		} else {
			var op Op
			op, fault = readOp(line)
			ops = append(ops, op)
		}
		if fault != nil {
			fault.Line = number
			return HistoryHeader{}, nil, fault
		}
	}
}

// readHeader reads the first line.
func readHeader(line []byte) (h HistoryHeader, fault *HistoryError) {
	f := readFields(line, historyHeaderFields)
	if format := f.number("format"); format != HistoryFormat {
		f.fail("format", fmt.Sprintf("%d is not the form of a history that is known: %d", format, HistoryFormat))
	}
	h = HistoryHeader{Source: f.text("source"), Commit: f.text("commit"), Raises: f.texts("raises")}
	if f.end(); f.fault == nil {
		f.fault = h.check()
	}
	return h, f.fault
}

// readOp reads the line of an operation. Which fields it must have, kind and outcome say.
func readOp(line []byte) (o Op, fault *HistoryError) {
	f := readFields(line, opFields)
	o = Op{Client: f.text("client"), Kind: OpKind(f.text("kind")), Epoch: spec.Epoch(f.number("epoch")), Return: Never}
	if o.Kind == WriteOp {
		o.Outcome = Outcome(f.text("outcome"))
	}
	has := o.fields()
	if has["leader"] {
		if err := o.Leader.UnmarshalText([]byte(f.text("leader"))); err != nil {
			f.fail("leader", err.Error())
		}
	}
	if has["resource"] {
		o.Resource, o.Value = f.text("resource"), f.number("value")
	}
	if has["admitted"] {
		o.Admitted = spec.Epoch(f.number("admitted"))
	}
	o.Call = int64(f.number("call"))
	if has["return"] {
		o.Return = int64(f.number("return"))
	}
	if f.end(); f.fault == nil {
		f.fault = o.check()
	}
	return o, f.fault
}

// fields are those of one line that have not been taken yet, and the first fault.
type fields struct {
	left  map[string]any // a string, a json.Number or a []string
	fault *HistoryError
}

// fail notes a fault, unless there was one before.
func (f *fields) fail(field, problem string) {
	if f.fault == nil {
		f.fault = &HistoryError{Field: field, Problem: problem}
	}
}

// readFields reads a line: one object, whose fields are among those known, each once.
func readFields(line []byte, known []string) *fields {
	f := &fields{left: map[string]any{}}
	if i := bytes.IndexFunc(line, func(r rune) bool { return r > '~' || r == '\\' }); i >= 0 {
		f.fail("", fmt.Sprintf("byte 0x%02x at column %d: there is printable ASCII only, without escapes", line[i], i+1))
		return f
	}
	in := json.NewDecoder(bytes.NewReader(line))
	in.UseNumber()
	token, err := in.Token()
	if err != nil || token != json.Delim('{') {
		f.fail("", "it is no object")
		return f
	}
	for in.More() && f.fault == nil {
		token, err := in.Token()
		name, _ := token.(string)
		switch _, twice := f.left[name]; {
		case err != nil:
			f.fail("", err.Error())
			return f
		case !slices.Contains(known, name):
			f.fail("", fmt.Sprintf("unknown field %q", name))
			return f
		case twice:
			f.fail(name, "given twice")
			return f
		}
		f.left[name] = f.value(in, name)
	}
	if f.fault != nil {
		return f
	}
	if _, err := in.Token(); err != nil {
		f.fail("", err.Error())
	} else if _, err := in.Token(); err != io.EOF {
		f.fail("", "something follows the object")
	}
	return f
}

// value reads the value of a field.
func (f *fields) value(in *json.Decoder, name string) any {
	token, err := in.Token()
	if token != json.Delim('[') {
		if err != nil {
			f.fail(name, err.Error())
		}
		return token
	}
	all := []string{}
	for in.More() {
		token, err := in.Token()
		text, ok := token.(string)
		if err != nil || !ok {
			f.fail(name, "an array of strings is wanted")
			return nil
		}
		all = append(all, text)
	}
	if _, err := in.Token(); err != nil {
		f.fail(name, err.Error())
	}
	return all
}

// take takes a field of a type out of those that are left.
func take[T any](f *fields, name, wanted string) (value T) {
	got, given := f.left[name]
	delete(f.left, name)
	value, ok := got.(T)
	switch {
	case !given:
		f.fail(name, "missing")
	case !ok:
		f.fail(name, wanted+" is wanted")
	}
	return value
}

func (f *fields) text(name string) string { return take[string](f, name, "a string") }

func (f *fields) texts(name string) []string { return take[[]string](f, name, "an array of strings") }

// number takes an integer from 0 to 2^53-1, of digits only.
func (f *fields) number(name string) uint64 {
	text := take[json.Number](f, name, "an integer").String()
	n, err := strconv.ParseUint(text, 10, 64)
	if err != nil || n > uint64(spec.MaxEpoch) {
		f.fail(name, fmt.Sprintf("%s: an integer from 0 to 2^53-1 is wanted, in digits", text))
	}
	return n
}

// end sees that nothing is left.
func (f *fields) end() {
	for _, name := range slices.Sorted(maps.Keys(f.left)) {
		f.fail(name, "not wanted here")
	}
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
func (h *HistoryHeader) check() *HistoryError {
	for _, field := range []struct{ name, value string }{{"source", h.Source}, {"commit", h.Commit}} {
		if problem := checkName(field.value); problem != "" {
			return &HistoryError{Line: 1, Field: field.name, Problem: problem}
		}
	}
	for _, name := range h.Raises {
		if problem := checkName(name); problem != "" {
			return &HistoryError{Line: 1, Field: "raises", Problem: problem}
		}
	}
	return nil
}

// validHistory says what is wrong with a header, or the operations.
func validHistory(h HistoryHeader, ops []Op) error {
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
func uniqueValues(ops []Op) *HistoryError {
	type write struct {
		resource string
		value    uint64
	}
	lines := map[write]int{}
	for i := range ops {
		if o := &ops[i]; o.Kind == WriteOp {
			key := write{o.Resource, o.Value}
			if line, twice := lines[key]; twice {
				return &HistoryError{Line: i + 2, Field: "value", Problem: fmt.Sprintf("%d was written to %s in line %d already: each write has a value of its own",
					o.Value, o.Resource, line)}
			}
			lines[key] = i + 2
		}
	}
	return nil
}
