package spec_test

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed-fdf591db/bully/spec"
)

// blocks returns the lines of the blocks of code in a language, of a page.
func blocks(page, language string) (lines []string) {
	for _, found := range regexp.MustCompile("(?s)```"+language+"\n(.*?)```").FindAllStringSubmatch(page, -1) {
		lines = append(lines, strings.Split(strings.TrimSpace(found[1]), "\n")...)
	}
	return lines
}

// TestExamplesOfWire reads the examples of wire.md, and writes them as they stand there.
func TestExamplesOfWire(t *testing.T) {
	page := readText(t, "wire.md")
	versions := map[byte]int{}
	for _, line := range blocks(page, "json") {
		var m spec.Message
		require.NoError(t, json.Unmarshal([]byte(line), &m), line)
		again, err := json.Marshal(m)
		require.NoError(t, err)
		require.Equal(t, line, string(again))
	}
	for _, line := range regexp.MustCompile("(?m)^\\| `0000.* \\|$").FindAllString(page, -1) {
		bits, says, found := strings.Cut(strings.Trim(line, "| "), " | ")
		require.True(t, found, line)
		frame, err := hex.DecodeString(strings.NewReplacer("`", "", " ", "").Replace(bits))
		require.NoError(t, err, line)
		m, err := spec.ReadFrame(bytes.NewReader(frame))
		require.NoError(t, err, line)
		again, err := spec.AppendFrame(nil, m)
		require.NoError(t, err)
		require.Equal(t, frame, again)
		require.True(t, strings.HasPrefix(says, string(m.Type)+" of epoch "), line)
		versions[frame[4]]++
	}
	require.Equal(t, map[byte]int{3: 9}, versions)
	require.Len(t, blocks(page, "json"), 7)
}

// TestExamplesOfTrace reads the examples of trace.md, and writes them as they stand there.
func TestExamplesOfTrace(t *testing.T) {
	headers, events := 0, 0
	for _, line := range blocks(readText(t, "trace.md"), "json") {
		var again []byte
		var err error
		if strings.HasPrefix(line, `{"format"`) {
			var h spec.Header
			require.NoError(t, json.Unmarshal([]byte(line), &h), line)
			again, err = json.Marshal(h)
			headers++
		} else {
			var e spec.Event
			require.NoError(t, json.Unmarshal([]byte(line), &e), line)
			again, err = json.Marshal(e)
			events++
		}
		require.NoError(t, err)
		require.Equal(t, line, string(again))
	}
	require.Equal(t, 3, headers)
	require.Equal(t, 8, events)
}

// undefined returns the operators of the rules that no module has.
func undefined(rules []spec.Rule, modules string) (names []string) {
	for _, r := range rules {
		for _, name := range r.Operators {
			_, short, qualified := strings.Cut(name, "!")
			if !qualified {
				short = name
			}
			if !regexp.MustCompile(`(?m)^\s*`+short+`(\([^)]*\))? *==`).MatchString(modules) &&
				!regexp.MustCompile(`(?m)^CONSTANTS? .*\b`+short+`\b`).MatchString(modules) {
				names = append(names, r.Name+" "+name)
			}
		}
	}
	return names
}

// TestOperatorsAreDefined looks for the operators of the index in the modules of tla.
func TestOperatorsAreDefined(t *testing.T) {
	files, err := filepath.Glob("../tla/*.tla")
	require.NoError(t, err)
	modules := ""
	for _, file := range files {
		modules += readText(t, file) + "\n"
	}
	require.Empty(t, undefined(spec.Rules(), modules))
	named := 0
	for _, r := range spec.Rules() {
		named += len(r.Operators)
	}
	require.Greater(t, named, 100)
	require.Equal(t, []string{"R1 Wrong", "R1 M!Nor"}, undefined([]spec.Rule{{Name: "R1", Operators: []string{"A", "N", "Wrong", "M!B", "M!Nor"}}},
		"CONSTANT N \\* how many\nA == 1\nB(x) == x\nX == Wrong"))
}

// anchorOf returns the anchor of a heading.
func anchorOf(heading string) string {
	kept := regexp.MustCompile(`[^\p{L}\p{N}_ -]`).ReplaceAllString(strings.ToLower(heading), "")
	return strings.ReplaceAll(kept, " ", "-")
}

