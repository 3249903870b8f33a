package main

import (
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed-fdf591db/bully/tla"
)

func TestBenchNamesWhatItCannotRun(t *testing.T) {
	b := newBench(t)
	b.red("-config models/Nothing: there is no such configuration", "-bench", "-config", "models/Nothing")
	b.red("-config mutants/CounterGrows: it must hold", "-bench", "-config", "mutants/CounterGrows")
	b.red("the explorer does not build", "-bench", "-config", "models/CounterHolds")
}

// TestBenchHasItsConfiguration: what make bench-check and make figures measure is still there, holds,
// and is checked by TLC and by the explorer. It is large enough for the pace to matter.
func TestBenchHasItsConfiguration(t *testing.T) {
	a := app{out: &strings.Builder{}, log: &strings.Builder{}}
	require.NoError(t, a.parse([]string{"-bench"}))
	entries, err := tla.Load(tla.FS())
	require.NoError(t, err)
	e, err := named(entries, a.config)
	require.NoError(t, err)
	require.Greater(t, e.Generated, 50_000)
}

func TestMeasure(t *testing.T) {
	said, took, err := measure(exec.Command("sh", "-c", "echo hello"))
	require.NoError(t, err)
	require.Equal(t, "hello\n", said)
	require.Positive(t, took.wall)
	require.Greater(t, took.bytes, int64(10<<10), "even a shell takes more than ten KiB")
	_, _, err = measure(exec.Command("sh", "-c", "echo wrong >&2; exit 3"))
	require.EqualError(t, err, "exit status 3\nwrong\n")
	_, _, err = measure(exec.Command(filepath.Join(t.TempDir(), "none")))
	require.Error(t, err)
}

// TestJudge sees that both targets count.
func TestJudge(t *testing.T) {
	e := tla.Entry{Name: "models/A", Result: tla.Result{Generated: 1000, Distinct: 10}}
	var out strings.Builder
	a := app{out: &out, options: options{speed: 20, memory: 10}}
	slow, fast := usage{20 * time.Second, 1000 << 20}, usage{time.Second, 100 << 20}
	require.NoError(t, a.judge(e, slow, fast))
	require.Contains(t, out.String(), "The explorer is 20.0 times as fast (target 20), and takes 1/10.0 of the memory (target 1/10).")
	require.EqualError(t, a.judge(e, usage{19 * time.Second, slow.bytes}, fast), "a target is missed")
	require.EqualError(t, a.judge(e, usage{slow.wall, 999 << 20}, fast), "a target is missed")
}

func TestSameGraph(t *testing.T) {
	e := tla.Entry{Name: "models/A", Result: tla.Result{Verdict: tla.Holds, Generated: 1000, Distinct: 10}}
	require.NoError(t, sameGraph("TLC", e, e.Result))
	other := e.Result
	other.Generated++
	require.ErrorContains(t, sameGraph("TLC", e, other), "TLC finds on models/A: holds, 10 distinct states of 1001 generated")
}
