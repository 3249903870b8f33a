package stage_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed-fdf591db/bully/impl/cmd/bully/stage"
	"github.com/seed-fdf591db/bully/traces/film"
)

// TestLiveHeardNoMore sees that a node which is heard no more is not said to have crashed, and is shown as it is if it is
// heard again.
func TestLiveHeardNoMore(t *testing.T) {
	live, err := stage.Listen([]string{"3", "1", "2"})
	require.NoError(t, err)
	feed := func(line string) film.Frame {
		frames, err := live.Feed([]byte(line))
		require.NoError(t, err)
		require.Len(t, frames, 1)
		return frames[0]
	}
	const beat = `{"seq":7,"at":100,"node":"3","action":"BeatTimeout","input":{"timer":"beat"},"sent":[],` +
		`"state":{"role":"leader","leader":"3","epoch":4,"grantee":"3","support":["2"]}}`
	require.Equal(t, film.Leads, feed(beat).State.Look)
	end := feed(`{"seq":8,"at":101,"node":"3","action":"Crash","state":{"role":"follower","leader":null,"epoch":4,"grantee":"3","support":[]}}`)
	require.Equal(t, "is heard no more", end.Text)
	require.NotContains(t, end.Note, "disk")
	require.Equal(t, film.Down, end.State.Look)
	again := feed(strings.Replace(beat, `"seq":7,"at":100`, `"seq":8,"at":900`, 1))
	require.Equal(t, film.Leads, again.State.Look)
	require.NotEqual(t, film.Restart, again.Kind)
}
