package check_test

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed-fdf591db/bully/conformance/check"
)

// FuzzTrace puts other bytes in the place of some of a trace, or of all of it. Whatever comes of that, the check ends with a
// report or a TraceError; and what is accepted is a run, by the oracle, too.
func FuzzTrace(f *testing.F) {
	var traces [][]byte
	for _, pattern := range []string{validDir + "/[crs]*.ndjson", invalidDir + "/*.ndjson", "../../spec/testdata/*/*.ndjson"} {
		files, err := filepath.Glob(pattern)
		require.NoError(f, err)
		require.NotEmpty(f, files)
		for _, name := range files {
			text, err := os.ReadFile(name)
			require.NoError(f, err)
			traces = append(traces, text)
			f.Add(len(traces)-1, len(text)/2, 1, []byte("2"))
			f.Add(len(traces)-1, len(text)/3, 0, []byte(`"node":"2"`))
		}
	}
	f.Add(0, 0, 1<<20, []byte("{}\n"))
	f.Fuzz(func(t *testing.T, which, at, length int, other []byte) {
		text := traces[uint(which)%uint(len(traces))]
		at = int(uint(at) % uint(len(text)+1))
		length = int(uint(length) % uint(len(text)-at+1))
		text = slices.Concat(text[:at], other, text[at+length:])
		report, err := check.Trace(bytes.NewReader(text), check.Options{})
		if err != nil {
			var fault *check.TraceError
			require.ErrorAs(t, err, &fault)
			require.Positive(t, fault.Line)
			require.NotEmpty(t, check.Sentence(fault.Rule), fault.Rule)
			require.NotEmpty(t, err.Error())
			return
		}
		if report.CutShort {
			text = text[:bytes.LastIndexByte(text, '\n')+1]
		}
		header, events := readTrace(t, text)
		require.Equal(t, uint64(len(events)), report.Events)
		first, why := verdict(header.Members, events)
		require.Zero(t, first, "%v", why)
	})
}
