// Package traces is the golden traces of the protocol (section 14 of the specification), as files: each of Valid shows one
// thing, and is what the rules allow; each of Invalid has one fault, and must be refused at the line that
// invalid/expected.json says. README.md says what to watch in each. This is the loop of a test of a reader of traces:
//
//	names, err := fs.Glob(traces.Valid, "*.ndjson")
//	if err != nil {
//		return err
//	}
//	for _, name := range names {
//		text, err := fs.ReadFile(traces.Valid, name)
//		…
//	}
package traces

import (
	"bytes"
	"embed"
	"io"
	"io/fs"

	"github.com/seed-fdf591db/bully/spec"
)

//go:embed valid invalid
var files embed.FS

// Valid and Invalid are the files of the two folders, by their names alone.
var (
	Valid   = folder("valid")
	Invalid = folder("invalid")
)

func folder(name string) fs.FS {
	sub, _ := fs.Sub(files, name) // it fails only for what is no name of a folder
	return sub
}

// Read reads a trace that is whole in memory. The error is a spec.TraceError; the events are then those before the line that is wrong.
func Read(text []byte) (spec.Header, []spec.Event, error) {
	in, err := spec.NewTraceReader(bytes.NewReader(text))
	if err != nil {
		return spec.Header{}, nil, err
	}
	var events []spec.Event
	for {
		var e spec.Event
		switch err := in.Read(&e); {
		case err == io.EOF:
			return in.Header(), events, nil
		case err != nil:
			return in.Header(), events, err
		}
		events = append(events, e)
	}
}

// Write writes a trace.
func Write(h spec.Header, events []spec.Event) ([]byte, error) {
	var out bytes.Buffer
	w := spec.NewTraceWriter(&out, h)
	for i := range events {
		if err := w.Write(&events[i]); err != nil {
			return nil, err
		}
	}
	err := w.Flush()
	return out.Bytes(), err
}
