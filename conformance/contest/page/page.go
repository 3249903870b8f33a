package page

import (
	"bytes"
	_ "embed"
	"errors"
	"fmt"
	"html/template"
	"io"
	"regexp"
	"unicode"
)

// Page is what is to be read.
type Page struct {
	Title    string
	Intro    string   // what the page is about; an empty line begins a new paragraph
	Machine  string   // where and how it was measured: a sentence
	Notes    []string // what was left out, and why; may be none
	Sections []Section
}

// Section is a question with its answer, or a number of stories.
type Section struct {
	ID       string // of small letters, digits and hyphens, for links; no two of a page are the same
	Title    string
	Question string // as a person would ask it; or ""
	Text     string // what the answer says, and how it was measured; an empty line begins a new paragraph; or ""
	Pictures []Picture
	Table    Table
	Command  string // which measures the same again; or ""
	Stories  []Story
}

// Picture draws itself.
type Picture interface {
	// SVG returns a drawing that is so many CSS pixels wide.
	SVG(width int) ([]byte, error)
}

// Table is a table of numbers. Without rows there is none.
type Table struct {
	Caption string
	Columns []Column
	Rows    [][]string // each has a cell for each column
}

// Column is the head of a column.
type Column struct {
	Name   string
	Number bool // it is set to the right
}

// Story is a scenario, with runs to look at side by side.
type Story struct {
	ID      string // as of a section
	Title   string
	Watch   string // what to look at
	Cause   string // why it happens
	Remedy  string // what is done about it
	Command string // which runs it again; or ""
	Runs    []Run
}

// Run is a run of a scenario.
type Run struct {
	Name    string // of the algorithm
	Verdict string // what came of it: "two leaders for 210 ms"
	Wrong   bool   // that is not as it should be
	Picture Picture
}

// The widths at which pictures are drawn: of charts, on wide screens and on phones; and of runs, of which two stand side by
// side.
const (
	wide   = 760
	narrow = 360
	half   = 520
)

//go:embed page.html
var source string

// layout is the page without what is in it. It is checked when the program is built: a test writes it.
var layout = template.Must(template.New("page").Funcs(template.FuncMap{
	"wide":       func(p Picture) (template.HTML, error) { return draw(p, wide) },
	"narrow":     func(p Picture) (template.HTML, error) { return draw(p, narrow) },
	"half":       func(p Picture) (template.HTML, error) { return draw(p, half) },
	"paragraphs": paragraphs,
}).Parse(source))

// Write writes a page. If it returns an error of the page, and not of the writer, it has written nothing.
func Write(w io.Writer, p Page) error {
	if err := p.check(); err != nil {
		return err
	}
	var b bytes.Buffer
	if err := layout.Execute(&b, p); err != nil {
		return fmt.Errorf("page: %w", err)
	}
	_, err := w.Write(bytes.Map(visible, b.Bytes()))
	return err
}

// visible leaves out what no page should have: control characters, and those that turn the direction of writing.
func visible(r rune) rune {
	if r != '\n' && (unicode.IsControl(r) || unicode.Is(unicode.Bidi_Control, r)) {
		return -1
	}
	return r
}

// identifier is what an ID may be.
var identifier = regexp.MustCompile(`^[a-z0-9]+(-[a-z0-9]+)*$`)

// check says what is wrong with a page.
func (p Page) check() error {
	if len(p.Sections) == 0 {
		return errors.New("page: no sections: there is nothing to read")
	}
	seen := map[string]bool{"contents": true}
	known := func(id string) error {
		if !identifier.MatchString(id) {
			return fmt.Errorf("page: ID %q: it must be of small letters, digits and single hyphens", id)
		}
		if seen[id] {
			return fmt.Errorf("page: ID %q is there twice: links to it would be ambiguous", id)
		}
		seen[id] = true
		return nil
	}
	for _, s := range p.Sections {
		if err := known(s.ID); err != nil {
			return err
		}
		for i, row := range s.Table.Rows {
			if len(row) != len(s.Table.Columns) {
				return fmt.Errorf("page: section %q: row %d of the table has %d cells for %d columns", s.ID, i+1, len(row), len(s.Table.Columns))
			}
		}
		for i, picture := range s.Pictures {
			if picture == nil {
				return fmt.Errorf("page: section %q: picture %d is nil", s.ID, i+1)
			}
		}
		for _, story := range s.Stories {
			if err := known(story.ID); err != nil {
				return err
			}
			for _, run := range story.Runs {
				if run.Picture == nil {
					return fmt.Errorf("page: story %q: the run of %q has no picture", story.ID, run.Name)
				}
			}
		}
	}
	return nil
}
