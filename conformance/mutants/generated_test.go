package main

import (
	"os"
	"path/filepath"
	"testing"
	"testing/fstest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed-fdf591db/bully/conformance/mutants/table"
	"github.com/seed-fdf591db/bully/spec/slowtest"
)

// TestGenerated finds what no test of a package sees, passes over what is known to be harmless, and leaves out what does not build.
func TestGenerated(t *testing.T) {
	slowtest.Only(t, "it compiles a module many times")
	t.Parallel()
	status, out, log := call(t, "made", "-generate", "./made,./none", "-each", "0")
	require.Equal(t, exitSurvivor, status, log)
	require.Contains(t, out, " mutants, ")
	require.Contains(t, log, "1 generated mutants do not build: they are none\n", "Text returns no error")
	require.Contains(t, log, "mutants: 2 of 11 mutants were not killed")
	require.Contains(t, log, "(survived), in Cap:\n\t-n >= 9\n\t+true || (n >= 9)\n")
	require.NotContains(t, log, "+n > 9")

	status, _, log = call(t, "made", "-generate", "./made", "-run", "made.go:6/")
	require.Equal(t, exitOK, status, log)

	_, _, log = call(t, "made", "-generate", "./made", "-each", "3")
	require.Contains(t, log, " of 3] ")

	for patterns, want := range map[string]string{"./none": "no package there has tests", "./nowhere": "go list: "} {
		status, _, log = call(t, "made", "-generate", patterns)
		require.Equal(t, exitSurvivor, status)
		require.Contains(t, log, "-generate "+patterns+": "+want)
	}
}

// TestApart tries those tests one by one that see the copies of all mutants, and so fail although nothing is broken.
func TestApart(t *testing.T) {
	slowtest.Only(t, "it compiles a module many times")
	t.Parallel()
	status, out, log := call(t, "made", "-generate", "./counted", "-each", "0")
	require.Equal(t, exitOK, status, log)
	require.Contains(t, log, "TestMethods of ./counted does not pass with all the mutants, which it is to try one by one\n")
	require.Regexp(t, `counted/counted.go:9/0 +counted TestNext `, out)
	require.Regexp(t, `counted/counted.go:14/1 +counted TestMethods `, out)
}

func TestSlowest(t *testing.T) {
	require.Equal(t, "^(A)$", slowest(times{"A": 5, "B": 2, "C": 2}))
	require.Equal(t, "^(B|A)$", slowest(times{"A": 2, "B": 3, "C": 1, "D": 1, "E": 1}))
	require.Empty(t, slowest(times{"A": 1, "B": 1, "C": 1, "D": 1}), "none is slow")
	require.Empty(t, slowest(times{"A": 1}))
	require.Empty(t, slowest(nil))
}

// TestTimes: how long to wait for what hangs is told by those tests alone that are run.
func TestTimes(t *testing.T) {
	took := times{"TestA": 1, "TestAB": 2, "TestC": 4}
	require.Equal(t, 7*time.Second, took.of(where{}))
	require.Equal(t, time.Second, took.of(where{run: "^TestA$"}))
	require.Equal(t, time.Second, took.of(where{run: "^TestA$/^case$"}))
	require.Equal(t, 5*time.Second, took.of(where{skip: "^TestAB$|^TestD$"}))
	require.Equal(t, 2*time.Second, took.of(where{run: "TestA", skip: "^TestA$"}))
}

// TestKillers: whatever a row names is run first, also what ran when the time was over, and is tried first without any mutant.
func TestKillers(t *testing.T) {
	var all []*mutant
	for _, by := range []string{"`a TestB/case`", "`a TestA (time limit)`", "`a TestB`", "`b TestC`", "`a (no test: the program ended)`", "–"} {
		all = append(all, &mutant{last: row{by: by}.killer()})
	}
	require.Equal(t, where{dir: "./a", run: "^TestA$"}, all[1].last)
	require.Equal(t, where{}, all[4].last)
	require.Equal(t, "^TestA$|^TestB$", killersOf(all, "./a"))
	all[3].Smallest = "./c ^TestD$"
	require.Equal(t, "^TestD$", killersOf(all, "./c"))
	require.Empty(t, killersOf(all, "./d"))
}

