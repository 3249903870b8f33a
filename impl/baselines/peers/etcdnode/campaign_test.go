package main

import (
	"context"
	"io"
	"testing"

	"github.com/stretchr/testify/require"
	clientv3 "go.etcd.io/etcd/client/v3"

	"github.com/seed-fdf591db/bully/impl/baselines/peers"
	"github.com/seed-fdf591db/bully/impl/baselines/peers/peertest"
)

// A leader that ends leaves no key behind, and need not be waited for.
func TestResigns(t *testing.T) {
	n, err := newNode(peers.Options{
		ID: "1", Members: map[string]string{"1": peertest.Free(t)}, Data: t.TempDir(), Profile: "default", Log: peers.Off,
	}, io.Discard)
	require.NoError(t, err)
	defer func() { require.NoError(t, n.Close()) }()
	client := n.newClient()
	defer client.Close()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	campaigned := make(chan struct{})
	go func() {
		defer close(campaigned)
		n.campaign(ctx)
	}()
	v := peertest.Leads(t, n.Hub())
	require.Equal(t, "1", *v.Leader)
	keys, err := client.Get(t.Context(), prefix, clientv3.WithPrefix())
	require.NoError(t, err)
	require.Len(t, keys.Kvs, 1)
	require.EqualValues(t, v.Epoch, keys.Kvs[0].CreateRevision)

	cancel()
	<-campaigned
	v, _ = n.hub.Current()
	require.False(t, v.Leading, "a node that has resigned must not lead")
	require.Nil(t, v.Leader)
	keys, err = client.Get(t.Context(), prefix, clientv3.WithPrefix())
	require.NoError(t, err)
	require.Empty(t, keys.Kvs)
}
