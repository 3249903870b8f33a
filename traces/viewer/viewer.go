package viewer

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"html"
	"io"
	"net/url"
	"runtime"
	"slices"
	"strings"
	"sync"
)

// MaxText is how large a file may be that is put into a page, in bytes.
const MaxText = 16 << 20

// Options say what a page opens. At most one of them is given; none: the page begins a run of its own.
type Options struct {
	File   *File  // a file
	Golden string // the name of a golden trace, without its ending
	Live   *Live  // a cluster that runs
	Link   string // what a link to the page has after its #: a tour, or a story beside another; README.md has all

	// Picture is the address of a picture, a PNG of 1200 by 630 pixels, which chats show beside a link to the page; "": none. Most want a whole
	// address, with its host. It is no part of what the page opens.
	Picture string
}

// File is a file that a page opens: a trace, a recording, a run spec of a run, what TLC has printed. The page finds out which it
// is, and says what is wrong with it.
type File struct {
	Name string `json:"name"`
	Text string `json:"text"` // at most MaxText bytes
}

// Live is a cluster that a page watches.
type Live struct {
	Nodes   []Node `json:"nodes"`             // at least one
	Cluster string `json:"cluster,omitempty"` // its name, if it is known
	Resign  bool   `json:"resign,omitempty"`  // the nodes let this page make them resign
}

// Node is where a page finds a node: what serves its steps as package web of bully run does.
type Node struct {
	ID  string `json:"id,omitempty"` // "": the page asks
	URL string `json:"url"`          // http://host:port; "" is where the page itself comes from
}

// Page is a page, ready to be written or served.
type Page struct {
	build   build
	connect string // what the policy lets it connect to
	head    string // what is said of its picture, or nothing
	opened  string // JSON, or nothing
	packed  []byte // all of it as gzip, if Pack was called
	tag     func() string
}

// New returns a page. An error says which of the options cannot be.
func New(o Options) (*Page, error) {
	b, err := current()
	if err != nil {
		return nil, err
	}
	p := &Page{build: b, connect: connectMark, head: pictureTags(o.Picture)}
	p.tag = sync.OnceValue(p.digest)
	given := 0
	for _, is := range []bool{o.File != nil, o.Golden != "", o.Live != nil, o.Link != ""} {
		if is {
			given++
		}
	}
	switch {
	case given == 0:
		return p, nil
	case given > 1:
		return nil, errors.New("viewer: a page opens one thing: a file, a golden trace, a cluster or a link")
	case o.File != nil && len(o.File.Text) > MaxText:
		return nil, fmt.Errorf("viewer: %s has %d bytes: a page opens at most %d (16 MiB)", o.File.Name, len(o.File.Text), MaxText)
	case o.Live != nil:
		if p.connect, err = origins(o.Live.Nodes); err != nil {
			return nil, err
		}
	}
	// No text in it can end the element, or begin a comment: encoding/json writes <, > and & as \u003c and so on, and
	// U+2028 and U+2029 likewise.
	opened, err := json.Marshal(struct {
		File   *File  `json:"file,omitempty"`
		Golden string `json:"golden,omitempty"`
		Live   *Live  `json:"live,omitempty"`
		Link   string `json:"link,omitempty"`

		Picture string `json:"-"`
	}(o))
	p.opened = string(opened)
	return p, err
}

// pictureTags returns what tells chats of the picture of a link (ogp.me).
func pictureTags(address string) string {
	if address == "" {
		return ""
	}
	return fmt.Sprintf("<meta property=\"og:image\" content=\"%s\">\n<meta property=\"og:image:width\" content=\"1200\">\n"+
		"<meta property=\"og:image:height\" content=\"630\">\n<meta name=\"twitter:card\" content=\"summary_large_image\">\n", html.EscapeString(address))
}

// origins returns the part of the policy that lets a page connect to nodes.
func origins(nodes []Node) (string, error) {
	if len(nodes) == 0 {
		return "", errors.New("viewer: a cluster without nodes: give at least one")
	}
	allowed := []string{"connect-src"}
	for _, n := range nodes {
		origin := "'self'"
		if n.URL != "" {
			u, err := url.Parse(n.URL)
			// A space or a semicolon would go on with another part of the policy, and a quote end it.
			if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" || n.URL != u.Scheme+"://"+u.Host ||
				strings.ContainsAny(n.URL, " ;,*'\"<>\\") {
				return "", fmt.Errorf("viewer: node %q is at %q: give http://host:port, and nothing after it", n.ID, n.URL)
			}
			origin = n.URL
		}
		if !slices.Contains(allowed, origin) {
			allowed = append(allowed, origin)
		}
	}
	return strings.Join(allowed, " "), nil
}

// Policy returns what the page may do in a browser, as a Content-Security-Policy. The page has it too.
func (p *Page) Policy() string { return fmt.Sprintf(p.build.form.policy, p.connect) }

// Size returns how many bytes the page has.
func (p *Page) Size() int64 {
	f := p.build.form
	return int64(len(f.before)+len(p.connect)+len(f.head)+len(p.head)+len(f.between)+len(p.opened)+len(f.opened)+len(f.rest)) +
		int64(base64.StdEncoding.EncodedLen(int(p.build.engine.Size())))
}

// chunk is how much is written at once: a multiple of 3, which base64 puts in 4 letters.
const chunk = 24 << 10

// WriteTo implements io.WriterTo. It needs little memory, so a node can serve its page on the side.
func (p *Page) WriteTo(w io.Writer) (written int64, err error) {
	write := func(part []byte) {
		n, failed := w.Write(part)
		written, err = written+int64(n), failed
		runtime.Gosched() // a node that has one processor has other things to do
	}
	buffer := make([]byte, chunk+base64.StdEncoding.EncodedLen(chunk))
	raw, letters := buffer[:chunk], buffer[chunk:]
	texts := func(all ...string) {
		for _, text := range all {
			for ; len(text) > 0 && err == nil; text = text[min(len(text), chunk):] {
				write(raw[:copy(raw, text)])
			}
		}
	}
	f := p.build.form
	texts(f.before, p.connect, f.head, p.head, f.between, p.opened, f.opened)
	for at := int64(0); at < p.build.engine.Size() && err == nil; at += chunk {
		n, failed := p.build.engine.ReadAt(raw, at)
		if failed != nil && failed != io.EOF {
			return written, failed
		}
		base64.StdEncoding.Encode(letters, raw[:n])
		write(letters[:base64.StdEncoding.EncodedLen(n)])
	}
	texts(f.rest)
	return written, err
}

// Bytes returns the page: the file that needs nothing else.
func (p *Page) Bytes() []byte {
	var b bytes.Buffer
	b.Grow(int(p.Size()))
	_, _ = p.WriteTo(&b) // a buffer takes all
	return b.Bytes()
}
