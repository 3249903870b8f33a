package trace_test

import (
	"bytes"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed-fdf591db/bully/impl/bully"
	"github.com/seed-fdf591db/bully/impl/trace"
	"github.com/seed-fdf591db/bully/spec"
)

// write writes a file of a record that holds events, each of which is completed, and returns its name.
func write(t *testing.T, dir, name string, members []spec.NodeID, events ...spec.Event) string {
	t.Helper()
	var out bytes.Buffer
	w := spec.NewTraceWriter(&out, spec.Header{Members: members, Host: "a", Commit: "b"})
	for i := range events {
		events[i].Seq = uint64(i + 1)
		require.NoError(t, w.Write(&events[i]))
	}
	require.NoError(t, w.Flush())
	path := filepath.Join(dir, name)
	require.NoError(t, os.WriteFile(path, out.Bytes(), 0o644))
	return path
}

// at returns the state of a follower with a promise.
func at(epoch spec.Epoch, grantee uint64) spec.State {
	return spec.State{Role: spec.Follower, Epoch: epoch, Grantee: spec.IntegerID(grantee), Latest: 1}
}

// start returns the Start of a node.
func start(node uint64) spec.Event {
	return spec.Event{Node: spec.IntegerID(node), Action: spec.StartAction, State: at(0, 0)}
}

// asks returns the step in which node 2 sends ELECTION to node 1.
func asks() spec.Event {
	return spec.Event{Node: spec.IntegerID(2), Action: spec.PatienceTimeout, Input: spec.Input{Timer: spec.PatienceTimer},
		Sent: []spec.Message{asked()}, State: at(0, 0)}
}

func asked() spec.Message {
	return spec.Message{Type: spec.Election, From: spec.IntegerID(2), To: spec.IntegerID(1), Question: 2}
}

// hears returns the step in which node 1 receives it.
func hears() spec.Event {
	return spec.Event{Node: spec.IntegerID(1), Action: spec.OnElection, Input: spec.Input{Message: asked()}, State: at(0, 0)}
}

// numbered returns a receipt of a message that has another number.
func numbered(e spec.Event, q spec.Question) spec.Event {
	e.Input.Message.Question = q
	return e
}

// restarts returns the Restart of a node.
func restarts(node uint64, promise spec.State) spec.Event {
	promise.Latest = spec.Block + 1
	return spec.Event{Node: spec.IntegerID(node), Action: spec.RestartAction, State: promise}
}

// stops returns the end of a node that has stopped in good order, with what it has promised.
func stops(node uint64, promise spec.State) spec.Event {
	promise.Latest = spec.Block
	return spec.Event{Node: spec.IntegerID(node), Action: spec.CrashAction, State: promise}
}

