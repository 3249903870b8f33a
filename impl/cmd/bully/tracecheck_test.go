package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	core "github.com/seed-fdf591db/bully/impl/bully"
	"github.com/seed-fdf591db/bully/impl/internal/cli"
	"github.com/seed-fdf591db/bully/impl/trace"
	"github.com/seed-fdf591db/bully/spec"
)

const (
	aloneHeader = `{"format":3,"spec":"2.0","members":["1"],"host":"test","commit":"test"}` + "\n"
	aloneStarts = `{"seq":1,"node":"1","action":"Start","sent":[],"state":{"role":"follower","leader":null,"lease":0,"epoch":0,"grantee":null,"support":[],"asked":0,"latest":1}}` + "\n"
	aloneAsks   = `{"seq":2,"node":"1","action":"PatienceTimeout","input":{"timer":"patience"},"sent":[],"state":{"role":"candidate","leader":null,"lease":0,"epoch":0,"grantee":null,"support":[],"asked":2,"latest":2}}` + "\n"
	aloneLeads  = `{"seq":3,"node":"1","action":"ElectionTimeout","input":{"timer":"election"},"sent":[],"state":{"role":"leader","leader":"1","lease":0,"epoch":1,"grantee":"1","support":[],"asked":0,"latest":3,"dated":3,"answered":[]}}` + "\n"
)

// put writes a file of these parts, and returns its name.
func put(t testing.TB, dir, name string, parts ...string) string {
	t.Helper()
	path := filepath.Join(dir, name)
	require.NoError(t, os.WriteFile(path, []byte(strings.Join(parts, "")), 0o600))
	return path
}

func TestTraceCheck(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	put(t, dir, "notes.txt", "no trace")
	good := put(t, dir, "good.ndjson", aloneHeader, aloneStarts, aloneAsks, aloneLeads)
	status, out, log := bully(t, "trace", "check", dir)
	require.Equal(t, cli.OK, status, log)
	lines := strings.Split(out, "\n")
	require.Equal(t, []string{"file", "members", "events", "reigns", "verdict"}, strings.Fields(lines[0]))
	require.Equal(t, []string{good, "1", "3", "1", "ok"}, strings.Fields(lines[1]))
	require.Contains(t, out, "\ntraces: 1, events: 3, refused: 0, events/s: ")

	// A trace that a crash of its writer has cut short is good, unless that is asked.
	cut := put(t, dir, "cut.ndjson", aloneHeader, aloneStarts, aloneAsks[:20])
	status, out, _ = bully(t, "trace", "check", dir)
	require.Equal(t, cli.OK, status)
	require.Contains(t, out, "ok, cut short")
	status, out, log = bully(t, "trace", "check", "-strict", good, cut)
	require.Equal(t, cli.Mismatch, status)
	require.Equal(t, "bully trace: 1 of 2 traces are refused\n", log)
	require.Contains(t, out, "REFUSED in line 3, section 14")

	// A step that is not that of the rules is shown with what was expected, and in JSON.
	bad := put(t, dir, "bad.ndjson", aloneHeader, aloneStarts, aloneAsks, strings.ReplaceAll(aloneLeads, `"epoch":1`, `"epoch":2`))
	status, out, _ = bully(t, "trace", "check", bad, good)
	require.Equal(t, cli.Mismatch, status)
	require.Contains(t, out, "REFUSED in line 4, R14")
	require.Contains(t, out, bad+": line 4: R14: node 1 of {1} takes ElectionTimeout in another way than the rules\n")
	require.Contains(t, out, "\n  expected  leader leader:1 epoch:1 grantee:1 support:{} latest:3 dated:3\n  got       leader leader:1 epoch:2 ")
	status, out, log = bully(t, "trace", "check", "-json", bad, good)
	require.Equal(t, cli.Mismatch, status)
	require.Equal(t, "bully trace: 1 of 2 traces are refused\n", log)
	var told struct {
		Traces  []traceVerdict
		Refused int
	}
	require.NoError(t, json.Unmarshal([]byte(out), &told))
	require.Equal(t, 1, told.Refused)
	require.Equal(t, 4, told.Traces[0].Refused.Line)
	require.Equal(t, "R14", told.Traces[0].Refused.Rule)
	require.Nil(t, told.Traces[1].Refused, "the good trace is not refused")
	require.Equal(t, []spec.NodeID{spec.IntegerID(1)}, told.Traces[1].Members)
}

// TestTraceCheckOneActing: two that act at once are refused unless that is left out, and what was asked is said.
func TestTraceCheckOneActing(t *testing.T) {
	t.Parallel()
	late := "../../../traces/valid/leader-that-nobody-hears.ndjson"
	status, out, _ := bully(t, "trace", "check", late)
	require.Equal(t, cli.Mismatch, status)
	require.Contains(t, out, "OneActing: two nodes act as leader")
	require.Contains(t, out, "that can be: -two-acting leaves it out")
	require.Contains(t, out, ", OneActing\n")
	status, out, _ = bully(t, "trace", "check", "-two-acting", late)
	require.Equal(t, cli.OK, status)
	require.Contains(t, out, "; OneActing was not, as -two-acting says")
	for _, asked := range []bool{true, false} {
		_, out, _ = bully(t, "trace", "check", "-json", fmt.Sprintf("-two-acting=%t", !asked), late)
		require.Contains(t, out, fmt.Sprintf(`"one_acting_asked": %t`, asked))
	}
}

