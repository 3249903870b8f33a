package spec

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
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
	return h.check().orNil()
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
	return unmarshal(data, h, (*scanner).header)
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

// TraceWriter writes a trace in its canonical bytes: one object a line, ended by LF, without white space, fields in
// the order in which this package documents them. It writes nothing that TraceReader would refuse.
type TraceWriter struct {
	out    *bufio.Writer
	header Header
	line   int // the number of the line written last
	buffer []byte
	err    error // the first error, which every later Write and Flush returns again
}

// NewTraceWriter returns a writer of a trace to w that begins with h. An error comes from the first Write or Flush.
func NewTraceWriter(w io.Writer, h Header) *TraceWriter {
	t := &TraceWriter{out: bufio.NewWriterSize(w, 1<<16), header: h}
	if err := h.check(); err != nil {
		t.err = traceError(1, err)
		return t
	}
	t.writeLine(h.appendJSON(nil))
	return t
}

// Write writes e, which must be well formed, of members only, with configurations if members change and without if they
// are fixed, and numbered one above the event before. The error is a TraceError.
func (t *TraceWriter) Write(e *Event) error {
	if t.err != nil {
		return t.err
	}
	if e.Seq != uint64(t.line) {
		t.err = &TraceError{Line: t.line + 1, Field: "seq", Problem: wrongSeq(e.Seq, t.line)}
		return t.err
	}
	f := e.Action.form()
	if err := e.checkIn(f, &t.header); err != nil {
		t.err = traceError(t.line+1, err)
		return t.err
	}
	t.buffer = e.appendJSON(f, t.buffer[:0])
	t.writeLine(t.buffer)
	return t.err
}

// Flush writes what is buffered. A trace that is not flushed to its end is cut short.
func (t *TraceWriter) Flush() error {
	if t.err == nil {
		t.fail(t.out.Flush())
	}
	return t.err
}

func (t *TraceWriter) writeLine(line []byte) {
	t.line++
	if len(line) >= MaxTraceLine {
		t.err = &TraceError{Line: t.line, Problem: tooLong}
		return
	}
	_, err := t.out.Write(append(line, '\n'))
	t.fail(err)
}

func (t *TraceWriter) fail(err error) {
	if err != nil {
		t.err = &TraceError{Line: t.line, Problem: err.Error(), cause: err}
	}
}

// MaxTraceLine is the greatest length of a line of a trace, in bytes, with its LF.
const MaxTraceLine = 1 << 20

// TraceError says what is wrong with a trace, or why it cannot be read or written.
//
//	line 7: state.epoch: 9007199254740992 is above 2^53-1
type TraceError struct {
	Line    int    // from 1; the header is line 1, and the event n is line n+1
	Field   string // the path to the field, such as state.epoch or sent[1].from; "" if it is the whole line
	Problem string
	cause   error
}

func (e *TraceError) Error() string {
	if e.Field == "" {
		return fmt.Sprintf("line %d: %s", e.Line, e.Problem)
	}
	return fmt.Sprintf("line %d: %s: %s", e.Line, e.Field, e.Problem)
}

// Unwrap returns io.ErrUnexpectedEOF if the last line is cut short, ErrMessageType if there is an unknown
// message type, or the error of the underlying reader or writer if it had one.
func (e *TraceError) Unwrap() error { return e.cause }

// TraceReader reads a trace: NDJSON, a header and then events, each line ended by LF. It takes the fields of an
// object in any order, with any white space, and refuses all else that TraceWriter would not write: fields
// unknown, missing or given twice, ids that are no members, a sequence with a gap, an event that is not well
// formed, a message or state without a configuration if members change, and with one if they are fixed.
type TraceReader struct {
	in     *bufio.Reader
	header Header
	line   int // the number of the line read last
	long   []byte
	scan   scanner
	quick  quick
	err    error // the first error, which every later Read returns again
}

