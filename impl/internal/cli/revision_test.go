package cli

import (
	"runtime/debug"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestVersion: a release says which it is, and any other program what Go has found.
func TestVersion(t *testing.T) {
	found := &debug.BuildInfo{Main: debug.Module{Version: "(devel)"}}
	require.Equal(t, "devel", versionOf(found))
	t.Cleanup(func() { release = "" })
	release = "v1.2.3"
	require.Equal(t, "v1.2.3", versionOf(found))
}
