package host

import (
	"context"
	"log/slog"
	"math/rand/v2"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed-fdf591db/bully/impl/internal/bubbletest"
	"github.com/seed-fdf591db/bully/impl/storage"
	"github.com/seed-fdf591db/bully/impl/transport"
	"github.com/seed-fdf591db/bully/spec"
)

// playTogether runs a test on node 1 of three that begins with all or not at all, in virtual time.
func playTogether(t *testing.T, disk *storage.Memory, f func(t *testing.T, h *Host, links *scripted, log *strings.Builder)) {
	t.Helper()
	bubbletest.Run(t, func(t *testing.T) {
		links := &scripted{wake: make(chan struct{}, 1)}
		var log strings.Builder
		h, err := New(Config{ID: id(1), Members: []spec.NodeID{id(1), id(2), id(3)}, Storage: disk, Transport: links, Together: true,
			Rand: rand.New(rand.NewPCG(1, 2)), Logger: slog.New(slog.NewTextHandler(&log, nil))})
		require.NoError(t, err)
		ctx, stop := context.WithCancel(t.Context())
		ended := make(chan error)
		go func() { ended <- h.Run(ctx) }()
		synctest.Wait()
		f(t, h, links, &log)
		stop()
		require.NoError(t, <-ended)
	})
}

// TestTogether: a first start waits until each member has been reached once, be it up or not by then, and says for whom. A proof of death
// does not excuse anybody.
func TestTogether(t *testing.T) {
	disk := storage.NewMemory()
	playTogether(t, disk, func(t *testing.T, h *Host, links *scripted, log *strings.Builder) {
		learn := func(node int, kinds ...transport.Kind) {
			var all []transport.Event
			for _, kind := range kinds {
				all = append(all, transport.Event{Kind: kind, Node: id(node)})
			}
			links.give(all...)
			synctest.Wait()
		}
		time.Sleep(time.Hour)
		require.Contains(t, h.Status().Waits, "node 2, 3: a first start waits until all members have been reached")
		require.NoError(t, h.Check(t.Context()), "it is well")
		learn(3, transport.Up, transport.Down) // told at once
		learn(2, transport.Dead)
		time.Sleep(time.Hour)
		require.Contains(t, h.Status().Waits, "node 2: a first start waits")
		_, started, err := disk.Load()
		require.NoError(t, err)
		require.False(t, started, "it has written nothing")
		require.Zero(t, h.Status().Counters.Sent[spec.Election])
		learn(2, transport.Up)
		time.Sleep(h.config.Timing.Heartbeat) // as long as any first start waits for links that are down
		synctest.Wait()
		require.Empty(t, h.Status().Waits)
		require.NotEmpty(t, h.Status().Role)
		require.Equal(t, 2, strings.Count(log.String(), "waits for members before it starts for the first time"))
	})
	// It has begun: from now on it waits for nobody.
	playTogether(t, disk, func(t *testing.T, h *Host, _ *scripted, _ *strings.Builder) {
		time.Sleep(h.config.Timing.Heartbeat)
		synctest.Wait()
		require.NotEmpty(t, h.Status().Role)
	})
}

// TestTogetherStops: a node that waits for others ends when it is told to, and writes nothing.
func TestTogetherStops(t *testing.T) {
	disk := storage.NewMemory()
	playTogether(t, disk, func(*testing.T, *Host, *scripted, *strings.Builder) {})
	_, started, err := disk.Load()
	require.NoError(t, err)
	require.False(t, started, "a node that waits for its members must write nothing")
}
