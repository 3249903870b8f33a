package interactive_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed-fdf591db/bully/impl/internal/engine"
	"github.com/seed-fdf591db/bully/impl/internal/interactive"
	"github.com/seed-fdf591db/bully/traces/recording"
)

// TestRunsAreToldAsTraces plays a run of ours with a crash, and opens the trace of it: the same steps are told in the same
// words, and the nodes are shown in the same state. A run says more.
func TestRunsAreToldAsTraces(t *testing.T) {
	s, frames := begun(t, plain("bully", 5, "lossy", 3))
	for _, d := range []interactive.Intervention{{Do: interactive.Crash, Node: place(4)}, {Do: interactive.Suspect, Node: place(0)}, {Do: interactive.Restart, Node: place(4)}} {
		more, _ := s.Next(400)
		frames = append(frames, more...)
		d.After = len(frames)
		more, err := s.Do(d)
		require.NoError(t, err)
		frames = append(frames, more...)
	}
	more, _ := s.Next(400)
	frames = append(frames, more...)
	_, text, err := engine.ExportTrace(&recording.Recording{Header: s.Header(), Frames: frames}, s, nil)
	require.NoError(t, err)
	opened := engine.Open(text, "run")
	require.Nil(t, opened.Problem)
	steps := func(all []recording.Frame) (some []recording.Frame) {
		for _, f := range all {
			if f.Action != "" && f.Rule != "" && f.Kind != recording.Crash {
				some = append(some, f)
			}
		}
		return some
	}
	played, told := steps(frames), steps(opened.Recording.Frames)
	require.Greater(t, len(told), 500)
	require.Len(t, told, len(played))
	for i, f := range told {
		p := played[i]
		require.Equal(t, f.Action, p.Action)
		require.Equal(t, f.Rule, p.Rule)
		require.True(t, p.Upkeep || !f.Upkeep, "%+v\n%+v", f, p)
		if p.Kind == recording.Call { // a suspicion: a trace has it as the end of the timer
			require.Equal(t, "is told that 4 is dead", p.Text)
		} else {
			require.Equal(t, f.Text, p.Text, f.Action)
		}
		require.True(t, strings.HasPrefix(p.Note, f.Note), "%q\n%q", p.Note, f.Note)
		if f.State != nil {
			require.Equal(t, f.State.Fields, p.State.Fields)
			require.Equal(t, f.State.Role, p.State.Role)
		}
		for k, m := range f.Sends {
			require.Equal(t, m.Kind, strings.Fields(p.Sends[k].Kind)[0])
			require.Equal(t, m.Upkeep, p.Sends[k].Upkeep)
			require.Equal(t, m.Text, p.Sends[k].Text)
		}
	}
}
