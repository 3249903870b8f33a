package viewer

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"io"
	"net/http"
	"strconv"
	"strings"
)

var (
	_ io.WriterTo  = (*Page)(nil)
	_ http.Handler = (*Page)(nil)
)

// Pack makes ServeHTTP write the page compressed to whoever takes that. It takes a fifth of a second of a core, once, and
// the memory of the compressed page: a node that must not be held up leaves it.
func (p *Page) Pack() {
	var b bytes.Buffer
	w, _ := gzip.NewWriterLevel(&b, gzip.BestSpeed) // it is a level
	_, _ = p.WriteTo(w)                             // a buffer takes all
	_ = w.Close()
	p.packed = b.Bytes()
}

// digest returns what tells the page from others.
func (p *Page) digest() string {
	sum := sha256.New()
	_, _ = p.WriteTo(sum) // a digest takes all
	return hex.EncodeToString(sum.Sum(nil)[:16])
}

// ServeHTTP implements http.Handler: GET and HEAD, whatever the path.
func (p *Page) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	h := w.Header()
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		h.Set("Allow", "GET, HEAD")
		http.Error(w, "the page can be read, and no more", http.StatusMethodNotAllowed)
		return
	}
	h.Set("Content-Security-Policy", p.Policy()+"; frame-ancestors 'none'")
	h.Set("Referrer-Policy", "no-referrer")
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Cache-Control", "no-cache") // it may be kept, but is asked for each time
	h.Set("Vary", "Accept-Encoding")
	packed := p.packed != nil && takesGzip(r.Header.Values("Accept-Encoding"))
	tag, size := `"`+p.tag()+`"`, p.Size()
	if packed {
		tag, size = `"`+p.tag()+`-gzip"`, int64(len(p.packed))
	}
	h.Set("ETag", tag)
	if matches(r.Header.Values("If-None-Match"), tag) {
		w.WriteHeader(http.StatusNotModified)
		return
	}
	h.Set("Content-Type", "text/html; charset=utf-8")
	h.Set("Content-Length", strconv.FormatInt(size, 10))
	if packed {
		h.Set("Content-Encoding", "gzip")
	}
	switch {
	case r.Method == http.MethodHead:
		w.WriteHeader(http.StatusOK)
	case packed:
		_, _ = w.Write(p.packed)
	default:
		_, _ = p.WriteTo(w)
	}
}

// takesGzip reports whether a client takes gzip: it names it, and not with the weight 0.
func takesGzip(accepts []string) bool {
	for _, accept := range accepts {
		for coding := range strings.SplitSeq(accept, ",") {
			name, parameters, _ := strings.Cut(coding, ";")
			if strings.EqualFold(strings.TrimSpace(name), "gzip") {
				weight, isWeight := strings.CutPrefix(strings.ReplaceAll(parameters, " ", ""), "q=")
				return !isWeight || strings.Trim(weight, "0.") != ""
			}
		}
	}
	return false
}

// matches reports whether a tag is among those that a client has.
func matches(known []string, tag string) bool {
	for _, list := range known {
		for one := range strings.SplitSeq(list, ",") {
			if one = strings.TrimSpace(one); one == "*" || strings.TrimPrefix(one, "W/") == tag {
				return true
			}
		}
	}
	return false
}
