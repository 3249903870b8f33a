package cli_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"strings"
	"testing"
	"unicode"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/seed-fdf591db/bully/impl/internal/cli"
)

func ExamplePrintable() {
	out := cli.Printable(os.Stdout)
	_, _ = out.Write([]byte("leads: \x1b[2J\x1b]0;root\x07 nobody\r\n"))
	// Output: leads: \u001b[2J\u001b]0;root\u0007 nobody\u000d
}

func TestWrite(t *testing.T) {
	for text, want := range map[string]string{
		"node\trole\n1\tleader\n": "node\trole\n1\tleader\n",
		"größer 日本 é":             "größer 日本 é",
		"a\u009b31mb":             `a\u009b31mb`,
		"a\u202eb\u2066c\u200bd":  `a\u202eb\u2066c\u200bd`,
		"a\u2028b\ufeffc\x7fd":    `a\u2028b\ufeffc\u007fd`,
		"a\U000e0041b":            `a\udb40\udc41b`,
		"a\uffffb\U0001ffffc":     `a\uffffb\ud83f\udfffc`,
		"\xffa\xc3":               "\ufffda",
	} {
		var out strings.Builder
		n, err := cli.Printable(&out).Write([]byte(text))
		require.NoError(t, err)
		require.Equal(t, len(text), n)
		require.Equal(t, want, out.String())
	}
}

// TestAnything prints any bytes, cut anywhere: nothing that acts on a terminal is left, and JSON stays the same JSON.
func TestAnything(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.SliceOf(rapid.Byte()).Draw(t, "bytes")
		cut := rapid.IntRange(0, len(text)).Draw(t, "cut")
		var whole, parts strings.Builder
		_, _ = cli.Printable(&whole).Write(text)
		w := cli.Printable(&parts)
		_, _ = w.Write(text[:cut])
		_, _ = w.Write(text[cut:])
		require.Equal(t, whole.String(), parts.String())
		for _, r := range whole.String() {
			require.True(t, unicode.IsPrint(r) || r == '\n' || r == '\t' || r == unicode.ReplacementChar, "%U", r)
		}

		said := rapid.String().Draw(t, "said")
		data, err := json.Marshal(said)
		require.NoError(t, err)
		var out bytes.Buffer
		_, _ = cli.Printable(&out).Write(data)
		var again string
		require.NoError(t, json.Unmarshal(out.Bytes(), &again))
		require.Equal(t, said, again)
	})
}

// TestLongLine cuts a line that does not end, once, and goes on with the next.
func TestLongLine(t *testing.T) {
	var out strings.Builder
	w := cli.Printable(&out)
	long := strings.Repeat("x", 64<<10)
	for range 3 {
		_, err := w.Write([]byte(long))
		require.NoError(t, err)
	}
	_, err := w.Write([]byte("\nnext\n" + long + "\n"))
	require.NoError(t, err)
	require.Equal(t, long+"… (the line goes on)\nnext\n"+long+"\n", out.String())
}

func TestText(t *testing.T) {
	require.Equal(t, `stopped\n3 LEADER\u001b[2J`, cli.PrintableText("stopped\n3\tLEADER\x1b[2J"))
	require.Equal(t, strings.Repeat("é", 300), cli.PrintableText(strings.Repeat("é", 300)))
	require.Equal(t, strings.Repeat("é", 300)+"…", cli.PrintableText(strings.Repeat("é", 301)))
}

type broken struct{}

func (broken) Write([]byte) (int, error) { return 3, errors.New("gone") }

func TestWriterFails(t *testing.T) {
	n, err := cli.Printable(broken{}).Write([]byte("four"))
	require.EqualError(t, err, "gone")
	require.Zero(t, n)
}
