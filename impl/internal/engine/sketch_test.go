package engine

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed-fdf591db/bully/impl/internal/interactive"
	"github.com/seed-fdf591db/bully/traces/recording"
)

// TestSketches: every run of the gallery has a sketch, a line of each node; at its end a trace is as its recording is.
func TestSketches(t *testing.T) {
	var e Engine
	g := ask[Gallery](t, &e, "gallery")
	for _, entry := range g.Golden {
		rows := ask[sketched](t, &e, "sketch", "golden", entry.Name).Rows
		o := ask[opened](t, &e, "openGolden", entry.Name)
		last := make([]byte, len(o.Header.Nodes))
		for k := range last {
			last[k] = 'd'
		}
		for _, f := range o.Frames {
			if f.State != nil {
				last[f.Node] = interactive.Letter(f.State)
			}
		}
		for k, row := range rows {
			require.Len(t, row, 60, entry.Name)
			require.Equal(t, string(last[k]), row[59:], "%s, node %d", entry.Name, k+1)
		}
		require.Len(t, rows, entry.Nodes, entry.Name)
		ask[map[string]any](t, &e, "close", o.Handle)
	}
	for _, entry := range g.Refused {
		require.NotEmpty(t, ask[sketched](t, &e, "sketch", "refused", entry.Name).Rows, entry.Name)
	}
	for _, story := range g.Scenarios {
		require.Len(t, ask[sketched](t, &e, "sketch", "scenario", story.Name).Rows, story.Nodes, story.Name)
	}
	require.Contains(t, ask[sketched](t, &e, "sketch", "golden", "nothing").Problem.Problem, "no sketch")
	require.Contains(t, ask[sketched](t, &e, "sketch", "page", "failover").Problem.Problem, "nothing of the gallery")
	require.Equal(t, byte('p'), interactive.Letter(&recording.State{Look: recording.Leads, Paused: true}))
}
