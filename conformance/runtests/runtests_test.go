package main

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// tested runs stages on packages of testdata and returns what was printed, and the error at the end.
func tested(t *testing.T, p *plan) (said string, err error) {
	t.Helper()
	var out bytes.Buffer
	err = p.run(t.Context(), &out).print(&out)
	return out.String(), err
}

// of makes a stage of packages of testdata.
func of(name string, packages ...string) stage {
	s := stage{name: name, args: []string{"-vet=off", "-count=1"}}
	for _, pkg := range packages {
		s.args = append(s.args, "./testdata/"+pkg)
	}
	return s
}

func TestPasses(t *testing.T) {
	p := &plan{beside: stages{of("some", "passes")}, then: stages{of("others", "passes")}, missing: "gcc"}
	said, err := tested(t, p)
	require.ErrorContains(t, err, `skips.go does not know: "a unicorn" (conformance/runtests/testdata/passes TestParts/part)`)
	require.NotContains(t, said, "nobody needs to read this")
	require.Regexp(t, `(?m)^ok    conformance/runtests/testdata/passes  \d+\.\d s  \(some\)$`, said)
	require.Regexp(t, `(?m)^ +some +\d+\.\d s +1 +0 +0$`, said)
	require.Regexp(t, `(?m)^  strace +2 tests +apt-get install strace$`, said)
	require.Regexp(t, `(?m)^  gcc +the race detector +apt-get install gcc`, said)
	require.NotContains(t, said, "long")
}

// TestFailures: whatever goes wrong in a package is printed and named, and other packages are tested all the same.
func TestFailures(t *testing.T) {
	p := &plan{then: stages{of("all", "fails", "breaks", "empty", "panics", "passes")}}
	said, err := tested(t, p)
	for pkg, words := range map[string]string{
		"fails": "node 3 acts while node 4 leads", "breaks": "undefined: missing", "panics": "panic: the program ends", "empty": "",
	} {
		require.ErrorContains(t, err, "FAIL conformance/runtests/testdata/"+pkg+" (all)")
		require.Contains(t, said, words, pkg)
	}
	require.ErrorContains(t, err, "testdata/empty (all): it tests nothing")
	require.NotContains(t, said, "nobody needs to read this")
	require.NotContains(t, said, "All tests of")
	require.Contains(t, said, "ok    conformance/runtests/testdata/passes")
}

// TestNoPackage: go test itself fails.
func TestNoPackage(t *testing.T) {
	_, err := tested(t, &plan{alone: stages{of("all", "none")}})
	require.Error(t, err, "there is no such package")
	ctx, end := context.WithCancel(t.Context())
	end()
	var out bytes.Buffer
	require.Error(t, (&plan{then: stages{of("all", "passes")}}).run(ctx, &out).print(&out), "it was interrupted")
}

func TestSlowest(t *testing.T) {
	r := newReport(&bytes.Buffer{})
	o := &outcome{stage: "plain"}
	for i := range 12 {
		o.tests = append(o.tests, test{pkg: "p", name: "Test" + string(rune('A'+i)), stage: "plain", took: time.Duration(i) * time.Second})
	}
	r.add(o)
	p := &plan{keep: filepath.Join(t.TempDir(), "folder", "slowest")}
	require.NoError(t, p.keepSlowest(r))
	text, err := os.ReadFile(p.keep)
	require.NoError(t, err)
	lines := strings.Split(strings.TrimSuffix(string(text), "\n"), "\n")
	require.Len(t, lines, mostSlow)
	require.Equal(t, "   11.0 s  p TestL (plain)", lines[0])
	require.Equal(t, "    2.0 s  p TestC (plain)", lines[9])
}

func TestUsage(t *testing.T) {
	var all stages
	require.ErrorContains(t, all.Set("./impl/host"), "is no stage: write NAME: ARGUMENTS")
	require.ErrorContains(t, all.Set("race: -race"), "stage race ends with no package")
	require.NoError(t, all.Set("race: -race ./impl/host"))
	require.Equal(t, stages{{"race", []string{"-race", "./impl/host"}}}, all)
	require.Equal(t, "race", all.String())
	require.Equal(t, []string{"go", "test", "-json", "-race", "./impl/host"}, all[0].command())
	require.NoError(t, all.Set("otel: -C impl/otel ./..."))
	require.Equal(t, []string{"go", "test", "-C", "impl/otel", "-json", "./..."}, all[1].command())
	require.ErrorContains(t, (&plan{}).check(nil), "no stage is given")
	require.ErrorContains(t, (&plan{then: all}).check([]string{"x"}), `unexpected argument "x"`)
}
