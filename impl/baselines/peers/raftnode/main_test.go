package main

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed-fdf591db/bully/impl/baselines/peers/peertest"
)

func TestMain(m *testing.M) { peertest.Main(m, main) }

func TestWhatCannotStart(t *testing.T) {
	c := peertest.New(t, 1, "fast")
	own := "1=" + c.Addr(1)
	fails := func(flags ...string) string {
		var log strings.Builder
		require.Equal(t, 1, raftNode.Run(context.Background(), append(flags, "-log", "off"), &log))
		return log.String()
	}
	file := filepath.Join(t.TempDir(), "file")
	require.NoError(t, os.WriteFile(file, nil, 0o600))
	require.Contains(t, fails("-id", "1", "-members", own, "-data", file), "not a directory")

	c.Start(1)
	c.Agree(0)
	other := "1=" + peertest.Free(t)
	require.Contains(t, fails("-id", "1", "-members", other, "-data", c.Data(1)), "is another process using it?")
	require.Contains(t, fails("-id", "1", "-members", own, "-data", t.TempDir()), "address already in use")
	require.Contains(t, fails("-id", "1", "-members", other, "-data", t.TempDir(), "-http", c.HTTP(1)), "address already in use")
}

func TestKillTheLeader(t *testing.T) {
	for profile, nodes := range map[string]int{"fast": 3, "default": 5} {
		t.Run(profile, func(t *testing.T) {
			c := peertest.New(t, nodes, profile)
			c.Start()
			first := c.Agree(0)
			_, err := c.Kill(first.Leader)
			require.NoError(t, err)
			second := c.Agree(first.Epoch, c.IDs(first.Leader)...)
			require.NotEqual(t, first.Leader, second.Leader)

			c.Start(first.Leader)
			c.Agree(second.Epoch-1, c.IDs()...) // epochs never go back, over restarts too
		})
	}
}

func TestFace(t *testing.T) {
	c := peertest.New(t, 3, "fast")
	c.Start()
	leader := c.Agree(0).Leader
	c.Healthy(leader)
	s := c.Status(leader)
	require.Len(t, s.Members, 3)
	require.Equal(t, "fast", s.Profile)
	require.WithinDuration(t, time.Now(), s.Since, peertest.Patience)
	writes := c.Counted(leader, "writes", 0)
	require.Greater(t, c.Status(leader).Counters["bytes_sent"], writes, "a message is more than a byte")
	c.Counted(leader, "writes", writes) // heartbeats
}

// A node that is told to stop hands over, and ends with 0.
func TestTerminate(t *testing.T) {
	c := peertest.New(t, 3, "default")
	c.Start()
	first := c.Agree(0)
	_, err := c.Stop(first.Leader)
	require.NoError(t, err)
	c.Agree(first.Epoch, c.IDs(first.Leader)...)
}
