//go:build unix

package main

import (
	"fmt"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed-fdf591db/bully/impl/internal/cli"
	"github.com/seed-fdf591db/bully/impl/internal/proctest"
	"github.com/seed-fdf591db/bully/impl/resource"
)

// lines returns the lines of a file, or none if there is no file.
func lines(path string) []string {
	data, err := os.ReadFile(path)
	if text := strings.TrimSpace(string(data)); err == nil && text != "" {
		return strings.Split(text, "\n")
	}
	return nil
}

// theJob is what all nodes of a cluster are told of a job.
type theJob struct {
	*cluster
	dir, file string
	flags     []string
	nodes     map[int]*process
}

// newTheJob returns a job of three nodes, of which none runs.
func newTheJob(t testing.TB, flags ...string) *theJob {
	t.Helper()
	j := &theJob{cluster: newCluster(t, 3), dir: shared(t), file: filepath.Join(t.TempDir(), "told"), nodes: map[int]*process{}}
	j.flags = append([]string{"-once", "k", "-fence", j.dir}, flags...)
	return j
}

// start starts nodes with a script, which says first that it begins.
func (j *theJob) start(script string, ids ...int) {
	for _, id := range ids {
		j.nodes[id] = j.executes(id, j.file, `echo "$BULLY_NODE $BULLY_EPOCH $BULLY_ATTEMPT $BULLY_KEY$BULLY_PERIOD $$" >>"$0"; `+script, j.flags...)
	}
}

// begun waits until so many runs have begun, and returns who has begun the last one, and its process.
func (j *theJob) begun(runs int) (node, pid int) {
	j.t.Helper()
	until(j.t, fmt.Sprintf("%d runs have begun", runs), func() bool { return len(lines(j.file)) >= runs })
	all := lines(j.file)
	require.Len(j.t, all, runs)
	var epoch, attempt int
	var key string
	_, err := fmt.Sscan(all[runs-1], &node, &epoch, &attempt, &key, &pid)
	require.NoError(j.t, err)
	require.Equal(j.t, runs, attempt)
	require.Equal(j.t, "k", key)
	return node, pid
}

// others returns the nodes besides one.
func (j *theJob) others(than int) (nodes []*process) {
	for id, n := range j.nodes {
		if id != than {
			nodes = append(nodes, n)
		}
	}
	return nodes
}

// TestExecOnce runs a job on three nodes: it runs once, and all nodes end with 0. Started again they end at once, and it does not run.
func TestExecOnce(t *testing.T) {
	t.Parallel()
	j := newTheJob(t)
	for range 2 {
		j.start("exit 0", 1, 2, 3)
		for _, n := range j.nodes {
			require.Equal(t, cli.OK, n.wait(), n.log)
		}
		j.begun(1)
	}
	require.Equal(t, done, recordOf(t, j.dir, "k").State)
}

// TestExecOnceServer is the same with a server in the place of storage.
func TestExecOnceServer(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(newFenceServer(&resource.MemoryRegister{}))
	t.Cleanup(server.Close)
	j := newTheJob(t, "-fence", server.URL+"/jobs")
	for range 2 {
		j.start("exit 0", 1, 2, 3)
		for _, n := range j.nodes {
			require.Equal(t, cli.OK, n.wait(), n.log)
		}
		j.begun(1)
	}
	require.NoDirExists(t, filepath.Join(j.dir, "once-k"))
}

// TestExecOnceFails: the node that has run the job ends with its status, and the others with 1, and say so; it runs on no other.
func TestExecOnceFails(t *testing.T) {
	t.Parallel()
	j := newTheJob(t)
	j.start("exit 7", 1, 2, 3)
	node, _ := j.begun(1)
	require.Equal(t, 7, j.nodes[node].wait())
	for _, n := range j.others(node) {
		require.Equal(t, cli.Mismatch, n.wait(), n.log)
		require.Contains(t, n.log.String(), "has run it, and it has ended with status 7. It is not begun again")
	}
	j.begun(1)
}

// TestExecOnceKilled kills the node that runs the job, with all that it has started: nobody begins it again, and all say that it is not
// known what has come of it. With -retry it is begun again, and done.
func TestExecOnceKilled(t *testing.T) {
	t.Parallel()
	j := newTheJob(t)
	j.start("while :; do sleep 0.1; done", 1, 2, 3)
	node, pid := j.begun(1)
	j.nodes[node].signal(syscall.SIGKILL)
	dies(t, pid)
	for _, n := range j.others(node) {
		require.Equal(t, cli.Mismatch, n.wait(), n.log)
		require.Contains(t, n.log.String(), "it is not known whether it has begun, or ended. It is not begun again")
	}
	j.begun(1)
	require.Equal(t, lost, recordOf(t, j.dir, "k").State)

	j.flags = append(j.flags, "-retry")
	j.start(`[ "$(wc -l <"$0")" -ge 3 ]`, 1, 2, 3) // the second run fails; a reign may end with a run, or before it, so that there are more
	for _, n := range j.nodes {
		require.Equal(t, cli.OK, n.wait(), n.log)
	}
	require.GreaterOrEqual(t, len(lines(j.file)), 3)
	require.Equal(t, done, recordOf(t, j.dir, "k").State)
}

// TestExecOncePaused stops the node that runs the job (SIGSTOP), so that the job goes on, and nobody can end it. Another leads; at most
// once, it begins nothing. Woken up, the node can note nothing any more.
func TestExecOncePaused(t *testing.T) {
	t.Parallel()
	j := newTheJob(t)
	j.start("while :; do sleep 0.1; done", 1, 2, 3)
	node, pid := j.begun(1)
	j.nodes[node].pause()
	for _, n := range j.others(node) {
		require.Equal(t, cli.Mismatch, n.wait(), n.log)
	}
	require.True(t, proctest.Alive(pid), "the job of node %d runs on, as its node is stopped and cannot end it", node)
	j.nodes[node].signal(syscall.SIGCONT)
	dies(t, pid)
	require.Equal(t, cli.Mismatch, j.nodes[node].wait())
	require.Contains(t, j.nodes[node].log.String(), "is fenced")
	j.begun(1)
	require.Equal(t, lost, recordOf(t, j.dir, "k").State)
}

