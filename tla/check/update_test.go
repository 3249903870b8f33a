package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed-fdf591db/bully/tla"
	"github.com/seed-fdf591db/bully/tla/check/explorer"
	"github.com/seed-fdf591db/bully/tla/check/tlc"
)

// listed returns the entry of that name that models.json now has.
func (b *bench) listed(name string) tla.Entry {
	b.t.Helper()
	entries, err := tla.Load(os.DirFS(b.dir))
	require.NoError(b.t, err)
	for _, e := range entries {
		if e.Name == name {
			return e
		}
	}
	require.Fail(b.t, "not listed", name)
	return tla.Entry{}
}

func TestUpdateMeasuresAgain(t *testing.T) {
	b := newBench(t)
	b.entries[0].Distinct, b.entries[0].Generated, b.entries[1].Depth = 1, 1, 1
	b.list()
	require.Equal(t, exitOK, b.run("-update"), "%s%s", b.out.String(), b.log.String())
	require.Contains(t, b.out.String(), "4 of 4 configurations measured; models.json lists 4.")
	require.Equal(t, 6, b.listed("models/CounterHolds").Distinct)
	require.Equal(t, 5, b.listed("mutants/CounterNever4").Depth)
	require.Equal(t, exitOK, b.run("-run", "."))
}

// TestUpdateAdds sees that a new configuration is written only if it comes to what people said.
func TestUpdateAdds(t *testing.T) {
	b := newBench(t)
	b.entries = nil
	b.write(filepath.Join(b.dir, tla.ListFile), "[]")
	require.Equal(t, exitOK, b.run("-update"), "%s%s", b.out.String(), b.log.String())
	require.Equal(t, tla.Full, b.listed("models/CounterHolds").Explorer)
	require.Equal(t, "Never4", b.listed("mutants/CounterNever4").Property, "it checks nothing else")
	stays := b.listed("mutants/CounterStays")
	require.Equal(t, tla.Counts, stays.Explorer)
	require.Equal(t, "The explorer does not check liveness: StaysAt3.", stays.Why)
	require.Equal(t, exitOK, b.run("-run", "."), "%s%s", b.out.String(), b.log.String())
}

func TestUpdateRefuses(t *testing.T) {
	b := newBench(t)
	b.entries[0].Distinct = 99
	b.list()
	b.replace(filepath.Join(b.fake, "CounterNever4.txt"), "Invariant Never4", "Invariant TypeOK")
	b.red("mutants/CounterNever4 is not written: it violates TypeOK, but must be: violates Never4", "-update")
	require.Equal(t, 6, b.listed("models/CounterHolds").Distinct, "the others are written")

	b = newBench(t)
	b.replace(filepath.Join(b.dir, "mutants/CounterNever4.cfg"), "  Never4\n", "  Never4\n  TypeOK\n  Other\n")
	b.entries = b.entries[:1]
	b.list()
	b.red("mutants/CounterNever4.cfg: it must fail, but in which of Never4, Other? Say so with -expect", "-update")
	b.red("in which of Never4, Other?", "-update", "-run", "Never4", "-expect", "Unknown")

	b = newBench(t)
	require.NoError(t, os.Remove(filepath.Join(b.dir, "mutants/CounterGrows.cfg")))
	b.red("there is no mutants/CounterGrows.cfg: take the entry out by hand", "-update")

	b = newBench(t)
	b.write(filepath.Join(b.fake, "CounterHolds.kill"), "")
	b.red("models/CounterHolds is not written: the JVM died", "-update")
}

func TestUpdateExpects(t *testing.T) {
	b := newBench(t)
	b.replace(filepath.Join(b.dir, "mutants/CounterNever4.cfg"), "  Never4\n", "  Never4\n  Grows\n")
	b.entries = append(b.entries[:1], b.entries[2:]...)
	b.list()
	require.Equal(t, exitOK, b.run("-update", "-run", "Never4", "-expect", "Never4"), "%s%s", b.out.String(), b.log.String())
	require.Equal(t, "Never4", b.listed("mutants/CounterNever4").Property)
}

func TestUpdateWithoutTLC(t *testing.T) {
	b := newBench(t)
	b.entries = b.entries[1:]
	b.list()
	require.Equal(t, exitOK, b.run("-update", "-run", "Holds", "-no-tlc", "Too large."), "%s%s", b.out.String(), b.log.String())
	e := b.listed("models/CounterHolds")
	require.False(t, e.TLC)
	require.Equal(t, "Too large.", e.Why)
	require.Equal(t, 7, e.Generated, "the explorer's counts")
	require.Equal(t, exitOK, b.run("-run", "."), "%s%s", b.out.String(), b.log.String())
	require.Contains(t, strings.Join(strings.Fields(b.out.String()), " "), "models/CounterHolds – / holds – / 6 – / 7 – / 6")
	require.NotContains(t, b.log.String(), "TLC 4/4")
}

func TestSteady(t *testing.T) {
	require.Equal(t, 3.0, steady(3, 3.4), "it did not change enough")
	require.Equal(t, 9.1, steady(3, 9.12))
	require.Equal(t, 0.1, steady(0, 0.01))
}

// TestUpdateInterrupted sees that nothing is lost of what was measured, and nothing else written.
func TestUpdateInterrupted(t *testing.T) {
	b := newBench(t)
	b.entries[0].Distinct, b.entries[1].Distinct = 1, 1
	b.list()
	a := app{out: &b.out, log: &b.log}
	require.NoError(t, a.parse([]string{"-dir", b.dir}))
	all := []comparison{{entry: b.entries[0]}, {entry: b.entries[1]}}
	measured := b.entries[0].Result
	measured.Distinct = 6
	all[0].tlc, all[0].explorer = &tlc.Outcome{Report: tlc.Report{Result: measured}}, &explorer.Outcome{}
	require.NoError(t, a.write(all))
	require.Contains(t, b.out.String(), "1 of 2 configurations measured; models.json lists 4.")
	require.Equal(t, 6, b.listed("models/CounterHolds").Distinct)
	require.Equal(t, 1, b.listed("mutants/CounterNever4").Distinct)
}
