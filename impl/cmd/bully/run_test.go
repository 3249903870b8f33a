//go:build unix

package main

import (
	"errors"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed-fdf591db/bully/impl/internal/cli"
	"github.com/seed-fdf591db/bully/impl/internal/proctest"
)

// TestRun runs three nodes until they are told to stop, and reads what they have recorded.
func TestRun(t *testing.T) {
	t.Parallel()
	c := newCluster(t, 3)
	traces := t.TempDir()
	var nodes []*process
	for id := 1; id <= 3; id++ {
		nodes = append(nodes, c.run(id, "-trace", traces, "-log", "json"))
	}
	for _, address := range c.http {
		leads(t, address)
	}
	code, body := fetch(c.http[0], "/healthz")
	require.Equal(t, http.StatusOK, code, body)
	until(t, "all follow 3", func() bool {
		status, _, _ := bully(t, "status", "-http", strings.Join(c.http, ","))
		_, out, _ := bully(t, "status", "-http", c.http[0], c.http[1], c.http[2])
		return status == cli.OK && strings.Count(out, "\n") == 4 && strings.Count(out, "follower") == 2 &&
			strings.Count(out, "LEADER") == 1 && regexp.MustCompile(`(?m)^3 +LEADER `).MatchString(out)
	})

	// A data folder belongs to one process.
	second := spawn(t, "run", "-id", "1", "-cluster", "test", "-members", "1="+freeAddress(t), "-data", c.data[0])
	require.Equal(t, cli.Mismatch, second.wait())
	require.Contains(t, second.log.String(), "bully run: ")
	require.Contains(t, second.log.String(), "in use")

	slices.Reverse(nodes) // the leader first, while it leads
	for i, n := range nodes {
		n.signal([]syscall.Signal{syscall.SIGTERM, syscall.SIGINT, syscall.SIGTERM}[i])
		require.Equal(t, cli.OK, n.wait(), n.log)
		require.Contains(t, n.log.String(), `"msg":"stopped"`)
	}
	merged := filepath.Join(t.TempDir(), "merged.ndjson")
	status, _, log := bully(t, "trace", "merge", "-o", merged, traces)
	require.Equal(t, cli.OK, status, log)
	require.Contains(t, log, ", nodes: 3, crashes: 0, stops: 3")
	status, out, log := bully(t, "trace", "check", "-strict", merged)
	require.Equal(t, cli.OK, status, log)
	require.Contains(t, out, "traces: 1, ")
	status, out, log = bully(t, "trace", "show", merged)
	require.Equal(t, cli.OK, status, log)
	require.Contains(t, out, "LEADER, epoch ")
	require.Contains(t, out, "Resign; says RESIGN", "who leads resigns before it stops")
	require.NotContains(t, out, "is heard no more", "each has recorded its end")

	// The same folder, another membership: refused, and nothing is lost.
	other := spawn(t, "run", "-id", "1", "-cluster", "test", "-members", "1="+freeAddress(t), "-data", c.data[0])
	require.Equal(t, cli.Mismatch, other.wait())
	require.Contains(t, other.log.String(), "membership")
}

// TestRunSecondSignal sees that a node that is waiting for its command ends at once when it is told a second time.
func TestRunSecondSignal(t *testing.T) {
	t.Parallel()
	c := newCluster(t, 1)
	ready := filepath.Join(t.TempDir(), "ready")
	n := c.executes(1, ready, `trap '' TERM; `+forever, "-stop", "1h")
	pid := number(t, ready)
	n.signal(syscall.SIGTERM)
	until(t, "it waits for its command", func() bool { return strings.Contains(n.log.String(), "told to end") })
	require.True(t, proctest.Alive(pid), "node 1 waits for its command after the first signal")
	n.signal(syscall.SIGTERM)
	require.Equal(t, -1, n.wait(), "ended by the signal itself")
	dies(t, pid)

	ready = filepath.Join(t.TempDir(), "ready")
	n = c.executes(1, ready, `trap '' TERM; `+forever, "-stop", "1h")
	pid = number(t, ready)
	n.signal(syscall.SIGINT)
	n.signal(syscall.SIGTERM) // before it can have heeded the first
	require.Equal(t, -1, n.wait(), "ended by the signal itself")
	dies(t, pid)
}

// TestRunDiskFails takes the folder of a node away, and makes it save a promise.
func TestRunDiskFails(t *testing.T) {
	t.Parallel()
	c := newCluster(t, 1)
	n := c.run(1)
	leads(t, c.http[0])
	require.NoError(t, os.RemoveAll(c.data[0]))
	until(t, "it resigns", func() bool {
		response, err := http.Post("http://"+c.http[0]+"/resign", "", nil)
		return err != nil || response.Body.Close() == nil && response.StatusCode == http.StatusOK
	})
	require.Equal(t, cli.Mismatch, n.wait())
	require.Contains(t, n.log.String(), "bully run: host: stopped for good: saving the promise: ")
}

