package stage

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed-fdf591db/bully/spec"
	"github.com/seed-fdf591db/bully/traces/film"
)

// TestInteresting finds where people should begin to look: before a lamp goes red, and at what else there is to see.
func TestInteresting(t *testing.T) {
	start, step := film.Frame{Kind: film.Start}, film.Frame{Kind: film.Receive}
	crash, lose := film.Frame{Kind: film.Crash}, film.Frame{Kind: film.Lose}
	red := film.Frame{Kind: film.Receive, Lamps: []film.Lamp{{Light: film.Red}}}
	amber := film.Frame{Kind: film.Receive, Lamps: []film.Lamp{{Light: film.Amber}}}
	upkeep := film.Frame{Kind: film.Lose, Upkeep: true}
	preempts := film.Frame{Kind: film.Timer, Action: string(spec.PreemptTimeout)}
	refuses := film.Frame{Kind: film.Receive, Sends: []film.Message{{Kind: string(spec.Refuse)}}}
	for _, c := range []struct {
		frames []film.Frame
		open   int
	}{
		{nil, 0},
		{[]film.Frame{start, start}, 0},
		{[]film.Frame{start, step, step}, 2},
		{[]film.Frame{start, step, crash, red}, 3},
		{[]film.Frame{start, red}, 1},
		{[]film.Frame{start, step, amber, upkeep, lose, crash}, 5},
		{[]film.Frame{start, refuses, preempts, step}, 3},
		{[]film.Frame{start, step, refuses, step}, 3},
	} {
		require.Equal(t, c.open, interesting(&film.Film{Frames: c.frames}), "%v", c.frames)
	}
}
