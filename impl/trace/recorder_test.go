package trace_test

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed-fdf591db/bully/conformance/check"
	"github.com/seed-fdf591db/bully/impl/bully"
	"github.com/seed-fdf591db/bully/impl/trace"
	"github.com/seed-fdf591db/bully/spec"
)

// read returns the events of a file.
func read(t *testing.T, path string) (header spec.Header, events []spec.Event) {
	t.Helper()
	file, err := os.Open(path)
	require.NoError(t, err)
	defer func() { require.NoError(t, file.Close()) }()
	reader, err := spec.NewTraceReader(file)
	require.NoError(t, err)
	for {
		var e spec.Event
		if reader.Read(&e) != nil {
			return reader.Header(), events
		}
		events = append(events, e)
	}
}

// names returns the names of the files of all records in a folder.
func names(t *testing.T, dir string) (names []string) {
	t.Helper()
	files, err := trace.Files(dir)
	require.NoError(t, err)
	for _, f := range files {
		names = append(names, filepath.Base(f))
	}
	return names
}

func TestRecorder(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "new", "folder")
	options := trace.Options{Dir: dir, Node: spec.IntegerID(2), Members: []spec.NodeID{spec.IntegerID(2), spec.IntegerID(1)}, Host: "here", Commit: "abc"}
	r, err := trace.NewRecorder(options)
	require.NoError(t, err)
	e := start(2)
	begin := uint64(time.Now().UnixMicro())
	require.NoError(t, r.Record(&e))
	require.Equal(t, uint64(1), e.Seq)
	require.GreaterOrEqual(t, e.At, begin)

	// What is recorded is in the file at once.
	header, events := read(t, filepath.Join(dir, "2-000001.ndjson"))
	require.Equal(t, spec.Header{Members: ids(2), Host: "here", Commit: "abc"}, header)
	require.Len(t, events, 1)
	require.Equal(t, spec.StartAction, events[0].Action)

	later := asks()
	later.At = 77
	require.NoError(t, r.Record(&later))
	require.Equal(t, uint64(2), later.Seq)
	_, events = read(t, filepath.Join(dir, "2-000001.ndjson"))
	require.Equal(t, uint64(77), events[1].At)
	require.NoError(t, r.Close())
	require.NoError(t, r.Close())
	require.ErrorIs(t, r.Record(&later), trace.ErrClosed)
}

// TestRotation fills files, starts again, and sees numbers rise, old files go, and a file that was cut short stay.
func TestRotation(t *testing.T) {
	dir := t.TempDir()
	options := trace.Options{Dir: dir, Node: spec.IntegerID(2), Members: ids(2), MaxBytes: 1000, MaxFiles: 3}
	r, err := trace.NewRecorder(options)
	require.NoError(t, err)
	write(t, dir, "1-000007.ndjson", ids(2), start(1)) // of another node, and so left alone
	for range 12 {
		e := asks()
		require.NoError(t, r.Record(&e))
	}
	require.NoError(t, r.Close())
	require.Equal(t, []string{"1-000007.ndjson", "2-000001.ndjson", "2-000002.ndjson", "2-000003.ndjson"}, names(t, dir))
	_, events := read(t, filepath.Join(dir, "2-000002.ndjson"))
	require.Equal(t, uint64(1), events[0].Seq, "each file counts for itself")
	info, err := os.Stat(filepath.Join(dir, "2-000001.ndjson"))
	require.NoError(t, err)
	require.Greater(t, info.Size(), int64(1000))
	require.Less(t, info.Size(), int64(1300))

	cut := filepath.Join(dir, "2-000003.ndjson")
	data, err := os.ReadFile(cut)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(cut, data[:len(data)-5], 0o644))
	r, err = trace.NewRecorder(options)
	require.NoError(t, err)
	require.NoError(t, r.Close())
	require.Equal(t, []string{"1-000007.ndjson", "2-000002.ndjson", "2-000003.ndjson", "2-000004.ndjson"}, names(t, dir))
	kept, err := os.ReadFile(cut)
	require.NoError(t, err)
	require.Equal(t, data[:len(data)-5], kept)

	// Numbers may have more digits than usual, and there may be more old files than one too many.
	write(t, dir, "2-1000000.ndjson", ids(2), start(2))
	options.MaxFiles = 2
	r, err = trace.NewRecorder(options)
	require.NoError(t, err)
	require.NoError(t, r.Close())
	require.Equal(t, []string{"1-000007.ndjson", "2-1000000.ndjson", "2-1000001.ndjson"}, names(t, dir))
}

// TestRecorderFails sees that after the first failure nothing is written any more.
func TestRecorderFails(t *testing.T) {
	dir := t.TempDir()
	r, err := trace.NewRecorder(trace.Options{Dir: dir, Node: spec.IntegerID(2), Members: ids(2), MaxBytes: 1})
	require.NoError(t, err)
	first := start(2)
	require.NoError(t, r.Record(&first))
	require.NoError(t, os.Chmod(dir, 0o500))
	require.NoError(t, os.RemoveAll(dir), "the folder goes away before the next file")
	second := asks()
	err = r.Record(&second)
	require.ErrorContains(t, err, "trace: the record of node 2 ends: ")
	require.NoError(t, os.MkdirAll(dir, 0o755))
	require.Equal(t, err, r.Record(&second), "there would be a gap")
	require.Empty(t, names(t, dir))
	require.NoError(t, r.Close())
}

