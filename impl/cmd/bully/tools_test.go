package main

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
	"unicode"

	"github.com/stretchr/testify/require"

	library "github.com/seed-fdf591db/bully/impl"
	"github.com/seed-fdf591db/bully/impl/host"
	"github.com/seed-fdf591db/bully/impl/internal/cli"
	"github.com/seed-fdf591db/bully/impl/storage"
	"github.com/seed-fdf591db/bully/impl/trace"
	"github.com/seed-fdf591db/bully/spec"
)

// pretend serves a node that says what it is told to, and the views.
func pretend(t testing.TB, s host.Status, views map[spec.NodeID]string) string {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var answer any = s
		if r.URL.Path == "/views" {
			answer = map[string]any{"node": s.ID, "views": views}
		}
		_ = json.NewEncoder(w).Encode(answer)
	}))
	t.Cleanup(server.Close)
	return server.URL
}

// TestForeignText asks servers, and reads files, that would act on the terminal: what they say is printed, and does nothing.
func TestForeignText(t *testing.T) {
	t.Parallel()
	const evil = "\x1b]0;root\x07\x1b[2J\u009b31m\u202e\r3\tLEADER\n"
	two := spec.IntegerID(2)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/views":
			_ = json.NewEncoder(w).Encode(map[string]any{"node": "1", "views": map[spec.NodeID]string{two: "http://127.0.0.1:1/" + evil}})
		case "/status":
			_ = json.NewEncoder(w).Encode(map[string]any{"id": "2", "role": evil, "error": evil + strings.Repeat("x", 100_000), "membership": evil, "stopped": true})
		default:
			http.Error(w, evil, http.StatusServiceUnavailable)
		}
	}))
	t.Cleanup(server.Close)
	folder, file := t.TempDir(), filepath.Join(t.TempDir(), "run.ndjson")
	require.NoError(t, os.WriteFile(filepath.Join(folder, "record"), []byte(evil), 0o600))
	require.NoError(t, os.WriteFile(filepath.Join(folder, "other"+strings.ReplaceAll(evil, "\n", "")), nil, 0o600))
	require.NoError(t, os.WriteFile(file, []byte(evil), 0o600))
	for _, args := range [][]string{
		{"status", server.URL}, {"status", "-all", server.URL}, {"status", "-json", server.URL},
		{"member", "list", "-http", server.URL}, {"member", "remove", "-timeout", "100ms", "-http", server.URL, "1"},
		{"repair", "-data", folder}, {"trace", "check", file}, {"trace", "show", file},
		{"trace", "check", file + evil}, {evil}, {"status", "-" + evil},
	} {
		status, out, log := bully(t, args...)
		require.NotEqual(t, cli.OK, status, args)
		for _, r := range out + log {
			require.True(t, unicode.IsPrint(r) || r == '\n' || r == '\t', "%q: %U in %q", args, r, out+log)
		}
		for line := range strings.Lines(out + log) {
			require.False(t, strings.HasPrefix(line, "3"), "%q: foreign text must not begin a line: %q", args, out+log)
		}
	}
	_, out, _ := bully(t, "status", server.URL)
	require.Contains(t, out, `\u001b]0;root\u0007`)
	require.Less(t, len(out), 2000)
}

