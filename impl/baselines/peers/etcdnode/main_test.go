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
		require.Equal(t, 1, etcdNode.Run(context.Background(), append(flags, "-log", "off"), &log))
		return log.String()
	}
	file := filepath.Join(t.TempDir(), "file")
	require.NoError(t, os.WriteFile(file, nil, 0o600))
	require.Contains(t, fails("-id", "1", "-members", own, "-data", file), "not a directory")
	require.Contains(t, fails("-id", "1", "-members", "1=nobody.invalid:1", "-data", t.TempDir()), "expected IP in URL")

	c.Start(1)
	c.Agree(0)
	other := "1=" + peertest.Free(t)
	require.Contains(t, fails("-id", "1", "-members", other, "-data", c.Data(1)), "is another process using it?")
	require.Contains(t, fails("-id", "1", "-members", own, "-data", t.TempDir()), "address already in use")
	require.Contains(t, fails("-id", "1", "-members", other, "-data", t.TempDir(), "-http", c.HTTP(1)), "address already in use")
}

func TestKillTheLeader(t *testing.T) {
	t.Parallel()
	c := peertest.New(t, 3, "fast")
	c.Start()
	first := c.Agree(0)
	_, err := c.Kill(first.Leader)
	require.NoError(t, err)
	second := c.Agree(first.Epoch, c.IDs(first.Leader)...)
	require.NotEqual(t, first.Leader, second.Leader)

	c.Start(first.Leader)
	c.Agree(second.Epoch-1, c.IDs()...) // epochs never go back, over restarts too
}

// A node that was stopped says that it leads until it finds its session over, and then that it does not.
func TestStopTheLeader(t *testing.T) {
	t.Parallel()
	c := peertest.New(t, 3, "fast")
	c.Start()
	first := c.Agree(0)
	_, err := c.Pause(first.Leader)
	require.NoError(t, err)
	second := c.Agree(first.Epoch, c.IDs(first.Leader)...)

	_, err = c.Continue(first.Leader)
	require.NoError(t, err)
	c.Agree(second.Epoch-1, c.IDs()...)
}

func TestFace(t *testing.T) {
	t.Parallel()
	c := peertest.New(t, 3, "fast")
	c.Start()
	leader := c.Agree(0).Leader
	c.Healthy(leader)
	require.Eventually(t, func() bool {
		leaders := 0
		for _, id := range c.IDs() {
			if c.Status(id).Etcd.Leader {
				leaders++
			}
		}
		return leaders == 1
	}, peertest.Patience, 10*time.Millisecond, "one etcd server leads the others")
	s := c.Status(leader)
	require.Len(t, s.Members, 3)
	require.Equal(t, "fast", s.Profile)
	require.WithinDuration(t, time.Now(), s.Since, peertest.Patience)
	require.NotZero(t, s.Etcd.Term)
	require.NotZero(t, s.Counters["saves"])
	c.Counted(leader, "bytes_sent", c.Counted(leader, "bytes_sent", 0))
}

// A node that is told to stop resigns, and ends with 0. The last two end too, though the last of all has no quorum to
// resign to.
func TestTerminate(t *testing.T) {
	t.Parallel()
	c := peertest.New(t, 3, "fast")
	c.Start()
	first := c.Agree(0)
	_, err := c.Stop(first.Leader)
	require.NoError(t, err)
	rest := c.IDs(first.Leader)
	c.Agree(first.Epoch, rest...)
	_, err = c.Stop(rest...)
	require.NoError(t, err)
}
