package trace_test

import (
	"io"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed-fdf591db/bully/impl/bully"
	"github.com/seed-fdf591db/bully/impl/trace"
	"github.com/seed-fdf591db/bully/spec"
)

// TestDiskThatWentBack restarts a node with each epoch below the one that it had promised, the next one too.
func TestDiskThatWentBack(t *testing.T) {
	for epoch := range spec.Epoch(4) {
		dir := t.TempDir()
		ended := spec.Event{Node: spec.IntegerID(1), Action: spec.PatienceTimeout, Input: spec.Input{Timer: spec.PatienceTimer}, State: at(4, 2)}
		paths := []string{
			write(t, dir, "1-000001.ndjson", ids(2), start(1), ended),
			write(t, dir, "1-000002.ndjson", ids(2), restarts(1, at(epoch, 2))),
			write(t, dir, "2-000001.ndjson", ids(2), start(2)),
		}
		_, err := trace.Merging{Step: bully.Replay}.Merge(io.Discard, paths...)
		require.ErrorContains(t, err, "after its crash: its disk has not kept what it had written", epoch)
		_, err = trace.Merge(io.Discard, paths...)
		require.ErrorContains(t, err, "its disk has not kept what it had written", epoch)
	}
}

// TestNumbersOfADisk restarts a node with fewer numbers than it had reserved, and with those of lives that it could not record.
func TestNumbersOfADisk(t *testing.T) {
	for reserved, good := range map[spec.Question]bool{spec.Block: false, 2 * spec.Block: true, 4 * spec.Block: true} {
		dir, again := t.TempDir(), restarts(1, at(0, 0))
		again.State.Latest = reserved + 1
		_, err := trace.Merge(io.Discard, write(t, dir, "1-000001.ndjson", ids(2), start(1)),
			write(t, dir, "1-000002.ndjson", ids(2), restarts(1, at(0, 0))), write(t, dir, "1-000003.ndjson", ids(2), again))
		if good {
			require.NoError(t, err)
			continue
		}
		require.ErrorContains(t, err, "its disk has not kept what it had written")
	}
}
