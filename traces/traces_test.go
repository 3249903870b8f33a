package traces_test

import (
	"errors"
	"io"
	"io/fs"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed-fdf591db/bully/spec"
	"github.com/seed-fdf591db/bully/traces"
)

// TestTracesAreRead reads every valid trace to its end. Whether its steps are those of the rules is checked elsewhere.
func TestTracesAreRead(t *testing.T) {
	names, err := fs.Glob(traces.Valid, "*.ndjson")
	require.NoError(t, err)
	require.GreaterOrEqual(t, len(names), 30)
	actions := map[spec.Action]int{}
	for _, name := range names {
		file, err := traces.Valid.Open(name)
		require.NoError(t, err)
		trace, err := spec.NewTraceReader(file)
		require.NoError(t, err, name)
		require.Equal(t, "golden", trace.Header().Commit, name)
		var event spec.Event
		for err = trace.Read(&event); err == nil; err = trace.Read(&event) {
			actions[event.Action]++
		}
		require.True(t, errors.Is(err, io.EOF), "%s: %v", name, err)
		require.NoError(t, file.Close())
	}
	for _, action := range spec.Actions() {
		require.Positive(t, actions[action], action)
	}
	t.Logf("%d traces: %v", len(names), actions)
}
