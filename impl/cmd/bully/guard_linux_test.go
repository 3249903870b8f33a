package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net"
	"net/http"
	"os"
	"os/signal"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	library "github.com/seed-fdf591db/bully/impl"
	"github.com/seed-fdf591db/bully/impl/host"
	"github.com/seed-fdf591db/bully/impl/internal/cli"
	"github.com/seed-fdf591db/bully/impl/internal/localcluster"
	"github.com/seed-fdf591db/bully/impl/internal/proctest"
	"github.com/seed-fdf591db/bully/spec"
)

// guardedNode waits until the node runs that a guard has started, and knows of a leader; and returns its process id.
func (c *cluster) guardedNode(guard *process, id int) (pid int) {
	c.t.Helper()
	until(c.t, "the node runs, and has started", func() bool {
		pid = onlyChild(guard.cmd.Process.Pid)
		_, text := fetch(c.http[id-1], "/leader")
		return pid != 0 && strings.Contains(text, `"leader":"`)
	})
	return pid
}

// onlyChild returns the process that a process has started, or 0.
func onlyChild(pid int) int {
	children := slices.Collect(maps.Keys(localcluster.Children(pid)))
	if len(children) != 1 {
		return 0
	}
	return children[0]
}

// toldBy returns what a node says of its guard.
func (c *cluster) toldBy(id int) (g host.GuardStatus) {
	var status host.Status
	if _, text := fetch(c.http[id-1], "/status"); json.Unmarshal([]byte(text), &status) == nil && status.Guard != nil {
		return *status.Guard
	}
	return g
}

// TestGuard kills a node that is stopped, and starts it again; and one that somebody else has killed. Who asks is told.
func TestGuard(t *testing.T) {
	t.Parallel()
	c := newCluster(t, 1)
	guard := c.run(1, "-guard", "-log", "json")
	first := c.guardedNode(guard, 1)
	require.Equal(t, host.GuardStatus{Guard: guard.cmd.Process.Pid}, c.toldBy(1))
	require.NoError(t, proctest.Kill(first, syscall.SIGSTOP))
	until(t, "it is killed, and started again", func() bool { return c.toldBy(1).Restarts == 1 })
	require.False(t, proctest.Alive(first), "the guard must kill the stopped node before it starts another")
	require.Equal(t, 1, c.toldBy(1).Kills)
	require.Equal(t, "it was stopped (SIGSTOP)", c.toldBy(1).Last)

	second := c.guardedNode(guard, 1)
	require.NoError(t, proctest.Kill(second, syscall.SIGKILL))
	until(t, "it is started again", func() bool { return c.toldBy(1).Restarts == 2 })
	require.Equal(t, 1, c.toldBy(1).Kills, "that was another")
	third := c.guardedNode(guard, 1)
	_, out, _ := bully(t, "status", "-http", c.http[0])
	require.Contains(t, out, " (guarded)")
	require.Regexp(t, `its guard has started it again 2 times, and had killed it 1 times, the last time at .*: it died of a signal: killed`, out)
	_, text := fetch(c.http[0], "/metrics")
	require.Contains(t, text, "\nbully_guard_kills_total 1\n")
	require.Contains(t, text, "\nbully_guard_restarts_total 2\n")
	require.Contains(t, text, "\nbully_guarded 1\n")

	guard.signal(syscall.SIGTERM)
	require.Equal(t, cli.OK, guard.wait(), "the node ends in good order, and with it its guard")
	require.NotContains(t, guard.log.String(), "without a guard", "who holds the memory of the node ends by itself")
	require.False(t, proctest.Alive(third), "the node must end before its guard does")
	require.Contains(t, guard.log.String(), `"msg":"stopped"`)
	require.Contains(t, guard.log.String(), `"msg":"the guard has killed the program"`)
}

// TestGuardAlone: a node does not outlive its guard, and does not need one that is stopped.
func TestGuardAlone(t *testing.T) {
	t.Parallel()
	c := newCluster(t, 1)
	guard := c.run(1, "-guard")
	node := c.guardedNode(guard, 1)
	guard.pause()
	steps := func() int {
		_, text := fetch(c.http[0], "/metrics")
		found := regexp.MustCompile(`(?m)^bully_steps_total\{action="HeartbeatTimeout"\} (\d+)$`).FindStringSubmatch(text)
		if found == nil {
			return 0 // it has not taken this step yet, or does not answer
		}
		n, err := strconv.Atoi(found[1])
		require.NoError(t, err)
		return n
	}
	before := steps()
	until(t, "the node leads on while its guard is stopped", func() bool { return steps() > before+3 })
	var out string
	until(t, "bully status says that the guard is stopped", func() bool {
		_, out, _ = bully(t, "status", "-http", c.http[0])
		return strings.Contains(out, " (its guard is stopped)")
	})
	require.Contains(t, out, fmt.Sprintf("until it goes on, nobody kills this node if it hangs (kill -CONT %d)", guard.cmd.Process.Pid))
	_, text := fetch(c.http[0], "/metrics")
	require.Contains(t, text, "\nbully_guarded 0\n")
	guard.signal(syscall.SIGCONT)
	before = steps()
	until(t, "the node leads on while its guard runs again", func() bool { return steps() > before+3 })
	require.Equal(t, node, onlyChild(guard.cmd.Process.Pid))
	require.NoError(t, proctest.Kill(node, syscall.SIGSTOP))
	until(t, "its guard kills the stopped node once", func() bool { return c.toldBy(1).Kills == 1 })

	node = c.guardedNode(guard, 1)
	guard.signal(syscall.SIGKILL)
	dies(t, node)
}

