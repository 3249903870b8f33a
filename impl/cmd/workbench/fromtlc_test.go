package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	checking "github.com/seed-fdf591db/bully/conformance/check"
	"github.com/seed-fdf591db/bully/impl/internal/cli"
	"github.com/seed-fdf591db/bully/impl/internal/engine"
	"github.com/seed-fdf591db/bully/tla"
)

// TestFromTLC makes a trace of a counterexample of ours, and a recording of any other; both open at their end.
func TestFromTLC(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	trace, recording := filepath.Join(folder, "run.ndjson"), filepath.Join(folder, "run.recording.ndjson")
	status, out, log := workbench(t, "from-tlc", "-o", trace, "../../internal/engine/testdata/tlc/ClusterGrantsTwice.txt")
	require.Equal(t, cli.OK, status, log)
	require.Empty(t, out)
	require.Contains(t, log, "a trace of 17 events")
	counterexample, err := os.ReadFile(trace)
	require.NoError(t, err)
	_, err = checking.Trace(bytes.NewReader(counterexample), checking.Options{})
	require.Error(t, err, "a mutant takes a step that the rules do not allow")

	status, out, log = workbench(t, "from-tlc", "../../internal/engine/testdata/tlc/TextbookB01Partition.txt")
	require.Equal(t, cli.OK, status, log)
	require.Contains(t, log, "a recording of")
	opened := engine.Open([]byte(out), "x")
	require.Nil(t, opened.Problem)
	require.Len(t, opened.Recording.Frames, opened.Recording.Open)

	status, _, log = workbench(t, "from-tlc", "-recording", "-o", recording, "../../internal/engine/testdata/tlc/ClusterGrantsTwice.txt")
	require.Equal(t, cli.OK, status, log)
	text, err := os.ReadFile(recording)
	require.NoError(t, err)
	require.Nil(t, engine.Open(text, "x").Problem)

	status, _, log = workbench(t, "from-tlc", trace)
	require.Equal(t, cli.Mismatch, status)
	require.Contains(t, log, "no counterexample")
	status, _, log = workbench(t, "from-tlc", trace, recording)
	require.Equal(t, cli.Misused, status)
	require.Contains(t, log, "one file")
}

// TestCheckRecording recordings what the explorer finds.
func TestCheckRecording(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "x.recording.ndjson")
	check := func(args ...string) (int, string) {
		var out, log strings.Builder
		status := newProgram(tla.FS()).To(&out, &log).Main(t.Context(), append([]string{"check"}, args...))
		return status, log.String()
	}
	status, log := check("-config", "RingB01Partition", "-recording", file)
	require.Equal(t, cli.OK, status, log)
	require.Contains(t, log, "workbench view "+file)
	text, err := os.ReadFile(file)
	require.NoError(t, err)
	opened := engine.Open(text, "x")
	require.Nil(t, opened.Problem)
	require.Equal(t, "RingB01Partition: against OneLeader", opened.Recording.Title)

	for want, config := range map[string]string{"it holds": "RingThree", "only TLC checks SomeLeader": "TextbookNoTelec"} {
		status, log = check("-config", config, "-recording", file)
		require.Equal(t, cli.Mismatch, status)
		require.Contains(t, log, want)
	}
	status, log = check("-recording", file)
	require.Equal(t, cli.Misused, status)
	require.Contains(t, log, "-config")
}

// TestTourRecording sees that the tour of late answers, in the page, shows what the explorer finds where any GRANT of the epoch counts. With one
// worker it finds the same run each time.
func TestTourRecording(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "late.recording.ndjson")
	status, _, log := workbench(t, "check", "-config", "ClusterKeptCountsGrantOfEpoch", "-workers", "1", "-recording", file)
	require.Equal(t, cli.OK, status, log)
	text, err := os.ReadFile(file)
	require.NoError(t, err)
	header, frames, _ := strings.Cut(strings.TrimSpace(string(text)), "\n")
	found := fmt.Sprintf("{\"header\": %s, \"frames\": [\n%s\n]}\n", header, strings.ReplaceAll(frames, "\n", ",\n"))
	shown, err := os.ReadFile("../../../traces/viewer/src/tours/counted-late.json")
	require.NoError(t, err)
	require.Equal(t, found, string(shown), "the page shows another run than there is: put this one there, and see that the sentences of the tour are still so (npm test)")
}
