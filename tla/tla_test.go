package tla

import (
	"encoding/json"
	"io/fs"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/require"
)

const counterCfg = `\* Does it count?
SPECIFICATION Spec
CONSTANTS
  Last = 5
INVARIANTS
  TypeOK
  Never4
PROPERTIES
  Grows
CHECK_DEADLOCK TRUE
`

// entry returns an entry that fits counterCfg in models/.
func entry() Entry {
	return Entry{
		Name: "models/CounterHolds", Module: "MCCounter", Question: "Does it count?",
		Result: Result{Verdict: Holds, Distinct: 6, Generated: 7, Depth: 6, Seconds: 1},
		Effort: Quick, Explorer: Full, TLC: true,
	}
}

// tree returns a file system with entries and, for each, counterCfg.
func tree(t *testing.T, entries ...Entry) fstest.MapFS {
	t.Helper()
	list, err := Encode(entries)
	require.NoError(t, err)
	fsys := fstest.MapFS{"MCCounter.tla": {}, ListFile: {Data: list}}
	for _, e := range entries {
		fsys[e.Name+".cfg"] = &fstest.MapFile{Data: []byte(counterCfg)}
	}
	return fsys
}

func TestLoad(t *testing.T) {
	violated := entry()
	violated.Name, violated.Verdict, violated.Property, violated.Exit = "mutants/Counter", Violates, "Never4", 12
	entries, err := Load(tree(t, violated, entry()))
	require.NoError(t, err)
	require.Len(t, entries, 2)
	require.Equal(t, "models/CounterHolds", entries[0].Name, "what holds comes before what must fail")
	require.Equal(t, "Spec", entries[0].Configuration.Specification)
	require.Equal(t, "MCCounter", entries[0].Configuration.Module)
}

// TestLoadRefuses changes one thing at a time.
func TestLoadRefuses(t *testing.T) {
	for message, change := range map[string]func(*Entry){
		`module is "MCOther", but its name says MCCounter`:  func(e *Entry) { e.Module = "MCOther" },
		`question is "Why?", but the file says`:             func(e *Entry) { e.Question = "Why?" },
		`effort is "slow", not quick or deep`:               func(e *Entry) { e.Effort = "slow" },
		`explorer is "some", not verdict, counts or none`:   func(e *Entry) { e.Explorer = "some" },
		"neither TLC nor the explorer gives its verdict":    func(e *Entry) { e.TLC, e.Explorer, e.Why = false, Counts, "?" },
		"why must say what TLC or the explorer leaves out":  func(e *Entry) { e.Explorer = None },
		"a state space of 0 distinct states proves nothing": func(e *Entry) { e.Distinct = 0 },
		`verdict is "maybe", not holds or violates`:         func(e *Entry) { e.Verdict = "maybe" },
		"it holds, but names a property":                    func(e *Entry) { e.Property = "Grows" },
		"exit is 12, but TLC says 0 for this verdict":       func(e *Entry) { e.Exit = 12 },
		"violates, but in folder models":                    func(e *Entry) { e.Verdict, e.Property, e.Exit = Violates, "Never4", 12 },
		`property is "X", which the configuration does not`: func(e *Entry) { e.Verdict, e.Property = Violates, "X" },
		"exit is 11, but TLC says 13 for this verdict":      func(e *Entry) { e.Verdict, e.Property, e.Exit = Violates, "Grows", 11 },
		"only a complete set of states has a digest":        func(e *Entry) { e.Verdict, e.States = Violates, "sha256:0" },
		"exit is 0, but TLC says 11 for this verdict":       func(e *Entry) { e.Verdict, e.Property = Violates, Deadlock },
	} {
		e := entry()
		change(&e)
		_, err := Load(tree(t, e))
		require.ErrorContains(t, err, ListFile+": models/CounterHolds: "+message)
	}
}

func TestLoadRefusesTwoTemporalProperties(t *testing.T) {
	e := entry()
	e.Name, e.Verdict, e.Property, e.Exit = "mutants/Counter", Violates, "Grows", 13
	fsys := tree(t, e)
	cfg := strings.Replace(counterCfg, "Spec\n", "FairSpec\n", 1)
	fsys["mutants/Counter.cfg"].Data = []byte(cfg)
	_, err := Load(fsys)
	require.NoError(t, err)
	fsys["mutants/Counter.cfg"].Data = []byte(strings.Replace(cfg, "  Grows\n", "  Grows\n  Shrinks\n", 1))
	_, err = Load(fsys)
	require.ErrorContains(t, err, "TLC does not say which temporal property fails: list Grows alone")
}

func TestLoadRefusesWhatDoesNotMatch(t *testing.T) {
	_, err := Load(fstest.MapFS{})
	require.ErrorIs(t, err, fs.ErrNotExist)
	_, err = Load(fstest.MapFS{ListFile: {Data: []byte("[]")}})
	require.EqualError(t, err, "models.json: lists no configuration at all")

	fsys := tree(t, entry())
	fsys["witnesses/CounterMore.cfg"] = &fstest.MapFile{Data: []byte(counterCfg)}
	_, err = Load(fsys)
	require.EqualError(t, err, "witnesses/CounterMore.cfg: not listed in models.json")

	fsys = tree(t, entry())
	delete(fsys, "models/CounterHolds.cfg")
	_, err = Load(fsys)
	require.EqualError(t, err, "models.json: models/CounterHolds is listed, but there is no file models/CounterHolds.cfg")

	_, err = Load(tree(t, entry(), entry()))
	require.ErrorContains(t, err, "models/CounterHolds is listed twice")

	fsys = tree(t, entry())
	fsys["models/Other.cfg"] = &fstest.MapFile{Data: []byte(counterCfg)}
	_, err = Load(fsys)
	require.ErrorContains(t, err, "models/Other.cfg: the name begins with that of no module MC….tla")

	fsys = tree(t, entry())
	fsys["models/CounterHolds.cfg"].Data = []byte("SPECIFICATION Spec")
	_, err = Load(fsys)
	require.ErrorContains(t, err, "models/CounterHolds.cfg:1: ")
}

