package trace_test

import (
	"bytes"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed-fdf591db/bully/impl/trace"
	"github.com/seed-fdf591db/bully/spec"
)

// told is a trace of two reigns of two nodes, and a crash between them.
func told(t *testing.T) []byte {
	t.Helper()
	one, two := spec.IntegerID(1), spec.IntegerID(2)
	claim := spec.Message{Type: spec.Claim, From: two, To: one, Epoch: 1, Question: 2}
	grant := spec.Message{Type: spec.Grant, From: one, To: two, Epoch: 1, Question: 2}
	leads := spec.State{Role: spec.Leader, Leader: two, Epoch: 1, Grantee: two, Latest: 2, Dated: 2}
	heartbeat := spec.Message{Type: spec.Heartbeat, From: two, To: one, Epoch: 1, Question: 3}
	again := leads
	again.Epoch, again.Dated, again.Latest = 2, 7, 9
	path := write(t, t.TempDir(), "told", ids(2),
		spec.Event{At: 1_000_000, Node: one, Action: spec.StartAction, State: at(0, 0)},
		spec.Event{At: 1_000_100, Node: two, Action: spec.ElectionTimeout, Input: spec.Input{Timer: spec.ElectionTimer}, Sent: []spec.Message{claim},
			State: spec.State{Role: spec.Claimant}},
		spec.Event{At: 1_000_200, Node: one, Action: spec.OnClaim, Input: spec.Input{Message: claim}, Sent: []spec.Message{grant},
			State: spec.State{Role: spec.Electing, Leader: two, Lease: 2, Epoch: 1, Grantee: two}},
		spec.Event{At: 1_000_350, Node: two, Action: spec.OnGrant, Input: spec.Input{Message: grant}, State: leads},
		spec.Event{At: 1_050_350, Node: two, Action: spec.HeartbeatTimeout, Input: spec.Input{Timer: spec.HeartbeatTimer}, Sent: []spec.Message{heartbeat}, State: leads},
		spec.Event{At: 1_050_400, Node: one, Action: spec.OnHeartbeat, Input: spec.Input{Message: heartbeat},
			State: spec.State{Role: spec.Follower, Leader: two, Lease: 3, Epoch: 1, Grantee: two}},
		spec.Event{Node: two, Action: spec.CrashAction, State: at(1, 2)},
		spec.Event{Action: spec.LoseAction, Input: spec.Input{Message: heartbeat}},
		spec.Event{At: 2_000_000, Node: two, Action: spec.RestartAction, State: spec.State{Role: spec.Electing, Leader: two, Epoch: 1, Grantee: two}},
		spec.Event{At: 2_000_350, Node: two, Action: spec.OnGrant, Input: spec.Input{Message: grant}, State: again},
	)
	data, err := os.ReadFile(path)
	require.NoError(t, err)
	return data
}

func TestShow(t *testing.T) {
	var out strings.Builder
	require.NoError(t, trace.Show(&out, bytes.NewReader(told(t))))
	var trimmed []string
	for line := range strings.Lines(out.String()) {
		trimmed = append(trimmed, strings.TrimRight(line, " \n"))
	}
	require.Equal(t, `time        node  what                                                                      is
+0.000000s  1     Start                                                                     follower, epoch 0
+0.000100s  2     ElectionTimeout; says CLAIM epoch:1 question:2 to 1                       claimant, epoch 0
+0.000200s  1     OnClaim 2→1 CLAIM epoch:1 question:2; says GRANT epoch:1 question:2 to 2  electing, keeps the lease of 2 since question 2, epoch 1
+0.000350s  2     OnGrant 1→2 GRANT epoch:1 question:2                                      LEADER, epoch 1, dated 2
+0.050400s  1     OnHeartbeat 2→1 HEARTBEAT epoch:1 question:3                              follower of 2 since question 3, epoch 1
            2     Crash                                                                     down, has promised epoch 1
                  Lose 2→1 HEARTBEAT epoch:1 question:3
+1.000000s  2     Restart                                                                   electing, silent, epoch 1
+1.000350s  2     OnGrant 1→2 GRANT epoch:1 question:2                                      LEADER, epoch 2, dated 7

9 of 10 events shown.

node 1 is heard no more after line 7, at +0.050400s.
node 2 is heard no more after line 11, at +1.000350s.

epoch  leader  from        to          ended by  followers
1      2       +0.000350s  +0.050350s  Crash     1
2      2       +1.000350s`, strings.Join(trimmed, "\n"))

	out.Reset()
	require.NoError(t, trace.Showing{All: true}.Show(&out, bytes.NewReader(told(t))))
	require.Contains(t, out.String(), "HeartbeatTimeout; says HEARTBEAT epoch:1 question:3 to 1")
	require.Contains(t, out.String(), "10 of 10 events shown.")
}

