package viewer

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"regexp"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/require"
)

// meta returns what a page says of how it was built.
func meta(page, name string) string {
	found := regexp.MustCompile(`<meta name="` + name + `" content="([^"]*)">`).FindStringSubmatch(page)
	if found == nil {
		return ""
	}
	return found[1]
}

// TestBuildsBelongTogether sees that each page names the engine beside it, and says which commit both are of; that what is released is of a commit that
// others have; and that what is fresh is taken before it.
func TestBuildsBelongTogether(t *testing.T) {
	b, err := readBuild(dist, released)
	require.NoError(t, err, "it is in the repository")
	require.Regexp(t, `^[0-9a-f]{7,40} of \d{4}-\d\d-\d\d$`, meta(b.html, "commit"))
	require.Equal(t, meta(b.html, "engine"), fmt.Sprintf("%x", sha256.Sum256(whole(t, b))), "dist/released has a page and an engine of two builds: run make viewer-release")
	newer, err := readBuild(dist, fresh)
	if !errors.Is(err, fs.ErrNotExist) {
		require.NoError(t, err)
		require.Equal(t, meta(newer.html, "engine"), fmt.Sprintf("%x", sha256.Sum256(whole(t, newer))), "dist/fresh has a page and an engine of two builds: run make viewer")
		b = newer
	}
	require.Equal(t, b.html, theBuild(t).html)
}

// packed returns a text as gzip.
func packed(t *testing.T, text string) []byte {
	t.Helper()
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	_, err := w.Write([]byte(text))
	require.NoError(t, errors.Join(err, w.Close()))
	return b.Bytes()
}

// TestBuildIsRefused sees that a build without its page or its engine, or with a page that has no marks, is none.
func TestBuildIsRefused(t *testing.T) {
	page := &fstest.MapFile{Data: packed(t, theBuild(t).html)}
	_, err := readBuild(fstest.MapFS{"x/page.html.gz": page}, "x")
	require.ErrorIs(t, err, fs.ErrNotExist)
	_, err = readBuild(fstest.MapFS{"x/engine.wasm.gz": page}, "x")
	require.ErrorIs(t, err, fs.ErrNotExist)
	for data, want := range map[string]string{
		string(packed(t, "<html>")): "x/page.html.gz: the page has <meta", "<html><body>": "x/page.html.gz: gzip: ", string(page.Data[:1000]): "x/page.html.gz: unexpected EOF",
	} {
		_, err = readBuild(fstest.MapFS{"x/page.html.gz": {Data: []byte(data)}, "x/engine.wasm.gz": page}, "x")
		require.ErrorContains(t, err, want)
		require.ErrorContains(t, err, "run make viewer")
	}
	_, err = readBuild(fstest.MapFS{"x/page.html.gz": page, "x/engine.wasm.gz": page}, "x")
	require.NoError(t, err)
}