func TestStatus(t *testing.T) {
	t.Parallel()
	two, three := spec.IntegerID(2), spec.IntegerID(3)
	leader := pretend(t, host.Status{ID: three, Role: spec.Leader, Leader: three, Epoch: 4, Leading: true, Since: time.Now().Add(-time.Minute),
		Links: []host.LinkStatus{{Node: two, Up: true}}}, nil)
	views := map[spec.NodeID]string{three: leader}
	follower := pretend(t, host.Status{ID: two, Role: spec.Follower, Leader: three, Epoch: 4, Links: []host.LinkStatus{{Node: three}}}, views)
	behind := pretend(t, host.Status{ID: two, Role: spec.Follower, Leader: two, Epoch: 3}, nil)
	electing := pretend(t, host.Status{ID: two, Role: spec.Electing, Epoch: 4}, nil)
	broken := pretend(t, host.Status{ID: two, Role: spec.Follower, Stopped: true, Error: "the disk is full"}, nil)
	forgetful := pretend(t, host.Status{ID: three, Role: spec.Leader, Leader: three, Epoch: 4, Leading: true,
		Links: []host.LinkStatus{{Node: two, LostDisk: true}}}, nil)
	look := func(args ...string) (status int, out, log string) {
		return bully(t, append([]string{"status", "-timeout", "1m"}, args...)...)
	}
	gone := "http://" + freeAddress(t)

	status, out, log := look("-http", leader+","+follower)
	require.Equal(t, cli.OK, status, log)
	lines := strings.Split(out, "\n")
	require.Equal(t, []string{"node", "role", "leader", "epoch", "for", "links", "steps", "saves", "at"}, strings.Fields(lines[0]))
	require.Equal(t, []string{"2", "follower", "3", "4", "0/1", "0", "0", follower}, strings.Fields(lines[1]))
	fields := strings.Fields(lines[2])
	leads, err := time.ParseDuration(fields[4])
	require.NoError(t, err)
	require.GreaterOrEqual(t, leads, time.Minute, "node 3 has led since a minute before this test began")
	require.Equal(t, []string{"3", "LEADER", "3", "4", fields[4], "1/1", "0", "0", leader}, fields)

	// The others are found by the views of the first.
	status, out, _ = look("-all", strings.TrimPrefix(follower, "http://"))
	require.Equal(t, cli.OK, status)
	require.Contains(t, out, leader)

	for want, urls := range map[string][]string{
		"1 of 2 nodes have not answered":                                      {leader, gone},
		"2 leaders are named":                                                 {leader, behind},
		"1 of 2 nodes know of no leader":                                      {leader, electing},
		"1 of 1 nodes know of no leader":                                      {broken},
		"node 2 has lost its disk, or runs on an old copy, and is not heeded": {forgetful},
	} {
		status, out, log = look(urls...)
		require.Equal(t, cli.Mismatch, status, want)
		require.Equal(t, "bully status: "+want+"\n", log)
		for _, url := range urls {
			require.Contains(t, out, url)
		}
	}
	_, out, _ = look(gone, broken)
	require.Contains(t, out, "unreachable")
	require.Contains(t, out, gone+": dial tcp ")
	require.Contains(t, out, "stopped for good")
	require.Contains(t, out, "the disk is full")

	status, out, _ = look("-json", leader, gone)
	require.Equal(t, cli.Mismatch, status)
	var answers []answered
	require.NoError(t, json.Unmarshal([]byte(out), &answers))
	require.Equal(t, three, answers[0].Status.ID)
	require.Nil(t, answers[1].Status, "a node that does not answer has no status")
	require.Equal(t, gone, answers[1].URL)

	for want, args := range map[string][]string{
		"no node is given: bully status -http 127.0.0.1:8000": {"status"},
		"is no address of a page":                             {"status", "http://x/y"},
		"-timeout: -1s is no time to wait":                    {"status", "-timeout", "-1s", "http://x"},
	} {
		status, _, log = bully(t, args...)
		require.Equal(t, cli.Misused, status)
		require.Contains(t, log, want)
	}
}

