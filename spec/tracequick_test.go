package spec_test

import (
	"bytes"
	"errors"
	"io"
	"os"
	"regexp"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed-fdf591db/bully/spec"
)

// readOne reads the only event of a trace, and returns what is wrong with which of its fields, if anything.
func readOne(t *testing.T, header, line []byte) (e spec.Event, field string, wrong bool) {
	in, err := spec.NewTraceReader(bytes.NewReader(slices.Concat(header, line)))
	require.NoError(t, err)
	err = in.Read(&e)
	var fault *spec.TraceError
	if err == nil || err == io.EOF || !errors.As(err, &fault) {
		require.NoError(t, err)
		return e, "", false
	}
	return spec.Event{}, fault.Field, true
}

// TestTwoWaysToRead reads lines, and all that they become by a change of one byte, as TraceWriter writes them, and with a
// space that it does not write: a reader may know two ways to read a line, but there is one answer.
func TestTwoWaysToRead(t *testing.T) {
	seen, good, bad := map[spec.Action]bool{}, 0, 0
	for _, name := range []string{"integers", "uuids", "holder-dead", "bounds"} {
		text, err := os.ReadFile("testdata/valid/" + name + ".ndjson")
		require.NoError(t, err)
		lines := bytes.SplitAfter(bytes.TrimSuffix(text, []byte("\n")), []byte("\n"))
		for _, line := range lines[1:] {
			line = append(regexp.MustCompile(`"seq":\d+`).ReplaceAll(bytes.TrimSuffix(line, []byte("\n")), []byte(`"seq":1`)), '\n')
			e, _, wrong := readOne(t, lines[0], line)
			require.False(t, wrong)
			if seen[e.Action] {
				continue
			}
			seen[e.Action] = true
			for at := 1; at < len(line)-1; at++ {
				for _, other := range []string{"", "0", "2", ",", string(line[at]) + string(line[at])} {
					quick := slices.Concat(line[:at], []byte(other), line[at+1:])
					slow := slices.Concat([]byte("{ "), quick[1:])
					e, field, wrong := readOne(t, lines[0], quick)
					same, sameField, sameWrong := readOne(t, lines[0], slow)
					if wrong != sameWrong || field != sameField || e.String() != same.String() || e.At != same.At {
						t.Fatalf("%s\nis read as %v, %q, and with a space as %v, %q", quick, e, field, same, sameField)
					}
					if wrong {
						bad++
					} else {
						good++
					}
				}
			}
		}
	}
	t.Logf("%d actions; %d lines good, %d bad", len(seen), good, bad)
	require.Len(t, seen, len(spec.Actions()))
	require.Positive(t, good)
	require.Positive(t, bad)
}