func TestRecorderRefuses(t *testing.T) {
	good := trace.Options{Dir: t.TempDir(), Node: spec.IntegerID(2), Members: ids(2)}
	for want, change := range map[string]func(*trace.Options){
		"trace: no folder is given to record in":        func(o *trace.Options) { o.Dir = "" },
		"trace: node 3 is no member":                    func(o *trace.Options) { o.Node = spec.IntegerID(3) },
		"trace: header: members[1]: ":                   func(o *trace.Options) { o.Members = append(o.Members, o.Members[0]) },
		"trace: header: host: ":                         func(o *trace.Options) { o.Host = "\"" },
		"MaxBytes -1 and MaxFiles 0: neither can be ne": func(o *trace.Options) { o.MaxBytes = -1 },
		"not a directory":                               func(o *trace.Options) { o.Dir = os.Args[0] },
	} {
		o := good
		o.Members = ids(2)
		change(&o)
		_, err := trace.NewRecorder(o)
		require.ErrorContains(t, err, want)
	}
	r, err := trace.NewRecorder(good)
	require.NoError(t, err)
	other := start(1)
	require.ErrorContains(t, r.Record(&other), "a step of node 1 is not recorded here")
	_, err = trace.Files(filepath.Join(good.Dir, "none"))
	require.Error(t, err)
	require.NoError(t, r.Close())
}

// BenchmarkRecord records the step that is taken most often.
func BenchmarkRecord(b *testing.B) {
	r, err := trace.NewRecorder(trace.Options{Dir: b.TempDir(), Node: spec.IntegerID(2), Members: ids(5), MaxFiles: 2})
	require.NoError(b, err)
	heard := spec.Message{Type: spec.Heartbeat, From: spec.IntegerID(5), To: spec.IntegerID(2), Epoch: 7}
	e := spec.Event{Node: spec.IntegerID(2), Action: spec.OnHeartbeat, Input: spec.Input{Message: heard},
		Sent:  []spec.Message{{Type: spec.Ack, From: spec.IntegerID(2), To: spec.IntegerID(5), Epoch: 7}},
		State: spec.State{Role: spec.Follower, Leader: spec.IntegerID(5), Epoch: 7, Grantee: spec.IntegerID(5)}}
	b.ReportAllocs()
	for b.Loop() {
		e.At = 0
		if err := r.Record(&e); err != nil {
			b.Fatal(err)
		}
	}
	require.NoError(b, r.Close())
}

// BenchmarkMerge merges a long run of five nodes with crashes.
func BenchmarkMerge(b *testing.B) {
	c := newCluster(b, 5, 1, oneClock)
	c.run(30_000, 500, 500)
	files := c.files()
	events := 0
	for b.Loop() {
		var out strings.Builder
		summary, err := trace.Merging{Step: bully.Replay}.Merge(&out, files...)
		if err != nil {
			b.Fatal(err)
		}
		events = summary.Events
	}
	b.ReportMetric(float64(events)*float64(b.N)/b.Elapsed().Seconds(), "events/s")
}

// TestStopped: a node that stops in good order says so at the end of its record, with what it has promised last; a merged trace says
// it once, whether the node comes back or not, and one that was killed is told from it.
func TestStopped(t *testing.T) {
	dir := t.TempDir()
	options := trace.Options{Dir: dir, Node: spec.IntegerID(1), Members: ids(2)}
	r, err := trace.NewRecorder(options)
	require.NoError(t, err)
	require.NoError(t, r.Stopped(), "before the first step there is nothing to end")
	begun := start(1)
	require.NoError(t, r.Record(&begun))
	require.NoError(t, r.Stopped())
	require.NoError(t, r.Stopped(), "twice")
	require.NoError(t, r.Close())
	other, err := trace.NewRecorder(trace.Options{Dir: dir, Node: spec.IntegerID(2), Members: ids(2)})
	require.NoError(t, err)
	begun = start(2)
	require.NoError(t, other.Record(&begun))
	require.NoError(t, other.Close())

	_, events := read(t, filepath.Join(dir, "1-000001.ndjson"))
	require.Len(t, events, 2)
	require.Equal(t, spec.CrashAction, events[1].Action)
	require.Equal(t, spec.State{Role: spec.Follower, Latest: spec.Block}, events[1].State)

	shown := func() string {
		files, err := trace.Files(dir)
		require.NoError(t, err)
		var merged bytes.Buffer
		summary, err := trace.Merging{Step: bully.Replay}.Merge(&merged, files...)
		require.NoError(t, err)
		require.Equal(t, []int{0, 1}, []int{summary.Crashes, summary.Stops})
		_, err = check.Trace(bytes.NewReader(merged.Bytes()), check.Options{})
		require.NoError(t, err)
		var text strings.Builder
		require.NoError(t, trace.Show(&text, &merged))
		return text.String()
	}
	require.NotContains(t, shown(), "node 1 is heard no more")
	require.Contains(t, shown(), "node 2 is heard no more after line ")

	again, err := trace.NewRecorder(options)
	require.NoError(t, err)
	back := restarts(1, at(0, 0))
	back.State.Role, back.State.Leader = spec.Electing, spec.IntegerID(1)
	back.Sent = []spec.Message{{Type: spec.ImBack, From: spec.IntegerID(1), To: spec.IntegerID(2), Question: back.State.Latest}}
	require.NoError(t, again.Record(&back))
	require.NoError(t, again.Close())
	require.Contains(t, shown(), "node 1 is heard no more after line ")
}