func TestRepair(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	three := spec.IntegerID(3)
	store, err := storage.Open(dir, three, []spec.NodeID{three, spec.IntegerID(1)})
	require.NoError(t, err)
	require.NoError(t, store.Save(spec.Durable{Epoch: 41, Grantee: three}))
	require.NoError(t, store.Close())
	status, out, log := bully(t, "repair", "-data", dir)
	require.Equal(t, cli.OK, status, log)
	require.Contains(t, out, "41")
	require.Contains(t, out, "\nsaves    ")
	if strings.Contains(out, "\nsaves    in place, in two slots") {
		require.Contains(t, out, " slot 1, copy 2: save 1, epoch 41, grantee 3\n", "both slots are shown")
	}

	record := filepath.Join(dir, "record")
	data, err := os.ReadFile(record)
	require.NoError(t, err)
	for at := 14; at < len(data); at += 512 { // if it is written in place, in each of its sectors
		data[at] ^= 1
	}
	require.NoError(t, os.WriteFile(record, data, 0o600))
	status, _, log = bully(t, "repair", "-data", dir)
	require.Equal(t, cli.Mismatch, status)
	require.Contains(t, log, "record is damaged")

	status, out, log = bully(t, "repair", "-data", dir, "-raise", "1000", "-id", "3", "-members", "1=a:1,3=b:1")
	require.Equal(t, cli.OK, status, log)
	require.Contains(t, out, "The old record is now ")
	require.Contains(t, out, "Node 3 has a new record, of epoch 1000.")
	store, err = storage.Open(dir, three, []spec.NodeID{three, spec.IntegerID(1)})
	require.NoError(t, err)
	promise, found, err := store.Load()
	require.NoError(t, err)
	require.True(t, found, "node 3 has a record once it was raised")
	require.Greater(t, promise.Reserved, spec.Block, "more numbers than it can have used")
	require.Equal(t, spec.Durable{Epoch: 1000, Reserved: promise.Reserved}, promise)

	status, _, log = bully(t, "repair", "-data", dir, "-raise", "2000", "-id", "3", "-members", "1,3")
	require.Equal(t, cli.Mismatch, status, "it is in use")
	require.Contains(t, log, "in use")
	require.NoError(t, store.Close())

	lost := t.TempDir()
	require.NoError(t, library.KeepAddress(lost, "127.0.0.1:7"))
	status, _, log = bully(t, "repair", "-data", lost, "-raise", "1000", "-id", "4", "-members", "1,4")
	require.Equal(t, cli.Mismatch, status, "its members come and go, and it had a record")
	require.Contains(t, log, "and nothing was written: without its record it comes back as another node; see bully help join")
	require.NoFileExists(t, filepath.Join(lost, "record"))

	for want, args := range map[string][]string{
		"-data is missing":                   {},
		"unexpected argument \"x\"":          {"x"},
		"-id and -members are for -raise":    {"-data", dir, "-id", "3"},
		"-raise needs -id and -members too":  {"-data", dir, "-raise", "5"},
		"-id: node id: \"x\" is neither":     {"-data", dir, "-raise", "5", "-id", "x", "-members", "1"},
		"-members: node id: \"\" is empty":   {"-data", dir, "-raise", "5", "-id", "3", "-members", "3,"},
		"flag provided but not defined: -da": {"-dta", dir},
	} {
		status, _, log := bully(t, append([]string{"repair"}, args...)...)
		if strings.HasPrefix(want, "flag") {
			want = "flag provided but not defined: -dta; did you mean -data?"
		}
		require.Equal(t, cli.Misused, status, args)
		require.Contains(t, log, want)
	}
	status, _, log = bully(t, "repair", "-data", filepath.Join(dir, "none"))
	require.Equal(t, cli.Mismatch, status)
	require.Contains(t, log, "none")
}

// recorded records the life of a node alone: it starts, and is started again.
func recorded(t testing.TB) string {
	t.Helper()
	dir, one := t.TempDir(), spec.IntegerID(1)
	for i, action := range []spec.Action{spec.StartAction, spec.RestartAction} {
		latest := spec.Question(i)*spec.Block + 1
		r, err := trace.NewRecorder(trace.Options{Dir: dir, Node: one, Members: []spec.NodeID{one}})
		require.NoError(t, err)
		require.NoError(t, r.Record(&spec.Event{Node: one, Action: action, State: spec.State{Role: spec.Follower, Latest: latest}}))
		require.NoError(t, r.Close())
	}
	return dir
}

