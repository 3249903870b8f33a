//go:build amd64 || arm64

package main

import (
	"maps"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed-fdf591db/bully/impl/internal/localcluster"
)

// TestHoldMemory: the memory of a node is held by a process that ends with it; not if the operator says so, nor where no proof is taken.
func TestHoldMemory(t *testing.T) {
	t.Parallel()
	held := func(more ...string) bool {
		c := newCluster(t, 1)
		p := c.run(1, more...)
		until(t, "the node runs", func() bool {
			_, text := fetch(c.http[0], "/leader")
			return strings.Contains(text, `"leader":"`)
		})
		if strings.Contains(p.log.String(), "its memory is freed before its address refuses") {
			t.Skip("needs a newer Linux: an older one or a sandbox refuses: ", p.log)
		}
		var names []string
		until(t, "all that it has started has a name", func() bool { // which it has only in one of its first steps
			names = slices.Collect(maps.Values(localcluster.Children(p.cmd.Process.Pid)))
			return len(names) == 0 || names[0] == "bully-memory"
		})
		p.signal(syscall.SIGKILL)
		p.wait()
		return len(names) == 1
	}
	require.True(t, held(), "a process must hold the memory of a node by default")
	require.False(t, held("-hold-memory=false"), "no process may hold the memory of a node with -hold-memory=false")
	require.False(t, held("-no-proof"), "no process need hold the memory of a node with -no-proof")
}
