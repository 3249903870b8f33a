package main

import (
	"context"
	"testing"
	"time"

	"github.com/hashicorp/raft"
	"github.com/stretchr/testify/require"
)

func TestViewsThatDiffer(t *testing.T) {
	two, three := "2", "3"
	v := view{At: 1, Node: "1", Role: "follower", Leader: &two, Epoch: 4}
	other := "2"
	require.True(t, v.same(view{At: 2, Node: "1", Role: "follower", Leader: &other, Epoch: 4}))
	for _, w := range []view{
		{Role: "candidate", Leader: &two, Epoch: 4},
		{Role: "follower", Epoch: 4},
		{Role: "follower", Leader: &three, Epoch: 4},
		{Role: "follower", Leader: &two, Epoch: 5},
		{Role: "follower", Leader: &two, Epoch: 4, Leading: true},
	} {
		require.False(t, v.same(w))
		require.False(t, w.same(v))
	}

	h := newHub(v)
	_, changed := h.current()
	h.set(view{At: 2, Role: "follower", Leader: &other, Epoch: 4})
	select {
	case <-changed:
		require.Fail(t, "nothing has changed")
	default:
	}
	h.set(view{At: 3, Role: "candidate", Epoch: 5})
	<-changed
	now, _ := h.current()
	require.EqualValues(t, 3, now.At)
}

// Who leads is pushed: the term is looked at once an hour here, and no test waits for that.
func TestPushed(t *testing.T) {
	config, _ := fast()
	config.LocalID = "1"
	config.LogLevel = "OFF"
	store := raft.NewInmemStore()
	address, transport := raft.NewInmemTransport("")
	r, err := raft.NewRaft(config, nothing{}, store, store, raft.NewDiscardSnapshotStore(), transport)
	require.NoError(t, err)
	h := newHub(look(r, "1"))
	ctx, cancel := context.WithCancel(t.Context())
	watched := make(chan struct{})
	go func() {
		defer close(watched)
		watch(ctx, r, "1", h, time.Hour)
	}()
	now, changed := h.current()
	require.Equal(t, "follower", now.Role)
	require.Nil(t, now.Leader)

	require.NoError(t, r.BootstrapCluster(configuration(map[string]string{"1": string(address)})).Error())
	deadline := time.After(patience)
	for !now.Leading {
		select {
		case <-changed:
			now, changed = h.current()
		case <-deadline:
			require.Fail(t, "nobody was told who leads")
		}
	}
	require.Equal(t, "1", *now.Leader)
	require.NoError(t, r.Shutdown().Error())
	require.Equal(t, "shutdown", look(r, "1").Role)
	cancel()
	<-watched
}
