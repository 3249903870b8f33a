package main

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed-fdf591db/bully/impl/baselines/peers/peertest"
)

func TestMain(m *testing.M) { peertest.Main(m, main) }

func TestWhatCannotStart(t *testing.T) {
	fails := peertest.CannotStart(t, etcdNode)
	require.Contains(t, fails("-id", "1", "-members", "1=nobody.invalid:1", "-data", t.TempDir()), "expected IP in URL")
}

func TestKillTheLeader(t *testing.T) {
	t.Parallel()
	peertest.FailsOver(t, 3, "fast")
}

// A node that was stopped says that it leads until it finds its session over, and then that it does not.
func TestStopTheLeader(t *testing.T) {
	t.Parallel()
	peertest.GivesWay(t)
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
