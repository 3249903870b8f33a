package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	checking "github.com/seed-fdf591db/bully/conformance/check"
	"github.com/seed-fdf591db/bully/impl/internal/cli"
	"github.com/seed-fdf591db/bully/impl/internal/stage"
	"github.com/seed-fdf591db/bully/tla"
)

// TestFromTLC makes a trace of a counterexample of ours, and a film of any other; both open at their end.
func TestFromTLC(t *testing.T) {
	folder := t.TempDir()
	trace, film := filepath.Join(folder, "run.ndjson"), filepath.Join(folder, "run.film.ndjson")
	status, out, log := workbench(t, "from-tlc", "-o", trace, "../../internal/stage/testdata/tlc/ClusterGrantsTwice.txt")
	require.Equal(t, cli.OK, status, log)
	require.Empty(t, out)
	require.Contains(t, log, "a trace of 17 events")
	counterexample, err := os.ReadFile(trace)
	require.NoError(t, err)
	_, err = checking.Trace(bytes.NewReader(counterexample), checking.Options{})
	require.Error(t, err, "a mutant takes a step that the rules do not allow")

	status, out, log = workbench(t, "from-tlc", "../../internal/stage/testdata/tlc/TextbookB01Partition.txt")
	require.Equal(t, cli.OK, status, log)
	require.Contains(t, log, "a film of")
	opened := stage.Open([]byte(out), "x")
	require.Nil(t, opened.Problem)
	require.Len(t, opened.Film.Frames, opened.Film.Open)

	status, _, log = workbench(t, "from-tlc", "-film", "-o", film, "../../internal/stage/testdata/tlc/ClusterGrantsTwice.txt")
	require.Equal(t, cli.OK, status, log)
	text, err := os.ReadFile(film)
	require.NoError(t, err)
	require.Nil(t, stage.Open(text, "x").Problem)

	status, _, log = workbench(t, "from-tlc", trace)
	require.Equal(t, cli.Mismatch, status)
	require.Contains(t, log, "no counterexample")
	status, _, log = workbench(t, "from-tlc", trace, film)
	require.Equal(t, cli.Misused, status)
	require.Contains(t, log, "one file")
}

// TestCheckFilm films what the explorer finds.
func TestCheckFilm(t *testing.T) {
	file := filepath.Join(t.TempDir(), "x.film.ndjson")
	check := func(args ...string) (int, string) {
		var out, log strings.Builder
		status := newProgram(tla.FS()).To(&out, &log).Main(t.Context(), append([]string{"check"}, args...))
		return status, log.String()
	}
	status, log := check("-config", "RingB01Partition", "-film", file)
	require.Equal(t, cli.OK, status, log)
	require.Contains(t, log, "workbench view "+file)
	text, err := os.ReadFile(file)
	require.NoError(t, err)
	opened := stage.Open(text, "x")
	require.Nil(t, opened.Problem)
	require.Equal(t, "RingB01Partition: against OneLeader", opened.Film.Title)

	for want, config := range map[string]string{"it holds": "RingThree", "only TLC checks SomeLeader": "TextbookNoTelec"} {
		status, log = check("-config", config, "-film", file)
		require.Equal(t, cli.Mismatch, status)
		require.Contains(t, log, want)
	}
	status, log = check("-film", file)
	require.Equal(t, cli.Misused, status)
	require.Contains(t, log, "-config")
}
