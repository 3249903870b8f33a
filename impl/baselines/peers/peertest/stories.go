package peertest

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed-fdf591db/bully/impl/baselines/peers"
)

// What is here is asked of every system alike.

// FailsOver kills the leader: the others agree on another one, and no epoch goes back when the first is there again.
func FailsOver(t *testing.T, nodes int, profile string) {
	t.Helper()
	c := New(t, nodes, profile)
	c.Start()
	first := c.Agree(0)
	_, err := c.Kill(first.Leader)
	require.NoError(t, err)
	second := c.Agree(first.Epoch, c.IDs(first.Leader)...)
	require.NotEqual(t, first.Leader, second.Leader)

	c.Start(first.Leader)
	c.Agree(second.Epoch-1, c.IDs()...) // epochs never go back, over restarts too
}

// GivesWay stops the process of a leader until another leads: when it goes on it follows. It returns which node that is.
func GivesWay(t *testing.T) (c Cluster, first int) {
	t.Helper()
	c = New(t, 3, "fast")
	c.Start()
	reign := c.Agree(0)
	_, err := c.Pause(reign.Leader)
	require.NoError(t, err)
	second := c.Agree(reign.Epoch, c.IDs(reign.Leader)...)

	_, err = c.Continue(reign.Leader)
	require.NoError(t, err)
	c.Agree(second.Epoch-1, c.IDs()...)
	return c, reign.Leader
}

// CannotStart starts a node in a file, with a disk that another uses, and at addresses that are taken. Fails runs one more that
// must end with 1, and returns what it has said.
func CannotStart(t *testing.T, system peers.System) (fails func(flags ...string) string) {
	t.Helper()
	c := New(t, 1, "fast")
	own := "1=" + c.Addr(1)
	fails = func(flags ...string) string {
		t.Helper()
		var log strings.Builder
		require.Equal(t, 1, system.Run(context.Background(), append(flags, "-log", "off"), &log))
		return log.String()
	}
	file := filepath.Join(t.TempDir(), "file")
	require.NoError(t, os.WriteFile(file, nil, 0o600))
	require.Contains(t, fails("-id", "1", "-members", own, "-data", file), "not a directory")

	c.Start(1)
	c.Agree(0)
	other := "1=" + Free(t)
	require.Contains(t, fails("-id", "1", "-members", other, "-data", c.Data(1)), "is another process using it?")
	require.Contains(t, fails("-id", "1", "-members", own, "-data", t.TempDir()), "address already in use")
	require.Contains(t, fails("-id", "1", "-members", other, "-data", t.TempDir(), "-http", c.HTTP(1)), "address already in use")
	return fails
}
