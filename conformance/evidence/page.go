package main

import (
	"fmt"
	"io/fs"
	"strings"
)

// The table in the README stands between these two lines.
const (
	readme     = folder + "/README.md"
	tableBegin = "<!-- evidence:begin -->\n"
	tableEnd   = "<!-- evidence:end -->\n"
	tableHead  = "| run | said | on | of inputs | inputs when this page was written |\n|---|---|---|---|---|\n"
)

// status is what is known of a command now.
type status struct {
	*command
	*record        // nil if none is kept
	now     string // the digest of its inputs
}

// readAll returns the status of all commands. A record that is not as it was written is an error; one that is stale is not.
func readAll(root fs.FS) (all []status, err error) {
	for _, c := range commands {
		r, err := c.read(root)
		if err != nil {
			return nil, err
		}
		now, err := c.digest(root)
		if err != nil {
			return nil, err
		}
		all = append(all, status{c, r, now})
	}
	return all, nil
}

func short(digest string) string { return digest[:12] }

// age says whether the record is of what is here.
func (s status) age() string {
	switch {
	case s.record == nil:
		return "nothing is kept"
	case s.inputs() == s.now:
		return "the same"
	}
	return "**stale: inputs changed since " + s.date + "**"
}

func (s status) inputs() string { return s.record.inputs }

// row is a row of the table.
func (s status) row() string {
	if s.record == nil {
		return fmt.Sprintf("| `make %s` | | | | %s |\n", s.name, s.age())
	}
	return fmt.Sprintf("| [`make %s`](%s.txt) | %s | %s, %s, %s | `%s` | `%s`: %s |\n", s.record.command, s.name, strings.ReplaceAll(s.saysOf(s.log), "|", `\|`), s.date, s.machine, s.took,
		short(s.inputs()), short(s.now), s.age())
}

func table(all []status) string {
	var b strings.Builder
	b.WriteString(tableHead)
	for _, s := range all {
		b.WriteString(s.row())
	}
	return b.String()
}

// written returns page with the table of now.
func written(page string, all []status) (string, error) {
	before, rest, found := strings.Cut(page, tableBegin)
	_, after, ended := strings.Cut(rest, tableEnd)
	if !found || !ended {
		return "", fmt.Errorf("%s: the lines %q and %q are not there", readme, strings.TrimSpace(tableBegin), strings.TrimSpace(tableEnd))
	}
	return before + tableBegin + table(all) + tableEnd + after, nil
}