// TestGuardBesidePrograms: a node that waits for a program has a guard, and so has each that it then runs.
func TestGuardBesidePrograms(t *testing.T) {
	t.Parallel()
	c := newCluster(t, 1)
	socket := filepath.Join(t.TempDir(), "s")
	guard := c.run(1, "-guard", "-socket", socket)
	pid := guard.cmd.Process.Pid
	waits := func() {
		t.Helper()
		until(t, "it waits, and says who guards it", func() bool {
			_, text := fetch(c.http[0], "/status")
			return strings.Contains(text, "a program that asks to lead, at ") && c.toldBy(1).Guard == pid
		})
	}
	for range 2 {
		waits()
		p := beside(t, socket, "python3", ofAgentPage(t, "python"))
		until(t, "it acts", func() bool { return len(p.acts()) > 0 })
		require.Equal(t, pid, c.toldBy(1).Guard)
		p.signal(syscall.SIGKILL)
	}
	waits()
	client := http.Client{Transport: &http.Transport{Dial: func(string, string) (net.Conn, error) { return net.Dial("unix", socket) }}}
	t.Cleanup(client.CloseIdleConnections)
	response, err := client.Get("http://bully/status")
	require.NoError(t, err)
	defer func() { _ = response.Body.Close() }()
	require.Equal(t, http.StatusOK, response.StatusCode, "at the socket too")
	guard.signal(syscall.SIGTERM)
	require.Equal(t, cli.OK, guard.wait())
}

// TestGuardTwice: a data folder is for one node, guarded or not; and what ends by itself is not started again.
func TestGuardTwice(t *testing.T) {
	t.Parallel()
	c := newCluster(t, 1)
	guard := c.run(1, "-guard")
	node := c.guardedNode(guard, 1)
	second := spawn(t, "run", "-guard", "-id", "1", "-cluster", "test", "-members", "1="+freeAddress(t), "-data", c.data[0])
	require.Equal(t, cli.Mismatch, second.wait())
	require.Contains(t, second.log.String(), "in use")
	require.NotContains(t, second.log.String(), "again")
	require.Equal(t, node, c.guardedNode(guard, 1))
	wrong := spawn(t, "run", "-guard", "-id", "1")
	require.Equal(t, cli.Misused, wrong.wait())
}

// TestGuardOfPrograms: any program is started, and its status passed on; one that a signal has killed is started again until that is told to end.
func TestGuardOfPrograms(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "told")
	guard := func(script string) *process { return spawn(t, "guard", "--", "/bin/sh", "-c", script, file) }
	require.Equal(t, 7, guard(`exit 7`).wait())
	require.Equal(t, 128+15, func() int {
		p := guard(forever)
		number(t, file)
		p.signal(syscall.SIGTERM)
		return p.wait()
	}(), "it was told to end, and how")

	dies := guard(`echo "$BULLY_GUARDED" >>"$0.lives"; kill -SEGV $$`)
	until(t, "it lives three times", func() bool {
		return strings.Count(content(t, file+".lives"), `"last":"it died of a signal: segmentation fault"`) > 1
	})
	require.Contains(t, content(t, file+".lives"), `"kills":0,"restarts":2`)
	dies.signal(syscall.SIGTERM)
	dies.wait()
	require.Contains(t, dies.log.String(), "the program is started again")

	// A process that it leaves behind, with all that it has open, keeps nobody.
	stray := guard(`sleep 1000 >/dev/null 2>&1 & echo $! >"$0.stray"; exit 5`)
	require.Equal(t, 5, stray.wait())
	require.Contains(t, stray.log.String(), "what it has started goes on without a guard")
	left := number(t, file+".stray")
	require.True(t, proctest.Alive(left), "what a program leaves behind when it ends by itself runs on")
	require.NoError(t, proctest.Kill(left, syscall.SIGKILL))

	for want, args := range map[string][]string{"no program is given": {"guard"}, "no-such-program": {"guard", "--", "no-such-program"}, "did you mean json?": {"guard", "-log", "jsno", "true"}} {
		status, _, log := bully(t, args...)
		require.NotEqual(t, cli.OK, status)
		require.Contains(t, log, want)
	}
	c := newCluster(t, 1)
	between := spawn(t, append([]string{"guard", "--", "/bin/sh", "-c", `"$@"; exit $?`, "sh", os.Args[0], "run"}, c.flags(1)...)...)
	require.Equal(t, cli.Mismatch, between.wait())
	require.Contains(t, between.log.String(), "a shell in between must exec it")
}

