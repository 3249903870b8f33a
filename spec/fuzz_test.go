package spec_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed-fdf591db/bully/spec"
)

// What is accepted is valid, and is written and read again as the same message.
func FuzzMessageJSON(f *testing.F) {
	messages, _ := wireExamples(f)
	for _, message := range messages {
		text, err := json.Marshal(message)
		require.NoError(f, err)
		f.Add(text)
	}
	f.Add([]byte(` { "epoch" : 4 , "to" : "1" , "question" : 7 , "from" : "3" , "type" : "CLAIM" } `))
	f.Add([]byte(`{"type":"CLAIM","from":"3","to":"1","epoch":4,"epoch":4,"question":7}`))
	f.Add([]byte(`{"type":"CLAIM","from":"3","to":"3","epoch":1e3}`))
	f.Add([]byte(`{"type":"ELECTION","from":"3","to":"1","epoch":4,"question":7,"keeps":null}`))
	f.Add([]byte(`{"type":"RESIGN","from":"3","to":"1","epoch":4,"question":7,"granted":{"by":"1","epoch":5,"question":0}}`))
	f.Fuzz(func(t *testing.T, text []byte) {
		var message spec.Message
		if message.UnmarshalJSON(text) != nil {
			require.Zero(t, message)
			return
		}
		require.True(t, json.Valid(text), "what is accepted is JSON")
		canonical, err := message.MarshalJSON()
		require.NoError(t, err)
		var again spec.Message
		require.NoError(t, json.Unmarshal(canonical, &again))
		require.Equal(t, message, again)
	})
}

// What is accepted is valid, and is written and read again as the same configuration.
func FuzzConfigurationJSON(f *testing.F) {
	for _, text := range []string{mixedText, emptyText, ` { "members" : [ ] , "version" : 0 , "epoch" : 0 } `,
		`{"epoch":4,"version":2,"members":[{"id":"2","kind":"voter"},{"id":"1","kind":"voter"}]}`,
		`{"epoch":4,"version":2,"members":[{"id":"1","kind":"voter","address":""}]}`,
	} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		var c spec.Configuration
		if c.UnmarshalJSON(text) != nil {
			require.Zero(t, c)
			return
		}
		require.True(t, json.Valid(text), "what is accepted is JSON")
		require.NoError(t, c.Validate())
		canonical, err := c.MarshalJSON()
		require.NoError(t, err)
		var again spec.Configuration
		require.NoError(t, again.UnmarshalJSON(canonical))
		require.True(t, c == again)
		made, err := spec.NewConfiguration(c.Epoch, c.Version, c.Members())
		require.NoError(t, err)
		require.True(t, c == made)
	})
}

// What is accepted is written as the same bytes.
func FuzzMessageBinary(f *testing.F) {
	_, wire := wireExamples(f)
	for _, data := range wire {
		f.Add(data)
	}
	for _, c := range faultyWire(f) {
		f.Add(c.data)
	}
	good, faults := wireFaults(f)
	for _, fault := range append(faults, laterWireFaults(f)...) {
		f.Add(fault.put(bytes.Clone(good)))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		var message spec.Message
		if message.UnmarshalBinary(data) != nil {
			require.Zero(t, message)
			return
		}
		written, err := message.MarshalBinary()
		require.NoError(t, err)
		require.Equal(t, data, written)
	})
}

// A stream is read frame by frame; what is accepted, or can be stepped over, has the bytes that were read.
func FuzzReadFrame(f *testing.F) {
	messages, _ := wireExamples(f)
	var stream []byte
	for _, message := range messages {
		var err error
		stream, err = spec.AppendFrame(stream, message)
		require.NoError(f, err)
	}
	f.Add(stream)
	f.Add(stream[:60])
	f.Add(stream[len(stream)-60:])
	for _, c := range faultyWire(f) {
		f.Add(append([]byte{0, 0, 0, byte(len(c.data))}, c.data...))
	}
	f.Fuzz(func(t *testing.T, stream []byte) {
		r := bytes.NewReader(stream)
		for {
			before := len(stream) - r.Len()
			message, err := spec.ReadFrame(r)
			after := len(stream) - r.Len()
			if errors.Is(err, spec.ErrWireVersion) || errors.Is(err, spec.ErrMessageType) {
				require.Greater(t, after, before+4)
				continue
			}
			if err != nil {
				require.Equal(t, err == io.EOF, before == len(stream), "io.EOF is for the end between two frames")
				return
			}
			frame, err := spec.AppendFrame(nil, message)
			require.NoError(t, err)
			require.Equal(t, stream[before:after], frame)
		}
	})
}

// What is accepted has one canonical form, which is read and written as itself.
func FuzzTraceReader(f *testing.F) {
	for _, pattern := range []string{"testdata/valid/[bch]*.ndjson", "testdata/loose.ndjson"} {
		files, err := filepath.Glob(pattern)
		require.NoError(f, err)
		require.NotEmpty(f, files)
		for _, file := range files {
			text, err := os.ReadFile(file)
			require.NoError(f, err)
			f.Add(text)
		}
	}
	for _, c := range invalidTraces(f) {
		f.Add(c.text)
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		header, events, err := readTrace(bytes.NewReader(text))
		if err != nil {
			var fault *spec.TraceError
			require.ErrorAs(t, err, &fault)
			require.Positive(t, fault.Line)
			return
		}
		for line := range bytes.Lines(text) {
			require.True(t, json.Valid(line), "what is accepted is JSON")
		}
		canonical, err := writeTrace(header, events)
		require.NoError(t, err)
		header, events, err = readTrace(bytes.NewReader(canonical))
		require.NoError(t, err)
		again, err := writeTrace(header, events)
		require.NoError(t, err)
		require.Equal(t, string(canonical), string(again))
	})
}
