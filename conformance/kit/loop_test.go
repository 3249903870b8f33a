package kit_test

import (
	"bytes"
	"errors"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed-fdf591db/bully/conformance/kit"
	"github.com/seed-fdf591db/bully/conformance/port"
)

// reads makes a port of the model that reads in its own way: given what it has, and what a read has brought, it says which lines it
// answers now, and what it keeps.
func reads(take func(rest, read []byte) (lines, kept []byte)) func(io.Reader, io.Writer) error {
	return func(r io.Reader, w io.Writer) error {
		in, toModel := io.Pipe()
		ended := make(chan error, 1)
		go func() { ended <- serveModel(in, w) }()
		var rest []byte
		read := make([]byte, 64<<10)
		for {
			n, err := r.Read(read)
			if err != nil {
				_ = toModel.Close()
				return <-ended
			}
			var lines []byte
			if lines, rest = take(rest, bytes.Clone(read[:n])); len(lines) > 0 {
				if _, err := toModel.Write(lines); err != nil || bytes.Contains(lines, []byte(`"bye"`)) {
					return <-ended
				}
			}
		}
	}
}

// untilLast cuts after the last line that is whole.
func untilLast(rest, read []byte) (lines, kept []byte) {
	text := append(bytes.Clone(rest), read...)
	k := bytes.LastIndexByte(text, '\n') + 1
	return text[:k], text[k:]
}

// TestLoop puts ports through the cases about the loop that read well, or not, or do not end.
func TestLoop(t *testing.T) {
	for name, c := range map[string]struct {
		serve  func(io.Reader, io.Writer) error
		failed string // the cases that fail
		says   string
	}{
		"the model":      {serveModel, "", ""},
		"a sound reader": {reads(untilLast), "", ""},
		"it loses the rest of a read": {reads(func(_, read []byte) (lines, kept []byte) {
			lines, _ = untilLast(nil, read)
			return lines, nil
		}), "protocol-pieces protocol-ahead", "keep what a read has brought of an unfinished line"},
		"it loses what came before": {reads(func(_, read []byte) (lines, kept []byte) { return untilLast(nil, read) }),
			"protocol-pieces protocol-ahead", "keep what a read has brought of an unfinished line"},
		"it answers one line a read": {reads(func(rest, read []byte) (lines, kept []byte) {
			text := append(bytes.Clone(rest), read...)
			k := bytes.IndexByte(text, '\n') + 1
			return text[:k], text[k:]
		}), "protocol-ahead", "5 lines, of which 1 were answered"},
		"it goes on": {func(r io.Reader, w io.Writer) error {
			err := serveModel(r, w)
			time.Sleep(time.Second)
			return err
		}, "protocol-bye protocol-end", "it has not ended"},
		"it ends badly": {func(r io.Reader, w io.Writer) error {
			return errors.Join(serveModel(r, w), errors.New("exit status 7"))
		},
			"protocol-bye protocol-end", "exit status 7"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			report, err := kit.Run(t.Context(), kit.Loop(), kit.Options{Workers: 4, Port: port.Config{Serve: c.serve, Answer: 500 * time.Millisecond}})
			require.NoError(t, err)
			var failed []string
			says := ""
			for i := range report.Verdicts {
				if v := &report.Verdicts[i]; v.Failed() {
					failed = append(failed, v.Case)
					says += v.Explain("")
				}
			}
			require.Equal(t, c.failed, strings.Join(failed, " "), says)
			require.Contains(t, says, c.says)
		})
	}
}
