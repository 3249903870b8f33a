package viewer

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// page returns a page as text.
func page(t *testing.T, o Options) string {
	t.Helper()
	p, err := New(o)
	require.NoError(t, err)
	text := p.Bytes()
	require.Len(t, text, int(p.Size()))
	return string(text)
}

// theBuild returns the build that pages are made of.
func theBuild(t *testing.T) build {
	t.Helper()
	b, err := current()
	require.NoError(t, err)
	return b
}

// whole returns the engine of a build.
func whole(t *testing.T, b build) []byte {
	t.Helper()
	all := make([]byte, b.engine.Size())
	_, err := b.engine.ReadAt(all, 0)
	require.NoError(t, err)
	return all
}

// inside returns the text between a mark, which is there once, and the end of the script.
func inside(t *testing.T, page, mark string) string {
	t.Helper()
	require.Equal(t, 1, strings.Count(page, mark))
	_, after, _ := strings.Cut(page, mark)
	text, _, ok := strings.Cut(after, "</script>")
	require.True(t, ok)
	return text
}

// TestOpened sees that what is opened comes out as it went in, whatever is in it.
func TestOpened(t *testing.T) {
	for _, text := range []string{
		"", "{}\n", "</script><script>alert(1)</script>", "<!--<script>", "]]>", "a\u2028b\u2029c", "\x00\x1f\"\\&amp;", "наука – 選挙", openedMark, connectMark,
	} {
		all := page(t, Options{File: &File{Name: "run <1>.ndjson", Text: text}})
		opened := inside(t, all, openedMark)
		require.NotRegexp(t, "[<>&\u2028\u2029]", opened)
		var got struct{ File File }
		require.NoError(t, json.Unmarshal([]byte(opened), &got))
		require.Equal(t, File{Name: "run <1>.ndjson", Text: text}, got.File)
		require.Equal(t, strings.Count(theBuild(t).html, "<script"), strings.Count(all, "<script"), "no script more")
	}
	require.Equal(t, `{"golden":"failover"}`, inside(t, page(t, Options{Golden: "failover"}), openedMark))
	require.Equal(t, `{"link":"tour=failover"}`, inside(t, page(t, Options{Link: "tour=failover"}), openedMark))
	require.Empty(t, inside(t, page(t, Options{}), openedMark))
}

// TestEngine sees that the engine is in the page, whole, and that the rest of the page is as it was built.
func TestEngine(t *testing.T) {
	all, b := page(t, Options{}), theBuild(t)
	letters := inside(t, all, engineMark)
	got, err := base64.StdEncoding.DecodeString(letters)
	require.NoError(t, err)
	require.True(t, bytes.Equal(whole(t, b), got))
	require.Equal(t, b.html, strings.Replace(all, engineMark+letters, engineMark, 1))
}

// TestLive sees that a page may connect to the nodes that it watches, and to nothing else.
func TestLive(t *testing.T) {
	require.Contains(t, page(t, Options{}), "connect-src 'none'")
	live := &Live{Nodes: []Node{{URL: ""}, {ID: "2", URL: "http://b:8001"}, {ID: "3", URL: "https://[::1]:8001"}, {URL: "http://b:8001"}},
		Cluster: "jobs", Resign: true}
	p, err := New(Options{Live: live})
	require.NoError(t, err)
	require.Contains(t, p.Policy(), "; connect-src 'self' http://b:8001 https://[::1]:8001;")
	all := string(p.Bytes())
	require.NotContains(t, all, "connect-src 'none'")
	require.Equal(t, 1, strings.Count(all, p.Policy()))
	require.JSONEq(t, `{"live":{"nodes":[{"url":""},{"id":"2","url":"http://b:8001"},{"id":"3","url":"https://[::1]:8001"},{"url":"http://b:8001"}],
		"cluster":"jobs","resign":true}}`, inside(t, all, openedMark))
}

// TestPicture sees that a page tells chats of its picture, once, and that nothing in its address can end the tag; and of none if it has none.
func TestPicture(t *testing.T) {
	all := page(t, Options{Picture: `https://a.example/"><script>`, Golden: "failover"})
	require.Contains(t, all, `<meta property="og:image" content="https://a.example/&#34;&gt;&lt;script&gt;">`+"\n")
	require.Equal(t, `{"golden":"failover"}`, inside(t, all, openedMark), "it is no part of what is opened")
	require.NotContains(t, page(t, Options{}), "og:image")
}

