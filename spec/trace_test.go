package spec_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/stretchr/testify/require"

	"github.com/seed-fdf591db/bully/spec"
)

func TestInvalidTraces(t *testing.T) {
	named := map[string]bool{}
	for _, c := range invalidTraces(t) {
		require.False(t, named[c.name], "two traces are called %s", c.name)
		named[c.name] = true
		t.Run(c.name, func(t *testing.T) {
			_, _, err := readTrace(bytes.NewReader(c.text))
			var fault *spec.TraceError
			require.ErrorAs(t, err, &fault)
			require.Equal(t, c.line, fault.Line, "%v", err)
			require.Equal(t, c.field, fault.Field, "%v", err)
			require.Contains(t, fault.Problem, c.problem)
			cut := strings.Contains(c.problem, "cut short")
			require.Equal(t, cut, errors.Is(err, io.ErrUnexpectedEOF))
			require.Equal(t, c.name == "message-type-unknown", errors.Is(err, spec.ErrMessageType))
		})
	}
	require.GreaterOrEqual(t, len(named), 207)
}

// readTrace reads a trace to its end, each event into memory of its own.
func readTrace(r io.Reader) (header spec.Header, events []spec.Event, err error) {
	trace, err := spec.NewTraceReader(r)
	if err != nil {
		return header, nil, err
	}
	for {
		var event spec.Event
		err := trace.Read(&event)
		if err == io.EOF {
			return trace.Header(), events, nil
		}
		if err != nil {
			return trace.Header(), events, err
		}
		events = append(events, event)
	}
}

// writeTrace writes a trace in its canonical bytes.
func writeTrace(header spec.Header, events []spec.Event) ([]byte, error) {
	var out bytes.Buffer
	w := spec.NewTraceWriter(&out, header)
	for i := range events {
		if err := w.Write(&events[i]); err != nil {
			return nil, err
		}
	}
	err := w.Flush()
	return out.Bytes(), err
}

func TestValidTraces(t *testing.T) {
	files, err := filepath.Glob("testdata/valid/*.ndjson")
	require.NoError(t, err)
	require.NotEmpty(t, files)
	seen := map[spec.Action]bool{}
	for _, file := range files {
		text, err := os.ReadFile(file)
		require.NoError(t, err)
		header, events, err := readTrace(bytes.NewReader(text))
		require.NoError(t, err, file)
		require.Len(t, events, bytes.Count(text, []byte("\n"))-1, file)
		written, err := writeTrace(header, events)
		require.NoError(t, err, file)
		require.Equal(t, string(text), string(written), file)
		for _, event := range events {
			seen[event.Action] = true
		}
	}
	require.Len(t, seen, len(spec.Actions()), "the valid traces have an event of every action")
}

// White space and the order of fields are free to read; what is written has one form.
func TestLooseTrace(t *testing.T) {
	file, err := os.Open("testdata/loose.ndjson")
	require.NoError(t, err)
	defer file.Close()
	header, events, err := readTrace(file)
	require.NoError(t, err)
	written, err := writeTrace(header, events)
	require.NoError(t, err)
	canonical, err := os.ReadFile("testdata/valid/before-the-faults.ndjson")
	require.NoError(t, err)
	require.Equal(t, string(canonical), string(written))
}

// TestTraceOfOtherLineEnds: a CR before the LF is white space; one that ends a line alone is none of its end.
func TestTraceOfOtherLineEnds(t *testing.T) {
	files, err := filepath.Glob("testdata/valid/*.ndjson")
	require.NoError(t, err)
	require.NotEmpty(t, files)
	for _, name := range files {
		text, err := os.ReadFile(name)
		require.NoError(t, err)
		header, events, err := readTrace(bytes.NewReader(text))
		require.NoError(t, err)
		again, same, err := readTrace(bytes.NewReader(bytes.ReplaceAll(text, []byte("\n"), []byte("\r\n"))))
		require.NoError(t, err, name)
		require.Equal(t, header, again)
		require.Equal(t, events, same)
		_, _, err = readTrace(bytes.NewReader(bytes.ReplaceAll(text, []byte("\n"), []byte("\r"))))
		require.ErrorIs(t, err, io.ErrUnexpectedEOF)
	}
}

