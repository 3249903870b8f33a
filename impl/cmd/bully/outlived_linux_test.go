package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
	"unsafe"

	"github.com/stretchr/testify/require"

	"github.com/seed-fdf591db/bully/impl/agent"
	"github.com/seed-fdf591db/bully/impl/internal/localcluster"
	"github.com/seed-fdf591db/bully/impl/internal/proctest"
)

// asActing makes this test program be one that leads by a node beside it, at that socket, and says when it was sure to.
const asActing = "TEST_AS_ACTING"

// act is acting in Go.
func act(socket string) {
	client := &agent.Client{Socket: socket, HoldMemory: true}
	for {
		err := client.Lead(context.Background(), func(ctx context.Context, r *agent.Reign) error {
			for {
				at := monotonic()
				if !r.Valid() {
					return nil
				}
				fmt.Println("acts", r.Epoch(), at)
				select {
				case <-ctx.Done():
				case <-time.After(2 * time.Millisecond):
				}
			}
		})
		fmt.Fprintln(os.Stderr, err)
		<-time.After(20 * time.Millisecond)
	}
}

// monotonic reads the clock that all processes of the machine have.
func monotonic() int64 {
	var now syscall.Timespec
	_, _, _ = syscall.Syscall(syscall.SYS_CLOCK_GETTIME, 1, uintptr(unsafe.Pointer(&now)), 0)
	return now.Nano()
}

// quick are the timers of tests that end many reigns in a row. They wait for the next leader, and take none for granted.
var quick = []string{"-profile", "busy"}

// A machine has a node, with its guard, and a program beside it.
type machine struct {
	t              testing.TB
	c              *cluster
	id             int
	socket         string
	guard, program *process
	more           []string
	acted          []reignOf // of programs that have ended
}

// start starts a machine whose program is in Go, or in Python.
func (m *machine) start(inGo bool) {
	m.guard = m.c.run(m.id, append([]string{"-socket", m.socket}, m.more...)...)
	until(m.t, "it listens", func() bool {
		conn, err := net.Dial("unix", m.socket)
		return err == nil && conn.Close() == nil
	})
	if !inGo {
		m.program = beside(m.t, m.socket, "python3", strings.ReplaceAll(acting, "0.01", "0.002"))
		return
	}
	m.program = newProcess(m.t, exec.Command(os.Args[0]))
	m.program.cmd.Env = append(os.Environ(), asActing+"="+m.socket)
	m.program.start()
}

// node returns the process of the node, and that which holds its memory: both 0 if they are no more.
func (m *machine) node() (node, holder int) {
	node = onlyChild(m.guard.cmd.Process.Pid)
	return node, onlyChild(node)
}

// newest returns the epoch in which the program has acted last, or 0.
func (m *machine) newest() (epoch int) {
	text := m.program.out.String()
	if words := strings.Fields(text[max(0, strings.LastIndex(text, "acts")):]); len(words) == 3 {
		epoch, _ = strconv.Atoi(words[1])
	}
	return epoch
}

// end ends all of the machine, and keeps when its program has acted.
func (m *machine) end() {
	m.guard.signal(syscall.SIGKILL)
	m.guard.wait()
	m.endProgram()
}

// endProgram is end of a machine whose guard has ended.
func (m *machine) endProgram() {
	m.program.signal(syscall.SIGKILL)
	m.program.wait()
	for epoch, acts := range m.program.acts() {
		m.acted = append(m.acted, reignOf{epoch, acts[0], acts[len(acts)-1]})
	}
}

