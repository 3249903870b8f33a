package main

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed-fdf591db/bully/impl/baselines/peers/peertest"
)

func TestMain(m *testing.M) { peertest.Main(m, main) }

func TestWhatCannotStart(t *testing.T) {
	peertest.CannotStart(t, raftNode)
}

func TestKillTheLeader(t *testing.T) {
	for profile, nodes := range map[string]int{"fast": 3, "default": 5} {
		t.Run(profile, func(t *testing.T) { peertest.FailsOver(t, nodes, profile) })
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