// TestTours sees that a page that tells its tours is read, and that one which does not, as it is older, has none.
func TestTours(t *testing.T) {
	tours, err := Tours()
	require.NoError(t, err)
	if strings.Contains(theBuild(t).html, toursMark) {
		require.Greater(t, len(tours), 9)
		require.Equal(t, "failover", tours[0].Name)
	}
	for _, tour := range tours {
		require.NotEmpty(t, tour.Title)
		require.NotEmpty(t, tour.About)
	}
	tours, err = toursOf("<html>" + toursMark + `[{"name":"a","title":"\u003cb>","about":"c","shows":"d"}]</script>`)
	require.NoError(t, err)
	require.Equal(t, []Tour{{Name: "a", Title: "<b>", About: "c", Shows: "d"}}, tours)
	tours, err = toursOf("<html>")
	require.NoError(t, err)
	require.Empty(t, tours)
	_, err = toursOf(toursMark + "[</script>")
	require.ErrorContains(t, err, "run make viewer")
}

// TestRefused sees that what cannot be opened is refused, with why.
func TestRefused(t *testing.T) {
	for want, o := range map[string]Options{
		"a page opens one thing":             {Golden: "failover", File: &File{}},
		"a cluster or a link":                {Golden: "failover", Link: "tour=failover"},
		"big has 16777217 bytes: a page":     {File: &File{Name: "big", Text: strings.Repeat("a", MaxText+1)}},
		"a cluster without nodes":            {Live: &Live{}},
		`node "1" is at "a:8001": give http`: {Live: &Live{Nodes: []Node{{ID: "1", URL: "a:8001"}}}},
		`at "http://a/steps"`:                {Live: &Live{Nodes: []Node{{URL: "http://a/steps"}}}},
		`at "http://u@a"`:                    {Live: &Live{Nodes: []Node{{URL: "http://u@a"}}}},
		`at "ftp://a"`:                       {Live: &Live{Nodes: []Node{{URL: "ftp://a"}}}},
		`at "http://a;script-src"`:           {Live: &Live{Nodes: []Node{{URL: "http://a;script-src"}}}},
		`at "http://*"`:                      {Live: &Live{Nodes: []Node{{URL: "http://*"}}}},
		`at "http://"`:                       {Live: &Live{Nodes: []Node{{URL: "http://"}}}},
	} {
		_, err := New(o)
		require.ErrorContains(t, err, want)
	}
	_, err := New(Options{File: &File{Name: "large", Text: strings.Repeat("a", MaxText)}})
	require.NoError(t, err, "as much as may be")
}

// TestCut sees that a page without its marks, or with other ones, is refused.
func TestCut(t *testing.T) {
	html := theBuild(t).html
	_, err := cut(html)
	require.NoError(t, err)
	for _, mark := range []string{policyMark, connectMark, iconMark, openedMark, engineMark} {
		_, err := cut(strings.Replace(html, mark, "", 1))
		require.ErrorContains(t, err, "0 times, and once is wanted")
		_, err = cut(html + mark)
		require.ErrorContains(t, err, "2 times")
	}
	_, err = cut(engineMark + openedMark + iconMark + policyMark + connectMark + `"`)
	require.ErrorContains(t, err, "another order")
	_, err = cut(policyMark + `"` + connectMark + `"` + iconMark + openedMark + engineMark)
	require.ErrorContains(t, err, "another order")
}

// TestWriterFails sees that the first failure ends the writing.
func TestWriterFails(t *testing.T) {
	p, err := New(Options{})
	require.NoError(t, err)
	w := &failing{room: 100}
	n, err := p.WriteTo(w)
	require.EqualError(t, err, "full")
	require.EqualValues(t, 100, n)
	require.Equal(t, 1, w.failed)
}

type failing struct{ room, failed int }

func (f *failing) Write(data []byte) (int, error) {
	n := min(len(data), f.room)
	if f.room -= n; n < len(data) {
		f.failed++
		return n, errors.New("full")
	}
	return n, nil
}