// TestTraceCheckRecords checks the records of nodes, which are merged first, beside other traces of the same folder.
func TestTraceCheckRecords(t *testing.T) {
	t.Parallel()
	dir, one := t.TempDir(), spec.IntegerID(1)
	steps := []spec.Event{
		{Action: spec.StartAction, State: spec.State{Role: spec.Follower, Latest: 1}},
		{Action: spec.PatienceTimeout, Input: spec.Input{Timer: spec.PatienceTimer}, State: spec.State{Role: spec.Candidate, Asked: 2, Latest: 2}},
		{Action: spec.ElectionTimeout, Input: spec.Input{Timer: spec.ElectionTimer}, State: spec.State{Role: spec.Leader, Leader: one, Epoch: 1, Grantee: one, Latest: 3, Dated: 3}},
		{Action: spec.RestartAction, State: spec.State{Role: spec.Electing, Leader: one, Epoch: 1, Grantee: one, Latest: spec.Block + 1}},
	}
	for _, life := range [][]spec.Event{steps[:3], steps[3:]} {
		r, err := trace.NewRecorder(trace.Options{Dir: dir, Node: one, Members: []spec.NodeID{one}})
		require.NoError(t, err)
		for _, e := range life {
			e.Node = one
			require.NoError(t, r.Record(&e))
		}
		require.NoError(t, r.Close())
	}
	good := put(t, dir, "good.ndjson", aloneHeader, aloneStarts, aloneAsks, aloneLeads)
	for _, arguments := range [][]string{{dir}, {filepath.Join(dir, "1-000002.ndjson"), good, filepath.Join(dir, "1-000001.ndjson")}} {
		status, out, log := bully(t, append([]string{"trace", "check"}, arguments...)...)
		require.Equal(t, cli.OK, status, log)
		lines := strings.Split(out, "\n")
		require.Equal(t, []string{dir, "1", "5", "1", "ok"}, strings.Fields(lines[1]), "with a Crash before the Restart")
		require.Equal(t, []string{good, "1", "3", "1", "ok"}, strings.Fields(lines[2]))
	}

	// Records of which one is missing cannot be merged.
	status, out, _ := bully(t, "trace", "check", filepath.Join(dir, "1-000002.ndjson"), good)
	require.Equal(t, cli.Mismatch, status)
	require.Contains(t, out, "REFUSED\n")
	require.Contains(t, out, "traces: 2, events: 3, refused: 1")
}

func TestTraceCheckUsage(t *testing.T) {
	t.Parallel()
	empty := t.TempDir()
	for want, args := range map[string][]string{
		"no file or folder is given": {"trace", "check"},
		"did you mean -strict?":      {"trace", "check", "-strct", empty},
	} {
		status, _, log := bully(t, args...)
		require.Equal(t, cli.Misused, status, args)
		require.Contains(t, log, want)
	}
	for want, args := range map[string][]string{
		"there is no trace in " + empty: {"trace", "check", empty},
		"no such file":                  {"trace", "check", filepath.Join(empty, "none")},
		"1 of 1 traces are refused":     {"trace", "check", put(t, t.TempDir(), "x.ndjson", aloneHeader)},
	} {
		status, _, log := bully(t, args...)
		require.Equal(t, cli.Mismatch, status, args)
		require.Contains(t, log, want)
	}
	status, out, _ := bully(t, "help", "trace")
	require.Equal(t, cli.OK, status)
	require.Contains(t, out, "-two-acting")
}

// TestTraceCheckOfKilled: the record of node 2 just ends, as if it was killed; node 1 asks on, and nobody answers. The verdict says since
// when nothing of 2 is heard, in words and in JSON.
func TestTraceCheckOfKilled(t *testing.T) {
	t.Parallel()
	one, two := spec.IntegerID(1), spec.IntegerID(2)
	members := []spec.NodeID{one, two}
	path := filepath.Join(t.TempDir(), "killed.ndjson")
	file, err := os.Create(path)
	require.NoError(t, err)
	w := spec.NewTraceWriter(file, spec.Header{Members: members, Host: "test", Commit: "test"})
	seq := uint64(0)
	step := func(node *core.Node, id spec.NodeID, action spec.Action, in core.Input, said spec.Input) {
		out := node.Step(in)
		seq++
		require.NoError(t, w.Write(&spec.Event{Seq: seq, Node: id, Action: action, Input: said, Sent: out.Send, State: node.State()}))
	}
	begin := func(id spec.NodeID) *core.Node {
		node, err := core.New(id, members)
		require.NoError(t, err)
		step(node, id, spec.StartAction, core.Start(), spec.Input{})
		return node
	}
	begin(two)
	node := begin(one)
	for range 11 {
		step(node, one, spec.PatienceTimeout, core.Timeout(spec.PatienceTimer), spec.Input{Timer: spec.PatienceTimer})
		step(node, one, spec.ElectionTimeout, core.Timeout(spec.ElectionTimer), spec.Input{Timer: spec.ElectionTimer})
	}
	require.NoError(t, w.Flush())
	require.NoError(t, file.Close())

	status, out, log := bully(t, "trace", "check", path)
	require.Equal(t, cli.OK, status, log)
	require.Contains(t, out, path+": node 2 is heard no more after line 2: 11 messages to it since\n")
	status, out, log = bully(t, "trace", "check", "-json", path)
	require.Equal(t, cli.OK, status, log)
	require.Regexp(t, `"heard_no_more": \[\s+\{\s+"node": "2",\s+"line": 2,\s+"said": 11\s+\}\s+\]`, out)
	status, out, log = bully(t, "trace", "show", path)
	require.Equal(t, cli.OK, status, log)
	require.Contains(t, out, "node 2 is heard no more after line 2.\n")
}
