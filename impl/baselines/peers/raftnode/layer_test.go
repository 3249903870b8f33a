package main

import (
	"io"
	"testing"
	"time"

	"github.com/hashicorp/raft"
	"github.com/stretchr/testify/require"
)

func TestLayerCounts(t *testing.T) {
	l, err := listen("127.0.0.1:0")
	require.NoError(t, err)
	defer l.Close()
	dialled, err := l.Dial(raft.ServerAddress(l.Addr().String()), time.Second)
	require.NoError(t, err)
	defer dialled.Close()
	accepted, err := l.Accept()
	require.NoError(t, err)
	defer accepted.Close()

	for range 3 {
		_, err = dialled.Write([]byte("1234567"))
		require.NoError(t, err)
	}
	_, err = io.ReadFull(accepted, make([]byte, 21))
	require.NoError(t, err)
	require.EqualValues(t, 21, l.sent.bytes.Load(), "what is read is counted by who has written it")
	_, err = accepted.Write([]byte("12"))
	require.NoError(t, err)
	require.EqualValues(t, 23, l.sent.bytes.Load())
	require.EqualValues(t, 4, l.sent.writes.Load())
}
