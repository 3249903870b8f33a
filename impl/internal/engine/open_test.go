package engine_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io/fs"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed-fdf591db/bully/conformance/check"
	"github.com/seed-fdf591db/bully/impl/internal/engine"
	"github.com/seed-fdf591db/bully/impl/internal/narrate"
	"github.com/seed-fdf591db/bully/spec"
	"github.com/seed-fdf591db/bully/traces"
	"github.com/seed-fdf591db/bully/traces/recording"
)

// red returns the frame, from 1, with which an indicator first goes red; 0 if it never does.
func red(f *recording.Recording, name string) int {
	for i := range f.Frames {
		for _, indicator := range f.Frames[i].Indicators {
			if indicator.Name == name && indicator.Light == recording.Red {
				return i + 1
			}
		}
	}
	return 0
}

// lines returns a recording as text.
func lines(t *testing.T, f *recording.Recording) string {
	t.Helper()
	var text bytes.Buffer
	require.NoError(t, f.Write(&text))
	return text.String()
}

// same requires that a recording is written and read back as it is.
func same(t *testing.T, name string, f *recording.Recording) {
	t.Helper()
	var text bytes.Buffer
	require.NoError(t, f.Write(&text), name)
	again, err := recording.Read(&text)
	require.NoError(t, err, name)
	require.Equal(t, lines(t, f), lines(t, again), name)
}

// TestGoldenTracesOpen opens every golden trace: all of it is told, every message that arrives has been sent, and people begin
// to look where something happens.
func TestGoldenTracesOpen(t *testing.T) {
	for _, e := range traces.Table() {
		opened := engine.OpenGolden(e.Name)
		require.Nil(t, opened.Problem, e.Name)
		f := opened.Recording
		require.Equal(t, e.Watch, f.Watch, e.Name)
		require.Equal(t, strings.HasPrefix(e.Name, "sim-"), f.Timed, e.Name)
		require.Positive(t, f.Open, e.Name)
		require.Zero(t, red(f, narrate.Rules), e.Name)
		require.Zero(t, red(f, string(spec.OneLeaderPerEpoch)), e.Name)
		events := 0
		for i := range f.Frames {
			g := &f.Frames[i]
			require.NotEmpty(t, g.Text, "%s %d", e.Name, i+1)
			require.True(t, g.Kind != recording.Receive || g.Takes > 0 || strings.HasPrefix(g.Note, "it was taken for lost, or comes once more"), "%s %d", e.Name, i+1)
			require.True(t, g.Kind == recording.Lose || g.Kind == recording.Links || g.Note != "" && g.Rule != "", "%s %d: %+v", e.Name, i+1, g)
			if g.Action != "" {
				events++
			}
		}
		require.Equal(t, e.Events, events, e.Name)
		same(t, e.Name, f)
	}
}

// TestRefusedTracesOpen opens every trace that must be refused where it is, with the rule that says so.
func TestRefusedTracesOpen(t *testing.T) {
	text, err := fs.ReadFile(traces.Invalid, "expected.json")
	require.NoError(t, err)
	var expected map[string]struct {
		Line int
		Rule string
	}
	require.NoError(t, json.Unmarshal(text, &expected))
	all := engine.Look().Refused
	require.Len(t, all, len(expected))
	for _, g := range all {
		e := expected[g.Name+".ndjson"]
		require.Contains(t, g.Watch, e.Rule)
		require.NotContains(t, g.Watch, ": \n", "no sentence for %s", e.Rule)
		opened := engine.OpenGolden(g.Name)
		require.NotNil(t, opened.Problem, g.Name)
		require.Equal(t, e.Line, opened.Problem.Line, g.Name)
		if e.Rule == "section 14" { // the line cannot be read: people look at what comes before it
			require.Len(t, opened.Recording.Frames, opened.Recording.Open, g.Name)
			if opened.Recording.Open > 0 {
				require.Equal(t, opened.Recording.Open, red(opened.Recording, narrate.Rules), g.Name)
			}
		} else {
			require.Contains(t, opened.Problem.Problem, e.Rule)
			require.Equal(t, opened.Recording.Open, red(opened.Recording, narrate.Rules), g.Name)
			if strings.HasPrefix(e.Rule, "R") {
				require.Equal(t, e.Rule, opened.Recording.Frames[opened.Recording.Open-1].Rule, g.Name)
			}
			events := 0
			for _, f := range opened.Recording.Frames[:opened.Recording.Open] {
				if f.Action != "" {
					events++
				}
			}
			require.Equal(t, e.Line-1, events, g.Name)
		}
		same(t, g.Name, opened.Recording)
	}
}

