//go:build unix

package main

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed-fdf591db/bully/impl/host"
	"github.com/seed-fdf591db/bully/impl/internal/child"
	"github.com/seed-fdf591db/bully/impl/internal/cli"
	"github.com/seed-fdf591db/bully/impl/internal/proctest"
	"github.com/seed-fdf591db/bully/spec"
)

// content waits until a file has a whole line, and returns what is in it.
func content(t testing.TB, path string) (text string) {
	t.Helper()
	until(t, path, func() bool {
		data, err := os.ReadFile(path)
		text = strings.TrimSpace(string(data))
		return err == nil && strings.HasSuffix(string(data), "\n")
	})
	return text
}

// number waits until a file has a line with a number.
func number(t testing.TB, path string) int {
	t.Helper()
	n, err := strconv.Atoi(content(t, path))
	require.NoError(t, err)
	return n
}

// pause stops a process (SIGSTOP), and returns when all its threads have stopped.
func (p *process) pause() {
	p.t.Helper()
	proctest.Pause(p.t, p.cmd.Process.Pid)
}

// dies waits until a process has ended.
func dies(t testing.TB, pid int) {
	t.Helper()
	until(t, fmt.Sprintf("process %d has ended", pid), func() bool { return !proctest.Alive(pid) })
}

// executes starts bully exec with a shell script, which finds a file to write to in $0. Without another mode it is -move.
func (c *cluster) executes(id int, file, script string, more ...string) *process {
	if !slices.Contains(more, "-restart") && !slices.Contains(more, "-once") {
		more = append([]string{"-move"}, more...)
	}
	args := append(append([]string{"exec"}, c.flags(id, more...)...), "--", "/bin/sh", "-c", script, file)
	return spawn(c.t, args...)
}

// forever is a script that writes its process id, and goes on until it is ended.
const forever = `echo $$ >"$0"; while :; do sleep 0.1; done`

// TestExecEnvironment sees what a command is told, and that its exit status is passed on.
func TestExecEnvironment(t *testing.T) {
	t.Parallel()
	for want, script := range map[int]string{0: "exit 0", 7: "exit 7", 128 + 9: "kill -9 $$"} {
		c := newCluster(t, 1)
		file := filepath.Join(t.TempDir(), "told")
		n := c.executes(1, file, `echo "$BULLY_EPOCH $BULLY_NODE $BULLY_CLUSTER" >"$0"; echo out; echo err >&2; `+script)
		require.Equal(t, want, n.wait(), script)
		epoch, of, _ := strings.Cut(content(t, file), " ")
		require.Equal(t, "1 test", of)
		require.Contains(t, n.log.String(), "leader=1 epoch="+epoch+" leading=true", "a machine that is held up may need more than one")
		require.Regexp(t, `^(out\n)+$`, n.out.String(), "once in each of them")
		require.Contains(t, n.log.String(), "err\n")
		require.Contains(t, n.log.String(), "leader=none", "the node has resigned")
	}
}

// TestExecStop sees that a command may end in peace when the node is told to stop, and that the node leads meanwhile.
func TestExecStop(t *testing.T) {
	t.Parallel()
	c := newCluster(t, 1)
	file := filepath.Join(t.TempDir(), "told")
	n := c.executes(1, file, `trap 'echo ended >>"$0"; exit 5' TERM; `+forever)
	number(t, file)
	n.signal(syscall.SIGTERM)
	require.Equal(t, cli.OK, n.wait(), "it did what it was told")
	require.Regexp(t, `^\d+\nended$`, content(t, file), "node 1 tells its command to end, and waits for it")

	// One that does not end is killed after -stop.
	file = filepath.Join(t.TempDir(), "told")
	n = c.executes(1, file, `trap '' TERM; `+forever, "-stop", "50ms")
	pid := number(t, file)
	n.signal(syscall.SIGTERM)
	require.Equal(t, cli.OK, n.wait())
	require.False(t, proctest.Alive(pid), "node 1 must kill a command that ignores SIGTERM, after -stop")
}

// TestExecReignEnds sees that a command ends with its reign, even one that does not want to: here the other half of the
// cluster goes away. It runs again in the next reign, with the next epoch.
func TestExecReignEnds(t *testing.T) {
	t.Parallel()
	c := newCluster(t, 2)
	other := c.run(1)
	file := filepath.Join(t.TempDir(), "told")
	n := c.executes(2, file, `trap '' TERM; echo "$BULLY_EPOCH" >"$0.$BULLY_EPOCH"; `+forever)
	pid := number(t, file)
	require.NoError(t, other.cmd.Process.Kill())
	dies(t, pid)
	until(t, "the end is told, once the command is gone", func() bool { return strings.Contains(n.log.String(), "the command was ended with its reign") })
	require.NoError(t, os.Remove(file))
	c.run(1)
	require.NotEqual(t, pid, number(t, file))
	epochs, err := filepath.Glob(file + ".*")
	require.NoError(t, err)
	require.Greater(t, len(epochs), 1)
}

