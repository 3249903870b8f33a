package traces_test

import (
	"bytes"
	"io/fs"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed-fdf591db/bully/spec"
	"github.com/seed-fdf591db/bully/traces"
)

// TestEveryTraceIsInTheTable compares the table with the files: what has no sentence cannot be chosen by anybody.
func TestEveryTraceIsInTheTable(t *testing.T) {
	names, err := fs.Glob(traces.Valid, "*.ndjson")
	require.NoError(t, err)
	listed := map[string]bool{}
	for _, e := range traces.Table() {
		text, err := fs.ReadFile(traces.Valid, e.Name+".ndjson")
		require.NoError(t, err)
		require.Equal(t, e.Events, bytes.Count(text, []byte("\n"))-1, e.Name)
		in, err := spec.NewTraceReader(bytes.NewReader(text))
		require.NoError(t, err)
		require.Len(t, in.Header().Members, e.Nodes, e.Name)
		require.NotEmpty(t, e.Watch, e.Name)
		require.False(t, listed[e.Name], e.Name)
		listed[e.Name] = true
	}
	require.Len(t, listed, len(names))
}
