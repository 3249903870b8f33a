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

// invalidTraces is the files in testdata/invalid: each has one fault, and is named after it.
var invalidTraces = []struct {
	name           string
	line           int
	field, problem string
}{
	{"empty", 1, "", `empty: a trace begins with a header`},
	{"header-cut-short", 1, "", `cut short: no LF at its end`},
	{"header-blank", 1, "", `an object expected at column 1, found the end`},
	{"header-format-2", 1, "format", `2 is not the trace format that is known: 1`},
	{"header-spec-2", 1, "spec", `"2.0" is not the version of the spec that is known: 1.0`},
	{"header-field-missing", 1, "commit", `missing`},
	{"header-field-unknown", 1, "rules", `unknown field "rules"`},
	{"header-field-twice", 1, "seed", `given twice`},
	{"header-no-origin", 1, "seed", `missing`},
	{"header-two-origins", 1, "host", `a trace has a seed or a host, not both`},
	{"header-host-empty", 1, "host", `empty`},
	{"header-seed-above-bound", 1, "seed", `9007199254740992 is above 2^53-1`},
	{"header-commit-empty", 1, "commit", `0 characters: from 1 to 255 are wanted`},
	{"header-commit-long", 1, "commit", `256 characters: from 1 to 255 are wanted`},
	{"header-commit-escape", 1, "commit", `a string is printable ASCII without escapes`},
	{"header-members-none", 1, "members", `there is none`},
	{"header-members-unsorted", 1, "members[2]", `2 after 3: ascending order is wanted`},
	{"header-member-twice", 1, "members[2]", `2 after 2: ascending order is wanted`},
	{"header-member-zero", 1, "members[0]", `"0" is no id`},
	{"header-member-null", 1, "members[1]", `a string expected`},
	{"events-without-header", 1, "seq", `unknown field "seq"`},
	{"line-blank", 3, "", `an object expected at column 1, found the end`},
	{"line-cut-short", 3, "", `cut short: no LF at its end`},
	{"line-without-lf", 3, "", `cut short: no LF at its end`},
	{"line-not-json", 3, "", `an object expected at column 1`},
	{"line-two-events", 2, "", `the end expected at column`},
	{"line-not-object", 2, "", `an object expected at column 1`},
	{"field-unknown", 3, "time", `unknown field "time"`},
	{"field-in-other-case", 3, "Node", `unknown field "Node"`},
	{"field-twice", 3, "node", `given twice`},
	{"state-field-unknown", 3, "state.term", `unknown field "term"`},
	{"state-field-twice", 3, "state.epoch", `given twice`},
	{"state-field-missing", 3, "state.support", `missing`},
	{"message-field-twice", 3, "input.message.from", `given twice`},
	{"message-field-missing", 3, "input.message.from", `missing`},
	{"sent-field-unknown", 3, "sent[0].hop", `unknown field "hop"`},
	{"seq-missing", 3, "seq", `missing`},
	{"node-missing", 3, "node", `missing`},
	{"action-missing", 3, "action", `missing`},
	{"input-missing", 4, "input", `missing`},
	{"input-empty", 4, "input.timer", `missing`},
	{"sent-missing", 2, "sent", `missing`},
	{"state-missing", 3, "state", `missing`},
	{"seq-gap", 3, "seq", `3 where 2 is wanted`},
	{"seq-repeated", 3, "seq", `1 where 2 is wanted`},
	{"seq-from-0", 2, "seq", `0 where 1 is wanted`},
	{"seq-string", 2, "seq", `an integer expected`},
	{"at-zero", 3, "at", `0: an integer from 1 to 2^53-1 is wanted, or no such field`},
	{"at-negative", 3, "at", `negative`},
	{"at-fraction", 3, "at", `without fraction or exponent`},
	{"at-exponent", 3, "at", `without fraction or exponent`},
	{"at-string", 3, "at", `an integer expected`},
	{"at-null", 3, "at", `an integer expected`},
	{"at-leading-zero", 3, "at", `01763715600000000 has a leading zero`},
	{"at-above-bound", 3, "at", `9007199254740992 is above 2^53-1`},
	{"at-twice", 3, "at", `given twice`},
	{"at-twice-apart", 3, "at", `given twice`},
	{"at-of-state", 3, "state.at", `unknown field "at"`},
	{"node-no-member", 2, "node", `4 is not a member`},
	{"node-null", 2, "node", `a string expected`},
	{"node-number", 2, "node", `a string expected`},
	{"node-leading-zero", 2, "node", `"02" has a leading zero`},
	{"node-upper-case-uuid", 2, "node", `upper-case letters`},
	{"node-uuid-version-1", 2, "node", `a UUID of version 1: version 4 is wanted`},
	{"leader-no-member", 3, "state.leader", `4 is not a member`},
	{"grantee-no-member", 3, "state.grantee", `4 is not a member`},
	{"support-no-member", 4, "state.support[1]", `4 is not a member`},
	{"support-unsorted", 4, "state.support[1]", `1 after 2: ascending order is wanted`},
	{"support-twice", 4, "state.support[1]", `1 after 1: ascending order is wanted`},
	{"support-null", 4, "state.support", `an array expected`},
	{"support-comma", 4, "state.support[2]", `a string expected`},
	{"received-from-no-member", 3, "input.message.from", `4 is not a member`},
	{"sent-to-no-member", 3, "sent[0].to", `4 is not a member`},
	{"lost-to-no-member", 7, "input.message.to", `4 is not a member`},
	{"cut-no-member", 8, "input.cut[1][1]", `4 is not a member`},
	{"received-from-itself", 3, "input.message.to", `2 is the sender itself`},
	{"received-by-another", 3, "input.message.to", `1 is not the node of this step`},
	{"received-of-another-type", 3, "input.message.type", `GRANT where CLAIM is wanted`},
	{"sent-by-another", 3, "sent[0].from", `1 is not the node of this step`},
	{"role-unknown", 3, "state.role", `"voter" is no role`},
	{"role-upper-case", 3, "state.role", `"ELECTING" is no role`},
	{"action-unknown", 3, "action", `"OnVote" is no action`},
	{"message-type-unknown", 3, "input.message.type", `"VOTE" is no message type`},
	{"timer-unknown", 4, "input.timer", `"lease" is no timer`},
	{"timer-of-another-action", 4, "input.timer", `"claim" where "election" is wanted`},
	{"call-unknown", 5, "input.call", `"stop" is no call`},
	{"call-of-another-action", 5, "input.call", `"holder-dead" where "resign" is wanted`},
	{"call-upper-case", 5, "input.call", `"HolderDead" is no call`},
	{"call-missing", 5, "input", `missing`},
	{"call-with-message", 5, "input.message", `not wanted with this action`},
	{"input-not-wanted", 2, "input", `not wanted with this action`},
	{"input-of-another-kind", 5, "input.timer", `not wanted with this action`},
	{"input-of-two-kinds", 5, "input.timer", `not wanted with this action`},
	{"input-null", 5, "input", `an object expected`},
	{"epoch-above-bound", 3, "state.epoch", `9007199254740992 is above 2^53-1`},
	{"epoch-far-above-bound", 3, "state.epoch", `36893488147419103236 is above 2^53-1`},
	{"epoch-negative", 3, "state.epoch", `negative`},
	{"epoch-fraction", 3, "state.epoch", `without fraction or exponent`},
	{"epoch-exponent", 3, "state.epoch", `without fraction or exponent`},
	{"epoch-string", 3, "state.epoch", `an integer expected`},
	{"epoch-null", 3, "state.epoch", `an integer expected`},
	{"epoch-leading-zero", 3, "state.epoch", `04 has a leading zero`},
	{"received-epoch-above-bound", 3, "input.message.epoch", `9007199254740992 is above 2^53-1`},
	{"crash-with-sent", 6, "sent", `not wanted with this action`},
	{"lose-with-node", 7, "node", `not wanted with this action`},
	{"cut-with-state", 8, "state", `not wanted with this action`},
	{"cut-unsorted", 8, "input.cut[1]", `ascending order is wanted, each link once`},
	{"cut-twice", 8, "input.cut[1]", `ascending order is wanted, each link once`},
	{"cut-to-itself", 8, "input.cut[1]", `a link joins two different nodes`},
	{"cut-of-one-end", 8, "input.cut[1]", `a link has two ends`},
	{"cut-of-three-ends", 8, "input.cut[1][2]", `a link has two ends`},
	{"string-escape", 3, "state.role", `a string is printable ASCII without escapes`},
	{"string-without-end", 8, "input.cut[1][1]", `a string without an end`},
	{"string-not-ascii", 2, "state.role", `byte 0xeb`},
	{"control-character", 2, "", `control character 0x00 at column 1`},
}

