package main

import (
	"context"
	"io"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	clientv3 "go.etcd.io/etcd/client/v3"
	"go.uber.org/zap/zapcore"
)

// A leader that ends leaves no key behind, and need not be waited for.
func TestResigns(t *testing.T) {
	n, err := newNode(options{
		id: "1", members: map[string]string{"1": freeAddress(t)}, data: t.TempDir(), profile: "default",
		log: zapcore.InvalidLevel,
	}, io.Discard)
	require.NoError(t, err)
	defer func() { require.NoError(t, n.close()) }()
	client := n.newClient()
	defer client.Close()
	h := newHub("1")
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	campaigned := make(chan struct{})
	go func() {
		defer close(campaigned)
		n.campaign(ctx, h)
	}()
	v, changed := h.current()
	for deadline := time.After(patience); !v.Leading; {
		select {
		case <-changed:
			v, changed = h.current()
		case <-deadline:
			require.Fail(t, "it was not elected")
		}
	}
	require.Equal(t, "1", *v.Leader)
	keys, err := client.Get(t.Context(), prefix, clientv3.WithPrefix())
	require.NoError(t, err)
	require.Len(t, keys.Kvs, 1)
	require.EqualValues(t, v.Epoch, keys.Kvs[0].CreateRevision)

	cancel()
	<-campaigned
	v, _ = h.current()
	require.False(t, v.Leading)
	require.Nil(t, v.Leader)
	keys, err = client.Get(t.Context(), prefix, clientv3.WithPrefix())
	require.NoError(t, err)
	require.Empty(t, keys.Kvs)
}