// TestRefuse sees that what cannot be merged is refused, and that the error says what and where.
func TestRefuse(t *testing.T) {
	type files map[string][]spec.Event
	for _, c := range []struct {
		name, want string
		files      files
	}{
		{"never sent", "1-000001.ndjson:3: node 1 receives 2→1 ELECTION epoch:0 question:2, which node 2 is not recorded to have sent",
			files{"1-000001": {start(1), hears()}, "2-000001": {start(2)}}},
		{"of another number", "1-000001.ndjson:3: node 1 receives 2→1 ELECTION epoch:0 question:3, which node 2 is not recorded to have sent",
			files{"1-000001": {start(1), numbered(hears(), 3)}, "2-000001": {start(2), asks()}}},
		{"no record of the sender", "1-000001.ndjson:3: node 1 receives 2→1 ELECTION epoch:0 question:2, and no record of node 2 is given",
			files{"1-000001": {start(1), hears()}}},
		{"another node's step", "1-000001.ndjson:3: Start is no step of node 1, whose record this is", files{"1-000001": {start(1), start(2)}}},
		{"a step after the end", "1-000001.ndjson:4: PatienceTimeout of node 1, which has stopped at ",
			files{"1-000001": {start(1), stops(1, at(0, 0)), {Node: spec.IntegerID(1), Action: spec.PatienceTimeout, Input: spec.Input{Timer: spec.PatienceTimer}, State: at(0, 0)}}}},
		{"another promise after the end", "1-000001.ndjson:3: node 1 had promised epoch:0 grantee:none",
			files{"1-000001": {start(1), stops(1, at(3, 2))}}},
		{"two first starts", "1-000002.ndjson:2: node 1 starts for the first time once more",
			files{"1-000001": {start(1)}, "1-000002": {start(1)}}},
		{"older files missing", "1-000001.ndjson:2: the record of node 1 begins with PatienceTimeout, not with its first start",
			files{"1-000001": {{Node: spec.IntegerID(1), Action: spec.PatienceTimeout, Input: spec.Input{Timer: spec.PatienceTimer}, State: at(0, 0)}}}},
		{"begins later in life", "1-000001.ndjson:2: the record of node 1 begins with Restart, not with its first start",
			files{"1-000001": {restarts(1, at(3, 2))}}},
		{"a file missing", "1-000003.ndjson: a file of the record of node 1 is missing between this one and ",
			files{"1-000001": {start(1)}, "1-000003": {}}},
		{"a disk that went back", "1-000002.ndjson:2: node 1 had promised epoch:4 grantee:2 reserved:1048576 at ",
			files{"1-000001": {start(1), {Node: spec.IntegerID(1), Action: spec.PatienceTimeout, Input: spec.Input{Timer: spec.PatienceTimer}, State: at(4, 2)}},
				"1-000002": {restarts(1, at(3, 2))}}},
		{"a step that nothing explains", "no message that was sent to it explains that",
			files{"1-000001": {start(1)}, "1-000002": {restarts(1, at(3, 2))}}},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := t.TempDir()
			for name, events := range c.files {
				write(t, dir, name+".ndjson", ids(2), events...)
			}
			paths, err := trace.Files(dir)
			require.NoError(t, err)
			var out bytes.Buffer
			_, err = trace.Merging{Step: bully.Replay}.Merge(&out, paths...)
			require.ErrorContains(t, err, c.want)
			require.Empty(t, out.Bytes(), "a trace is written only if all is well")
		})
	}
}

// TestRefuseOrder sees that records are refused that no order of all steps explains: node 2 has heard the answer to what it asks before
// it asks it.
func TestRefuseOrder(t *testing.T) {
	dir, two := t.TempDir(), ids(2)
	ok := spec.Message{Type: spec.OK, From: two[0], To: two[1], Question: 2}
	answers, hearsOk := hears(), spec.Event{Node: two[1], Action: spec.OnOk, Input: spec.Input{Message: ok}, State: at(0, 0)}
	answers.Sent = []spec.Message{ok}
	paths := []string{
		write(t, dir, "1-000001.ndjson", two, start(1), answers),
		write(t, dir, "2-000001.ndjson", two, start(2), hearsOk, asks()),
	}
	_, err := trace.Merge(io.Discard, paths...)
	require.ErrorContains(t, err, "there is no order of all steps:\n")
	require.ErrorContains(t, err, "1-000001.ndjson:3: node 1 receives 2→1 ELECTION epoch:0 question:2, which node 2 has not sent by then\n")
	require.ErrorContains(t, err, "2-000001.ndjson:3: node 2 receives 1→2 OK epoch:0 question:2, which node 1 has not sent by then")

	// Were it asked before, all would be well.
	paths[1] = write(t, dir, "2-000001.ndjson", two, start(2), asks(), hearsOk)
	_, err = trace.Merge(io.Discard, paths...)
	require.NoError(t, err)
}

