package kit_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
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

// completed is a reader whose last line always ends with LF.
type completed struct {
	r    io.Reader
	last byte
}

func (c *completed) Read(b []byte) (int, error) {
	n, err := c.r.Read(b)
	if n > 0 {
		c.last = b[n-1]
	} else if err != nil && c.last != '\n' {
		c.last, b[0] = '\n', '\n'
		return 1, nil
	}
	return n, err
}

// narrow writes ids as integers of 32 bits.
type narrow struct{ w io.Writer }

var written = regexp.MustCompile(`"id":[0-9]+`)

func (n narrow) Write(b []byte) (int, error) {
	_, err := n.w.Write(written.ReplaceAllFunc(b, func(id []byte) []byte {
		number, _ := strconv.ParseUint(string(id[5:]), 10, 64)
		return fmt.Appendf(nil, `"id":%d`, int32(number))
	}))
	return len(b), err
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
			time.Sleep(time.Minute)
			return err
		}, "protocol-bye protocol-end protocol-after-bye protocol-tail", "it has not ended"},
		"it ends badly": {func(r io.Reader, w io.Writer) error {
			return errors.Join(serveModel(r, w), errors.New("exit status 7"))
		},
			"protocol-bye protocol-end protocol-after-bye protocol-tail", "exit status 7"},
		"it answers what follows bye": {reads(func(rest, read []byte) (lines, kept []byte) {
			lines, kept = untilLast(rest, read)
			if k := bytes.Index(lines, []byte(`"bye"}`)); k >= 0 && k < len(lines)-7 {
				lines = append(bytes.Replace(lines, []byte(`"bye"}`), []byte(`"crash","node":"x"}`), 1), `{"id":78,"op":"bye"}`+"\n"...)
			}
			return lines, kept
		}), "protocol-after-bye", `it goes on writing after bye: {"id":77,"ok":true}`},
		"it answers a line that was cut short": {func(r io.Reader, w io.Writer) error { return serveModel(&completed{r: r}, w) },
			"protocol-tail", `it goes on writing after the end of its input, which is as good as bye: {"id":77,"ok":true}`},
		"it keeps ids in 32 bits": {func(r io.Reader, w io.Writer) error { return serveModel(r, narrow{w}) },
			"protocol-ids", "id must be the integer 2147483648, as in the request, and is -2147483648"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				report, err := kit.Run(t.Context(), kit.Loop(), kit.Options{Workers: 4, Port: port.Config{Serve: c.serve, Answer: 500 * time.Millisecond}})
				time.Sleep(2 * time.Minute) // what goes on ends
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
		})
	}
}