// TestExecKilled sees that a command does not outlive bully, even if that is killed.
func TestExecKilled(t *testing.T) {
	t.Parallel()
	if _, err := os.Stat("/proc/self"); err != nil {
		t.Skip("needs Linux: it ends a process with the one that started it")
	}
	c := newCluster(t, 1)
	file := filepath.Join(t.TempDir(), "told")
	n := c.executes(1, file, `trap '' TERM; `+forever)
	pid := number(t, file)
	n.signal(syscall.SIGKILL)
	dies(t, pid)
}

// TestExecKilledWithAll sees that nothing that a command has started outlives bully either.
func TestExecKilledWithAll(t *testing.T) {
	t.Parallel()
	if _, err := exec.LookPath("setsid"); err != nil {
		t.Skip("needs setsid: ", err)
	}
	c := newCluster(t, 1)
	file := filepath.Join(t.TempDir(), "told")
	n := c.executes(1, file, `setsid sh -c 'trap "" TERM HUP; echo $$ >"$0"; while :; do sleep 0.1; done' "$0"; :`)
	pid := number(t, file)
	n.signal(syscall.SIGKILL)
	dies(t, pid)
}

// TestExecGrace sees a reign that is renewed go on, and one that is about to end ended with SIGTERM, at -grace before the deadline and
// not at it: the command has the time to say so.
func TestExecGrace(t *testing.T) {
	t.Parallel()
	c := newCluster(t, 2)
	other := c.run(1)
	file := filepath.Join(t.TempDir(), "told")
	n := c.executes(2, file, `trap 'echo ended >"$0.ended"; exit' TERM; echo $$ >"$0"; sleep 1000 & wait`, "-grace", "1200ms")
	heartbeats := func() uint64 {
		var status host.Status
		_, body := fetch(c.http[1], "/status")
		_ = json.Unmarshal([]byte(body), &status) // a node that does not answer has sent none
		return status.Counters.Sent[spec.Heartbeat]
	}
	var pid int
	proctest.While(t, "2", reignAt(c.http[1]), func(t *proctest.Attempt, _ proctest.Reign) {
		pid = runs(t, file)
		before := heartbeats()
		until(t, "node 2 renews its reign", func() bool { return heartbeats() > before+3 })
		require.True(t, proctest.Alive(pid), "the command must run on while node 2 renews its reign")
	})
	for range 5 { // a machine that pauses for a second takes -grace away from the command
		require.NoError(t, other.cmd.Process.Kill())
		dies(t, pid)
		if _, err := os.Stat(file + ".ended"); err == nil {
			until(t, "node 2 says why the command ended", func() bool { return strings.Contains(n.log.String(), "the command was ended with its reign") })
			return
		}
		other.wait()
		other = c.run(1)
		until(t, "node 2 runs another command", func() bool { now := number(t, file); again := now != pid; pid = now; return again })
	}
	require.Fail(t, "node 2 must send SIGTERM to its command -grace before its reign ends: in five reigns no command had the time to end in peace")
}

// runs waits until the process runs whose number a file has, and returns its id.
func runs(t testing.TB, file string) (pid int) {
	t.Helper()
	until(t, "the process that wrote its id to "+file+" runs", func() bool { pid = number(t, file); return proctest.Alive(pid) })
	return pid
}

// TestExecTakesNoProof sees the next node wait for its patience to end: what the command of a dead one has started may
// live on.
func TestExecTakesNoProof(t *testing.T) {
	t.Parallel()
	c := newCluster(t, 3)
	folder := t.TempDir()
	var nodes []*process
	var told []string
	for i := range 3 {
		told = append(told, filepath.Join(folder, strconv.Itoa(i+1)))
		nodes = append(nodes, c.executes(i+1, told[i], forever))
	}
	number(t, told[2])
	require.NoError(t, os.RemoveAll(told[1]), "node 2 may have led before node 3 was there")
	nodes[2].signal(syscall.SIGKILL)
	number(t, told[1])
	for _, n := range nodes[:2] {
		until(t, "it has seen the connection end", func() bool { return strings.Contains(n.log.String(), "disconnected") })
		require.NotContains(t, n.log.String(), "its address refuses")
	}
}

