package main

import (
	"errors"
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

	"github.com/seed-fdf591db/bully/impl/internal/cli"
	"github.com/seed-fdf591db/bully/impl/internal/localcluster"
	"github.com/seed-fdf591db/bully/impl/internal/proctest"
)

// python skips a test where it is missing: what it starts closes all descriptors that it does not know.
func python(t testing.TB) {
	t.Helper()
	if _, err := exec.LookPath("python3"); err != nil {
		t.Skip("needs Python: ", err)
	}
}

// A commanded is a node of bully exec with a command that writes down when it acts.
type commanded struct {
	t    testing.TB
	c    *cluster
	id   int
	node *process
	acts string // the file
}

// actor acts, and says so in a file: its epoch, its id, and when.
const actor = `
import os, sys, time
out = os.open(sys.argv[1], os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
while True:
    os.write(out, b"%d %d %d\n" % (int(os.environ["BULLY_EPOCH"]), os.getpid(), time.monotonic_ns()))
    time.sleep(0.002)
`

// daemon has a session of its own, is nobody's child, closes all that it was given, and acts.
const daemon = `
import os, time
if os.fork():
    time.sleep(1000)
os.setsid()
if os.fork():
    os._exit(0)
os.closerange(3, 4096)
` + actor

// start starts the node with one of these.
func (m *commanded) start(script string) {
	args := append([]string{"exec"}, m.c.flags(m.id, append(quick, "-restart", "-proof")...)...)
	m.node = spawn(m.t, append(args, "--", "python3", "-c", script, m.acts)...)
}

// reigns returns when the command has acted in each epoch, and who did last.
func (m *commanded) reigns() (acted []reignOf, pid int) {
	text, _ := os.ReadFile(m.acts)
	for line := range strings.Lines(string(text)) {
		var epoch int
		var at int64
		if n, _ := fmt.Sscanf(line, "%d %d %d\n", &epoch, &pid, &at); n != 3 {
			continue // it was killed
		}
		if last := len(acted) - 1; last >= 0 && acted[last].epoch == epoch {
			acted[last].last = at
		} else {
			acted = append(acted, reignOf{epoch, at, at})
		}
	}
	return acted, pid
}

// newest returns the epoch in which the command has acted last, or 0, and its process.
func (m *commanded) newest() (epoch, pid int) {
	acted, pid := m.reigns()
	if len(acted) == 0 {
		return 0, 0
	}
	return acted[len(acted)-1].epoch, pid
}

// guardian returns the process that ends all that the command has started, or 0.
func (m *commanded) guardian() int {
	for pid, name := range localcluster.Children(m.node.cmd.Process.Pid) {
		if !strings.Contains(name, "bully-memory") {
			return pid
		}
	}
	return 0
}

// execBlows are what befalls the leader: the signals come one right after the other.
var execBlows = []struct {
	name   string
	script string
	deal   func(node, guardian, command int) []error
}{
	{"the node dies", actor, func(n, _, _ int) []error { return []error{proctest.Kill(n, syscall.SIGKILL)} }},
	{"the node of a daemon dies", daemon, func(n, _, _ int) []error { return []error{proctest.Kill(n, syscall.SIGKILL)} }},
	{"the guardian is stopped, and the node of a daemon dies", daemon, func(n, g, _ int) []error {
		return []error{proctest.Kill(g, syscall.SIGSTOP), proctest.Kill(n, syscall.SIGKILL)}
	}},
	{"a daemon is stopped, and its node dies", daemon, func(n, _, c int) []error {
		return []error{proctest.Kill(c, syscall.SIGSTOP), proctest.Kill(n, syscall.SIGKILL)}
	}},
	{"the node and a daemon die", daemon, func(n, _, c int) []error {
		return []error{proctest.Kill(n, syscall.SIGKILL), proctest.Kill(c, syscall.SIGKILL)}
	}},
	{"the guardian and the node die", actor, func(n, g, _ int) []error {
		return []error{proctest.Kill(g, syscall.SIGKILL), proctest.Kill(n, syscall.SIGKILL)}
	}},
	{"the node and the guardian die", actor, func(n, g, _ int) []error {
		return []error{proctest.Kill(n, syscall.SIGKILL), proctest.Kill(g, syscall.SIGKILL)}
	}},
	{"all die", actor, func(n, g, c int) []error {
		return []error{proctest.Kill(n, syscall.SIGKILL), proctest.Kill(g, syscall.SIGKILL), proctest.Kill(c, syscall.SIGKILL)}
	}},
}