// blows are what befalls the leader's machine. Each is a list of signals, which come one right after the other.
var blows = map[string][]blow{
	"the node":                                {{nodeOf, syscall.SIGKILL}},
	"the program":                             {{programOf, syscall.SIGKILL}},
	"the node and the program":                {{nodeOf, syscall.SIGKILL}, {programOf, syscall.SIGKILL}},
	"the program and the node":                {{programOf, syscall.SIGKILL}, {nodeOf, syscall.SIGKILL}},
	"the holder of memory and the node":       {{holderOf, syscall.SIGKILL}, {nodeOf, syscall.SIGKILL}},
	"the node and the holder of memory":       {{nodeOf, syscall.SIGKILL}, {holderOf, syscall.SIGKILL}},
	"the guard":                               {{guardOf, syscall.SIGKILL}},
	"the guard and the program":               {{guardOf, syscall.SIGKILL}, {programOf, syscall.SIGKILL}},
	"all but the program":                     {{holderOf, syscall.SIGKILL}, {guardOf, syscall.SIGKILL}, {nodeOf, syscall.SIGKILL}},
	"the guard is stopped, and the node dies": {{guardOf, syscall.SIGSTOP}, {nodeOf, syscall.SIGKILL}},
	"the holder is stopped, and the node is":  {{holderOf, syscall.SIGSTOP}, {nodeOf, syscall.SIGSTOP}},
	"the node is stopped":                     {{nodeOf, syscall.SIGSTOP}},
	"the program is stopped":                  {{programOf, syscall.SIGSTOP}},
	"the program is stopped, and dies":        {{programOf, syscall.SIGSTOP}, {programOf, syscall.SIGKILL}},
	"node and program are stopped":            {{guardOf, syscall.SIGSTOP}, {nodeOf, syscall.SIGSTOP}, {programOf, syscall.SIGSTOP}},
}

type blow struct {
	whom   func(*machine) int
	signal syscall.Signal
}

func nodeOf(m *machine) int    { node, _ := m.node(); return node }
func holderOf(m *machine) int  { _, holder := m.node(); return holder }
func guardOf(m *machine) int   { return m.guard.cmd.Process.Pid }
func programOf(m *machine) int { return m.program.cmd.Process.Pid }

// TestNobodyActsBesideWhoOutlives deals each blow to the machine of the leader, with a program in Go and in Python. Another leads each time, and no two programs
// have acted at once, whoever died first and whoever was stopped.
func TestNobodyActsBesideWhoOutlives(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("long: it waits for many elections of real processes")
	}
	c, folder := newCluster(t, 3), t.TempDir()
	var all []*machine
	for id := 1; id <= 3; id++ {
		m := &machine{t: t, c: c, id: id, socket: filepath.Join(folder, fmt.Sprint(id)), more: append(quick, "-guard")}
		m.start(id%2 == 0)
		all = append(all, m)
	}
	leader, inGo := all[2], false
	newestOther := func() int { return max(all[0].newest(), all[1].newest()) }
	for name, dealt := range blows {
		before, whom := leader.gets(name, dealt, newestOther)
		began := monotonic()
		until(t, "another acts after "+name, func() bool { return newestOther() > before })
		t.Logf("%s: another acts after %v", name, time.Duration(monotonic()-began).Round(100*time.Microsecond))
		for i, one := range dealt {
			if one.signal == syscall.SIGSTOP {
				_ = proctest.Kill(whom[i], syscall.SIGCONT)
			}
		}
		inGo = !inGo
		leader.end()
		leader.start(inGo)
	}
	until(t, "the highest acts again", func() bool { return leader.newest() > newestOther() })
	var acted []reignOf
	for _, m := range all {
		m.end()
		acted = append(acted, m.acted...)
	}
	require.Greater(t, len(acted), 2*len(blows))
	oneByOne(t, acted)
}

// gets deals a blow once the program of this machine acts, later than all others, and all its processes are there. It
// returns in which epoch the program acted, and which processes got the signals.
func (m *machine) gets(name string, dealt []blow, newestOther func() int) (before int, whom []int) {
	m.t.Helper()
	until(m.t, fmt.Sprintf("the program of node %d acts, its processes are there, and get: %s", m.id, name), func() bool {
		before, whom = m.newest(), nil
		for _, one := range dealt {
			whom = append(whom, one.whom(m))
		}
		if before <= newestOther() || nodeOf(m) == 0 || holderOf(m) == 0 || slices.Contains(whom, 0) {
			return false
		}
		for i, one := range dealt {
			err := proctest.Kill(whom[i], one.signal)
			if gone := errors.Is(err, syscall.ESRCH); gone && i == 0 {
				return false // it has ended since it was found
			} else if !gone { // the signal before may have been enough
				require.NoError(m.t, err, "%s: send %v to process %d", name, one.signal, whom[i])
			}
		}
		return true
	})
	return before, whom
}

// oneByOne requires that no two programs have acted at once.
func oneByOne(t testing.TB, acted []reignOf) {
	t.Helper()
	for _, a := range acted {
		for _, b := range acted {
			if a.epoch < b.epoch {
				require.Less(t, a.last, b.first, "the program of epoch %d acted when that of %d did", a.epoch, b.epoch)
			}
		}
	}
}

