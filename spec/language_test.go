package spec_test

import (
	"encoding/json"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed-fdf591db/bully/spec"
)

// schemaOf reads the definitions of a JSON schema: the fields of each, and its words if it is a closed set.
func schemaOf(t *testing.T, file string) map[string][]string {
	t.Helper()
	var schema struct {
		Defs map[string]struct {
			Enum       []any          `json:"enum"`
			Properties map[string]any `json:"properties"`
		} `json:"$defs"`
	}
	require.NoError(t, json.Unmarshal([]byte(readText(t, file)), &schema))
	defs := map[string][]string{}
	for name, def := range schema.Defs {
		for _, word := range def.Enum {
			if text, is := word.(string); is {
				defs[name] = append(defs[name], text)
			}
		}
		for field := range def.Properties {
			defs[name] = append(defs[name], field)
		}
	}
	return defs
}

// keysOf returns the fields of values, as they are written in JSON.
func keysOf(t *testing.T, values ...any) (keys []string) {
	t.Helper()
	for _, value := range values {
		text, err := json.Marshal(value)
		require.NoError(t, err)
		var fields map[string]json.RawMessage
		require.NoError(t, json.Unmarshal(text, &fields))
		for key := range fields {
			keys = append(keys, key)
		}
	}
	return keys
}

// TestWordsOfSchema: what ports are asked, and answer, has the fields and the words of this package.
func TestWordsOfSchema(t *testing.T) {
	const file = "../conformance/port/schema.json"
	defs := schemaOf(t, file)
	one, two := spec.IntegerID(1), spec.IntegerID(2)
	c, err := spec.NewConfiguration(1, 1, []spec.Member{{ID: one, Kind: spec.Voter, Address: "a:1"}})
	require.NoError(t, err)
	message := spec.Message{Type: spec.Election, From: one, To: two, Epoch: 1, Question: 1, Configuration: c}
	resign := message
	resign.Type, resign.Granted = spec.Resign, spec.Granted{By: spec.IntegerID(3), Epoch: 1, Question: 1}
	named := message
	named.Type, named.Names, named.Hold = spec.Resign, spec.IntegerID(3), 1
	for name, want := range map[string][]string{
		"state":         keysOf(t, spec.State{Role: spec.Leader, Epoch: 1, Configuration: c}),
		"promise":       keysOf(t, spec.Durable{Epoch: 1, Configuration: c}),
		"message":       keysOf(t, message, resign, named),
		"configuration": keysOf(t, c),
		"member":        {"id", "kind", "address", "rank"},
		"timer":         texts(spec.Timers()),
		"call":          texts([]spec.Call{spec.ResignCall, spec.HolderDeadCall, spec.ChangeCall}),
	} {
		requireSameWords(t, want, "package spec", defs[name], file+", "+name)
	}
}

// notMessages are words in capitals of the ports that are no messages: of their languages, and of their systems.
var notMessages = []string{"CARGO_PKG_VERSION", "HELLO", "EOF", "EPIPE", "EAGAIN"}

// TestWordsOfPorts: the ports have the messages, roles, timers and calls by these names, and no other messages.
func TestWordsOfPorts(t *testing.T) {
	for _, pattern := range []string{"python/*.py", "javascript/*.mjs", "rust/src/*.rs"} {
		files, err := filepath.Glob("../conformance/ports/" + pattern)
		require.NoError(t, err)
		var capitals, all []string
		for _, file := range files {
			for _, found := range regexp.MustCompile(`["']([A-Za-z_-]+)["']`).FindAllStringSubmatch(readText(t, file), -1) {
				all = append(all, found[1])
				if len(found[1]) > 1 && found[1] == strings.ToUpper(found[1]) && !slices.Contains(notMessages, found[1]) {
					capitals = append(capitals, found[1])
				}
			}
		}
		requireSameWords(t, texts(spec.MessageTypes()), "spec.MessageTypes", capitals, pattern)
		require.Empty(t, without(slices.Concat(texts(spec.Roles()), texts(spec.Timers()), texts(spec.MemberKinds()), []string{"resign", "holder-dead", "change"}), all), pattern)
	}
}

// TestWordsOfViewer: the page has a word of its own for each message, timer and property, under the name that it has here.
func TestWordsOfViewer(t *testing.T) {
	const file = "../traces/viewer/src/words.ts"
	var keys []string
	for _, found := range regexp.MustCompile(`\b([A-Za-z_]+): ['\[]`).FindAllStringSubmatch(readText(t, file), -1) {
		keys = append(keys, found[1])
	}
	words := slices.Concat(texts(spec.MessageTypes()), texts(spec.Timers()), texts(spec.Properties()))
	require.Empty(t, without(words, keys), "these words are missing in %s", file)
}

// retired is a word that is said otherwise now: testdata/retired.txt has one a line.
type retired struct {
	is      *regexp.Regexp
	instead string
	stays   *regexp.Regexp // in files of such paths; nil for none
}

func readRetired(t *testing.T, text string) (all []retired) {
	t.Helper()
	for line := range strings.Lines(text) {
		if line = strings.TrimSpace(line); line == "" || line[0] == '#' {
			continue
		}
		cells := strings.Split(line, " ; ")
		require.GreaterOrEqual(t, len(cells), 2, "%s: a regular expression, what to say instead, and where it may stay", line)
		r := retired{is: regexp.MustCompile(cells[0]), instead: cells[1]}
		if len(cells) > 2 {
			r.stays = regexp.MustCompile(cells[2])
		}
		all = append(all, r)
	}
	return all
}

// said returns where a text has words that are retired.
func said(all []retired, path, text string) (found []string) {
	for _, r := range all {
		if r.stays != nil && r.stays.MatchString(path) {
			continue
		}
		if word := r.is.FindString(text); word != "" {
			found = append(found, path+": "+word+": say "+r.instead)
		}
	}
	return found
}

// TestRetiredWords: words that were given up for clearer ones do not come back, in code, pages, or tables.
func TestRetiredWords(t *testing.T) {
	all := readRetired(t, readText(t, "testdata/retired.txt"))
	require.NotEmpty(t, all)
	history := regexp.MustCompile(`^(spec/(decisions|testdata)/|spec/language_test\.go|tla/README\.md|conformance/evidence/|LICENSE)`)
	text := regexp.MustCompile(`\.(go|md|tla|cfg|py|mjs|rs|ts|tsx|txt|css|html)$`)
	var found []string
	files := 0
	require.NoError(t, filepath.WalkDir("..", func(file string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		path := strings.TrimPrefix(filepath.ToSlash(file), "../")
		if entry.IsDir() {
			if slices.Contains([]string{".git", ".cache", "dist", "node_modules", "target", "states"}, entry.Name()) {
				return fs.SkipDir
			}
			return nil
		}
		if !text.MatchString(path) || history.MatchString(path) {
			return nil
		}
		data, err := os.ReadFile(file)
		files++
		found = append(found, said(all, path, string(data))...)
		return err
	}))
	require.Empty(t, found)
	require.Greater(t, files, 1000)
	require.NotEmpty(t, said(readRetired(t, "\n# no word\n\\bOld\\b ; new ; ^here/\n"), "there/a.go", "an Old word"))
	require.Empty(t, said(readRetired(t, "\\bOld\\b ; new ; ^here/"), "here/a.go", "an Old word"))
}