// TestServe sees what a browser is told.
func TestServe(t *testing.T) {
	p, err := New(Options{Golden: "failover"})
	require.NoError(t, err)
	plain := serve(p, http.MethodGet, "gzip")
	require.Equal(t, http.StatusOK, plain.Code)
	require.Empty(t, plain.Header().Get("Content-Encoding"), "not packed")
	require.Equal(t, string(p.Bytes()), plain.Body.String())

	p.Pack()
	for accept, packed := range map[string]bool{
		"": false, "gzip": true, "br, GZIP;q=0.5, zstd": true, "br": false, "gzip;q=0": false, "gzip; q=0.00": false, "xgzip": false,
	} {
		w := serve(p, http.MethodGet, accept)
		require.Equal(t, http.StatusOK, w.Code)
		require.Equal(t, "Accept-Encoding", w.Header().Get("Vary"))
		require.Equal(t, w.Body.Len(), int(w.Result().ContentLength))
		text := w.Body.Bytes()
		require.Equal(t, packed, w.Header().Get("Content-Encoding") == "gzip", accept)
		require.Equal(t, packed, strings.HasSuffix(w.Header().Get("ETag"), `-gzip"`), "each form has a tag of its own")
		if packed {
			r, err := gzip.NewReader(w.Body)
			require.NoError(t, err)
			text, err = io.ReadAll(r)
			require.NoError(t, err)
		}
		require.True(t, bytes.Equal(text, p.Bytes()))
	}

	head := serve(p, http.MethodHead, "")
	require.Equal(t, http.StatusOK, head.Code)
	require.Zero(t, head.Body.Len())
	require.Equal(t, plain.Header(), head.Header())
	require.Equal(t, "no-cache", head.Header().Get("Cache-Control"))
	require.Equal(t, "nosniff", head.Header().Get("X-Content-Type-Options"))
	require.Equal(t, "no-referrer", head.Header().Get("Referrer-Policy"))
	require.Equal(t, p.Policy()+"; frame-ancestors 'none'", head.Header().Get("Content-Security-Policy"))

	for _, method := range []string{http.MethodPost, http.MethodPut, http.MethodDelete, http.MethodOptions} {
		w := serve(p, method, "")
		require.Equal(t, http.StatusMethodNotAllowed, w.Code)
		require.Equal(t, "GET, HEAD", w.Header().Get("Allow"))
	}
}

func serve(p *Page, method, accept string, known ...string) *httptest.ResponseRecorder {
	r := httptest.NewRequest(method, "/", nil)
	r.Header.Set("Accept-Encoding", accept)
	for _, tags := range known {
		r.Header.Add("If-None-Match", tags)
	}
	w := httptest.NewRecorder()
	p.ServeHTTP(w, r)
	return w
}

// TestTag sees that a page is written again only when it is another.
func TestTag(t *testing.T) {
	p, err := New(Options{Golden: "failover"})
	require.NoError(t, err)
	tag := serve(p, http.MethodGet, "").Header().Get("ETag")
	for _, known := range []string{tag, `"x", ` + tag, "W/" + tag, "*"} {
		w := serve(p, http.MethodGet, "", known)
		require.Equal(t, http.StatusNotModified, w.Code)
		require.Zero(t, w.Body.Len())
	}
	require.Equal(t, http.StatusOK, serve(p, http.MethodGet, "", `"x"`, strings.Trim(tag, `"`)).Code)
	other, err := New(Options{Golden: "resign"})
	require.NoError(t, err)
	require.NotEqual(t, tag, serve(other, http.MethodGet, "").Header().Get("ETag"))
}

// TestPolicy sees that the page as built needs nothing from elsewhere, and that its policy lets it be what it is: each script
// is named by its digest.
func TestPolicy(t *testing.T) {
	p, err := New(Options{})
	require.NoError(t, err)
	policy, html := p.Policy(), theBuild(t).html
	for _, want := range []string{"default-src 'none'", "connect-src 'none'", "base-uri 'none'", "form-action 'none'"} {
		require.Contains(t, policy, want)
	}
	scripts := regexp.MustCompile(`(?s)<script>(.*?)</script>`).FindAllStringSubmatch(html, -1)
	require.NotEmpty(t, scripts)
	allowed := regexp.MustCompile(`script-src ([^;]*)`).FindStringSubmatch(policy)
	require.NotNil(t, allowed)
	require.NotContains(t, allowed[1], "unsafe-inline")
	require.NotContains(t, allowed[1], "'unsafe-eval'")
	for _, script := range scripts {
		sum := sha256.Sum256([]byte(script[1]))
		require.Contains(t, allowed[1], "'sha256-"+base64.StdEncoding.EncodeToString(sum[:])+"'")
	}
	head, _, _ := strings.Cut(html, policyMark)
	require.NotRegexp(t, `<script|<style|<link`, head, "the policy comes first")
	// Text in scripts is not markup, so only what is outside of them is looked at.
	outside := regexp.MustCompile(`(?s)<(script|style)[^>]*>.*?</(script|style)>`).ReplaceAllString(html, "")
	require.NotRegexp(t, `(src|href)="[^"#]`, regexp.MustCompile(`href="data:[^"]*"`).ReplaceAllString(outside, ""))
	require.NotRegexp(t, ` on[a-z]+="`, outside)
}