// TestExecResign sees that a node that is made to resign ends its command first.
func TestExecResign(t *testing.T) {
	t.Parallel()
	c := newCluster(t, 1)
	file := filepath.Join(t.TempDir(), "told")
	c.executes(1, file, `trap 'echo "$BULLY_EPOCH" >"$0.ended"; exit' TERM; `+forever)
	pid := number(t, file)
	resign(t, c.http[0])
	require.Regexp(t, `^[1-9]\d*$`, content(t, file+".ended"), "the first epoch, unless the machine has held it up")
	dies(t, pid)
	until(t, "it leads again, and the command runs again", func() bool { return number(t, file) != pid })
}

// TestExecReignIsOver sees that a reign that ends before the command has begun is no failure of the command.
func TestExecReignIsOver(t *testing.T) {
	t.Parallel()
	w := worker{path: "/bin/false", flags: execFlags{}}
	require.ErrorIs(t, w.work(t.Context(), host.Reign{}), errEnded)
}

// TestShortage: a command that does not start for want of descriptors is tried again, and one that is not there is not.
func TestShortage(t *testing.T) {
	t.Parallel()
	for _, errno := range []syscall.Errno{syscall.EMFILE, syscall.ENFILE, syscall.EAGAIN, syscall.ENOMEM} {
		require.True(t, isShortage(fmt.Errorf("fork/exec: %w", errno)), "%v passes, and the command is tried again", errno)
	}
	require.False(t, isShortage(fmt.Errorf("fork/exec: %w", syscall.ENOENT)), "a command that does not exist is not tried again")
}

// TestExecRestart sees a command started again after it has ended by itself.
func TestExecRestart(t *testing.T) {
	t.Parallel()
	c := newCluster(t, 1)
	file := filepath.Join(t.TempDir(), "told")
	n := c.executes(1, file, `echo "$BULLY_EPOCH" >>"$0"`, "-restart")
	until(t, "it runs twice", func() bool { return strings.Contains(content(t, file), "\n") })
	until(t, "it says so", func() bool { return strings.Contains(n.log.String(), "the command has ended") })
	n.signal(syscall.SIGTERM)
	require.Equal(t, cli.OK, n.wait())
}

// TestExecLeaderless: that nobody leads is said once.
func TestExecLeaderless(t *testing.T) {
	t.Parallel()
	c := newCluster(t, 3)
	n := c.executes(1, filepath.Join(t.TempDir(), "told"), "true", "-profile", "local") // it speaks after twenty times the longest wait
	until(t, "it is said", func() bool { return strings.Contains(n.log.String(), "nobody leads, so nobody runs the command") })
	require.Contains(t, n.log.String(), "connected=0 others=2")
}

func TestExecUsage(t *testing.T) {
	t.Parallel()
	c := newCluster(t, 1)
	exec := func(args ...string) []string { return append([]string{"exec"}, args...) }
	for want, args := range map[string][]string{
		"bully exec: no command is given: bully exec [flags] -- CMD [argument…]":                       exec(c.flags(1)...),
		"bully exec: -grace, -stop and -progress cannot be negative":                                   exec(c.flags(1, "-move", "-stop", "-1s", "--", "true")...),
		"bully exec: -grace: 1s is more than the 12.3ms that profile local allows: a heartbeat and it": exec(c.flags(1, "-profile", "local", "-move", "-grace", "1s", "--", "true")...),
		"bully exec: -progress: 10ms is less than 1s":                                                  exec(c.flags(1, "-move", "-progress", "10ms", "--", "true")...),
		"did you mean -restart or -retry?":                                                             exec(c.flags(1, "-restrat", "--", "true")...),
	} {
		status, _, log := bully(t, args...)
		require.Equal(t, cli.Misused, status, args)
		require.Contains(t, log, want)
	}
	status, _, log := bully(t, exec(c.flags(1, "-move", "--", "no-such-program")...)...)
	require.Equal(t, cli.Mismatch, status)
	require.Contains(t, log, "no-such-program")
	require.Equal(t, 1282300*time.Microsecond, mostGrace(host.WAN()))
	require.Equal(t, 11600*time.Microsecond, mostGrace(host.LAN()))
}

// TestEndsByTheLastDeadline: a command that was told to end is killed at the last deadline that was known, though the reign is over, and -grace is longer: as when
// the disk of the node has failed.
func TestEndsByTheLastDeadline(t *testing.T) {
	t.Parallel()
	w := &worker{flags: execFlags{grace: time.Hour}}
	c, err := child.Start(exec.Command("sh", "-c", "trap '' TERM; while :; do sleep 0.1; done"), nil)
	require.NoError(t, err)
	go w.finish(host.Reign{}, c, time.Now().Add(10*time.Millisecond), time.Hour)
	select {
	case <-c.Done():
	case <-time.After(time.Minute):
		c.Kill()
		t.Error("it runs on")
	}
}
