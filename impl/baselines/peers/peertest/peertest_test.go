package peertest

import (
	"context"
	"io"
	"os"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed-fdf591db/bully/impl/baselines/peers"
	"github.com/seed-fdf591db/bully/impl/internal/localcluster"
)

// alone is a node that leads, whoever else there is.
type alone struct {
	hub   *peers.Hub
	asked atomic.Uint64
}

func (a *alone) Hub() *peers.Hub { return a.hub }

func (a *alone) Elect(ctx context.Context) error {
	a.hub.Change(func(v *peers.View) { v.Leader, v.Leading, v.Epoch, v.Role = &v.Node, true, 1, "leader" })
	<-ctx.Done()
	return nil
}

func (a *alone) Healthy() error { return nil }
func (a *alone) Close() error   { return nil }

func (a *alone) Describe(s *peers.Status) error {
	s.Counters = map[string]uint64{"asked": a.asked.Add(1)}
	return nil
}

// leading returns what a node says that leads in a while.
func leading() *peers.Hub {
	hub := peers.NewHub("1")
	go hub.Change(func(v *peers.View) { v.Leading = true })
	return hub
}

func TestMain(m *testing.M) {
	Main(m, peers.System{
		Name: "alone", Address: "HOST:PORT",
		Start: func(o peers.Options, _ io.Writer) (peers.Node, error) { return &alone{hub: peers.NewHub(o.ID)}, nil },
	}.Main)
}

func TestCluster(t *testing.T) {
	c := New(t, 2, "fast")
	c.Start(1)
	require.Equal(t, 1, c.Agree(0, 1).Leader)
	c.Healthy(1)
	require.Equal(t, "fast", c.Status(1).Profile)
	require.EqualValues(t, 5, c.Counted(1, "asked", 4))
	c.Wait("node 1 leads", func(v localcluster.View) bool { return v.Nodes[0].Leading })
	require.NotEqual(t, c.Addr(1), Free(t))
	require.True(t, Leads(t, leading()).Leading, "the node that is served leads")
	_, err := c.Stop(1)
	require.NoError(t, err)
	require.NotEmpty(t, os.Getenv(asNode))
}
