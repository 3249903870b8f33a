package spec

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"slices"
)

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