func TestInvalidTraces(t *testing.T) {
	named := map[string]bool{}
	for _, c := range invalidTraces {
		named[c.name+".ndjson"] = true
		t.Run(c.name, func(t *testing.T) {
			file, err := os.Open("testdata/invalid/" + c.name + ".ndjson")
			require.NoError(t, err)
			defer file.Close()
			_, _, err = readTrace(file)
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
	files, err := os.ReadDir("testdata/invalid")
	require.NoError(t, err)
	for _, file := range files {
		require.True(t, named[file.Name()], "testdata/invalid/%s is not in the table", file.Name())
	}
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

func TestTraceErrorText(t *testing.T) {
	for name, want := range map[string]string{
		"epoch-above-bound": "line 3: state.epoch: 9007199254740992 is above 2^53-1",
		"line-cut-short":    "line 3: cut short: no LF at its end",
	} {
		file, err := os.Open("testdata/invalid/" + name + ".ndjson")
		require.NoError(t, err)
		defer file.Close()
		_, events, err := readTrace(file)
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
	file, err := os.Open("testdata/invalid/role-unknown.ndjson")
	require.NoError(t, err)
	defer file.Close()
	trace, err := spec.NewTraceReader(file)
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
	header := `{"format":1,"spec":"1.0","members":["1"],"seed":1,"commit":"a"}`
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
	for _, c := range []struct {
		problem string
		change  func(*spec.Event)
	}{
		{"line 2: seq: 2 where 1 is wanted", func(e *spec.Event) { e.Seq = 2 }},
		{"line 2: node: 4 is not a member", func(e *spec.Event) { e.Node = spec.IntegerID(4) }},
		{"line 2: state.leader: 4 is not a member", func(e *spec.Event) { e.State.Leader = spec.IntegerID(4) }},
		{"line 2: input: not wanted with this action", func(e *spec.Event) { e.Input.Call = spec.ResignCall }},
	} {
		var out bytes.Buffer
		w := spec.NewTraceWriter(&out, shortHeader)
		event := start.Clone()
		c.change(&event)
		first := w.Write(&event)
		require.EqualError(t, first, c.problem)
		require.Equal(t, first, w.Write(&start), "the first error stays")
		require.Equal(t, first, w.Flush(), "the first error stays")
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
