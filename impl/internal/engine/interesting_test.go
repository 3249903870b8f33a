package engine

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed-fdf591db/bully/spec"
	"github.com/seed-fdf591db/bully/traces/recording"
)

// TestInteresting finds where people should begin to look: before an indicator goes red, and at what else there is to see.
func TestInteresting(t *testing.T) {
	start, step := recording.Frame{Kind: recording.Start}, recording.Frame{Kind: recording.Receive}
	crash, lose := recording.Frame{Kind: recording.Crash}, recording.Frame{Kind: recording.Lose}
	red := recording.Frame{Kind: recording.Receive, Indicators: []recording.Indicator{{Light: recording.Red}}}
	amber := recording.Frame{Kind: recording.Receive, Indicators: []recording.Indicator{{Light: recording.Amber}}}
	upkeep := recording.Frame{Kind: recording.Lose, Upkeep: true}
	preempts := recording.Frame{Kind: recording.Timer, Action: string(spec.PreemptTimeout)}
	refuses := recording.Frame{Kind: recording.Receive, Sends: []recording.Message{{Kind: string(spec.Refuse)}}}
	for _, c := range []struct {
		frames []recording.Frame
		open   int
	}{
		{nil, 0},
		{[]recording.Frame{start, start}, 0},
		{[]recording.Frame{start, step, step}, 2},
		{[]recording.Frame{start, step, crash, red}, 3},
		{[]recording.Frame{start, red}, 1},
		{[]recording.Frame{start, step, amber, upkeep, lose, crash}, 5},
		{[]recording.Frame{start, refuses, preempts, step}, 3},
		{[]recording.Frame{start, step, refuses, step}, 3},
	} {
		require.Equal(t, c.open, interesting(&recording.Recording{Frames: c.frames}), "%v", c.frames)
	}
}
