package engine

import (
	"encoding/json"
	"fmt"
	"io/fs"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed-fdf591db/bully/traces"
	"github.com/seed-fdf591db/bully/traces/recording"
)

// ask asks an engine, and reads the answer.
func ask[T any](t *testing.T, e *Engine, name string, args ...any) (answer T) {
	t.Helper()
	var file []string
	if name == "open" {
		file, args = []string{args[0].(string)}, args[1:]
	}
	text, err := json.Marshal(args)
	require.NoError(t, err)
	if args == nil {
		text = []byte("[]")
	}
	said := e.Call(name, string(text), file...)
	require.NoError(t, json.Unmarshal([]byte(said), &answer), "%s: %s", name, said)
	return answer
}

// TestWhatThereIs wants the gallery in the names of the page.
func TestWhatThereIs(t *testing.T) {
	var e Engine
	g := ask[map[string]json.RawMessage](t, &e, "gallery")
	for _, name := range []string{"algorithms", "profiles", "golden", "refused", "scenarios", "rules", "actions"} {
		require.Contains(t, g, name)
		require.NotEqual(t, "null", string(g[name]), name)
	}
}

// TestOpensAndExports opens a trace as text, exports it, and closes it.
func TestOpensAndExports(t *testing.T) {
	var e Engine
	text, err := fs.ReadFile(traces.Valid, "cold-start.ndjson")
	require.NoError(t, err)
	o := ask[opened](t, &e, "open", string(text), "cold-start.ndjson")
	require.Nil(t, o.Problem)
	require.Positive(t, o.Handle)
	require.True(t, o.Ended, "the trace is at its end")
	require.Nil(t, o.RunSpec)
	require.Equal(t, "cold start", o.Header.Title)
	require.Equal(t, string(text), ask[exported](t, &e, "trace", o.Handle).Text)
	script := ask[exported](t, &e, "testCase", o.Handle)
	require.Equal(t, "cold-start.script", script.Name)
	require.Contains(t, script.Text, "members 1 2 3\n")
	require.NotNil(t, ask[more](t, &e, "do", o.Handle, map[string]any{"after": 0, "do": "crash", "node": 0}).Problem)
	require.True(t, ask[more](t, &e, "next", o.Handle, 5).Ended, "a trace without more frames is at its end")
	ask[map[string]any](t, &e, "close", o.Handle)
	require.Contains(t, ask[exported](t, &e, "trace", o.Handle).Problem.Problem, "handle")
	require.Empty(t, e.open)
}

// TestEveryMistakeIsAnswered asks what cannot be, and wants an answer of the right form that says so.
func TestEveryMistakeIsAnswered(t *testing.T) {
	for name, m := range methods {
		for _, args := range []string{"", "null", "{}", "[1,2,3,4]", `[{}]`, `["x"]`, `[99]`, `[99,"x"]`, `["x",{}]`, `[[["x"]]]`, `[null]`, `[null,null]`, `["",""]`} {
			var e Engine
			var answer struct {
				Problem *struct{ Problem string }
			}
			said := e.Call(name, args)
			require.NoError(t, json.Unmarshal([]byte(said), &answer), "%s(%s): %s", name, args, said)
			if m.arguments > 0 && name != "close" {
				require.NotNil(t, answer.Problem, "%s(%s): %s", name, args, said)
				require.NotEmpty(t, answer.Problem.Problem)
				require.NotContains(t, answer.Problem.Problem, "mistake", "%s(%s)", name, args)
			}
			require.False(t, strings.Contains(said, `"frames":null`) || strings.Contains(said, `"nodes":null`), said)
		}
	}
	var e Engine
	require.Contains(t, e.Call("dance", "[]"), "dance")
}

