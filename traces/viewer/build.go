package viewer

import (
	"bytes"
	"compress/gzip"
	"embed"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"strings"
	"sync"
)

// dist has the pages as they were built. dist/released is in the repository: the page and its engine as of a release. dist/fresh is not: make viewer
// makes it of the sources as they are. The pattern lets one of the two be missing.
//
//go:embed dist/*/*.gz
var dist embed.FS

// fresh and released are the folders of a build. The first that is there is taken.
const (
	fresh    = "dist/fresh"
	released = "dist/released"
)

// build is a page and its engine, which belong together: nobody takes one of them without the other.
type build struct {
	html   string
	form   form // html, cut where something is put in
	engine *io.SectionReader
}

// current is the build that pages are made of.
var current = sync.OnceValues(func() (build, error) {
	b, err := readBuild(dist, fresh)
	if errors.Is(err, fs.ErrNotExist) {
		return readBuild(dist, released)
	}
	return b, err
})

// readBuild reads the build in a folder. The engine stays where it is: it is large, and a node may never be asked for it.
func readBuild(from fs.FS, folder string) (b build, err error) {
	if b.html, err = readPacked(from, folder+"/page.html.gz"); err != nil {
		return b, err
	}
	if b.form, err = cut(b.html); err != nil {
		return b, fmt.Errorf("viewer: %s/page.html.gz: %w: run make viewer", folder, err)
	}
	engine, err := from.Open(folder + "/engine.wasm.gz")
	if err != nil {
		return b, err
	}
	info, err := engine.Stat()
	if err != nil {
		return b, err
	}
	readable, ok := engine.(io.ReaderAt)
	if !ok {
		return b, fmt.Errorf("viewer: %s/engine.wasm.gz cannot be read from any place", folder)
	}
	b.engine = io.NewSectionReader(readable, 0, info.Size())
	return b, nil
}

// readPacked reads a text that is in a file as gzip.
func readPacked(from fs.FS, name string) (string, error) {
	packed, err := fs.ReadFile(from, name)
	if err != nil {
		return "", err
	}
	r, err := gzip.NewReader(bytes.NewReader(packed))
	if err != nil {
		return "", fmt.Errorf("viewer: %s: %w: run make viewer", name, err)
	}
	text, err := io.ReadAll(r)
	if err != nil {
		return "", fmt.Errorf("viewer: %s: %w: run make viewer", name, err)
	}
	return string(text), nil
}

// The places in the page where something is put in. Each is there once.
const (
	policyMark  = `<meta http-equiv="Content-Security-Policy" content="`
	connectMark = `connect-src 'none'`
	iconMark    = `<link rel="icon"`
	openedMark  = `<script type="application/json" id="opened">`
	engineMark  = `<script type="application/octet-stream;base64" id="engine">`
)

// form is the page, cut where something is put in.
type form struct {
	before, policy, head, between, opened, rest string
}

// cut cuts a page at its marks.
func cut(page string) (f form, err error) {
	for _, mark := range []string{policyMark, connectMark, openedMark, engineMark, iconMark} {
		if n := strings.Count(page, mark); n != 1 {
			return f, fmt.Errorf("the page has %s %d times, and once is wanted", mark, n)
		}
	}
	var policy, icon, opened, engine bool
	f.before, page, policy = strings.Cut(page, connectMark)
	f.head, page, icon = strings.Cut(page, iconMark)
	f.between, page, opened = strings.Cut(page, openedMark)
	f.opened, f.rest, engine = strings.Cut(page, engineMark)
	_, f.policy, _ = strings.Cut(f.before, policyMark)
	after, _, closed := strings.Cut(f.head, `"`)
	if !policy || !icon || !opened || !engine || f.policy == "" || !closed || strings.ContainsAny(f.policy, `"<>`) {
		return f, errors.New("the marks of the page are in another order than policy, icon, opened, engine")
	}
	f.policy += "%s" + after
	f.between = iconMark + f.between + openedMark
	f.opened += engineMark
	return f, nil
}

// Tour is a tour of the page: a story in a few steps.
type Tour struct {
	Name  string `json:"name"` // after #tour=, such as split-brain
	Title string `json:"title"`
	About string `json:"about"` // what one learns, in a sentence
	Shows string `json:"shows"` // the scenario or the golden trace that it begins with; "" if that is a run of its own
}

const toursMark = `<script type="application/json" id="tours">`

// Tours returns the tours of the page, in the order in which to take them. A page that was built before it told them has none.
func Tours() (all []Tour, err error) {
	b, err := current()
	if err != nil {
		return nil, err
	}
	return toursOf(b.html)
}

// toursOf reads the tours of a page.
func toursOf(html string) (all []Tour, err error) {
	_, text, ok := strings.Cut(html, toursMark)
	if !ok {
		return nil, nil
	}
	text, _, _ = strings.Cut(text, "</script>")
	if err = json.Unmarshal([]byte(text), &all); err != nil {
		err = fmt.Errorf("viewer: the tours of the page: %w: run make viewer", err)
	}
	return all, err
}
