package spec_test

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// invalidTrace is a trace with one fault, named after it, and what is wrong with it.
type invalidTrace struct {
	name           string
	line           int
	field, problem string
	text           []byte
}

// invalidTraces reads testdata/invalid: a file a topic. A case is a line that says what is wrong, and then the lines of the trace:
//
//	-- NAME | LINE | FIELD | PROBLEM
//	= header-only 1-2        these lines of testdata/valid/header-only.ndjson
//	= quoted "\x00"          a line that no text file has
//	= no line feed           the line before has none at its end
//	{"seq":1, …              any other line is one of the trace
func invalidTraces(t testing.TB) (all []invalidTrace) {
	files, err := filepath.Glob("testdata/invalid/*.txt")
	require.NoError(t, err)
	require.NotEmpty(t, files)
	for _, file := range files {
		text, err := os.ReadFile(file)
		require.NoError(t, err)
		_, text, _ = bytes.Cut(text, []byte("\n-- ")) // the comment at the top
		for part := range strings.SplitSeq(strings.TrimSuffix(string(text), "\n"), "\n\n-- ") {
			head, lines, _ := strings.Cut(part, "\n")
			words := strings.SplitN(head, " | ", 4)
			require.Len(t, words, 4, "%s: %q is not such as: -- NAME | LINE | FIELD | PROBLEM", file, head)
			c := invalidTrace{name: words[0], field: words[2], problem: words[3], text: traceText(t, lines)}
			c.line, err = strconv.Atoi(words[1])
			require.NoError(t, err, "%s: %s", file, head)
			all = append(all, c)
		}
	}
	return all
}

// invalidTraceNamed returns one of them.
func invalidTraceNamed(t testing.TB, name string) *bytes.Reader {
	for _, c := range invalidTraces(t) {
		if c.name == name {
			return bytes.NewReader(c.text)
		}
	}
	require.Fail(t, "there is no invalid trace", name)
	return nil
}

// traceText returns the trace that the lines of a case say.
func traceText(t testing.TB, lines string) (text []byte) {
	for line := range strings.SplitSeq(lines, "\n") {
		said, special := strings.CutPrefix(line, "= ")
		quoted, isQuoted := strings.CutPrefix(said, "quoted ")
		switch {
		case line == "":
		case !special:
			text = append(text, line+"\n"...)
		case said == "no line feed":
			text = bytes.TrimSuffix(text, []byte("\n"))
		case isQuoted:
			unquoted, err := strconv.Unquote(quoted)
			require.NoError(t, err, line)
			text = append(text, unquoted+"\n"...)
		default:
			var name string
			var from, to int
			_, err := fmt.Sscanf(said, "%s %d-%d", &name, &from, &to)
			require.NoError(t, err, "%q is not such as: = header-only 1-2", line)
			whole, err := os.ReadFile("testdata/valid/" + name + ".ndjson")
			require.NoError(t, err)
			text = append(text, bytes.Join(bytes.SplitAfter(whole, []byte("\n"))[from-1:to], nil)...)
		}
	}
	return text
}