func TestTraceErrorText(t *testing.T) {
	for name, want := range map[string]string{
		"epoch-above-bound": "line 3: state.epoch: 9007199254740992 is above 2^53-1",
		"line-cut-short":    "line 3: cut short: no LF at its end",
	} {
		_, events, err := readTrace(invalidTraceNamed(t, name))
		require.EqualError(t, err, want)
		require.Len(t, events, 1, "the events before the fault are good")
	}
}

// A trace that is cut anywhere ends in ErrUnexpectedEOF, unless it is cut after a whole line.
func TestTraceCutAnywhere(t *testing.T) {
	text, err := os.ReadFile("testdata/valid/before-the-faults.ndjson")
	require.NoError(t, err)
	for cut := 1; cut < len(text); cut++ {
		_, events, err := readTrace(bytes.NewReader(text[:cut]))
		if text[cut-1] == '\n' {
			require.NoError(t, err, "cut after %d bytes", cut)
		} else {
			require.ErrorIs(t, err, io.ErrUnexpectedEOF, "cut after %d bytes", cut)
		}
		require.Len(t, events, max(0, bytes.Count(text[:cut], []byte("\n"))-1))
	}
}

func TestTraceReaderKeepsItsError(t *testing.T) {
	trace, err := spec.NewTraceReader(invalidTraceNamed(t, "role-unknown"))
	require.NoError(t, err)
	var event spec.Event
	require.NoError(t, trace.Read(&event))
	first := trace.Read(&event)
	require.ErrorContains(t, first, "line 3: state.role")
	require.Equal(t, first, trace.Read(&event))
}

func TestTraceReaderOfBrokenReader(t *testing.T) {
	text, err := os.ReadFile("testdata/valid/before-the-faults.ndjson")
	require.NoError(t, err)
	broken := errors.New("disk on fire")
	_, events, err := readTrace(io.MultiReader(bytes.NewReader(text[:300]), iotest.ErrReader(broken)))
	require.ErrorIs(t, err, broken)
	require.EqualError(t, err, "line 3: disk on fire")
	require.Len(t, events, 1)
	_, err = spec.NewTraceReader(iotest.ErrReader(broken))
	require.EqualError(t, err, "line 1: disk on fire")
}

// A line may be longer than the reader's buffer, up to MaxTraceLine with its LF.
func TestTraceLongLine(t *testing.T) {
	header := `{"format":3,"spec":"2.0","members":["1"],"seed":1,"commit":"a"}`
	event := `{"seq":1,"action":"Cut","input":{"cut":[]}}`
	for _, c := range []struct {
		length  int
		problem string
	}{
		{1 << 16, ""}, {1<<16 + 1, ""}, {1 << 18, ""}, {spec.MaxTraceLine, ""},
		{spec.MaxTraceLine + 1, "line 2: longer than 1 MiB"},
		{3 * spec.MaxTraceLine, "line 2: longer than 1 MiB"},
	} {
		text := header + "\n" + strings.Repeat(" ", c.length-len(event)-1) + event + "\n"
		_, events, err := readTrace(strings.NewReader(text))
		if c.problem != "" {
			require.EqualError(t, err, c.problem)
			continue
		}
		require.NoError(t, err)
		require.Len(t, events, 1)
	}
	endless := io.MultiReader(strings.NewReader(header+"\n"), endlessReader{})
	_, _, err := readTrace(endless)
	require.EqualError(t, err, "line 2: longer than 1 MiB")
}

// endlessReader is white space without end.
type endlessReader struct{}

func (endlessReader) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = ' '
	}
	return len(p), nil
}

