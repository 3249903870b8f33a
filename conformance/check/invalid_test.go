package check_test

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed-fdf591db/bully/conformance/check"
	"github.com/seed-fdf591db/bully/spec"
)

var update = flag.Bool("update", false, "write traces/invalid again, from traces/valid and the table of edits")

const (
	validDir   = "../../traces/valid"
	invalidDir = "../../traces/invalid"
)

// edit makes an invalid trace of a valid one, by one change in one place.
type edit struct {
	name string // of the file: the rule that it breaks, and how
	from string // the valid trace
	at   string // the first event that says all of this, separated by " & ", in the form of spec.Event.String
	how  how
	// what becomes of the event, or of what is inserted after it, which is the same first; nil if text says it
	alter func(e *spec.Event)
	text  []string // of a change: what is replaced by what, in pairs; of an insertion: the line, whose seq is 0

	after int    // how many lines after that event it is refused
	rule  string // that it is refused by; "" for that of the name
}

// how says what becomes of an event.
type how int

const (
	changes          how = iota // it becomes something else
	drops                       // it is left out
	dropsUncounted              // … and the events after it keep their numbers
	repeats                     // it happens twice
	repeatsUncounted            // … under the same number
	swaps                       // it and the next change places
	inserts                     // something else happens after it
)

// verdictOf is what expected.json says of a file.
type verdictOf struct {
	Line int    `json:"line"`
	Rule string `json:"rule"`
}

// ruleOf returns the rule that an invalid trace is refused by.
func (e *edit) ruleOf() string {
	if e.rule != "" {
		return e.rule
	}
	rule, _, _ := strings.Cut(e.name, "-")
	switch rule {
	case "links", "nodes":
		return "section 2"
	case "trace":
		return "section 14"
	}
	return rule
}

// apply makes the invalid trace, and says where it is to be refused.
func (e *edit) apply(t *testing.T, valid []byte) ([]byte, verdictOf) {
	t.Helper()
	_, events := readTrace(t, valid)
	at := slices.IndexFunc(events, func(event spec.Event) bool {
		return !slices.ContainsFunc(strings.Split(e.at, " & "), func(part string) bool { return !strings.Contains(event.String(), part) })
	})
	require.GreaterOrEqual(t, at, 0, "%s: no event of %s says %q", e.name, e.from, e.at)
	lines := strings.SplitAfter(strings.TrimSuffix(string(valid), "\n"), "\n")
	lines[len(lines)-1] += "\n"
	k := at + 1 // the header is line 0
	altered := ""
	if e.alter != nil {
		event := events[at].Clone()
		e.alter(&event)
		line, err := event.MarshalJSON()
		require.NoError(t, err, e.name)
		require.NotEqual(t, lines[k], string(line)+"\n", "%s: nothing is altered", e.name)
		altered = string(line) + "\n"
	}
	switch {
	case e.alter != nil && e.how == changes:
		lines[k] = altered
	case e.alter != nil:
		lines = slices.Insert(lines, k+1, altered)
	}
	switch e.how {
	case changes:
		for i := 0; i < len(e.text); i += 2 {
			require.Equal(t, 1, strings.Count(lines[k], e.text[i]), "%s: %q in %s", e.name, e.text[i], lines[k])
			lines[k] = strings.Replace(lines[k], e.text[i], e.text[i+1], 1)
		}
	case drops, dropsUncounted:
		lines = slices.Delete(lines, k, k+1)
	case repeats, repeatsUncounted:
		lines = slices.Insert(lines, k, lines[k])
	case swaps:
		lines[k], lines[k+1] = lines[k+1], lines[k]
	case inserts:
		if e.alter == nil {
			lines = slices.Insert(lines, k+1, e.text[0]+"\n")
		}
	}
	if e.how != dropsUncounted && e.how != repeatsUncounted {
		for i := range lines[1:] {
			_, rest, _ := strings.Cut(lines[i+1], ",")
			lines[i+1] = fmt.Sprintf(`{"seq":%d,%s`, i+1, rest)
		}
	}
	return []byte(strings.Join(lines, "")), verdictOf{Line: at + 2 + e.after, Rule: e.ruleOf()}
}