func TestTrace(t *testing.T) {
	t.Parallel()
	dir := recorded(t)
	status, merged, log := bully(t, "trace", "merge", dir)
	require.Equal(t, cli.OK, status, log)
	require.Equal(t, "events: 3, nodes: 1, crashes: 1\n", log)
	require.Equal(t, 4, strings.Count(merged, "\n"))
	status, again, _ := bully(t, "trace", "merge", filepath.Join(dir, "1-000002.ndjson"), filepath.Join(dir, "1-000001.ndjson"))
	require.Equal(t, cli.OK, status)
	require.Equal(t, merged, again)

	status, out, log := bully(t, "trace", "show", dir)
	require.Equal(t, cli.OK, status, log)
	require.Contains(t, out, "events: 3, nodes: 1, crashes: 1")
	require.Contains(t, out, "Crash")
	require.Contains(t, out, "Nobody led.")
	file := filepath.Join(t.TempDir(), "merged.ndjson")
	require.NoError(t, os.WriteFile(file, []byte(merged), 0o600))
	status, _, log = bully(t, "trace", "show", "-all", file)
	require.Equal(t, cli.OK, status, log)

	require.NoError(t, os.Remove(filepath.Join(dir, "1-000001.ndjson")))
	status, _, _ = bully(t, "trace", "merge", "-partial", dir)
	require.Equal(t, cli.OK, status)
	for want, args := range map[string][]string{
		"do what? There are check, merge and show":            {"trace"},
		`unknown "shwo"; did you mean show? (there are check`: {"trace", "shwo"},
		"no file or folder is given":                          {"trace", "merge"},
		"did you mean -partial?":                              {"trace", "merge", "-patrial"},
	} {
		status, _, log := bully(t, args...)
		require.Equal(t, cli.Misused, status, args)
		require.Contains(t, log, want)
	}
	for want, args := range map[string][]string{
		"there is no record in ":       {"trace", "merge", t.TempDir()},
		"no such file":                 {"trace", "show", filepath.Join(dir, "none")},
		`"workbench view failover" sh`: {"trace", "show", "failover"},
		"line 1: ":                     {"trace", "show", os.Args[0]},
		"a file of a record is named":  {"trace", "merge", os.Args[0]},
	} {
		status, _, log := bully(t, args...)
		require.Equal(t, cli.Mismatch, status, args)
		require.Contains(t, log, want)
	}
}

// TestFewEpochsLeft: who looks at a cluster is told before the epochs are used up, and as soon as no elections can have led so far.
func TestFewEpochsLeft(t *testing.T) {
	t.Parallel()
	var s nodeStatus
	s.Epoch = storage.MaxRaise
	require.Empty(t, s.warnings(), "half of all epochs may be used before there is a warning")
	s.Epoch++
	require.Contains(t, strings.Join(s.warnings(), "\n"), "more than half of all epochs are used up")
	s.Epoch, s.Exhausted = spec.MaxEpoch, true
	require.Len(t, s.warnings(), 1)
	require.Contains(t, s.warnings()[0], "the epochs are used up")
}