// TestShowStopped: where all nodes have stopped, nothing is said of nodes that are heard no more.
func TestShowStopped(t *testing.T) {
	text, err := os.ReadFile(write(t, t.TempDir(), "1-000001.ndjson", ids(1), start(1), stops(1, at(0, 0))))
	require.NoError(t, err)
	var out strings.Builder
	require.NoError(t, trace.Show(&out, bytes.NewReader(text)))
	require.Contains(t, out.String(), "2 of 2 events shown.\n\n")
	require.NotContains(t, out.String(), "\n\n\n")
}

func TestShowBad(t *testing.T) {
	whole := told(t)
	var out strings.Builder
	require.ErrorIs(t, trace.Show(&out, bytes.NewReader(whole[:len(whole)-1])), io.ErrUnexpectedEOF)
	require.Contains(t, out.String(), "8 of 9 events shown.", "what is there is shown")
	require.ErrorContains(t, trace.Show(io.Discard, strings.NewReader("no trace\n")), "trace: line 1: ")
	out.Reset()
	none := write(t, t.TempDir(), "none", ids(1), start(1))
	data, err := os.ReadFile(none)
	require.NoError(t, err)
	require.NoError(t, trace.Show(&out, bytes.NewReader(data)))
	require.Contains(t, out.String(), "Nobody led.")
}

func TestReigns(t *testing.T) {
	whole := told(t)
	all, err := trace.Reigns(bytes.NewReader(whole))
	require.NoError(t, err)
	require.Equal(t, []trace.Reign{
		{Epoch: 1, Leader: spec.IntegerID(2), From: 1_000_350, To: 1_050_350, Ended: spec.CrashAction, Followers: ids(1)},
		{Epoch: 2, Leader: spec.IntegerID(2), From: 2_000_350},
	}, all)
	all, err = trace.Reigns(bytes.NewReader(whole[:len(whole)-1]))
	require.ErrorIs(t, err, io.ErrUnexpectedEOF)
	require.Len(t, all, 1)
	_, err = trace.Reigns(strings.NewReader(""))
	require.Error(t, err)
}

// TestSummary merges what crashes have left, and sees what is said of it.
func TestSummary(t *testing.T) {
	dir := t.TempDir()
	path := write(t, dir, "1-000001.ndjson", ids(2), start(1))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "1-000002.ndjson"), []byte(`{"format":1`), 0o644))
	write(t, dir, "1-000003.ndjson", ids(2), restarts(1, at(0, 0)))
	write(t, dir, "2-000001.ndjson", ids(2), restarts(2, at(0, 0))) // the crash came before its start was recorded
	data, err := os.ReadFile(path)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(path, append(data, `{"seq":2`...), 0o644))
	files, err := trace.Files(dir)
	require.NoError(t, err)
	var out strings.Builder
	summary, err := trace.Merge(&out, files...)
	require.NoError(t, err)
	require.Equal(t, "events: 6, nodes: 2, crashes: 2, steps filled in: 1, files cut short: 2", summary.String())
	require.Equal(t, []string{path + ":3", filepath.Join(dir, "1-000002.ndjson:1")}, summary.CutShort)
	require.Equal(t, 7, strings.Count(out.String(), "\n"))
	require.Contains(t, out.String(), `{"seq":6,`)
}