// TestStages: the slow tests of a package come last, and those apart that do not pass where all mutants are.
func TestStages(t *testing.T) {
	m := &mutant{Mutant: table.Mutant{File: "a/a.go", Tests: []string{"./a"}}, made: true}
	tr := &trial{slow: map[string]string{"./a": "^(S)$"}}
	require.Equal(t, []where{{dir: "./a"}}, tr.stages(m), "to build it takes longer")
	tr.combined = map[string]*binaries{m.group(): {apart: "^X$"}}
	require.Equal(t, []where{{dir: "./a", skip: "^(S)$|^X$"}, {dir: "./a", run: "^(S)$", skip: "^X$"}, {dir: "./a", run: "^X$", apart: true}}, tr.stages(m))
	tr.slow = nil
	tr.combined[m.group()].apart = ""
	require.Equal(t, []where{{dir: "./a"}}, tr.stages(m))
	m.made = false
	tr.slow = map[string]string{"./a": "^(S)$"}
	require.Equal(t, []where{{dir: "./a"}}, tr.stages(m), "the table says who was first")
}

// TestSample takes the same mutants each time.
func TestSample(t *testing.T) {
	t.Parallel()
	_, first, _ := call(t, "made", "-generate", "./made", "-each", "4", "-list")
	_, second, _ := call(t, "made", "-generate", "./made", "-each", "4", "-list")
	require.NotEmpty(t, first)
	require.Equal(t, first, second)
}

func TestHarmlessSaysMore(t *testing.T) {
	for text, want := range map[string]string{
		"file a.go\nin F\n-a\nwhy b\n":                            "harmless/x.txt:4: before why stand file, in, - and +",
		"file a.go\nin F\n-a\n+b\n":                               "harmless/x.txt:3: say why it is harmless",
		"file a.go\nin F\n-a\n+b\nwhy c\n-a\n+b\nwhy c\n":         "harmless/x.txt:6: this mutant is there twice",
		"file a.go\nin F\n-a\n+b\nwhy c\nbecause it is so\n-a\n+": `harmless/x.txt:6: "because" is no field`,
	} {
		_, err := readHarmless(fstest.MapFS{"x.txt": {Data: []byte(text)}})
		require.ErrorContains(t, err, want)
	}
}

// TestHarmlessIsOfToday refuses what is judged of code that is there no more.
func TestHarmlessIsOfToday(t *testing.T) {
	module := func(file string) (string, error) {
		text, err := os.ReadFile(filepath.Join("testdata", "module", file))
		return string(text), err
	}
	h, err := readHarmless(os.DirFS(tableFolder(t, "made/harmless")))
	require.NoError(t, err)
	require.Empty(t, h.stale(module))
	h, err = readHarmless(fstest.MapFS{"x.txt": {Data: []byte("file made/made.go\nin Cap\n-n >= 9\n+n > 8\nwhy no\nfile gone.go\nin F\n-a\n+b\nwhy no\n")}})
	require.NoError(t, err)
	require.Equal(t, []string{
		`harmless/x.txt:3: nothing in Cap of made/made.go is made into "n > 8" now`,
		`harmless/x.txt:8: nothing in F of gone.go is made into "b" now`,
	}, h.stale(module))

	h, err = readHarmless(os.DirFS("harmless"))
	require.NoError(t, err)
	require.Empty(t, h.stale(func(file string) (string, error) {
		text, err := os.ReadFile(filepath.Join("..", "..", filepath.FromSlash(file)))
		return string(text), err
	}), "take away what is no more, or judge it anew")
}