// TestRunLogGone sees that a node outlives who reads its log.
func TestRunLogGone(t *testing.T) {
	t.Parallel()
	reader, writer, err := os.Pipe()
	require.NoError(t, err)
	c := newCluster(t, 1)
	n := spawnTo(t, writer, append([]string{"run"}, c.flags(1)...)...)
	require.NoError(t, writer.Close())
	first := leads(t, c.http[0])
	require.NoError(t, reader.Close())
	resign(t, c.http[0]) // it logs that
	until(t, "it leads again", func() bool { return leads(t, c.http[0]) > first })
	n.signal(syscall.SIGTERM)
	require.Equal(t, cli.OK, n.wait())
}

// TestRunLogNotRead sees that a node does not wait for who reads its log, and has stopped: it leads, answers, and ends when it is told
// to. What it could not say is counted.
func TestRunLogNotRead(t *testing.T) {
	t.Parallel()
	reader, writer, err := os.Pipe()
	require.NoError(t, err)
	t.Cleanup(func() { _ = reader.Close() })
	require.NoError(t, writer.SetWriteDeadline(time.Now().Add(10*time.Millisecond)))
	_, err = writer.Write(make([]byte, 1<<20))
	require.ErrorIs(t, err, os.ErrDeadlineExceeded, "the pipe is full: no line of the node fits into it")
	c := newCluster(t, 1)
	n := spawnTo(t, writer, append([]string{"run"}, c.flags(1, "-log-level", "debug", "-profile", "local")...)...) // it resigns hundreds of times
	require.NoError(t, writer.Close())
	leads(t, c.http[0])
	until(t, "lines are dropped", func() bool {
		for range 100 { // each is logged
			response, err := http.Post("http://"+c.http[0]+"/resign", "", nil)
			require.NoError(t, err)
			_, err = io.Copy(io.Discard, response.Body)
			require.NoError(t, errors.Join(err, response.Body.Close()))
		}
		return droppedSome(c.http[0])
	})
	leads(t, c.http[0])
	n.signal(syscall.SIGTERM)
	require.Equal(t, cli.OK, n.wait())
}

// droppedSome reports whether a node has dropped lines of its log.
func droppedSome(address string) bool {
	_, text := fetch(address, "/metrics")
	_, rest, _ := strings.Cut(text, "\nbully_log_dropped_total ")
	return rest != "" && rest[0] != '0'
}

// TestRunCannot sees what is said when a node cannot run.
func TestRunCannot(t *testing.T) {
	t.Parallel()
	taken := newCluster(t, 1)
	running := taken.run(1)
	leads(t, taken.http[0])
	good := newCluster(t, 1)
	notFolder := filepath.Join(t.TempDir(), "file")
	require.NoError(t, os.WriteFile(notFolder, nil, 0o644))
	address := strings.TrimPrefix(taken.members, "1=")
	for want, args := range map[string][]string{
		"-http: listen tcp " + taken.http[0]: {"-http", taken.http[0]},
		"-listen: listen tcp " + address:     {"-listen", address},
		"not a directory":                    {"-trace", notFolder},
		"bully run: -tls-…: open none: ":     {"-tls-cert", "none", "-tls-key", "none", "-tls-ca", "none"},
		"bully run: storage: ":               {"-data", notFolder},
	} {
		status, _, log := bully(t, append([]string{"run"}, good.flags(1, args...)...)...)
		require.Equal(t, cli.Mismatch, status, args)
		require.Contains(t, log, want)
	}
	running.signal(syscall.SIGTERM)
	require.Equal(t, cli.OK, running.wait())
}

// TestLogSaysDurations: a log says how long in units that people read, in JSON too.
func TestLogSaysDurations(t *testing.T) {
	t.Parallel()
	for form, want := range map[string]string{"text": " a=19.2ms b=12ms c=1m30.51s d=999ns\n", "json": `"a":"19.2ms","b":"12ms","c":"1m30.51s","d":"999ns"}`} {
		var line strings.Builder
		newLogger(&line, settings{nodeFlags: nodeFlags{log: form, logLevel: "info"}}).Info("held up",
			"a", 19203571*time.Nanosecond, "b", 12*time.Millisecond, "c", 90512*time.Millisecond, "d", 999*time.Nanosecond)
		require.Contains(t, line.String(), want)
	}
}