// TestGuardPassesOn sees signals come to the program that are for it.
func TestGuardPassesOn(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "told")
	guard := spawn(t, "guard", "--", "/bin/sh", "-c", `for s in HUP USR1 USR2; do trap "echo $s >>\"\$0.$s\"" $s; done; trap 'exit 3' INT; `+forever, file)
	number(t, file)
	for name, s := range map[string]syscall.Signal{"HUP": syscall.SIGHUP, "USR1": syscall.SIGUSR1, "USR2": syscall.SIGUSR2} {
		guard.signal(s)
		require.Equal(t, name, content(t, file+"."+name))
	}
	guard.signal(syscall.SIGINT)
	require.Equal(t, 3, guard.wait())
}

// embedding is a variable that makes this test program one that embeds a node, whose folder and address it has.
const embedding = "TEST_EMBEDS"

func init() {
	if text := os.Getenv(embedding); text != "" && len(os.Args) == 1 { // as a guard starts it
		embed(text)
		os.Exit(0)
	}
}

// hook is Metrics in which the loop hangs when it is told to.
type hook struct {
	host.Metrics
	spins, blocks atomic.Bool
}

// Stepped implements host.Metrics.
func (h *hook) Stepped(spec.Action) {
	for h.spins.Load() {
	}
	if h.blocks.Load() {
		select {}
	}
}

// embed is a program that embeds a node, whose loop spins from SIGUSR1 on, or waits for ever from SIGUSR2 on.
func embed(text string) {
	fail := func(err error) {
		if err != nil {
			_, _ = fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
	}
	folder, address, _ := strings.Cut(text, ",")
	c := library.Config{Folder: folder, ID: "1", Cluster: "test", Members: map[string]string{"1": address}, Timing: host.Busy()} // a guard waits until a hung loop has had a processor for twice the delay
	var err error
	c.Guard, err = host.FindGuard()
	fail(err)
	metrics, err := host.NewExpvar("bully")
	fail(err)
	h := &hook{Metrics: metrics}
	c.Host = func(c *host.Config) { c.Metrics = h }
	node, err := library.Open(c)
	fail(err)
	told := make(chan os.Signal, 1)
	signal.Notify(told, syscall.SIGUSR1, syscall.SIGUSR2)
	go func() {
		if <-told == syscall.SIGUSR1 {
			h.spins.Store(true)
		} else {
			h.blocks.Store(true)
		}
	}()
	go func() {
		for l := range node.Watch(context.Background()) {
			if l.Leading {
				fmt.Println("leads", node.Status().Guard.Last)
			}
		}
	}()
	fail(node.Run(context.Background()))
}

// TestGuardOfHangs kills a program whose loop hangs, and one that is held by a debugger; and leaves alone one whose guard is told nothing.
func TestGuardOfHangs(t *testing.T) {
	t.Parallel()
	guard := spawnWith(t, []string{embedding + "=" + t.TempDir() + "," + freeAddress(t)}, "guard", "--", os.Args[0])
	lives := func(n int) (pid int) {
		until(t, "it leads", func() bool {
			pid = onlyChild(guard.cmd.Process.Pid)
			return strings.Count(guard.log.String(), "the program runs again") == n && strings.Count(guard.out.String(), "leads") > n && pid != 0
		})
		return pid
	}
	for n, hang := range []func(pid int){
		func(pid int) { require.NoError(t, proctest.Kill(pid, syscall.SIGUSR1)) },
		func(pid int) { require.NoError(t, proctest.Kill(pid, syscall.SIGUSR2)) },
		func(pid int) { holds(t, pid) },
	} {
		hang(lives(n))
	}
	lives(3)
	require.Equal(t, 2, strings.Count(guard.log.String(), `because="its loop hangs: it had a processor, and was silent"`), guard.log)
	require.Equal(t, 1, strings.Count(guard.log.String(), `because="a debugger holds it"`), guard.log)
	require.Contains(t, guard.out.String(), "leads a debugger holds it")
}

// holds holds all threads of a process, as a debugger does, until it is killed.
func holds(t testing.TB, pid int) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	threads, err := os.ReadDir(fmt.Sprintf("/proc/%d/task", pid))
	require.NoError(t, err)
	var held []int
	for _, thread := range threads {
		id, err := strconv.Atoi(thread.Name())
		require.NoError(t, err)
		if err := syscall.PtraceAttach(id); errors.Is(err, syscall.EPERM) {
			t.Skip("needs ptrace: no process may trace another here")
		}
		held = append(held, id)
	}
	slices.Reverse(held)
	for _, id := range held { // each stops, and dies; the first one when the others are gone
		for {
			var w syscall.WaitStatus
			if _, err := syscall.Wait4(id, &w, syscall.WALL, nil); err != nil && !errors.Is(err, syscall.EINTR) || w.Exited() || w.Signaled() {
				break
			}
		}
	}
}
