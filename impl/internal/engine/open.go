package engine

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"path"
	"strings"

	"github.com/seed-fdf591db/bully/impl/internal/behaviour"
	"github.com/seed-fdf591db/bully/impl/internal/interactive"
	"github.com/seed-fdf591db/bully/traces"
	"github.com/seed-fdf591db/bully/traces/itf"
	"github.com/seed-fdf591db/bully/traces/recording"
)

// Opened is what came of a file.
type Opened struct {
	Recording *recording.Recording // nil if there is nothing to show
	Run       *interactive.Run     // that goes on, if the file was a run spec; its frames so far are in Recording
	Trace     []byte               // the text of the trace, if the file was one
	Problem   *Problem             // what is wrong; it may stand beside a recording of what comes before it
}

// Problem is why something could not be done: where, what, and what to do.
type Problem struct {
	Line    int    `json:"line,omitempty"` // of the file, from 1; 0 if it is not about a line
	Problem string `json:"problem"`
}

func (p *Problem) Error() string {
	if p.Line == 0 {
		return p.Problem
	}
	return fmt.Sprintf("line %d: %s", p.Line, p.Problem)
}

// MaxText is how long a file may be, in bytes.
const MaxText = 256 << 20

const openable = "A trace can be opened (NDJSON that begins with a header such as {\"format\":1,…}), a recording or a run spec that was " +
	"saved here, what TLC or workbench check has printed of a counterexample, and states in the Informal Trace Format (ITF)."

// Open opens a file by what it has in it; its name is only what it is called.
func Open(text []byte, name string) Opened {
	text = bytes.TrimPrefix(text, []byte("\xef\xbb\xbf"))
	switch {
	case len(text) > MaxText:
		return failed(0, "it is longer than 256 MiB. Cut it: a viewer keeps all of it in memory.")
	case len(bytes.TrimSpace(text)) == 0:
		return failed(0, "it is empty. "+openable)
	}
	switch kindOf(text) {
	case aRecording:
		return openRecording(text)
	case aRunSpec:
		return openRunSpec(text)
	case aTrace:
		return openTrace(text, name)
	case aBehaviour:
		return openBehaviour(text, name)
	}
	return failed(1, "this is nothing that is known here. "+openable)
}

func failed(line int, problem string) Opened {
	return Opened{Problem: &Problem{Line: line, Problem: problem}}
}

// kind is what a file is.
type kind int

const (
	unknown kind = iota
	aRecording
	aRunSpec
	aTrace
	aBehaviour
)

// kindOf finds out what a file is.
func kindOf(text []byte) kind {
	first, _, _ := bytes.Cut(bytes.TrimLeft(text, " \t\r\n"), []byte("\n"))
	if len(first) == 0 || first[0] != '{' {
		if behaviour.Is(text) {
			return aBehaviour
		}
		return unknown
	}
	fields := fieldsOf(first)
	if fields == nil {
		fields = fieldsOf(text) // a run spec, or a counterexample, may go over many lines
	}
	has := func(name string) bool { _, ok := fields[name]; return ok }
	switch {
	case has("recording"):
		return aRecording
	case has("runSpec"):
		return aRunSpec
	case has("format"), has("spec"), has("members"), has("seq"):
		return aTrace
	case behaviour.Is(text):
		return aBehaviour
	case fields == nil && bytes.Contains(first, []byte(`"members"`)):
		return aTrace // whose header is broken
	case fields == nil && bytes.Contains(first, []byte(`"recording"`)):
		return aRecording
	case fields == nil && bytes.Contains(first, []byte(`"runSpec"`)):
		return aRunSpec
	}
	return unknown
}

// fieldsOf returns the fields of a JSON object; nil if it is none.
func fieldsOf(text []byte) map[string]json.RawMessage {
	var fields map[string]json.RawMessage
	if json.Unmarshal(text, &fields) != nil {
		return nil
	}
	return fields
}

func openRecording(text []byte) Opened {
	f, err := recording.Read(bytes.NewReader(text))
	var wrong *recording.Error
	switch {
	case errors.As(err, &wrong):
		problem := strings.TrimPrefix(wrong.Error(), fmt.Sprintf("line %d: ", wrong.Line))
		return Opened{Recording: f, Problem: &Problem{Line: wrong.Line, Problem: problem}}
	case err != nil:
		return failed(0, err.Error())
	}
	return Opened{Recording: f}
}

func openRunSpec(text []byte) Opened {
	r, err := interactive.ReadRunSpec(text)
	if err != nil {
		return failed(0, err.Error())
	}
	run, err := interactive.Begin(r)
	if err != nil {
		return failed(0, err.Error())
	}
	return Opened{Recording: &recording.Recording{Header: run.Header(), Frames: run.Taken()}, Run: run}
}

func openBehaviour(text []byte, name string) Opened {
	if itf.Is(text) {
		trace, err := TraceOfITF(text)
		if err == nil {
			return openTrace(trace, name)
		}
		if !errors.Is(err, itf.ErrNotOurs) {
			return failed(0, err.Error())
		}
	}
	b, err := behaviour.Read(text)
	if err != nil {
		return failed(0, err.Error())
	}
	f, trace, err := RecordingOf(b)
	if err != nil {
		return failed(0, err.Error())
	}
	return Opened{Recording: f, Trace: trace}
}

// RecordingOf makes a recording of a counterexample. One of our protocol is told as its trace is, if it is one; else the trace is nil.
func RecordingOf(b *behaviour.Behaviour) (f *recording.Recording, trace []byte, err error) {
	if trace, err = b.Trace(); err == nil {
		if told := openTrace(trace, b.Name); told.Recording != nil {
			b.Dress(told.Recording)
			return told.Recording, trace, nil
		}
	}
	f, err = b.Recording()
	return f, nil, err
}

// called returns what a file is called, for its title.
func called(name string) string {
	name = path.Base(strings.ReplaceAll(name, `\`, "/"))
	name = strings.TrimSuffix(name, ".ndjson")
	if name == "." || name == "/" || name == "" {
		return "a trace"
	}
	return name
}

// TraceOfITF returns the trace that was written in the Informal Trace Format. The error is itf.ErrNotOurs if it is none, but states of
// another origin.
func TraceOfITF(text []byte) ([]byte, error) {
	header, events, err := itf.Import(text)
	if err != nil {
		return nil, err
	}
	return traces.Write(header, events)
}