// TestNoTwoCommandsAct deals each blow to the leader of a cluster that takes refused connections for deaths. Another leads each time, and no two commands have acted at
// once, though what is left of a dead node's goes on for a while.
func TestNoTwoCommandsAct(t *testing.T) {
	t.Parallel()
	python(t)
	if testing.Short() {
		t.Skip("long: it waits for many elections of real processes")
	}
	c, folder := newCluster(t, 3), t.TempDir()
	var all []*commanded
	for id := 1; id <= 3; id++ {
		m := &commanded{t: t, c: c, id: id, acts: filepath.Join(folder, strconv.Itoa(id))}
		m.start(execBlows[0].script)
		all = append(all, m)
	}
	leader := all[2]
	newestOther := func() int {
		one, _ := all[0].newest()
		two, _ := all[1].newest()
		return max(one, two)
	}
	var before, pid, guardian int
	acts := func() bool {
		before, pid = leader.newest()
		guardian = leader.guardian()
		return before > newestOther() && guardian != 0
	}
	for i, b := range execBlows {
		until(t, "the command of node 3 acts, and gets: "+b.name, func() bool {
			if !acts() {
				return false
			}
			dealt := b.deal(leader.node.cmd.Process.Pid, guardian, pid)
			for _, err := range dealt {
				require.True(t, err == nil || errors.Is(err, syscall.ESRCH), "%s: a process may have ended, and no more: %v", b.name, err)
			}
			return dealt[0] == nil // else that process has ended since it was found
		})
		began := monotonic()
		until(t, "another acts after: "+b.name, func() bool { return newestOther() > before })
		t.Logf("%s: another acts after %v", b.name, time.Duration(monotonic()-began).Round(100*time.Microsecond))
		leader.node.wait()
		dies(t, pid)
		leader.start(execBlows[(i+1)%len(execBlows)].script)
	}
	until(t, "the highest acts again", acts)
	var acted []reignOf
	for _, m := range all {
		m.node.signal(syscall.SIGTERM)
		require.Equal(t, cli.OK, m.node.wait())
		of, _ := m.reigns()
		acted = append(acted, of...)
	}
	slices.SortFunc(acted, func(a, b reignOf) int { return a.epoch - b.epoch })
	require.Greater(t, len(acted), 2*len(execBlows))
	for i, r := range acted[1:] {
		require.Less(t, acted[i].last, r.first, "the command of epoch %d acted when that of %d did", acted[i].epoch, r.epoch)
	}
}

// TestExecProves: with -proof nobody waits for patience when a node dies.
func TestExecProves(t *testing.T) {
	t.Parallel()
	c, folder := newCluster(t, 3), t.TempDir()
	var nodes []*process
	for id := 1; id <= 3; id++ {
		nodes = append(nodes, c.executes(id, filepath.Join(folder, strconv.Itoa(id)), forever, "-proof"))
	}
	number(t, filepath.Join(folder, "3"))
	require.NoError(t, os.RemoveAll(filepath.Join(folder, "2")), "node 2 may have led before node 3 was there")
	nodes[2].signal(syscall.SIGKILL)
	number(t, filepath.Join(folder, "2"))
	require.Contains(t, nodes[1].log.String(), "its address refuses")
}

// TestExecHoldsAddress: the address of a dead node refuses nobody as long as something of its command is there; and so the node cannot begin again before.
func TestExecHoldsAddress(t *testing.T) {
	t.Parallel()
	t.Run("a command that has closed it", func(t *testing.T) {
		t.Parallel()
		python(t)
		c := newCluster(t, 1)
		file := filepath.Join(t.TempDir(), "pid")
		script := `
import os, sys, time
os.closerange(3, 4096)
much = b"x" * (256 << 20)
open(sys.argv[1], "w").write("%d\n" % os.getpid())
time.sleep(1000)
`
		n := spawn(t, append(append([]string{"exec"}, c.flags(1, "-restart", "-proof")...), "--", "python3", "-c", script, file)...)
		pid := number(t, file)
		n.signal(syscall.SIGKILL)
		until(t, "its address refuses", func() bool { return c.dialled(1) != nil })
		require.False(t, proctest.Alive(pid), "the address of node 1 must not refuse while its command, process %d, is there", pid)
	})
	t.Run("what a command has started", func(t *testing.T) {
		t.Parallel()
		c := newCluster(t, 1)
		file := filepath.Join(t.TempDir(), "pid")
		n := c.executes(1, file, `setsid sh -c 'echo $$ >"$0"; exec sleep 1000' "$0" </dev/null >/dev/null 2>&1 & `+`wait`, "-restart", "-proof")
		pid := number(t, file)
		t.Cleanup(func() { _ = proctest.Kill(pid, syscall.SIGKILL) })
		guardian := (&commanded{node: n}).guardian()
		require.NotZero(t, guardian, "bully exec has a guardian, which ends what the command leaves behind")
		n.pause() // else it ends what a guardian has left
		require.NoError(t, proctest.Kill(guardian, syscall.SIGKILL))
		n.signal(syscall.SIGKILL)
		n.wait()
		require.True(t, proctest.Alive(pid), "process %d outlives its node and the guardian", pid)
		require.NoError(t, c.dialled(1))
		again := c.executes(1, file+".again", forever, "-restart", "-proof")
		until(t, "it is said who has the address", func() bool {
			return strings.Contains(again.log.String(), "another process has the address of this node: a program that it had let lead before it was killed")
		})
		require.NoError(t, proctest.Kill(pid, syscall.SIGKILL))
		number(t, file+".again")
	})
}

// TestExecProofUsage: what cannot be proved is refused.
func TestExecProofUsage(t *testing.T) {
	t.Parallel()
	c := newCluster(t, 1)
	status, _, log := bully(t, append(append([]string{"exec"}, c.flags(1, "-move", "-proof", "-no-proof")...), "--", "true")...)
	require.Equal(t, cli.Misused, status)
	require.Contains(t, log, "-proof and -no-proof are opposites")
	status, _, log = bully(t, "exec", "-proof", "-move", "-id", "1", "-cluster", "test", "-data", t.TempDir(), "-members", "dns://nodes.test:7000", "-expect", "1", "-insecure", "--", "true")
	require.Equal(t, cli.Misused, status)
	require.Contains(t, log, "-proof: members that DNS names prove no death")
}