// invalids returns what should be in traces/invalid: the traces, and what is expected of each.
func invalids(t *testing.T) map[string][]byte {
	t.Helper()
	files, expected := map[string][]byte{}, map[string]verdictOf{}
	for _, e := range slices.Concat(edits, editsOfNumbers, editsOfMembers, editsOfVotes, editsOfChanges) {
		valid, err := os.ReadFile(filepath.Join(validDir, e.from+".ndjson"))
		require.NoError(t, err, e.name)
		name := e.name + ".ndjson"
		require.NotContains(t, files, name)
		files[name], expected[name] = e.apply(t, valid)
	}
	text, err := json.MarshalIndent(expected, "", "  ")
	require.NoError(t, err)
	files["expected.json"] = append(text, '\n')
	return files
}

// TestInvalidFiles sees that traces/invalid is what the table of edits says, to the byte.
func TestInvalidFiles(t *testing.T) {
	want := invalids(t)
	if *update {
		require.NoError(t, os.RemoveAll(invalidDir))
		require.NoError(t, os.MkdirAll(invalidDir, 0o755))
		for name, text := range want {
			require.NoError(t, os.WriteFile(filepath.Join(invalidDir, name), text, 0o644))
		}
	}
	files, err := os.ReadDir(invalidDir)
	require.NoError(t, err)
	for _, f := range files {
		require.Contains(t, want, f.Name(), "no edit makes it")
	}
	for name, text := range want {
		got, err := os.ReadFile(filepath.Join(invalidDir, name))
		require.NoError(t, err, "run: go test ./conformance/check -run Invalid -update")
		require.Equal(t, string(text), string(got), "%s: run: go test ./conformance/check -run Invalid -update", name)
	}
}

// TestInvalid sees each trace of traces/invalid refused where it must be, by the rule that it must be, and by all that is
// said of it; and that what it was made from is accepted.
func TestInvalid(t *testing.T) {
	text, err := os.ReadFile(filepath.Join(invalidDir, "expected.json"))
	require.NoError(t, err)
	var expected map[string]verdictOf
	require.NoError(t, json.Unmarshal(text, &expected))
	require.GreaterOrEqual(t, len(expected), 40)
	for name, want := range expected {
		text, err := os.ReadFile(filepath.Join(invalidDir, name))
		require.NoError(t, err)
		_, err = check.Trace(bytes.NewReader(text), check.Options{})
		var fault *check.TraceError
		require.ErrorAs(t, err, &fault, name)
		require.Equal(t, want, verdictOf{fault.Line, fault.Rule}, "%s: %v", name, err)
		require.NotEmpty(t, check.Sentence(fault.Rule), fault.Rule)
		require.Contains(t, err.Error(), check.Sentence(fault.Rule))
		if fault.Rule != "section 14" && fault.Before != "" {
			require.NotEmpty(t, fault.Expected, "%s: %v", name, err)
			require.NotEqual(t, fault.Expected, fault.Got, "%s: %v", name, err)
		}
	}
	t.Logf("%d invalid traces", len(expected))
}

// TestValid sees every trace of traces/valid accepted.
func TestValid(t *testing.T) {
	files, err := filepath.Glob(filepath.Join(validDir, "*.ndjson"))
	require.NoError(t, err)
	require.GreaterOrEqual(t, len(files), 15)
	var events, reigns uint64
	for _, name := range files {
		text, err := os.ReadFile(name)
		require.NoError(t, err)
		report, err := check.Trace(bytes.NewReader(text), check.Options{Strict: true})
		require.NoError(t, err, name)
		events, reigns = events+report.Events, reigns+report.Reigns
	}
	require.NotZero(t, reigns)
	t.Logf("%d valid traces, %d events, %d reigns", len(files), events, reigns)
}
