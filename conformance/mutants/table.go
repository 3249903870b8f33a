package main

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// mutant is a bug that is put into one file.
type mutant struct {
	Name     string   `json:"name"`
	File     string   `json:"file"`   // below the root, with slashes
	Breaks   string   `json:"breaks"` // in words
	Tests    []string `json:"tests"`  // the packages whose tests are to kill it, in order
	smallest where    // the tests that shrink what they find, if there are any
	hunks    []hunk   // of the table
	edits    []edit   // the same by place
	place    string   // the function that it is in, or outside
	key      string   // what a generated one is known by
	number   int      // its number in a combined package, or 0
	problem  string   // that the type checker has with it there
}

// hunk replaces a text, which is in the file exactly once, by another.
type hunk struct{ old, new string }

// where is tests of one package.
type where struct{ dir, run string }

// readTable reads the files of a folder. Each mutant is compared with the file that it is in: the error names those that
// are stale.
func readTable(root, folder string) ([]*mutant, error) {
	blocks, err := readBlocks(folder)
	if err != nil {
		return nil, err
	}
	var all []*mutant
	var stale []string
	names := map[string]bool{}
	for _, b := range blocks {
		m, err := b.mutant()
		if err != nil {
			return nil, fmt.Errorf("%s: %w", b.place, err)
		}
		if names[m.Name] {
			return nil, fmt.Errorf("%s: there are two mutants %s: give each a name of its own", b.place, m.Name)
		}
		names[m.Name] = true
		if err := m.resolve(root); err != nil {
			stale = append(stale, fmt.Sprintf("%s: %s: %v", b.place, m.Name, err))
		}
		all = append(all, m)
	}
	if len(stale) > 0 {
		return nil, fmt.Errorf("%d of %d mutants are stale: bring their old text up to date\n%s", len(stale), len(all), strings.Join(stale, "\n"))
	}
	if len(all) == 0 {
		return nil, fmt.Errorf("%s: there are no mutants: nothing was tried", folder)
	}
	return all, nil
}

// resolve finds the places of the hunks, and the function that they are in.
func (m *mutant) resolve(root string) error {
	source, err := os.ReadFile(filepath.Join(root, filepath.FromSlash(m.File)))
	if err != nil {
		return err
	}
	m.edits = m.edits[:0]
	for _, h := range m.hunks {
		if n := strings.Count(string(source), h.old); n != 1 {
			return fmt.Errorf("%s has this %d times, not once: %q", m.File, n, h.old)
		}
		start := strings.Index(string(source), h.old)
		m.edits = append(m.edits, edit{start, start + len(h.old), h.new}.tight(h.old))
	}
	m.place, err = placeOf(string(source), m.edits)
	return err
}

// block is a paragraph of a file: what it is about, fields, and hunks.
type block struct {
	place       string // file and line
	kind, title string
	fields      map[string]string
	hunks       []hunk
}

// readBlocks reads the .txt files of a folder. A block begins with the line "mutant NAME" or "equivalent FILE"; the
// fields above the first of a file hold for all in it.
func readBlocks(folder string) ([]*block, error) {
	files, err := filepath.Glob(filepath.Join(folder, "*.txt"))
	if err != nil {
		return nil, err
	}
	if len(files) == 0 {
		return nil, fmt.Errorf("%s: there are no .txt files", folder)
	}
	slices.Sort(files)
	var all []*block
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			return nil, err
		}
		blocks, err := parseBlocks(filepath.Base(file), string(text))
		if err != nil {
			return nil, err
		}
		all = append(all, blocks...)
	}
	return all, nil
}

// fieldNames are the fields that there are.
var fieldNames = []string{"file", "breaks", "tests", "smallest", "in", "why"}

// parseBlocks reads one file.
func parseBlocks(name, text string) (blocks []*block, err error) {
	common := map[string]string{}
	b := &block{fields: common}
	within := byte(0) // the sign of the line before, if it was of a hunk
	for i, line := range strings.Split(text, "\n") {
		place := fmt.Sprintf("%s:%d", name, i+1)
		sign := byte(0)
		switch word, rest, _ := strings.Cut(line, " "); {
		case line == "" || line[0] == '#':
		case line[0] == '-' || line[0] == '+':
			if sign = line[0]; len(blocks) == 0 {
				return nil, fmt.Errorf("%s: a change of nothing: begin with mutant NAME", place)
			}
			b.add(sign, within, line[1:])
		case word == "mutant" || word == "equivalent":
			b = &block{place: place, kind: word, title: strings.TrimSpace(rest), fields: map[string]string{}}
			for field, value := range common {
				b.fields[field] = value
			}
			blocks = append(blocks, b)
		case slices.Contains(fieldNames, word):
			b.fields[word] = strings.TrimSpace(rest)
		default:
			return nil, fmt.Errorf("%s: %q is no field: there are %s", place, word, strings.Join(fieldNames, ", "))
		}
		within = sign
	}
	return blocks, nil
}

// add adds a line to the hunks: a line with - begins one, unless it follows on another such line.
func (b *block) add(sign, within byte, line string) {
	if sign == '-' && within != '-' || len(b.hunks) == 0 {
		b.hunks = append(b.hunks, hunk{})
	}
	h := &b.hunks[len(b.hunks)-1]
	text := &h.old
	if sign == '+' {
		text = &h.new
	}
	if within == sign {
		*text += "\n"
	}
	*text += line
}

// mutant returns the block as a mutant.
func (b *block) mutant() (*mutant, error) {
	m := &mutant{Name: b.title, File: b.fields["file"], Breaks: b.fields["breaks"], Tests: strings.Fields(b.fields["tests"]), hunks: b.hunks}
	m.smallest.dir, m.smallest.run, _ = strings.Cut(b.fields["smallest"], " ")
	switch {
	case b.kind != "mutant" || m.Name == "" || strings.ContainsAny(m.Name, " |"):
		return nil, fmt.Errorf("%q is no name: write mutant NAME", b.title)
	case m.File == "" || m.Breaks == "" || len(m.Tests) == 0 || len(m.hunks) == 0:
		return nil, fmt.Errorf("%s: it needs the fields file, breaks and tests, and a change", m.Name)
	}
	for _, h := range m.hunks {
		if h.old == "" || h.old == h.new {
			return nil, fmt.Errorf("%s: a change says what was there with -, and what is there instead with +", m.Name)
		}
	}
	return m, nil
}
