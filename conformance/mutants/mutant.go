package main

import (
	"encoding/json"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/seed-fdf591db/bully/conformance/mutants/table"
)

// mutant is one of the table, and where it is in the source.
type mutant struct {
	table.Mutant
	edits  []table.Edit
	place  string // the function that it is in, or outside
	number int    // its number in a combined package, or 0
	made   bool   // by the generator
	last   where  // the test that killed it last, as the table of TABLE.md says; no test if none did
	broken bool   // it does not build, and so is none
}

// outside is the place of what is in no function.
const outside = "outside"

// readTable reads a table. Each mutant is compared with the file that it is in: the error names those that are stale.
func readTable(root string, folder fs.FS) ([]*mutant, error) {
	read, err := table.Read(folder)
	if err != nil {
		return nil, err
	}
	var all []*mutant
	var stale []string
	for i := range read {
		m := &mutant{Mutant: read[i]}
		if len(m.Tests) == 0 {
			return nil, fmt.Errorf("%s: %s: it needs the field tests", m.Place, m.Name)
		}
		if err := m.resolve(root); err != nil {
			stale = append(stale, fmt.Sprintf("%s: %s: %v", m.Place, m.Name, err))
		}
		all = append(all, m)
	}
	if len(stale) > 0 {
		return nil, fmt.Errorf("%d of %d mutants are stale: bring their old text up to date\n%s", len(stale), len(all), strings.Join(stale, "\n"))
	}
	return all, nil
}

// resolve finds the places of the hunks, and the function that they are in.
func (m *mutant) resolve(root string) error {
	source, err := os.ReadFile(filepath.Join(root, filepath.FromSlash(m.File)))
	if err != nil {
		return err
	}
	if m.edits, err = m.Edits(string(source)); err != nil {
		return err
	}
	m.place, err = placeOf(string(source), m.edits)
	return err
}

// placeOf returns the name of the function within whose body all edits are, or outside.
func placeOf(source string, edits []table.Edit) (string, error) {
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
func areWithin(edits []table.Edit, opening, closing int) bool {
	return !slices.ContainsFunc(edits, func(e table.Edit) bool { return e.Start <= opening || e.End > closing })
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
	if err := os.WriteFile(broken, []byte(table.Apply(string(source), m.edits)), 0o600); err != nil {
		return "", done, err
	}
	replace, err := json.Marshal(map[string]map[string]string{"Replace": {file: broken}})
	if err != nil {
		return "", done, err
	}
	overlay = filepath.Join(dir, "overlay.json")
	return overlay, done, os.WriteFile(overlay, replace, 0o600)
}

// show prints mutants as diffs.
func (a *app) show(mutants []*mutant) error {
	for _, m := range mutants {
		if _, err := fmt.Fprint(a.out, m.text()); err != nil {
			return err
		}
	}
	return nil
}

// text returns a mutant as a diff with a heading.
func (m *mutant) text() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s: %s\n", m.Name, m.Breaks)
	lines := func(sign, text string) {
		if text != "" {
			b.WriteString(sign + strings.ReplaceAll(text, "\n", "\n"+sign) + "\n")
		}
	}
	for _, h := range m.Hunks {
		lines("-", h.Old)
		lines("+", h.New)
	}
	return b.String()
}
