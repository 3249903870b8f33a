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