// TestExhausted: who has the last epoch that there is says so, everywhere, and the way back that is written down is one.
func TestExhausted(t *testing.T) {
	t.Parallel()
	c := newCluster(t, 1)
	members := []spec.NodeID{spec.IntegerID(1)}
	exhaust := func(store *storage.File, err error) {
		t.Helper()
		require.NoError(t, err)
		require.NoError(t, store.Save(spec.Durable{Epoch: spec.MaxEpoch}))
		require.NoError(t, store.Close())
	}
	exhaust(storage.Open(c.data[0], members[0], members))
	p := c.run(1)
	until(t, "it says so", func() bool { return strings.Contains(p.log.String(), "the epochs are used up") })
	until(t, "it is not well", func() bool { code, _ := fetch(c.http[0], "/healthz"); return code == 503 })
	_, body := fetch(c.http[0], "/metrics")
	require.Contains(t, body, "\nbully_epochs_exhausted 1\n")
	status, out, log := bully(t, "status", "-http", c.http[0])
	require.Equal(t, cli.Mismatch, status)
	require.Contains(t, out, "the epochs are used up: when nobody leads, nobody ever will again")
	require.Contains(t, log, "1 of 1 nodes have used up all epochs")
	p.signal(syscall.SIGTERM)
	require.Equal(t, cli.OK, p.wait())

	status, out, log = bully(t, "repair", "-data", c.data[0])
	require.Equal(t, cli.Mismatch, status)
	require.Contains(t, out, "Stop ALL nodes of the cluster")
	require.Contains(t, log, "has used up all epochs")
	record := filepath.Join(c.data[0], "record")
	require.NoError(t, os.Rename(record, record+".exhausted"))
	status, _, log = bully(t, "repair", "-data", c.data[0], "-raise", "70", "-id", "1", "-members", c.members)
	require.Equal(t, cli.OK, status, log)
	c.run(1)
	require.Greater(t, leads(t, c.http[0]), uint64(70))
	_, body = fetch(c.http[0], "/leader")
	require.NotContains(t, body, "exhausted")

	data, address := t.TempDir(), freeAddress(t)
	status, _, log = bully(t, "init", "-data", data, "-cluster", "test", "-id", "1", "-members", "1="+address, "-epoch", "80")
	require.Equal(t, cli.OK, status, log)
	http := freeAddress(t)
	spawn(t, append([]string{"run", "-data", data, "-http", http}, steady...)...)
	require.Greater(t, leads(t, http), uint64(80))
}

// TestStatusOfVersions: that nodes run more than one version is told, and that they run one is not.
func TestStatusOfVersions(t *testing.T) {
	t.Parallel()
	at := func(id uint64, version string) answered {
		return answered{URL: "http://x", Status: &nodeStatus{Status: host.Status{ID: spec.IntegerID(id)}, Version: version}}
	}
	var out strings.Builder
	require.NoError(t, printAnswers(&out, []answered{at(1, "v1"), at(2, "v1"), {URL: "http://silent", Error: "refused"}}))
	require.NotContains(t, out.String(), "version")
	require.NoError(t, printAnswers(&out, []answered{at(1, "v2"), at(2, "v1"), at(3, "v2")}))
	require.Contains(t, out.String(), "\nmore than one version runs, as in the midst of an upgrade: node 1 v2, node 2 v1, node 3 v2\n")
}

// TestRepairGroups: what a node has promised in many groups is shown, and raised.
func TestRepairGroups(t *testing.T) {
	t.Parallel()
	dir, three, members := t.TempDir(), spec.IntegerID(3), []spec.NodeID{spec.IntegerID(1), spec.IntegerID(3)}
	store, err := storage.OpenGroups(dir, three, members)
	require.NoError(t, err)
	require.NoError(t, store.Save([]storage.GroupPromise{{Group: 7, Promise: spec.Durable{Epoch: 41, Grantee: three, Reserved: spec.Block}}}))
	require.NoError(t, store.Close())
	status, out, log := bully(t, "repair", "-data", dir)
	require.Equal(t, cli.OK, status, log)
	require.Contains(t, out, "is in order: node 3 of [1 3]: 1 groups, epochs to 41, 2 saves\n")
	require.NoError(t, os.WriteFile(filepath.Join(dir, "groups"), []byte("x"), 0o600))
	status, _, log = bully(t, "repair", "-data", dir)
	require.Equal(t, cli.Mismatch, status)
	require.Contains(t, log, "groups is damaged")
	status, out, log = bully(t, "repair", "-data", dir, "-raise", "1000", "-id", "3", "-members", "1,3")
	require.Equal(t, cli.OK, status, log)
	require.Contains(t, out, "epochs to 1000")
}