// NewTraceReader reads the header of a trace from r. The error is a TraceError.
func NewTraceReader(r io.Reader) (*TraceReader, error) {
	t := &TraceReader{in: bufio.NewReaderSize(r, 1<<16)}
	err := t.readLine()
	if err == io.EOF {
		return nil, &TraceError{Line: 1, Problem: "empty: a trace begins with a header"}
	}
	if err != nil {
		return nil, err
	}
	t.scan.header(&t.header)
	if err := t.fault(); err != nil {
		return nil, misplaced(err, eventFields, "an event, and not a header: a trace begins with its header")
	}
	if err := t.header.check(); err != nil {
		return nil, traceError(t.line, err)
	}
	t.quick = newQuick(&t.header)
	return t, nil
}

// Header returns the header of the trace. Its members must not be changed.
func (t *TraceReader) Header() Header { return t.header }

// Read reads the next event into e, and uses the memory of the slices in e again: who keeps events reads each into
// an Event of its own. At the end of the trace it returns io.EOF; any other error is a TraceError. A trace whose
// last line has no LF has been cut short, as a crash of its writer does: the error then wraps io.ErrUnexpectedEOF,
// and all events before are good.
func (t *TraceReader) Read(e *Event) error {
	if t.err == nil {
		t.err = t.read(e)
	}
	return t.err
}

func (t *TraceReader) read(e *Event) error {
	if err := t.readLine(); err != nil {
		return err
	}
	quickly := t.quick.event(t.scan.data, e)
	if !quickly {
		t.scan.event(e)
		if err := t.fault(); err != nil {
			return misplaced(err, headerFields, "a second header: each file holds one trace, and records of one run are merged, not joined")
		}
	}
	if e.Seq != uint64(t.line-1) {
		return &TraceError{Line: t.line, Field: "seq", Problem: wrongSeq(e.Seq, t.line-1)}
	}
	if quickly {
		return nil
	}
	if err := e.checkIn(e.Action.form(), &t.header); err != nil {
		return traceError(t.line, err)
	}
	return nil
}

// readLine gives the next line to the scanner.
func (t *TraceReader) readLine() error {
	t.line++
	line, err := t.in.ReadSlice('\n')
	if err == bufio.ErrBufferFull {
		t.long = t.long[:0]
		for err == bufio.ErrBufferFull && len(t.long) <= MaxTraceLine {
			t.long = append(t.long, line...)
			line, err = t.in.ReadSlice('\n')
		}
		t.long = append(t.long, line...)
		line = t.long
	}
	switch {
	case len(line) > MaxTraceLine:
		return &TraceError{Line: t.line, Problem: tooLong}
	case err == io.EOF && len(line) == 0:
		return io.EOF
	case err == io.EOF:
		return &TraceError{Line: t.line, Problem: "cut short: no LF at its end", cause: io.ErrUnexpectedEOF}
	case err != nil:
		return &TraceError{Line: t.line, Problem: err.Error(), cause: err}
	}
	t.scan.data, t.scan.pos = line[:len(line)-1], 0
	return nil
}

// misplaced returns an error that says what the line is, if the fault is a field of the other kind of line.
func misplaced(fault error, fields []string, what string) error {
	var err *TraceError
	if errors.As(fault, &err) && slices.Contains(fields, err.Field) && err.Problem == unknownField(err.Field) {
		return &TraceError{Line: err.Line, Problem: what}
	}
	return fault
}

// fault returns what is wrong with the syntax of the line.
func (t *TraceReader) fault() error {
	err := t.scan.end("")
	if err == nil {
		return nil
	}
	var field *FieldError
	errors.As(err, &field)
	return traceError(t.line, field)
}

func traceError(line int, err *FieldError) *TraceError {
	return &TraceError{Line: line, Field: err.Field, Problem: err.Problem, cause: err.cause}
}

const tooLong = "longer than 1 MiB"

func wrongSeq(seq uint64, want int) string { return fmt.Sprintf("%d where %d is wanted", seq, want) }
