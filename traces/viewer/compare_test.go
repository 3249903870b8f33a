package viewer

import (
	"bytes"
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestComparison sees that answers come out as they went in, whatever is in them, and that the page asks for nothing else.
func TestComparison(t *testing.T) {
	for _, text := range []string{"", "</script><script>alert(1)</script>", "<!--<script>", "a\u2028b\u2029c", "\x00\"\\&amp;", answersMark} {
		var page bytes.Buffer
		require.NoError(t, WriteComparison(&page, map[string]string{"title": text}))
		answers := inside(t, page.String(), answersMark)
		require.NotRegexp(t, "[<>&\u2028\u2029]", answers)
		require.Equal(t, strings.Count(comparison, "<script"), strings.Count(page.String(), "<script"), "no script more")
		var got struct{ Title string }
		require.NoError(t, json.Unmarshal([]byte(answers), &got))
		require.Equal(t, text, got.Title)
		require.Equal(t, comparison, strings.Replace(page.String(), answersMark+answers, answersMark, 1))
	}
	require.Contains(t, comparison, "default-src 'none'")
	require.Contains(t, comparison, "connect-src 'none'")
	require.NotContains(t, comparison, "wasm-unsafe-eval")
	for _, outside := range []string{" src=", `href="http`, "url("} {
		require.NotContains(t, comparison, outside)
	}
}

// TestComparisonFails sees that what cannot be written is an error.
func TestComparisonFails(t *testing.T) {
	require.ErrorContains(t, WriteComparison(&bytes.Buffer{}, func() {}), "json: unsupported type")
	require.ErrorIs(t, WriteComparison(broken{}, 1), errBroken)
}

var errBroken = errors.New("broken")

type broken struct{}

func (broken) Write([]byte) (int, error) { return 0, errBroken }