// TestWhatExplainsACrash has node 1 restart with a promise that it has not recorded. The CLAIM that it has granted was sent before
// that, or only after node 2 had heard of the restart: then it explains nothing.
func TestWhatExplainsACrash(t *testing.T) {
	dir, two := t.TempDir(), ids(2)
	claim := spec.Message{Type: spec.Claim, From: two[1], To: two[0], Epoch: 1, Question: 2}
	claims := spec.Event{Node: two[1], Action: spec.ElectionTimeout, Input: spec.Input{Timer: spec.ElectionTimer}, Sent: []spec.Message{claim}, State: at(0, 0)}
	restart := restarts(1, at(1, 2))
	back := spec.Message{Type: spec.ImBack, From: two[0], To: two[1], Epoch: 1, Question: restart.State.Latest}
	restart.Sent = []spec.Message{back}
	hearsBack := spec.Event{Node: two[1], Action: spec.OnImBack, Input: spec.Input{Message: back}, State: at(1, 0)}
	paths := []string{
		write(t, dir, "1-000001.ndjson", two, start(1)), write(t, dir, "1-000002.ndjson", two, restart),
		write(t, dir, "2-000001.ndjson", two, start(2), claims, hearsBack),
	}
	merging := trace.Merging{Step: bully.Replay}
	var out strings.Builder
	summary, err := merging.Merge(&out, paths...)
	require.NoError(t, err)
	require.Equal(t, 1, summary.Filled)
	require.Contains(t, out.String(), `"action":"OnClaim","input":{"message":{"type":"CLAIM","from":"2","to":"1","epoch":1,"question":2}}`)
	_, err = trace.Merge(io.Discard, paths...)
	require.ErrorContains(t, err, "1-000002.ndjson:2: node 1 had promised epoch:0 grantee:none reserved:1048576 at ")
	require.ErrorContains(t, err, "and there is no Step to fill it in")

	paths[2] = write(t, dir, "2-000001.ndjson", two, start(2), hearsBack, claims)
	_, err = merging.Merge(io.Discard, paths...)
	require.ErrorContains(t, err, "no message that was sent to it explains that\n")
	require.ErrorContains(t, err, "2-000001.ndjson:3: node 2 receives 1→2 IM_BACK epoch:1 question:1048577, which node 1 has not sent by then")
}

// TestAnyNetwork merges what a network that repeats, overtakes, and delivers to a later life has done.
func TestAnyNetwork(t *testing.T) {
	dir, two := t.TempDir(), ids(2)
	later := asks()
	later.Sent = []spec.Message{numbered(hears(), 3).Input.Message}
	var out strings.Builder
	summary, err := trace.Merge(&out,
		write(t, dir, "1-000001.ndjson", two, start(1), numbered(hears(), 3), hears(), hears()),
		write(t, dir, "1-000002.ndjson", two, restarts(1, at(0, 0)), hears()),
		write(t, dir, "2-000001.ndjson", two, start(2), asks(), later),
		write(t, dir, "2-000002.ndjson", two, restarts(2, at(0, 0))))
	require.NoError(t, err)
	require.Equal(t, trace.Summary{Nodes: 2, Events: 12, Crashes: 2}, summary)
}

func TestRefuseFiles(t *testing.T) {
	dir := t.TempDir()
	one := write(t, dir, "1-000001.ndjson", ids(2), start(1))
	for want, paths := range map[string][]string{
		"no file is given to merge":                                        nil,
		"merged.ndjson: a file of a record is named as 3-000001.ndjson is": {filepath.Join(dir, "merged.ndjson")},
		"1-1.ndjson: a file of a record is named as":                       {filepath.Join(dir, "1-1.ndjson")},
		"given twice, or the same part of a record":                        {one, one},
		"no such file": {one, filepath.Join(dir, "2-000001.ndjson")},
		"its members are [1 2 3], and those of the files before are [1 2]": {one, write(t, dir, "3-000001.ndjson", ids(3), start(3))},
	} {
		_, err := trace.Merge(io.Discard, paths...)
		require.ErrorContains(t, err, want)
	}
	empty := filepath.Join(dir, "4-000001.ndjson")
	require.NoError(t, os.WriteFile(empty, nil, 0o644))
	_, err := trace.Merge(io.Discard, empty)
	require.ErrorContains(t, err, "neither this file nor any other has a header")
	require.NoError(t, os.WriteFile(empty, []byte("{}\n"), 0o644))
	_, err = trace.Merge(io.Discard, empty)
	require.ErrorContains(t, err, "4-000001.ndjson: line 1: ")
}