// TestExecOncePausedAgain is the same with -retry: two run at a time, as its help says, and what the first notes late changes nothing.
func TestExecOncePausedAgain(t *testing.T) {
	t.Parallel()
	j := newTheJob(t, "-retry")
	j.start(`[ "$BULLY_ATTEMPT" -gt 1 ] || while :; do sleep 0.1; done`, 1, 2, 3)
	node, pid := j.begun(1)
	j.nodes[node].pause()
	for _, n := range j.others(node) {
		require.Equal(t, cli.OK, n.wait(), n.log)
	}
	require.True(t, proctest.Alive(pid), "the first run runs on, as node %d is stopped and cannot end it", node)
	j.begun(2)
	j.nodes[node].signal(syscall.SIGCONT)
	dies(t, pid)
	require.Equal(t, cli.OK, j.nodes[node].wait(), "it is done, by another")
	require.Equal(t, 2, recordOf(t, j.dir, "k").Attempt)
}

// TestExecOnceStopped: a node that is told to stop ends its run, and says that it has: it is not begun again, but with -retry.
func TestExecOnceStopped(t *testing.T) {
	t.Parallel()
	j := newTheJob(t)
	j.start("while :; do sleep 0.1; done", 1, 2, 3)
	node, pid := j.begun(1)
	j.nodes[node].signal(syscall.SIGTERM)
	require.Equal(t, cli.OK, j.nodes[node].wait(), "it did what it was told")
	dies(t, pid)
	for _, n := range j.others(node) {
		require.Equal(t, cli.Mismatch, n.wait(), n.log)
		require.Contains(t, n.log.String(), "had to end it with its reign")
	}
	j.begun(1)
}

// TestExecEvery runs a job each second on three nodes, and kills whoever runs it, three times: no period is begun twice, whatever happens.
func TestExecEvery(t *testing.T) {
	t.Parallel()
	j := newTheJob(t, "-every", "1s")
	j.start("exit 0", 1, 2, 3)
	seen := 0
	for range 3 {
		until(t, "two more periods", func() bool { return len(lines(j.file)) >= seen+2 })
		all := lines(j.file)
		var node int
		_, err := fmt.Sscan(all[len(all)-1], &node)
		require.NoError(t, err)
		j.nodes[node].signal(syscall.SIGKILL)
		j.nodes[node].wait()
		seen = len(lines(j.file))
		j.start("exit 0", node)
	}
	until(t, "and it goes on", func() bool { return len(lines(j.file)) >= seen+2 })
	last := time.Time{}
	for _, line := range lines(j.file) {
		at, err := time.Parse(time.RFC3339Nano, strings.TrimPrefix(strings.Fields(line)[3], "k"))
		require.NoError(t, err)
		require.True(t, at.After(last), "no period begins twice, and none after a later one: %s after %s", line, last)
		require.Zero(t, at.Nanosecond(), "a period of 1s begins with a second: %s", line)
		last = at
	}
	for _, n := range j.nodes {
		n.signal(syscall.SIGTERM)
		require.Equal(t, cli.OK, n.wait())
	}
}

// TestExecModes: who does not say what is to be when CMD ends is told which ways there are, before anything runs.
func TestExecModes(t *testing.T) {
	t.Parallel()
	c := newCluster(t, 1)
	dir := shared(t)
	for want, flags := range map[string][]string{
		"say what is to be when CMD ends":                        nil,
		"a job: CMD runs once in the whole cluster":              nil,
		"-once, -restart and -move are three ways":               {"-once", "k", "-move"},
		"name the job with -once":                                {"-move", "-every", "24h"},
		`-once: "a/b" is not 1 to 100`:                           {"-once", "a/b", "-fence", dir},
		"-fence is missing":                                      {"-once", "k"},
		"-once: \"\" is not 1 to 100":                            {"-once", "", "-fence", dir},
		"-every: 1ms is less than a second":                      {"-once", "k", "-fence", dir, "-every", "1ms"},
		"-every: 0s is less than a second":                       {"-once", "k", "-fence", dir, "-every", "0"},
		"-offset is of -every, which is missing":                 {"-once", "k", "-fence", dir, "-offset", "1h"},
		"-offset: 25h0m0s is not from 0 to less than -every, wh": {"-once", "k", "-fence", dir, "-every", "24h", "-offset", "25h"},
	} {
		status, _, log := bully(t, append(append([]string{"exec"}, c.flags(1, flags...)...), "--", "true")...)
		require.Equal(t, cli.Misused, status, flags)
		require.Contains(t, log, want)
	}
	status, _, log := bully(t, append(append([]string{"exec"}, c.flags(1, "-once", "k", "-fence", t.TempDir())...), "--", "true")...)
	require.Equal(t, cli.Mismatch, status)
	require.Contains(t, log, "is the storage mounted that all nodes share?")
	file := filepath.Join(t.TempDir(), "file")
	require.NoError(t, os.WriteFile(file, nil, 0o600))
	status, _, log = bully(t, append(append([]string{"exec"}, c.flags(1, "-once", "k", "-fence", file)...), "--", "true")...)
	require.Equal(t, cli.Mismatch, status)
	require.Contains(t, log, "-fence: stat "+file+"/")
	require.NotContains(t, log, "touch", "what is there cannot be used, and is not to be made")
}
