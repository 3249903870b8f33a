//go:build unix

package main

import (
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// wants is what a comment of the page says of a command.
type wants struct {
	exits []int
	text  string
}

var wanted = regexp.MustCompile(`# (?:exits with (\d)(?: or (\d))?(?:: [^#]*$)?)?(?:, )?(?:says: (.*))?$`)

// wantsOf reads the comment of a command; without one it is to exit with 0.
func wantsOf(line string) (w wants) {
	found := wanted.FindStringSubmatch(line)
	if found == nil {
		return wants{exits: []int{0}}
	}
	for _, text := range found[1:3] {
		if n, err := strconv.Atoi(text); err == nil {
			w.exits = append(w.exits, n)
		}
	}
	if w.exits == nil {
		w.exits = []int{0}
	}
	w.text = strings.TrimSpace(found[3])
	return w
}

// met reports whether a command has done what is wanted of it.
func (w wants) met(status int, out, text string) bool {
	return slices.Contains(w.exits, status) && strings.Contains(out, text)
}

// TestPageIsHeld: a comment of the page is asked of its command.
func TestPageIsHeld(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		line   string
		status int
		out    string
		met    bool
	}{
		{"systemctl stop bully", 0, "", true},
		{"systemctl stop bully", 1, "", false},
		{"bully repair   # is not held to this", 0, "", true},
		{"bully repair   # says: is lost", 0, "the record is lost", true},
		{"bully repair   # says: is lost", 0, "the record is there", false},
		{"bully repair   # says: is lost", 1, "the record is lost", false},
		{"bully repair   # exits with 1, says: is lost", 1, "the record is lost", true},
		{"bully repair   # exits with 1, says: is lost", 0, "the record is lost", false},
		{"bully status   # exits with 1: and then", 1, "", true},
		{"bully status   # exits with 1: and then", 0, "", false},
		{"bully measure  # exits with 0 or 1, says: x", 1, "x", true},
		{"bully measure  # exits with 0 or 1, says: x", 2, "x", false},
		{"bully member add 3=10.0.0.3:7000#…   # says: settled", 0, "", false},
	} {
		w := wantsOf(c.line)
		require.Equal(t, c.met, w.met(c.status, c.out, w.text), c)
	}
}

// block is a block of commands of the page, and under which heading it is.
type block struct {
	heading string
	lines   []string
}

// page returns the blocks of the page.
func page(t testing.TB) (blocks []block) {
	t.Helper()
	text, err := os.ReadFile("../../OPERATING.md")
	require.NoError(t, err)
	heading, inside := "", false
	for line := range strings.Lines(string(text)) {
		line = strings.TrimRight(line, "\n")
		switch {
		case strings.HasPrefix(line, "```") && inside:
			inside = false
		case strings.HasPrefix(line, "```"):
			require.Equal(t, "```sh", line, "a block that is not run")
			inside, blocks = true, append(blocks, block{heading: heading})
		case inside:
			last := &blocks[len(blocks)-1]
			last.lines = append(last.lines, line)
		case strings.HasPrefix(line, "#"):
			heading = strings.TrimLeft(line, "# ")
		}
	}
	return blocks
}

// of returns the blocks of a section.
func of(t testing.TB, heading string) (blocks []block) {
	t.Helper()
	for _, b := range page(t) {
		if b.heading == heading {
			blocks = append(blocks, b)
		}
	}
	require.NotEmpty(t, blocks, "the page has no commands under %q", heading)
	return blocks
}