// TestMutants changes one event of a record in one way, and sees that what is merged then is refused, by Merge or by the
// replay of the result on the cores.
func TestMutants(t *testing.T) {
	if testing.Short() {
		t.Skip("long: it runs without the race detector, and shorter tests race the same code")
	}
	c := newCluster(t, 3, 5, oneClock)
	c.run(600, 60, 30)
	mutate := map[string]func(line string) string{
		"another epoch": func(line string) string { return strings.Replace(line, `"epoch":`, `"epoch":1`, 1) },
		"another sender": func(line string) string {
			return strings.Replace(line, `{"message":{"type":"COORDINATOR","from":"3"`, `{"message":{"type":"COORDINATOR","from":"2"`, 1)
		},
		"another question": func(line string) string { return strings.Replace(line, `"question":`, `"question":7`, 1) },
		"another type": func(line string) string {
			return strings.ReplaceAll(strings.Replace(line, "OnElection", "OnClaim", 1), `{"message":{"type":"ELECTION"`, `{"message":{"type":"CLAIM"`)
		},
		"another role": func(line string) string { return strings.Replace(line, `"role":"candidate"`, `"role":"claimant"`, 1) },
		"nothing sent": func(line string) string {
			i, j := strings.Index(line, `"sent":[{`), strings.Index(line, `],"state"`)
			if i < 0 {
				return line
			}
			return line[:i] + `"sent":[` + line[j:]
		},
		"support forgotten": func(line string) string {
			i := strings.Index(line, `"support":["`)
			if i < 0 {
				return line
			}
			return line[:i] + `"support":[` + line[i+strings.Index(line[i:], `]`):]
		},
		"support invented": func(line string) string { return strings.Replace(line, `"support":[]`, `"support":["1"]`, 1) },
	}
	for name, change := range mutate {
		random, tried := rand.New(rand.NewPCG(1, 1)), 0
		for tried < 12 {
			files := c.files()
			path := files[random.IntN(len(files))]
			good, err := os.ReadFile(path)
			require.NoError(t, err)
			lines := strings.SplitAfter(string(good), "\n")
			if len(lines) == 1 {
				continue // nothing was written
			}
			i := 1 + random.IntN(len(lines)-1)
			changed := change(strings.TrimSuffix(lines[i], "\n"))
			if changed+"\n" == lines[i] || !strings.HasSuffix(lines[i], "\n") {
				continue
			}
			tried++
			lines[i] = changed + "\n"
			require.NoError(t, os.WriteFile(path, []byte(strings.Join(lines, "")), 0o644))
			var out bytes.Buffer
			_, err = trace.Merging{Step: bully.Replay}.Merge(&out, files...)
			if err == nil {
				_, err = legal(&out)
			}
			require.Error(t, err, "%s: %s", name, changed)
			require.NoError(t, os.WriteFile(path, good, 0o644))
		}
	}
	var out bytes.Buffer
	_, err := trace.Merging{Step: bully.Replay}.Merge(&out, c.files()...)
	require.NoError(t, err, "the record itself is good")
}

// TestPartial sees that a record without its oldest files can be read, and is refused unless that is asked for.
func TestPartial(t *testing.T) {
	if testing.Short() {
		t.Skip("long: it runs without the race detector, and shorter tests race the same code")
	}
	c := newCluster(t, 3, 9, oneClock)
	c.run(2000, 200, 100)
	files := c.files()
	others := slices.IndexFunc(files, func(path string) bool { return strings.HasPrefix(filepath.Base(path), "2-") })
	require.Greater(t, others, 6)
	rest := files[others-2:]
	_, err := trace.Merging{Step: bully.Replay}.Merge(io.Discard, rest...)
	require.ErrorContains(t, err, "its older files are missing")
	var out bytes.Buffer
	summary, err := trace.Merging{Step: bully.Replay, Partial: true}.Merge(&out, rest...)
	require.NoError(t, err)
	require.Positive(t, summary.Unsent)
	require.Contains(t, summary.String(), "messages of unknown origin")
	require.NoError(t, trace.Showing{All: true}.Show(io.Discard, &out))

	// What is whole is not changed by leniency.
	var strict, lenient bytes.Buffer
	_, err = trace.Merging{Step: bully.Replay}.Merge(&strict, files...)
	require.NoError(t, err)
	_, err = trace.Merging{Step: bully.Replay, Partial: true}.Merge(&lenient, files...)
	require.NoError(t, err)
	require.Equal(t, strict.String(), lenient.String())
}