// TestWhatIsWrongIsSaid wants the mistake of each call by its own name, and lists where there is nothing in them.
func TestWhatIsWrongIsSaid(t *testing.T) {
	var e Engine
	require.Contains(t, e.Call("<dance>", "[]"), "<dance>")
	text, err := fs.ReadFile(traces.Valid, "cold-start.ndjson")
	require.NoError(t, err)
	trace := ask[opened](t, &e, "open", string(text), "cold-start.ndjson").Handle
	begun := ask[opened](t, &e, "begin", map[string]any{"runSpec": 1, "algorithm": "bully", "nodes": 3, "profile": "lan", "seed": 1, "do": []any{}})
	run := begun.Handle
	live := ask[opened](t, &e, "live", []string{"1"}, true)
	require.Contains(t, e.Call("live", `[["1"],true]`), `"frames":[]`)
	for _, c := range []struct {
		method, says string
		args         []any
	}{
		{"next", "argument 2 cannot be read", []any{run, "5"}},
		{"do", "argument 2 cannot be read", []any{run, 5}},
		{"live", "argument 2 cannot be read", []any{[]string{"1"}, "x"}},
		{"feed", "this is no live recording", []any{trace, string(text)}},
		{"next", "100001 is not from 0 to 100000 frames", []any{trace, maxNext + 1}},
		{"testCase", "", []any{live.Handle}},
	} {
		said := ask[exported](t, &e, c.method, c.args...).Problem
		require.NotNil(t, said, c.method)
		require.Contains(t, said.Problem, c.says, c.method)
	}
	for _, k := range []int{0, maxNext} {
		require.Nil(t, ask[more](t, &e, "next", trace, k).Problem, k)
		require.Contains(t, e.Call("next", fmt.Sprintf("[%d,%d]", trace, k)), `"frames":[]`)
	}
	done := ask[more](t, &e, "do", run, map[string]any{"after": len(begun.Frames), "do": "crash", "node": 0})
	require.Nil(t, done.Problem)
	require.NotEmpty(t, done.Frames)
}

// TestPanicsAreAnswered makes the engine itself fail.
func TestPanicsAreAnswered(t *testing.T) {
	defer func(was method) { methods["next"] = was }(methods["next"])
	methods["next"] = method{2, func(*Engine, arguments) any { panic("ouch") }, noMore}
	var e Engine
	require.Contains(t, ask[more](t, &e, "next", 1, 1).Problem.Problem, "mistake in next: ouch")
}

// TestLiveClusterIsShown feeds the events of a run from the middle on, with gaps and nonsense among them.
func TestLiveClusterIsShown(t *testing.T) {
	var e Engine
	text, err := fs.ReadFile(traces.Valid, "sim-crash-seed-1.ndjson")
	require.NoError(t, err)
	lines := strings.Split(strings.TrimSpace(string(text)), "\n")
	o := ask[opened](t, &e, "live", []string{"3", "1", "2"}, false)
	require.Nil(t, o.Problem)
	require.False(t, o.Ended, "a live cluster has no end")
	require.Equal(t, []string{"1", "2", "3"}, o.Header.Nodes)
	checker, err := recording.NewChecker(&o.Header)
	require.NoError(t, err)
	arrows, frames := 0, 0
	for i, line := range lines[10:] {
		if i%7 == 3 {
			continue // a gap
		}
		if i%10 == 5 {
			m := ask[more](t, &e, "feed", o.Handle, line[:len(line)/2])
			require.NotNil(t, m.Problem)
			require.False(t, m.Ended, "a line that cannot be read must not end a live cluster")
			require.Empty(t, m.Frames)
		}
		m := ask[more](t, &e, "feed", o.Handle, line)
		require.Nil(t, m.Problem)
		require.NotEmpty(t, m.Frames)
		for j := range m.Frames {
			require.NoError(t, checker.Frame(&m.Frames[j]))
			frames++
			if m.Frames[j].Kind == recording.Receive && m.Frames[j].Takes > 0 {
				arrows++
			}
		}
	}
	require.Greater(t, arrows, 20)
	require.Len(t, e.open[o.Handle].recording.Frames, frames)
	require.Contains(t, ask[opened](t, &e, "live", []string{"1", "1"}, false).Problem.Problem, "twice")
	require.Contains(t, ask[opened](t, &e, "live", []string{"0"}, false).Problem.Problem, "0")
	nonMember := strings.ReplaceAll(lines[1], `"node":"1"`, `"node":"9"`)
	require.Contains(t, ask[more](t, &e, "feed", o.Handle, nonMember).Problem.Problem, "9")
	require.Contains(t, ask[more](t, &e, "feed", o.Handle, fmt.Sprint(7)).Problem.Problem, "object")
}