func TestReadListRefuses(t *testing.T) {
	for text, message := range map[string]string{
		"":                                    "models.json:1: EOF",
		"[\n{\"name\": \"a\",\n\"x\": 1}]":    "unknown field \"x\"",
		"[\n\n{\"distinct\": \"many\"}]":      "models.json:3: json: cannot unmarshal string",
		"[]\n[]":                              "models.json:2: more after the list",
		"[{\"name\": \"a\"}":                  "unexpected EOF",
		"{\"name\": \"models/CounterHolds\"}": "cannot unmarshal object",
	} {
		_, err := ReadList(fstest.MapFS{ListFile: {Data: []byte(text)}})
		require.ErrorContains(t, err, message, text)
	}
}

// TestModuleOf sees that of two modules the one with the longer name wins.
func TestModuleOf(t *testing.T) {
	fsys := fstest.MapFS{"MCRing.tla": {}, "MCRingDeep.tla": {}, "Ring.tla": {}}
	for file, want := range map[string]string{"models/Ring.cfg": "MCRing", "models/RingFive.cfg": "MCRing",
		"models/RingDeepFive.cfg": "MCRingDeep"} {
		module, err := moduleOf(fsys, file)
		require.NoError(t, err)
		require.Equal(t, want, module, file)
	}
}

func TestCompare(t *testing.T) {
	e := entry()
	require.Empty(t, e.Compare(e.Result))
	slow := e.Result
	slow.Seconds = 99
	require.Empty(t, e.Compare(slow), "time is not compared")
	found := Result{Verdict: Violates, Property: "Grows", Exit: 13, Distinct: 1, Generated: 2, Depth: 3, States: "sha256:0"}
	require.Equal(t, []string{"verdict violates, expected holds", "property Grows, expected none", "exit 13, expected 0",
		"distinct 1, expected 6", "generated 2, expected 7", "depth 3, expected 6", "states sha256:0, expected none"},
		e.Compare(found))
}

// TestCompareExplorer says for every kind of entry which differences count.
func TestCompareExplorer(t *testing.T) {
	for _, c := range []struct {
		level    Level
		expected Verdict
		found    Result
		want     string
	}{
		{Full, Holds, Result{Verdict: Holds, Distinct: 6, Generated: 7, Depth: 6}, ""},
		{Full, Holds, Result{Verdict: Holds, Distinct: 5, Generated: 7, Depth: 6}, "distinct 5"},
		{Full, Holds, Result{Verdict: Violates, Property: "P", Distinct: 6, Generated: 7, Depth: 6}, "verdict violates"},
		{Full, Violates, Result{Verdict: Violates, Property: "P", Distinct: 9, Generated: 9, Depth: 6}, ""},
		{Full, Violates, Result{Verdict: Violates, Property: "P", Distinct: 6, Generated: 7, Depth: 5}, "depth 5"},
		{Full, Violates, Result{Verdict: Violates, Property: "Q", Depth: 6}, "property Q"},
		{Full, Violates, Result{Verdict: Holds, Distinct: 6, Generated: 7, Depth: 6}, "verdict holds"},
		{Counts, Violates, Result{Verdict: Holds, Distinct: 6, Generated: 7, Depth: 9}, ""},
		{Counts, Violates, Result{Verdict: Holds, Distinct: 6, Generated: 8, Depth: 9}, "generated 8"},
		{Counts, Violates, Result{Verdict: Violates, Property: "Q", Distinct: 6, Generated: 7}, "verdict of what it can check violates"},
		{Counts, Holds, Result{Verdict: Holds, Distinct: 6, Generated: 7, Depth: 9}, "depth 9"},
		{None, Holds, Result{Verdict: Failed}, ""},
	} {
		e := entry()
		e.Explorer, e.Verdict = c.level, c.expected
		if c.expected == Violates {
			e.Property = "P"
		}
		d := e.CompareExplorer(c.found)
		if c.want == "" {
			require.Empty(t, d, "%+v", c)
			continue
		}
		require.NotEmpty(t, d, "%+v", c)
		require.Contains(t, d[0], c.want)
	}
}

func TestEncode(t *testing.T) {
	e := entry()
	e.Name = "witnesses/CounterA"
	text, err := Encode([]Entry{e, entry()})
	require.NoError(t, err)
	var fields []map[string]any
	require.NoError(t, json.Unmarshal(text, &fields))
	require.Equal(t, "models/CounterHolds", fields[0]["name"])
	for _, name := range []string{"module", "question", "verdict", "exit", "distinct", "generated", "depth", "seconds",
		"effort", "explorer", "tlc"} {
		require.Contains(t, fields[0], name)
	}
}

// TestEmbedded checks the real list against the real files.
func TestEmbedded(t *testing.T) {
	entries, err := Load(FS())
	require.NoError(t, err)
	require.NotEmpty(t, entries)
}