// TestBrokenFilesSayWhere opens what is broken, and wants the line, the reason, and what comes before.
func TestBrokenFilesSayWhere(t *testing.T) {
	whole, err := fs.ReadFile(traces.Valid, "failover.ndjson")
	require.NoError(t, err)
	lines := strings.SplitAfter(string(whole), "\n")
	part := func(n int) string { return strings.Join(lines[:n], "") }
	recordingText := func(more string) string {
		return `{"recording":1,"title":"x","source":"trace","nodes":["1","2"],"timed":false}` + "\n" +
			`{"at":1,"kind":"start","node":0,"text":"starts"}` + "\n" + more
	}
	for _, c := range []struct {
		name, text string
		line       int
		says       string
		frames     int
	}{
		{"nothing", " \n", 0, "empty", 0},
		{"a poem", "Shall I compare thee\n", 1, "nothing that is known", 0},
		{"another JSON", `{"a":1}`, 1, "nothing that is known", 0},
		{"a header of another version", `{"format":2,"spec":"1.0","members":["1"],"seed":1,"commit":"x"}` + "\n", 1, "format", 0},
		{"a header that is broken", `{"format":3,"members":["1"` + "\n" + part(3), 1, "expected", 0},
		{"no events", part(1), 1, "no event", 0},
		{"no header", strings.Join(lines[1:], ""), 1, "an event, and not a header", 0},
		{"a line that is no JSON", part(8) + "oops\n" + lines[8], 9, "expected", 7},
		{"a line is missing", part(8) + lines[9], 9, "seq", 7},
		{"cut short", part(8) + lines[8][:40], 9, "cut short", 7},
		{"a recording", recordingText(`{"at":2,"kind":"receive","node":1,"text":"takes","takes":4}`), 3, "message 4 has not been sent", 1},
		{"a recording with a typo", recordingText(`{"at":2,"kind":"timer","node":1,"txt":"ends"}`), 3, `unknown field "txt"`, 1},
		{"a recording's header", `{"recording":2,"title":"x"}`, 1, "version", 0},
	} {
		opened := engine.Open([]byte(c.text), "x.ndjson")
		require.NotNil(t, opened.Problem, c.name)
		require.Equal(t, c.line, opened.Problem.Line, "%s: %s", c.name, opened.Problem)
		require.Contains(t, opened.Problem.Problem, c.says, c.name)
		frames := 0
		if opened.Recording != nil {
			frames = len(opened.Recording.Frames)
			same(t, c.name, opened.Recording)
		}
		require.Equal(t, c.frames, frames, c.name)
	}
	for _, name := range []string{"", "/", ".ndjson", `\`} {
		pasted := engine.Open(bytes.TrimSpace(whole), name)
		require.Nil(t, pasted.Problem)
		require.Equal(t, "a trace", pasted.Recording.Title, name)
	}
}

// TestWhereATraceComesFrom says which version has written it, if it says so itself.
func TestWhereATraceComesFrom(t *testing.T) {
	text, err := fs.ReadFile(traces.Valid, "failover.ndjson")
	require.NoError(t, err)
	header, events, _ := strings.Cut(string(text), "\n")
	require.Contains(t, header, `"format":3`)
	for commit, version := range map[string]string{"none": "", "1.2.3": " It was written by version 1.2.3 of its program."} {
		opened := engine.Open([]byte(`{"format":3,"spec":"2.0","members":["1","2","3"],"seed":7,"commit":"`+commit+`"}`+"\n"+events), "x")
		require.Nil(t, opened.Problem)
		require.Equal(t, "A simulated run, of seed 7."+version, opened.Recording.Watch)
	}
}

// TestRunSpecsOpen opens a run by its run spec: it begins where the run spec says, or the error says why not.
func TestRunSpecsOpen(t *testing.T) {
	const runSpec = `{"runSpec":1,"algorithm":"bully","nodes":3,"profile":"lan","seed":1,"do":[%s]}`
	o := engine.Open([]byte(fmt.Sprintf(runSpec, "")), "a.json")
	require.Nil(t, o.Problem)
	require.NotNil(t, o.Run)
	require.NotEmpty(t, o.Recording.Frames)
	require.Equal(t, len(o.Recording.Frames), o.Recording.Header.Open, "all nodes have started")
	frames, _ := o.Run.Next(300)
	require.True(t, slices.ContainsFunc(frames, func(f recording.Frame) bool { return strings.Contains(f.Text, ", and leads") }), "who has saved that it leads")
	o = engine.Open([]byte(fmt.Sprintf(runSpec, `{"after":1,"do":"crash","node":0}`)), "a.json")
	require.NotNil(t, o.Problem)
	o = engine.Open([]byte(strings.Replace(runSpec, `"nodes":3`, `"nodes":"3"`, 1)), "a.json")
	require.NotNil(t, o.Problem)
}

// TestFirstMistakeCounts opens a trace that the rules refuse, and that cannot be read further down: people see what comes first.
func TestFirstMistakeCounts(t *testing.T) {
	text, err := fs.ReadFile(traces.Invalid, "R20-wins-with-half.ndjson")
	require.NoError(t, err)
	want := engine.OpenGolden("R20-wins-with-half")
	opened := engine.Open(append(text, "oops\n"...), "R20-wins-with-half")
	require.Equal(t, want.Problem, opened.Problem)
	require.Equal(t, want.Recording.Open, opened.Recording.Open)
	require.Equal(t, opened.Recording.Open, red(opened.Recording, narrate.Rules))
}

// TestRecordingsAreFull opens a trace that has more events than a recording has frames.
func TestRecordingsAreFull(t *testing.T) {
	defer engine.SetMostFrames(20)()
	opened := engine.OpenGolden("failover")
	require.LessOrEqual(t, len(opened.Recording.Frames), 20)
	require.Equal(t, 22, opened.Problem.Line)
	require.Contains(t, opened.Problem.Problem, "at most 20 frames")
}

// TestRecordOfOneNode shows the record of one node, and says what is missing.
func TestRecordOfOneNode(t *testing.T) {
	_, events := read(t, "failover")
	var out bytes.Buffer
	w := spec.NewTraceWriter(&out, spec.Header{Members: []spec.NodeID{spec.IntegerID(1), spec.IntegerID(2), spec.IntegerID(3)}, Host: "h", Commit: "c"})
	seq := uint64(0)
	for i := range events {
		if events[i].Node == spec.IntegerID(2) {
			seq++
			events[i].Seq = seq
			require.NoError(t, w.Write(&events[i]))
		}
	}
	require.NoError(t, w.Flush())
	opened := engine.Open(out.Bytes(), "2-000001.ndjson")
	require.Contains(t, opened.Problem.Problem, "bully trace merge")
	require.Len(t, opened.Recording.Frames, int(seq))
	same(t, "2", opened.Recording)
}

// TestManyMembers shows a trace of more members than can be judged.
func TestManyMembers(t *testing.T) {
	members := []string{}
	for i := range check.MaxNodes + 1 {
		members = append(members, strconv.Quote(strconv.Itoa(i+1)))
	}
	text := `{"format":3,"spec":"2.0","members":[` + strings.Join(members, ",") + `],"seed":1,"commit":"x"}` + "\n" +
		`{"seq":1,"node":"1","action":"Start","sent":[],"state":{"role":"follower","leader":null,"lease":0,"epoch":0,"grantee":null,"support":[],"asked":0,"latest":1}}` + "\n"
	opened := engine.Open([]byte(text), "many.ndjson")
	require.Contains(t, opened.Problem.Problem, "65 members")
	require.Len(t, opened.Recording.Frames, 1)
	for _, indicator := range opened.Recording.Indicators {
		require.NotEqual(t, narrate.Rules, indicator.Name)
	}
}

// TestTooManyMembers refuses a trace that no recording can show, at its header.
func TestTooManyMembers(t *testing.T) {
	members := []string{}
	for i := range recording.MaxNodes + 1 {
		members = append(members, strconv.Quote(strconv.Itoa(i+1)))
	}
	text := `{"format":3,"spec":"2.0","members":[` + strings.Join(members, ",") + `],"seed":1,"commit":"x"}` + "\n" +
		`{"seq":1,"node":"1","action":"Start","sent":[],"state":{"role":"follower","leader":null,"lease":0,"epoch":0,"grantee":null,"support":[],"asked":0,"latest":1}}` + "\n"
	opened := engine.Open([]byte(text), "more.ndjson")
	require.Equal(t, &engine.Problem{Line: 1, Problem: "129 members: a recording shows from 1 to 128"}, opened.Problem)
	require.Nil(t, opened.Recording)
}

// read reads a golden trace.
func read(t *testing.T, name string) (spec.Header, []spec.Event) {
	t.Helper()
	text, err := fs.ReadFile(traces.Valid, name+".ndjson")
	require.NoError(t, err)
	h, events, err := traces.Read(text)
	require.NoError(t, err)
	return h, events
}
