// Package table reads tables of mutants: bugs that are put into a file, one at a time, each of which must be noticed. Command
// mutants has one of this repository's Go, and package selftest one of the port in Python.
//
//	all, err := table.Read(os.DirFS("conformance/mutants/table"))
//	if err != nil {
//		return err // it says in which line
//	}
//	broken, err := all[0].Apply(source) // of the file all[0].File
//
// A table is the .txt files of a folder. A mutant looks like this, and its old text must be in its file exactly once:
//
//	mutant grant-twice
//	file impl/bully/claim.go
//	breaks R17: an epoch that is promised to one node is granted to another
//	-e == n.epoch && (n.grantee == none || n.grantee == c)
//	+e == n.epoch
//
// Lines that begin with - and lines that begin with + are one change, and there may be several. Fields that stand above the first
// mutant of a file hold for all of it. Lines that begin with # are for people.
package table

import (
	"fmt"
	"io/fs"
	"slices"
	"strings"
)

// Mutant is a bug that is put into one file.
type Mutant struct {
	Name     string   `json:"name"`
	File     string   `json:"file"`            // with slashes, below a folder that whoever tries it knows
	Breaks   string   `json:"breaks"`          // what it does wrong, in words
	Tests    []string `json:"tests,omitempty"` // the packages whose tests are to kill it, in order
	Smallest string   `json:"-"`               // a package, and a pattern of those of its tests that shrink what they find; "" if there are none
	Rules    []string `json:"rules,omitempty"` // for which it may be refused: one of them
	Hangs    bool     `json:"hangs,omitempty"` // it waits for what never comes, and so is told by the time that it takes
	Hunks    []Hunk   `json:"-"`
	Place    string   `json:"-"` // in the table: file and line
}

// Hunk replaces a text, which is in the file exactly once, by another.
type Hunk struct{ Old, New string }

// Read reads the .txt files of a folder, in the order of their names. Names are there once, and there is at least one mutant.
func Read(folder fs.FS) ([]Mutant, error) {
	files, err := fs.Glob(folder, "*.txt")
	if err != nil {
		return nil, err
	}
	if len(files) == 0 {
		return nil, fmt.Errorf("there are no .txt files")
	}
	slices.Sort(files)
	var all []Mutant
	names := map[string]bool{}
	for _, file := range files {
		text, err := fs.ReadFile(folder, file)
		if err != nil {
			return nil, err
		}
		some, err := Parse(file, string(text))
		if err != nil {
			return nil, err
		}
		for _, m := range some {
			if names[m.Name] {
				return nil, fmt.Errorf("%s: there are two mutants %s: give each a name of its own", m.Place, m.Name)
			}
			names[m.Name] = true
		}
		all = append(all, some...)
	}
	if len(all) == 0 {
		return nil, fmt.Errorf("there are no mutants: nothing was tried")
	}
	return all, nil
}

// Parse reads one file, whose name is for errors.
func Parse(name, text string) ([]Mutant, error) {
	var all []Mutant
	var common Mutant
	m := &common
	within := byte(0) // the sign of the line before, if it was of a hunk
	for i, line := range strings.Split(text, "\n") {
		place := fmt.Sprintf("%s:%d", name, i+1)
		sign := byte(0)
		switch word, rest, _ := strings.Cut(line, " "); {
		case line == "" || line[0] == '#':
		case line[0] == '-' || line[0] == '+':
			if sign = line[0]; len(all) == 0 {
				return nil, fmt.Errorf("%s: a change of nothing: begin with mutant NAME", place)
			}
			m.add(sign, within, line[1:])
		case word == "mutant":
			all = append(all, common)
			m = &all[len(all)-1]
			m.Name, m.Place = strings.TrimSpace(rest), place
		default:
			if !m.set(word, strings.TrimSpace(rest)) {
				return nil, fmt.Errorf("%s: %q is no field: there are file, breaks, tests, smallest, rules and hangs", place, word)
			}
		}
		within = sign
	}
	for i := range all {
		if err := all[i].complete(); err != nil {
			return nil, fmt.Errorf("%s: %w", all[i].Place, err)
		}
	}
	return all, nil
}

// set sets a field, and reports whether there is one of that name.
func (m *Mutant) set(field, value string) bool {
	switch field {
	case "file":
		m.File = value
	case "breaks":
		m.Breaks = value
	case "tests":
		m.Tests = strings.Fields(value)
	case "smallest":
		m.Smallest = value
	case "rules":
		m.Rules = strings.Fields(value)
	case "hangs":
		m.Hangs = value == "yes"
	default:
		return false
	}
	return true
}

// add adds a line to the hunks: a line with - begins one, unless it follows on another such line.
func (m *Mutant) add(sign, within byte, line string) {
	if sign == '-' && within != '-' || len(m.Hunks) == 0 {
		m.Hunks = append(m.Hunks, Hunk{})
	}
	h := &m.Hunks[len(m.Hunks)-1]
	text := &h.Old
	if sign == '+' {
		text = &h.New
	}
	if within == sign {
		*text += "\n"
	}
	*text += line
}

// complete says what a mutant lacks.
func (m *Mutant) complete() error {
	switch {
	case m.Name == "" || strings.ContainsAny(m.Name, " |"):
		return fmt.Errorf("%q is no name: write mutant NAME", m.Name)
	case m.File == "" || m.Breaks == "" || len(m.Tests)+len(m.Rules) == 0 || len(m.Hunks) == 0:
		return fmt.Errorf("%s: it needs the fields file, breaks, and tests or rules, and a change", m.Name)
	}
	for _, h := range m.Hunks {
		if h.Old == "" || h.Old == h.New {
			return fmt.Errorf("%s: a change says what was there with -, and what is there instead with +", m.Name)
		}
	}
	return nil
}

// Edit replaces the bytes from Start to End of a file.
type Edit struct {
	Start, End int
	Text       string
}

// Edits returns the places of the hunks in the source, each without what is the same at both ends. The error says which text is not
// there once.
func (m *Mutant) Edits(source string) ([]Edit, error) {
	var edits []Edit
	for _, h := range m.Hunks {
		if n := strings.Count(source, h.Old); n != 1 {
			return nil, fmt.Errorf("%s has this %d times, not once: %q", m.File, n, h.Old)
		}
		start := strings.Index(source, h.Old)
		edits = append(edits, Edit{start, start + len(h.Old), h.New}.tight(h.Old))
	}
	return edits, nil
}

// Apply returns the source with the mutant's bug.
func (m *Mutant) Apply(source string) (string, error) {
	edits, err := m.Edits(source)
	return Apply(source, edits), err
}

// Apply returns the source with all edits made; they do not overlap.
func Apply(source string, edits []Edit) string {
	edits = slices.Clone(edits)
	slices.SortFunc(edits, func(a, b Edit) int { return b.Start - a.Start })
	for _, e := range edits {
		source = source[:e.Start] + e.Text + source[e.End:]
	}
	return source
}

// tight returns the same edit of the text old without what is the same at both ends.
func (e Edit) tight(old string) Edit {
	for len(old) > 0 && len(e.Text) > 0 && old[0] == e.Text[0] {
		old, e.Text, e.Start = old[1:], e.Text[1:], e.Start+1
	}
	for len(old) > 0 && len(e.Text) > 0 && old[len(old)-1] == e.Text[len(e.Text)-1] {
		old, e.Text, e.End = old[:len(old)-1], e.Text[:len(e.Text)-1], e.End-1
	}
	return e
}
