package main

import (
	"encoding/json"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/require"

	"github.com/seed-fdf591db/bully/impl/internal/cli"
	"github.com/seed-fdf591db/bully/tla"
	"github.com/seed-fdf591db/bully/tla/check/explorer"
)

// fencing is a configuration of module MCFencing, small enough for a test.
const fencing = `\* Is a stale write admitted?
SPECIFICATION Spec
CONSTANTS
  N = 2
  MaxEpoch = 2
  MaxLog = 2
  Epoch <- UpToMax
  HasRoom <- Within
INVARIANTS
  NoStaleWrite
CHECK_DEADLOCK FALSE
`

// bench returns a list of two configurations that are as listed: one that holds, and the same
// without the fence. The numbers are those of the model itself: here only the command is tested.
func bench(t *testing.T) []tla.Entry {
	t.Helper()
	unfenced := strings.Replace(fencing, "INVARIANTS", "  Admits <- AdmitsAny\nINVARIANTS", 1)
	var entries []tla.Entry
	for name, text := range map[string]string{"models/FencingTiny": fencing, "mutants/FencingOff": unfenced} {
		c, err := tla.ParseConfiguration(name+".cfg", text)
		require.NoError(t, err)
		c.Module = "MCFencing"
		e := tla.Entry{Name: name, Module: c.Module, Question: c.Question, Configuration: c,
			Effort: tla.Quick, Explorer: tla.Full, TLC: true}
		o := explorer.Run(t.Context(), e, explorer.Options{})
		require.NoError(t, o.Err)
		e.Result = o.Result
		entries = append(entries, e)
	}
	return entries
}

// files returns the file system of entries, which are of bench.
func files(t *testing.T, entries []tla.Entry) fstest.MapFS {
	t.Helper()
	list, err := tla.Encode(entries)
	require.NoError(t, err)
	fsys := fstest.MapFS{"MCFencing.tla": {}, tla.ListFile: {Data: list}}
	for _, e := range entries {
		text := fencing
		if e.Configuration.Replacements["Admits"] != "" {
			text = strings.Replace(fencing, "INVARIANTS", "  Admits <- AdmitsAny\nINVARIANTS", 1)
		}
		fsys[e.Name+".cfg"] = &fstest.MapFile{Data: []byte(text)}
	}
	return fsys
}

// checkEntries runs workbench check on entries.
func checkEntries(t *testing.T, entries []tla.Entry, args ...string) (status int, out, log string) {
	t.Helper()
	var o, l strings.Builder
	status = newProgram(files(t, entries)).To(&o, &l).Main(t.Context(), append([]string{"check"}, args...))
	return status, o.String(), l.String()
}

func TestCheck(t *testing.T) {
	t.Parallel()
	entries := bench(t)
	status, out, log := checkEntries(t, entries)
	require.Equal(t, cli.OK, status, log)
	require.Equal(t, 2, strings.Count(out, "as listed"))
	require.Contains(t, out, "violates NoStaleWrite")
	require.NotContains(t, out, "Initial state", "counterexamples are printed only if asked for")
	require.Contains(t, out, "2 configurations explored in ")

	for _, args := range [][]string{{"-v"}, {"-config", "mutants/FencingOff"}, {"-config", "FencingOff", "-workers", "1"}} {
		status, out, _ = checkEntries(t, entries, args...)
		require.Equal(t, cli.OK, status)
		require.Contains(t, out, "Invariant NoStaleWrite is violated")
		require.Contains(t, out, "Initial state")
	}
}

func TestCheckMismatch(t *testing.T) {
	t.Parallel()
	for want, change := range map[string]func(*tla.Entry){
		"models/FencingTiny: distinct ": func(e *tla.Entry) { e.Distinct++ },
		"models/FencingTiny: depth ":    func(e *tla.Entry) { e.Depth++ },
		"models/FencingTiny: generated": func(e *tla.Entry) { e.Generated++ },
	} {
		entries := bench(t)
		for i := range entries {
			if entries[i].Verdict == tla.Holds {
				change(&entries[i])
			}
		}
		status, out, log := checkEntries(t, entries)
		require.Equal(t, cli.Mismatch, status)
		require.Contains(t, out, want)
		require.Contains(t, out, "<-- differs")
		require.Contains(t, log, "workbench check: 1 of 2 configurations are not as models.json says")
	}
}

func TestCheckWithoutMemory(t *testing.T) {
	t.Parallel()
	status, out, _ := checkEntries(t, bench(t), "-max-bytes", "1")
	require.Equal(t, cli.Mismatch, status)
	require.Contains(t, out, "1 bytes are not enough")
	require.Contains(t, out, "no verdict")
}

func TestCheckJSON(t *testing.T) {
	t.Parallel()
	entries := bench(t)
	status, out, log := checkEntries(t, entries, "-json", "-config", "FencingOff")
	require.Equal(t, cli.OK, status, log)
	var report struct {
		OK             bool
		Configurations []found
	}
	require.NoError(t, json.Unmarshal([]byte(out), &report))
	require.True(t, report.OK, out)
	require.Len(t, report.Configurations, 1)
	c := report.Configurations[0]
	require.Equal(t, "NoStaleWrite", c.Found.Property)
	require.Len(t, c.Run, c.Found.Depth-1, "one action between two states")

	for i := range entries {
		entries[i].Depth++
	}
	status, out, _ = checkEntries(t, entries, "-json")
	require.Equal(t, cli.Mismatch, status)
	require.NoError(t, json.Unmarshal([]byte(out), &report))
	require.False(t, report.OK, out)
	require.NotEmpty(t, report.Configurations[1].Differences)
}

// TestCheckChooses sees which configurations are run, and what is said if none is.
func TestCheckChooses(t *testing.T) {
	t.Parallel()
	entries := bench(t)
	status, _, log := checkEntries(t, entries, "-config", "FencingTyni")
	require.Equal(t, cli.Misused, status)
	require.Equal(t, "workbench check: unknown configuration \"FencingTyni\"; did you mean models/FencingTiny?\n", log)

	for i := range entries {
		entries[i].Effort = tla.Deep
	}
	status, _, log = checkEntries(t, entries)
	require.Equal(t, cli.Mismatch, status)
	require.Contains(t, log, "models.json lists nothing to explore")
	status, out, _ := checkEntries(t, entries, "-deep")
	require.Equal(t, cli.OK, status)
	require.Contains(t, out, "2 configurations")

	for i := range entries {
		entries[i].Explorer, entries[i].Why = tla.None, "It is only an example."
	}
	status, _, log = checkEntries(t, entries, "-config", "FencingTiny")
	require.Equal(t, cli.Misused, status)
	require.Contains(t, log, "models/FencingTiny has no model in Go: It is only an example.")

	entries[0].Name, entries[1].Name = "models/FencingSame", "mutants/FencingSame"
	if entries[0].Verdict != tla.Holds {
		entries[0].Name, entries[1].Name = entries[1].Name, entries[0].Name
	}
	status, _, log = checkEntries(t, entries, "-config", "FencingSame")
	require.Equal(t, cli.Misused, status)
	require.Contains(t, log, `"FencingSame" is ambiguous: models/FencingSame or mutants/FencingSame`)
}

func TestCheckWithoutList(t *testing.T) {
	t.Parallel()
	var o, l strings.Builder
	status := newProgram(fstest.MapFS{tla.ListFile: {Data: []byte("[]")}}).To(&o, &l).Main(t.Context(), []string{"check"})
	require.Equal(t, cli.Mismatch, status)
	require.Contains(t, l.String(), "lists no configuration at all")
}
