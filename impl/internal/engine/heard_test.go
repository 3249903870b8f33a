package engine_test

import (
	"io/fs"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed-fdf591db/bully/conformance/check"
	"github.com/seed-fdf591db/bully/impl/internal/engine"
	"github.com/seed-fdf591db/bully/impl/internal/narrate"
	"github.com/seed-fdf591db/bully/spec"
	"github.com/seed-fdf591db/bully/traces"
	"github.com/seed-fdf591db/bully/traces/recording"
)

// killed returns a golden trace in which nobody has written the last Crash of a node, and which goes on without that node: as after kill -9.
// The place is that of its last event; it is below 0 if no node ends with a Crash.
func killed(t *testing.T, name string) (header spec.Header, events []spec.Event, place int) {
	t.Helper()
	text, err := fs.ReadFile(traces.Valid, name+".ndjson")
	require.NoError(t, err)
	header, events, err = traces.Read(text)
	require.NoError(t, err)
	for crash := range events {
		id := events[crash].Node
		of := func(e spec.Event) bool { return e.Node == id }
		if events[crash].Action != spec.CrashAction || slices.ContainsFunc(events[crash+1:], of) {
			continue
		}
		for place = crash - 1; place >= 0 && !of(events[place]); place-- {
		}
		if place < 0 || events[place].Action == spec.CrashAction {
			continue
		}
		events = slices.Delete(events, crash, crash+1)
		for i := range events {
			events[i].Seq = uint64(i + 1)
		}
		return header, events, place
	}
	return header, nil, -1
}

// TestRecordsThatJustEnd: of a node whose record just ends nobody says that it is what it was, be it leader, once the trace goes on
// without it (section 14): it is heard no more from its last line on, and what is said to it since is not under way.
func TestRecordsThatJustEnd(t *testing.T) {
	ends := 0
	for _, e := range traces.Table() {
		header, events, place := killed(t, e.Name)
		if place < 0 {
			continue
		}
		text, err := traces.Write(header, events)
		require.NoError(t, err)
		f := engine.Open(text, "x.ndjson").Recording
		require.Zero(t, red(f, string(spec.OneActing)), e.Name)
		same(t, e.Name, f)
		node := slices.Index(header.Members, events[place].Node)
		at := slices.IndexFunc(f.Frames, func(g recording.Frame) bool { return g.State != nil && g.State.Unheard })
		if at < 0 {
			require.NotEqual(t, "failover", e.Name)
			continue
		}
		end := &f.Frames[at]
		require.Equal(t, []any{node, "is heard no more", recording.Down, "heard no more", -1}, []any{end.Node, end.Text, end.State.Look, end.State.Role, end.State.Leader}, e.Name)
		require.Equal(t, uint64(events[place].State.Epoch), end.State.Epoch, e.Name)
		before := f.Frames[:at]
		for before[len(before)-1].Kind == recording.Lose {
			before = before[:len(before)-1]
		}
		require.Equal(t, string(events[place].Action), before[len(before)-1].Action, "%s: right after its last line", e.Name)
		for _, g := range f.Frames[at+1:] {
			require.False(t, g.Node == node, "%s: nothing more is told of it", e.Name)
			for _, m := range g.Sends {
				require.True(t, m.To != node || m.Lost, "%s: what is said to it does not stay under way", e.Name)
			}
		}
		ends++
	}
	require.Greater(t, ends, 3)
}

// TestFollowersThatJustEnd: a follower is heard no more when much was said to it in vain, and not sooner.
func TestFollowersThatJustEnd(t *testing.T) {
	text, err := fs.ReadFile(traces.Valid, "sim-loss-seed-13.ndjson")
	require.NoError(t, err)
	header, events, err := traces.Read(text)
	require.NoError(t, err)
	one, said := header.Members[0], 0
	killed, place := []spec.Event{}, -1
	unheard := func() bool {
		text, err := traces.Write(header, killed)
		require.NoError(t, err)
		f := engine.Open(text, "x.ndjson").Recording
		return slices.ContainsFunc(f.Frames, func(g recording.Frame) bool { return g.State != nil && g.State.Unheard })
	}
	for i := range events {
		e := events[i].Clone()
		if e.Node == one && i > 40 || e.Input.Message.From == one && i > 41 {
			continue
		}
		if e.Node == one {
			place, said = len(killed), 0
		}
		for _, m := range e.Sent {
			if m.To == one {
				said++
			}
		}
		e.Seq = uint64(len(killed) + 1)
		killed = append(killed, e)
		if i > 41 {
			require.Equal(t, said >= check.UnheardFrom, unheard(), "%d messages", said)
		}
	}
	require.Positive(t, place)
	require.Greater(t, said, check.UnheardFrom)

	cut := spec.Event{Action: spec.CutAction, Input: spec.Input{Cut: []spec.Link{{From: header.Members[1], To: one}, {From: header.Members[2], To: one}}}}
	killed = slices.Insert(killed, place+1, cut)
	for i := range killed {
		killed[i].Seq = uint64(i + 1)
	}
	require.False(t, unheard(), "nothing was said to it: it is cut off")
}

// TestNobodyJustEnds: in no golden trace a node is taken for one that is heard no more.
func TestNobodyJustEnds(t *testing.T) {
	for _, e := range traces.Table() {
		for _, g := range engine.OpenGolden(e.Name).Recording.Frames {
			require.False(t, g.State != nil && g.State.Unheard, "%s: %s", e.Name, g.Text)
		}
	}
}

// TestRefusedTracesJustEnd: a node is heard no more in a trace that the rules refuse before its last line, too; and the step that they
// refuse is where people begin to look.
func TestRefusedTracesJustEnd(t *testing.T) {
	header, events, place := killed(t, "failover")
	events[place].State.Latest++ // it makes a step that it may not, and is heard no more
	text, err := traces.Write(header, events)
	require.NoError(t, err)
	opened := engine.Open(text, "x.ndjson")
	require.Equal(t, place+2, opened.Problem.Line)
	f := opened.Recording
	require.Equal(t, f.Open, red(f, narrate.Rules))
	require.Equal(t, string(events[place].Action), f.Frames[f.Open-1].Action)
	require.True(t, slices.ContainsFunc(f.Frames[f.Open:], func(g recording.Frame) bool { return g.State != nil && g.State.Unheard }), "a node must be shown as unheard after the refused line")
}