// TestNastyArguments asks a run for what cannot be. It says why, and goes on as if nobody had asked.
func TestNastyArguments(t *testing.T) {
	var e Engine
	o := ask[opened](t, &e, "begin", map[string]any{"runSpec": 1, "algorithm": "bully", "nodes": 5, "profile": "lan", "seed": 1, "do": []any{}})
	require.Nil(t, o.Problem)
	nested := strings.Repeat("[", 100_000) + strings.Repeat("]", 100_000)
	for method, all := range map[string][]string{
		"next": {"[1,1e9]", "[1,1000000000]", "[1,-1]", "[-1,5]", "[1.5,5]", "[1e400,5]", "[99999999999999999999,5]", `[1,"5"]`, "[true,5]", "[[1],5]", "[1," + nested + "]"},
		"do": {"[1,{}]", "[1,5]", "[1,null]", `[1,"crash"]`, "[1,[]]", `[1,{"after":5,"do":"crash","node":1e3}]`, `[1,{"after":5,"do":"crash","node":-1}]`,
			`[1,{"after":5,"do":"cut","links":[]}]`, `[1,{"after":5,"do":"cut","links":[[0]]}]`, `[1,{"after":5,"do":"delay","message":9223372036854775807,"by":3600000000}]`,
			`[1,{"after":5,"do":"delay","message":1,"by":9223372036854775807}]`, `[1,{"after":9223372036854775807,"do":"crash","node":1}]`, `[1,{"after":-1,"do":"crash","node":1}]`},
		"feed": {`[1,"{}"]`}, "trace": {"[-9223372036854775808]"}, "testCase": {"[1e9]"},
	} {
		for _, args := range all {
			var answer struct{ Problem *struct{ Problem string } }
			require.NoError(t, json.Unmarshal([]byte(e.Call(method, args)), &answer))
			require.NotNil(t, answer.Problem, "%s(%.60s)", method, args)
			require.NotContains(t, answer.Problem.Problem, "mistake", "%s(%.60s)", method, args)
			require.NotContains(t, answer.Problem.Problem, "json:", "%s(%.60s)", method, args)
		}
	}
	require.False(t, ask[more](t, &e, "next", o.Handle, 1_000_000_000).Ended, "it goes on")
	require.Len(t, ask[more](t, &e, "next", o.Handle, 7).Frames, 7)
	live := ask[opened](t, &e, "live", []string{"1", "2", "3"}, false)
	require.False(t, ask[more](t, &e, "next", live.Handle, -1).Ended, "there may be more")
	require.False(t, ask[more](t, &e, "do", live.Handle, map[string]any{}).Ended, "there may be more")
	ask[map[string]any](t, &e, "close", -1)
	ask[map[string]any](t, &e, "close", o.Handle)
	require.Contains(t, ask[more](t, &e, "next", o.Handle, 1).Problem.Problem, "handle")
}

// TestRunsAreExportedAtOnce exports a run that has not come to where people should begin to look.
func TestRunsAreExportedAtOnce(t *testing.T) {
	var e Engine
	o := ask[opened](t, &e, "begin", map[string]any{"runSpec": 1, "scenario": "lease-pause", "do": []any{}})
	require.Nil(t, o.Problem)
	require.Greater(t, o.Header.Open, len(o.Frames))
	exported := ask[exported](t, &e, "trace", o.Handle)
	require.Nil(t, exported.Problem)
	f, err := recording.Read(strings.NewReader(exported.Text))
	require.NoError(t, err)
	require.Len(t, f.Frames, len(o.Frames))
}

// TestLongLiveRecordings feeds a live recording more frames than are kept: it goes on, and cannot be saved any more.
func TestLongLiveRecordings(t *testing.T) {
	defer func(was int) { maxLive = was }(maxLive)
	maxLive = 20
	var e Engine
	text, err := fs.ReadFile(traces.Valid, "sim-crash-seed-1.ndjson")
	require.NoError(t, err)
	lines := strings.Split(strings.TrimSpace(string(text)), "\n")[1:]
	o := ask[opened](t, &e, "live", []string{"1", "2", "3"}, false)
	for i, line := range lines[:40] {
		require.Len(t, ask[more](t, &e, "feed", o.Handle, line).Frames, 1)
		saved := ask[exported](t, &e, "trace", o.Handle)
		require.Equal(t, i >= 20, saved.Problem != nil, "after %d frames", i+1)
		require.LessOrEqual(t, len(e.open[o.Handle].recording.Frames), 20)
	}
	require.Contains(t, ask[exported](t, &e, "trace", o.Handle).Problem.Problem, "longer than 20 frames")
}
