package main

import (
	"context"
	"testing"
	"time"

	"github.com/hashicorp/raft"
	"github.com/stretchr/testify/require"

	"github.com/seed-fdf591db/bully/impl/baselines/peers"
	"github.com/seed-fdf591db/bully/impl/baselines/peers/peertest"
)

// Who leads is pushed: the term is looked at once an hour here, and no test waits for that.
func TestPushed(t *testing.T) {
	config, _ := fast()
	config.LocalID = "1"
	config.LogLevel = "OFF"
	store := raft.NewInmemStore()
	address, transport := raft.NewInmemTransport("")
	r, err := raft.NewRaft(config, nothing{}, store, store, raft.NewDiscardSnapshotStore(), transport)
	require.NoError(t, err)
	h := peers.NewHub("1")
	set(h, look(r, "1"))
	ctx, cancel := context.WithCancel(t.Context())
	watched := make(chan struct{})
	go func() {
		defer close(watched)
		watch(ctx, r, "1", h, time.Hour)
	}()
	now, _ := h.Current()
	require.Equal(t, "follower", now.Role)
	require.Nil(t, now.Leader)

	require.NoError(t, r.BootstrapCluster(configuration(map[string]string{"1": string(address)})).Error())
	require.Equal(t, "1", *peertest.Leads(t, h).Leader)
	require.NoError(t, r.Shutdown().Error())
	require.Equal(t, "shutdown", look(r, "1").Role)
	cancel()
	<-watched
}