// deadLinks returns the links of a page that lead to no file, or to no heading.
func deadLinks(file string) (dead []string) {
	text, _ := os.ReadFile(file)
	words := regexp.MustCompile("(?s)```.*?```").ReplaceAllString(string(text), "")
	for _, found := range regexp.MustCompile(`\]\(([^)\s]+)\)`).FindAllStringSubmatch(words, -1) {
		path, anchor, _ := strings.Cut(found[1], "#")
		if strings.Contains(path, "://") {
			continue
		}
		to := file
		if path != "" {
			to = filepath.Join(filepath.Dir(file), path)
		}
		there, err := os.ReadFile(to)
		if info, statErr := os.Stat(to); statErr == nil && info.IsDir() && anchor == "" {
			continue
		}
		known := anchor == ""
		for _, heading := range regexp.MustCompile(`(?m)^#+ (.*)$`).FindAllStringSubmatch(string(there), -1) {
			known = known || anchorOf(heading[1]) == anchor
		}
		if err != nil || !known {
			dead = append(dead, file+": "+found[1])
		}
	}
	return dead
}

// TestPagesAreShort holds that each page here can be read at one sitting, and the first page of all at a glance.
func TestPagesAreShort(t *testing.T) {
	pages, err := filepath.Glob("*.md")
	require.NoError(t, err)
	for _, page := range pages {
		require.LessOrEqual(t, strings.Count(readText(t, page), "\n"), 1200, "%s: move what is not the norm itself to a page of its own", page)
	}
	require.LessOrEqual(t, strings.Count(readText(t, "../README.md"), "\n"), 150, "README.md: move what a newcomer does not need first to a page of its own")
}

// TestLinks follows the links of the pages here, and of those elsewhere that lead here.
func TestLinks(t *testing.T) {
	pages, err := filepath.Glob("*.md")
	require.NoError(t, err)
	decisions, err := filepath.Glob("decisions/*.md")
	require.NoError(t, err)
	for _, page := range append(append(pages, decisions...), "../README.md", "../tla/README.md", "../tla/proof/README.md", "../traces/README.md", "../traces/viewer/README.md", "../conformance/README.md", "../conformance/AGENTS.md", "../conformance/CERTIFYING.md",
		"../conformance/evidence/README.md", "../impl/MEMBERS.md", "../impl/OPERATING.md", "../impl/REACHING.md", "../impl/deploy/README.md", "../impl/FIGURES.md", "../impl/baselines/README.md") {
		require.Empty(t, deadLinks(page))
	}
	wrong := filepath.Join(t.TempDir(), "wrong.md")
	require.NoError(t, os.WriteFile(wrong, []byte("# A b, c\n[x](#a-b-c) [y](#a) [z](nowhere.md) [w](https://example.org/x#y)"), 0o644))
	require.Equal(t, []string{wrong + ": #a", wrong + ": nowhere.md"}, deadLinks(wrong))
}

// TestPagesOfOperatorsLead: whoever has opened one of the pages of operators finds the others from there.
func TestPagesOfOperatorsLead(t *testing.T) {
	pages := []string{"../impl/MEMBERS.md", "../impl/OPERATING.md", "../impl/REACHING.md", "../impl/deploy/README.md"}
	for _, from := range pages {
		text := readText(t, from)
		for _, to := range pages {
			way, err := filepath.Rel(filepath.Dir(from), to)
			require.NoError(t, err)
			require.True(t, from == to || strings.Contains(text, "]("+way+")") || strings.Contains(text, "]("+way+"#"), "%s does not lead to %s", from, way)
		}
	}
}

// TestMapNamesWhatIsThere has every file and folder that the README names by its way be there: a newcomer looks for it.
func TestMapNamesWhatIsThere(t *testing.T) {
	named := regexp.MustCompile("`((?:conformance|impl|model|spec|tla|traces)/[\\w./-]+)`").FindAllStringSubmatch(readText(t, "../README.md"), -1)
	require.Greater(t, len(named), 20)
	for _, way := range named {
		_, err := os.Stat(filepath.Join("..", way[1]))
		require.NoError(t, err)
	}
}
