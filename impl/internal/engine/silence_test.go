package engine_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed-fdf591db/bully/impl/internal/engine"
	"github.com/seed-fdf591db/bully/spec"
	"github.com/seed-fdf591db/bully/traces/recording"
)

// leads returns an event of a leader of three, as a node writes it.
func leads(seq, node, epoch int) string {
	return fmt.Sprintf(`{"seq":%d,"at":%d,"node":"%d","action":"HeartbeatTimeout","input":{"timer":"heartbeat"},"sent":[],`+
		`"state":{"role":"leader","leader":"%d","lease":0,"epoch":%d,"grantee":"%d","support":[],"asked":0,"latest":%d,"dated":%d,"answered":[{"node":"1","question":%d}]}}`,
		seq, 1000*seq, node, node, epoch, node, seq+8, seq+7, seq+7)
}

// lights returns how many act in frames, as their indicator has it: red if more than one.
func lights(frames []recording.Frame) (all []recording.Light) {
	for i := range frames {
		for _, indicator := range frames[i].Indicators {
			if indicator.Name == string(spec.OneActing) {
				all = append(all, indicator.Light)
			}
		}
	}
	return all
}

// TestLiveHeldUp: of a real leader that has said nothing since another leads a higher epoch, as one that was stopped (SIGSTOP), nobody says
// that it acts, nor that it is down; if it says that it leads still, two act.
func TestLiveHeldUp(t *testing.T) {
	live, err := engine.Listen([]string{"1", "2", "3"}, false)
	require.NoError(t, err)
	feed := func(line string) []recording.Frame {
		frames, err := live.Feed([]byte(line))
		require.NoError(t, err)
		return frames
	}
	feed(leads(1, 3, 4))
	next := feed(leads(2, 2, 5))
	require.Len(t, next, 2)
	require.Equal(t, []any{2, "is heard no more", recording.Down, true, uint64(4)}, []any{next[0].Node, next[0].Text, next[0].State.Look, next[0].State.Unheard, next[0].State.Epoch})
	require.Equal(t, "it led epoch 4, and 2 comes to lead epoch 5 now: it is held up, has crashed, or is about to say that it leads no more", next[0].Note)
	require.Equal(t, []any{1, recording.Leads}, []any{next[1].Node, next[1].State.Look})
	require.Empty(t, lights(next))
	require.Len(t, feed(leads(3, 2, 5)), 1, "it is told once")
	late := feed(leads(1, 3, 4))
	require.Empty(t, lights(late), "what it did before comes late")
	require.Nil(t, late[0].State, "and shows nothing new")
	again := feed(leads(4, 3, 4))
	require.Len(t, again, 1)
	require.Equal(t, recording.Leads, again[0].State.Look)
	require.Equal(t, []recording.Light{recording.Red}, lights(again), "it has said so itself")
}

// TestTracesHeldUp: so in the trace of real nodes; in a simulated one nodes are what they are told to be.
func TestTracesHeldUp(t *testing.T) {
	for origin, broken := range map[string]int{`"host":"db-1"`: 0, `"seed":7`: 2} {
		text := fmt.Sprintf(`{"format":3,"spec":"2.0","members":["1","2","3"],%s,"commit":"none"}`+"\n", origin)
		for seq, e := range [][2]int{{3, 4}, {2, 5}, {2, 5}} {
			text += leads(seq+1, e[0], e[1]) + "\n"
		}
		text += `{"seq":4,"at":4000,"node":"3","action":"ReignTimeout","input":{"timer":"reign"},"sent":[],"state":{"role":"follower","leader":null,"lease":0,"epoch":4,"grantee":"3","support":[],"asked":0,"latest":9}}` + "\n"
		f := engine.Open([]byte(text), "x.ndjson").Recording
		require.NotNil(t, f, origin)
		require.Equal(t, broken, red(f, string(spec.OneActing)), origin)
		last := f.Frames[len(f.Frames)-1]
		require.Equal(t, []any{2, "follower"}, []any{last.Node, last.State.Role}, origin)
	}
}
