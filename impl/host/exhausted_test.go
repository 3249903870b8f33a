package host

import (
	"log/slog"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed-fdf591db/bully/impl/storage"
	"github.com/seed-fdf591db/bully/spec"
)

// TestExhausted: when the last epoch has come from somewhere, people are told, and which way leads back; as long as somebody leads all
// is well.
func TestExhausted(t *testing.T) {
	var logged strings.Builder
	config := Config{Members: []spec.NodeID{id(1), id(2), id(3)}, Storage: storage.NewMemory(), Logger: slog.New(slog.NewTextHandler(&logged, nil))}
	playAs(t, &fakeHost{me: 1}, config, func(t *testing.T, p *fakeHost) {
		const half = "more than half of all epochs"
		p.hear(spec.Refuse, 3, 1<<52)
		require.NotContains(t, logged.String(), half, "so high a record can be raised by hand")
		p.hear(spec.Refuse, 3, 1<<52+1)
		require.Equal(t, 1, strings.Count(logged.String(), half), "whoever raises them can leave a few, so that nobody notices")
		p.hear(spec.Refuse, 3, spec.MaxEpoch-1)
		require.Equal(t, 1, strings.Count(logged.String(), half))
		require.NotContains(t, logged.String(), "the epochs are used up")
		require.False(t, p.Status().Exhausted, "epochs are left")
		require.NoError(t, p.Check(t.Context()))
		p.hear(spec.Refuse, 3, spec.MaxEpoch)
		require.True(t, p.Status().Exhausted, "no epoch is left")
		require.ErrorIs(t, p.Check(t.Context()), ErrExhausted)
		p.hear(spec.Refuse, 2, spec.MaxEpoch)
		require.Equal(t, 1, strings.Count(logged.String(), "the epochs are used up"))
		p.hear(spec.Heartbeat, 3, spec.MaxEpoch)
		require.NoError(t, p.Check(t.Context()), "node 3 leads in the last one")
		require.True(t, p.Status().Exhausted, "no epoch is left, though node 3 leads in the last one")
	})
}
