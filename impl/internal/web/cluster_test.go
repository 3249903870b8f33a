package web

import (
	"context"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed-fdf591db/bully/impl/host"
	"github.com/seed-fdf591db/bully/impl/storage"
	"github.com/seed-fdf591db/bully/impl/transport"
	"github.com/seed-fdf591db/bully/spec"
)

// TestElectionIsSeen runs three hosts of one program, and sees an election, and the next, in what they stream.
func TestElectionIsSeen(t *testing.T) {
	members := []spec.NodeID{spec.IntegerID(1), spec.IntegerID(2), spec.IntegerID(3)}
	network := transport.NewNetwork(nil)
	var watched []*watching
	var stops []func()
	for _, id := range members {
		events := NewEvents(id, nil)
		h, err := host.New(host.Config{ID: id, Members: members, Storage: storage.NewMemory(), Transport: network.Join(id),
			Timing: host.Local(), Metrics: events, Trace: events})
		require.NoError(t, err)
		ctx, cancel := context.WithCancel(context.Background())
		ended := make(chan error, 1)
		go func() { ended <- h.Run(ctx) }()
		stop := sync.OnceFunc(func() { cancel(); require.NoError(t, <-ended); require.NoError(t, h.Close()) })
		t.Cleanup(stop)
		url, _ := serveWith(t, h, events)
		watched, stops = append(watched, watch(t, url, "")), append(stops, stop) // from now on, as what only keeps a reign alive is not kept for long
	}
	leads := func(w *watching, above spec.Epoch) spec.Event {
		for last := uint64(0); ; {
			e, ok := w.next()
			require.True(t, ok, "the stream must go on")
			require.Equal(t, last+1, e.Seq, "from the first step on, without a gap")
			if last = e.Seq; e.State.Role == spec.Leader && e.State.Epoch > above {
				return e
			}
		}
	}
	first := leads(watched[2], 0)
	require.Equal(t, members[2], first.State.Leader)
	stops[2]()
	next := leads(watched[1], first.State.Epoch)
	require.Equal(t, members[1], next.Node, "the next lower one")
	require.Greater(t, next.At, first.At)
}
