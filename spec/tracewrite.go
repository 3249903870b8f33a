package spec

import (
	"bufio"
	"io"
)

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
