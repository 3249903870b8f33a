package web

import (
	"crypto/sha256"
	_ "embed"
	"encoding/base64"
	"net/http"
	"strings"
)

// html is the page: one file, without dependencies, that asks /views what to show.
//
//go:embed page.html
var html string

// page is the page, and what a browser may do with it.
type page struct {
	policy string
}

// newPage returns the page, which may connect to its own origin and to the others.
func newPage(origins []string) page {
	connect := strings.Join(append([]string{"'self'"}, origins...), " ")
	return page{policy: strings.Join([]string{
		"default-src 'none'", "script-src '" + digest("script") + "'", "style-src '" + digest("style") + "'", "img-src data:",
		"connect-src " + connect, "base-uri 'none'", "form-action 'none'", "frame-ancestors 'none'",
	}, "; ")}
}

// digest returns the digest of the one script, or style, that is in the page.
func digest(tag string) string {
	_, after, _ := strings.Cut(html, "<"+tag+">")
	text, _, _ := strings.Cut(after, "</"+tag+">")
	sum := sha256.Sum256([]byte(text))
	return "sha256-" + base64.StdEncoding.EncodeToString(sum[:])
}

// serve writes the page.
func (p page) serve(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Security-Policy", p.policy)
	w.Header().Set("Referrer-Policy", "no-referrer")
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	_, _ = w.Write([]byte(html))
}