// Reading again into the same event leaves nothing of the one before.
func TestTraceReaderUsesMemoryAgain(t *testing.T) {
	text, err := os.ReadFile("testdata/valid/integers.ndjson")
	require.NoError(t, err)
	header, events, err := readTrace(bytes.NewReader(text))
	require.NoError(t, err)
	trace, err := spec.NewTraceReader(bytes.NewReader(text))
	require.NoError(t, err)
	var again []spec.Event
	var event spec.Event
	for range events {
		require.NoError(t, trace.Read(&event))
		again = append(again, event.Clone())
	}
	written, err := writeTrace(header, again)
	require.NoError(t, err)
	require.Equal(t, string(text), string(written))
}

var shortHeader = spec.Header{Members: []spec.NodeID{one, two, three}, Seed: 81, Commit: "9fceb02"}

func TestTraceWriterRefuses(t *testing.T) {
	start := spec.Event{Seq: 1, Node: one, Action: spec.StartAction, State: blank}
	var header spec.Header
	for _, c := range []struct {
		problem string
		change  func(*spec.Event)
	}{
		{"line 2: seq: 2 where 1 is wanted", func(e *spec.Event) { e.Seq = 2 }},
		{"line 2: node: 4 is not a member", func(e *spec.Event) { e.Node = spec.IntegerID(4) }},
		{"line 2: state.leader: 4 is not a member", func(e *spec.Event) { e.State.Leader = spec.IntegerID(4) }},
		{"line 2: input: not wanted with this action", func(e *spec.Event) { e.Input.Call = spec.ResignCall }},
		{"line 2: state.configuration: not wanted: the header does not say that members change", func(e *spec.Event) { e.State.Configuration = spec.EmptyConfiguration() }},
		{"line 2: state.configuration: missing: the header says that members change", func(e *spec.Event) { header.Changing = true }},
		{"line 2: state.configuration.version: 1: without members it is 0", func(e *spec.Event) {
			header.Changing, e.State.Configuration = true, spec.EmptyConfiguration().At(0, 1)
		}},
	} {
		var out bytes.Buffer
		header = shortHeader
		event := start.Clone()
		c.change(&event)
		w := spec.NewTraceWriter(&out, header)
		first := w.Write(&event)
		require.EqualError(t, first, c.problem)
		require.Equal(t, first, w.Write(&start), "the first error stays")
		require.Equal(t, first, w.Flush(), "the first error stays")
		require.Zero(t, out.Len(), "and nothing is written after it")
	}
	w := spec.NewTraceWriter(io.Discard, spec.Header{})
	require.EqualError(t, w.Write(&start), "line 1: members: there is none")

	many := spec.Header{Commit: "a"}
	for n := range spec.MaxTraceLine / 8 {
		many.Members = append(many.Members, spec.IntegerID(uint64(100000+n)))
	}
	require.EqualError(t, spec.NewTraceWriter(io.Discard, many).Flush(), "line 1: longer than 1 MiB")
}

// failingWriter fails after so many bytes.
type failingWriter struct{ left int }

func (w *failingWriter) Write(p []byte) (int, error) {
	if w.left -= len(p); w.left < 0 {
		return 0, fmt.Errorf("disk full")
	}
	return len(p), nil
}

func TestTraceWriterOfBrokenWriter(t *testing.T) {
	w := spec.NewTraceWriter(&failingWriter{left: 1 << 17}, shortHeader)
	var err error
	for seq := uint64(1); err == nil && seq < 1<<20; seq++ {
		err = w.Write(&spec.Event{Seq: seq, Node: one, Action: spec.StartAction, State: blank})
	}
	require.ErrorContains(t, err, "disk full")
	require.Equal(t, err, w.Flush())

	w = spec.NewTraceWriter(&failingWriter{}, shortHeader)
	require.EqualError(t, w.Flush(), "line 1: disk full")
}