// TestAddressIsHeld: the address of a node that was killed refuses nobody while its program is there that had a lease, though that is stopped; and does when it goes on, or
// is dead. So it is of one that bully lead has become, and of what that has started.
func TestAddressIsHeld(t *testing.T) {
	t.Parallel()
	for name, inGo := range map[string]bool{"Go": true, "Python": false} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := newCluster(t, 1)
			m := &machine{t: t, c: c, id: 1, socket: filepath.Join(t.TempDir(), "s")}
			m.start(inGo)
			until(t, "it acts", func() bool { return m.newest() > 0 })
			holders := localcluster.Children(m.program.cmd.Process.Pid)
			require.Len(t, holders, map[bool]int{true: 1, false: 0}[inGo && !strings.Contains(m.guard.log.String(), "its memory is freed before")], "whose memory is held")
			m.program.pause()
			m.guard.signal(syscall.SIGKILL) // which is the node here
			m.guard.wait()
			require.NoError(t, c.dialled(1), "the program may act yet")
			m.program.signal(syscall.SIGCONT)
			until(t, "it acts no more", func() bool { return c.dialled(1) != nil })
			require.ErrorIs(t, c.dialled(1), syscall.ECONNREFUSED)
			again := c.run(1, "-socket", m.socket)
			epoch := m.newest()
			until(t, "it acts again", func() bool { return m.newest() > epoch })
			m.program.pause()
			again.signal(syscall.SIGKILL)
			again.wait()
			require.NoError(t, c.dialled(1))
			m.program.signal(syscall.SIGKILL)
			m.program.wait()
			require.ErrorIs(t, c.dialled(1), syscall.ECONNREFUSED)
		})
	}
	t.Run("another program comes", func(t *testing.T) {
		t.Parallel()
		m := &machine{t: t, c: newCluster(t, 1), id: 1, socket: filepath.Join(t.TempDir(), "s")}
		m.start(false)
		until(t, "it acts", func() bool { return m.newest() > 0 })
		stopped := m.program
		stopped.pause()
		m.guard.signal(syscall.SIGKILL)
		m.guard.wait()
		m.start(true)
		until(t, "it is said who has the address", func() bool {
			return strings.Contains(m.guard.log.String(), "another process has the address of this node: a program that it had let lead before it was killed")
		})
		require.Zero(t, m.newest(), "the new program must not act while the old one holds a lease")
		stopped.signal(syscall.SIGCONT)
		until(t, "one acts", func() bool { return m.newest() > 0 || strings.Contains(stopped.out.String(), "acts 2") })
	})
	t.Run("bully lead", func(t *testing.T) {
		t.Parallel()
		if _, err := exec.LookPath("curl"); err != nil {
			t.Skip("needs curl")
		}
		c := newCluster(t, 1)
		socket := filepath.Join(t.TempDir(), "s")
		node := c.run(1, "-socket", socket)
		until(t, "it listens", func() bool { _, err := os.Stat(socket); return err == nil })
		script := spawn(t, "lead", "-socket", socket, "--", "sh", "-c", `curl -sf --unix-socket "$BULLY_SOCKET" "http://bully/lease?term=$BULLY_TERM"; sleep 1000 >/dev/null 2>&1 & echo "$!"`)
		require.Zero(t, script.wait(), "bully lead passes on the status of its script: %s", script.log)
		lines := strings.Split(strings.TrimSpace(script.out.String()), "\n")
		require.Len(t, lines, 2)
		require.Contains(t, lines[0], `"holds_ms"`)
		outlives, err := strconv.Atoi(lines[1])
		require.NoError(t, err)
		t.Cleanup(func() { _ = proctest.Kill(outlives, syscall.SIGKILL) })
		node.signal(syscall.SIGKILL)
		node.wait()
		require.NoError(t, c.dialled(1), "what the script has started is there")
		require.NoError(t, proctest.Kill(outlives, syscall.SIGKILL))
		until(t, "nobody is", func() bool { return c.dialled(1) != nil })
	})
}

// dialled dials the address of a node.
func (c *cluster) dialled(id int) error {
	address := strings.Split(strings.Split(c.members, ",")[id-1], "=")[1]
	conn, err := net.Dial("tcp", address)
	if err != nil {
		return err
	}
	return conn.Close()
}
