package main

import (
	"encoding/json"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// edit replaces the bytes from start to end of a file.
type edit struct {
	start, end int
	text       string
}

// tight returns the same edit of the text old without what is the same at both ends.
func (e edit) tight(old string) edit {
	for len(old) > 0 && len(e.text) > 0 && old[0] == e.text[0] {
		old, e.text, e.start = old[1:], e.text[1:], e.start+1
	}
	for len(old) > 0 && len(e.text) > 0 && old[len(old)-1] == e.text[len(e.text)-1] {
		old, e.text, e.end = old[:len(old)-1], e.text[:len(e.text)-1], e.end-1
	}
	return e
}

// placeOf returns the name of the function within whose body all edits are, or outside.
func placeOf(source string, edits []edit) (string, error) {
	parsed, err := parser.ParseFile(token.NewFileSet(), "", source, parser.SkipObjectResolution)
	if err != nil {
		return "", err
	}
	for _, declaration := range parsed.Decls {
		if f, ok := declaration.(*ast.FuncDecl); ok && f.Body != nil && areWithin(edits, int(f.Body.Lbrace-parsed.FileStart), int(f.Body.Rbrace-parsed.FileStart)) {
			return f.Name.Name, nil
		}
	}
	return outside, nil
}

// areWithin reports whether all edits are between two braces.
func areWithin(edits []edit, opening, closing int) bool {
	return !slices.ContainsFunc(edits, func(e edit) bool { return e.start <= opening || e.end > closing })
}

// apply returns the source with all edits made; they do not overlap.
func apply(source string, edits []edit) string {
	edits = slices.Clone(edits)
	slices.SortFunc(edits, func(a, b edit) int { return b.start - a.start })
	for _, e := range edits {
		source = source[:e.start] + e.text + source[e.end:]
	}
	return source
}

// overlay writes the file of a mutant, and what tells the go command to read it, and returns the path of the latter. Done
// removes both.
func (m *mutant) overlay(root string) (overlay string, done func(), err error) {
	dir, err := os.MkdirTemp("", "mutant-")
	if err != nil {
		return "", nil, err
	}
	done = func() { _ = os.RemoveAll(dir) }
	file := filepath.Join(root, filepath.FromSlash(m.File))
	source, err := os.ReadFile(file)
	if err != nil {
		return "", done, err
	}
	broken := filepath.Join(dir, "broken.go")
	if err := os.WriteFile(broken, []byte(apply(string(source), m.edits)), 0o600); err != nil {
		return "", done, err
	}
	replace, err := json.Marshal(map[string]map[string]string{"Replace": {file: broken}})
	if err != nil {
		return "", done, err
	}
	overlay = filepath.Join(dir, "overlay.json")
	return overlay, done, os.WriteFile(overlay, replace, 0o600)
}

// diff returns the lines that a mutant takes out and puts in.
func (m *mutant) diff(root string) (old, now []string, err error) {
	source, err := os.ReadFile(filepath.Join(root, filepath.FromSlash(m.File)))
	if err != nil {
		return nil, nil, err
	}
	old, now = diffLines(string(source), m.edits)
	return old, now, nil
}

// diffLines returns whole lines without the white space around them, from the first to the last that the edits touch.
// What is the same at both ends is left out.
func diffLines(source string, edits []edit) (old, now []string) {
	first, last := len(source), 0
	for _, e := range edits {
		first, last = min(first, e.start), max(last, e.end)
	}
	first = strings.LastIndexByte(source[:first], '\n') + 1
	if i := strings.IndexByte(source[last:], '\n'); i >= 0 {
		last += i
	} else {
		last = len(source)
	}
	within := make([]edit, len(edits))
	for i, e := range edits {
		within[i] = edit{e.start - first, e.end - first, e.text}
	}
	old = trimmed(source[first:last])
	now = trimmed(apply(source[first:last], within))
	for len(old) > 0 && len(now) > 0 && old[0] == now[0] {
		old, now = old[1:], now[1:]
	}
	for len(old) > 0 && len(now) > 0 && old[len(old)-1] == now[len(now)-1] {
		old, now = old[:len(old)-1], now[:len(now)-1]
	}
	return old, now
}

// trimmed returns the lines of a text that are not blank, without the white space around them.
func trimmed(text string) (lines []string) {
	for line := range strings.Lines(text) {
		if line = strings.TrimSpace(line); line != "" {
			lines = append(lines, line)
		}
	}
	return lines
}

// show prints mutants as diffs.
func (a *app) show(mutants []*mutant) error {
	for _, m := range mutants {
		text, err := m.text(a.root)
		if err != nil {
			return err
		}
		if _, err := fmt.Fprint(a.out, text); err != nil {
			return err
		}
	}
	return nil
}

// text returns a mutant as a diff with a heading.
func (m *mutant) text(root string) (string, error) {
	old, now, err := m.diff(root)
	if err != nil {
		return "", err
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%s", m.Name)
	if m.Breaks != "" {
		fmt.Fprintf(&b, ": %s", m.Breaks)
	}
	b.WriteByte('\n')
	for _, line := range old {
		fmt.Fprintf(&b, "-%s\n", line)
	}
	for _, line := range now {
		fmt.Fprintf(&b, "+%s\n", line)
	}
	return b.String(), nil
}
