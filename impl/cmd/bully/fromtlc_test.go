package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed-fdf591db/bully/impl/cmd/bully/stage"
	"github.com/seed-fdf591db/bully/tla"
)

// TestFromTLC makes a trace of a counterexample of ours, and a film of any other; both open at their end.
func TestFromTLC(t *testing.T) {
	folder := t.TempDir()
	trace, film := filepath.Join(folder, "run.ndjson"), filepath.Join(folder, "run.film.ndjson")
	status, out, log := bully(t, "trace", "from-tlc", "-o", trace, "stage/testdata/tlc/ClusterGrantsTwice.txt")
	require.Equal(t, exitOK, status, log)
	require.Empty(t, out)
	require.Contains(t, log, "a trace of 17 events")
	status, _, log = bully(t, "trace", "check", trace)
	require.Equal(t, exitMismatch, status)
	require.Contains(t, log+out, "refused")

	status, out, log = bully(t, "trace", "from-tlc", "stage/testdata/tlc/TextbookB01Partition.txt")
	require.Equal(t, exitOK, status, log)
	require.Contains(t, log, "a film of")
	opened := stage.Open([]byte(out), "x")
	require.Nil(t, opened.Problem)
	require.Len(t, opened.Film.Frames, opened.Film.Open)

	status, _, log = bully(t, "trace", "from-tlc", "-film", "-o", film, "stage/testdata/tlc/ClusterGrantsTwice.txt")
	require.Equal(t, exitOK, status, log)
	text, err := os.ReadFile(film)
	require.NoError(t, err)
	require.Nil(t, stage.Open(text, "x").Problem)

	status, _, log = bully(t, "trace", "from-tlc", trace)
	require.Equal(t, exitMismatch, status)
	require.Contains(t, log, "no counterexample")
	status, _, log = bully(t, "trace", "from-tlc", trace, film)
	require.Equal(t, exitUsage, status)
	require.Contains(t, log, "one file")
}

// TestCheckFilm films what the explorer finds.
func TestCheckFilm(t *testing.T) {
	file := filepath.Join(t.TempDir(), "x.film.ndjson")
	check := func(args ...string) (int, string) {
		var out, log strings.Builder
		status := program{out: &out, log: &log, files: tla.FS()}.main(t.Context(), append([]string{"check"}, args...))
		return status, log.String()
	}
	status, log := check("-config", "RingB01Partition", "-film", file)
	require.Equal(t, exitOK, status, log)
	require.Contains(t, log, "bully view "+file)
	text, err := os.ReadFile(file)
	require.NoError(t, err)
	opened := stage.Open(text, "x")
	require.Nil(t, opened.Problem)
	require.Equal(t, "RingB01Partition: against OneLeader", opened.Film.Title)

	for want, config := range map[string]string{"it holds": "RingThree", "only TLC checks SomeLeader": "TextbookNoTelec"} {
		status, log = check("-config", config, "-film", file)
		require.Equal(t, exitMismatch, status)
		require.Contains(t, log, want)
	}
	status, log = check("-film", file)
	require.Equal(t, exitUsage, status)
	require.Contains(t, log, "-config")
}
