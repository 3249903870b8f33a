package spec

import (
	"bytes"
	"os"
	"path/filepath"
	"regexp"
	"testing"

	"github.com/stretchr/testify/require"
)

// forTheScanner is what quick leaves to the scanner: links that are cut, whom a leader hands over to, and members that are more than an id.
var forTheScanner = regexp.MustCompile(`"cut":|"granted":|"address":|"kind":"(witness|observer)"`)

// TestReadQuickly: quick reads whatever TraceWriter writes but for what is rare. Each line by the scanner would be right too, and slow.
func TestReadQuickly(t *testing.T) {
	var files []string
	for _, pattern := range []string{"testdata/valid/*.ndjson", "../traces/valid/*.ndjson"} {
		found, err := filepath.Glob(pattern)
		require.NoError(t, err)
		files = append(files, found...)
	}
	lines := 0
	for _, name := range files {
		text, err := os.ReadFile(name)
		require.NoError(t, err)
		in, err := NewTraceReader(bytes.NewReader(text))
		require.NoError(t, err, name)
		var e Event
		for i, line := range bytes.Split(bytes.TrimSuffix(text, []byte("\n")), []byte("\n"))[1:] {
			if !forTheScanner.Match(line) {
				lines++
				require.True(t, in.quick.event(line, &e), "%s:%d: %s", name, i+2, line)
			}
		}
	}
	require.Greater(t, lines, 1000)
}

// TestReadAgain: a line that is like those before is read without any new memory: the slices of the event and what was read of a
// configuration are used again.
func TestReadAgain(t *testing.T) {
	for _, name := range []string{"testdata/valid/integers.ndjson", "testdata/valid/changing-pair.ndjson"} {
		text, err := os.ReadFile(name)
		require.NoError(t, err)
		in, err := NewTraceReader(bytes.NewReader(text))
		require.NoError(t, err)
		var e Event
		for _, line := range bytes.Split(bytes.TrimSuffix(text, []byte("\n")), []byte("\n"))[1:] {
			if !forTheScanner.Match(line) {
				require.Zero(t, testing.AllocsPerRun(3, func() { in.quick.event(line, &e) }), "%s", line)
			}
		}
	}
}

// TestCanonical: the scanner passes over a name that comes as TraceWriter writes it, without looking for it among the others.
func TestCanonical(t *testing.T) {
	for _, test := range []struct {
		text  string
		first bool
		pos   int // after it; 0 if it is not read so
	}{
		{`"ab":1`, true, 5},
		{`"ab":`, true, 5},
		{`,"ab":1`, false, 6},
		{`,"ab":1`, true, 0},
		{`"ab":1`, false, 0},
		{`"ab" :1`, true, 0},
		{`"ab"`, true, 0},
		{`"abc":1`, true, 0},
		{`"ac":1`, true, 0},
		{`.ab":1`, true, 0},
		{`,`, false, 0},
		{``, false, 0},
	} {
		s := newScanner([]byte(test.text))
		require.Equal(t, test.pos != 0, s.canonical("ab", test.first), test.text)
		require.Equal(t, test.pos, s.pos, test.text)
	}
}
