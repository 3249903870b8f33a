//go:build linux

package main

import (
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"
)

// agentPage is the page of programs that have a node beside them.
const agentPage = "../../AGENT.md"

// ofAgentPage returns the program of the page in a language.
func ofAgentPage(t testing.TB, language string) string {
	blocks := blocksOf(t, agentPage, language)
	require.Len(t, blocks, 1)
	return blocks[0]
}

// acting is a program that says when it was sure to lead: the time is read before that is looked at, as it may be stopped between the two.
const acting = `
import sys, time
from bully_agent import Agent, AgentError
while True:
    try:
        for reign in Agent(sys.argv[1]).reigns():
            at = time.monotonic_ns()
            while reign.valid():
                print("acts", reign.epoch, at, flush=True)
                reign.wait(0.01)
                at = time.monotonic_ns()
    except AgentError as e:
        print(e, file=sys.stderr)
        time.sleep(0.1)
`

// beside runs a program beside a node, with the path of its socket and more arguments.
func beside(t testing.TB, socket, interpreter, text string, more ...string) *process {
	t.Helper()
	folder := t.TempDir()
	client, err := os.ReadFile("../../agent/bully_agent.py")
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(filepath.Join(folder, "bully_agent.py"), client, 0o600))
	program := filepath.Join(folder, "program")
	require.NoError(t, os.WriteFile(program, []byte(text), 0o700))
	p := newProcess(t, exec.Command(interpreter, append([]string{program, socket}, more...)...))
	return p.start()
}

// acts returns when a program has acted, by epoch.
func (p *process) acts() map[int][]int64 {
	acts := map[int][]int64{}
	for _, found := range regexp.MustCompile(`(?m)^acts (\d+) (\d+)$`).FindAllStringSubmatch(p.out.String(), -1) {
		epoch, _ := strconv.Atoi(found[1])
		at, _ := strconv.ParseInt(found[2], 10, 64)
		acts[epoch] = append(acts[epoch], at)
	}
	return acts
}

// TestProgramsBesideNodes runs programs beside three nodes. The leader's program is stopped, then its node is, then that is killed alone: each time
// another's acts, and no two act at once. The highest comes back each time, and takes over from a program that acts.
func TestProgramsBesideNodes(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("long: it waits for elections of real processes")
	}
	c := newCluster(t, 3)
	folder := t.TempDir()
	socket := func(id int) string { return filepath.Join(folder, fmt.Sprint(id)) }
	var nodes, programs [4]*process
	for id := 1; id <= 3; id++ {
		nodes[id] = c.run(id, "-socket", socket(id))
		until(t, "it listens", func() bool { _, err := os.Stat(socket(id)); return err == nil })
		programs[id] = beside(t, socket(id), "python3", acting)
	}
	newest := func(p *process) (epoch int) {
		for e := range p.acts() {
			epoch = max(epoch, e)
		}
		return epoch
	}
	// next waits until a program acts in a later epoch than any other.
	next := func(after int) (epoch int) {
		until(t, "another acts", func() bool {
			for id := 1; id <= 3 && epoch <= after; id++ {
				epoch = newest(programs[id])
			}
			return epoch > after
		})
		return epoch
	}
	until(t, "the highest acts", func() bool { return newest(programs[3]) > 0 })
	epoch := newest(programs[3])

	programs[3].signal(syscall.SIGSTOP)
	epoch = next(epoch)
	programs[3].signal(syscall.SIGCONT)
	until(t, "the program that was stopped acts again", func() bool { return newest(programs[3]) > epoch })
	epoch = newest(programs[3])

	nodes[3].signal(syscall.SIGSTOP)
	epoch = next(epoch)
	nodes[3].signal(syscall.SIGCONT)
	until(t, "the highest acts again", func() bool { return newest(programs[3]) > epoch })
	epoch = newest(programs[3])

	nodes[3].signal(syscall.SIGKILL) // its program has a lease yet
	next(epoch)
	programs[3].signal(syscall.SIGKILL)

	var ends []reignOf
	for id := 1; id <= 3; id++ {
		for epoch, acts := range programs[id].acts() {
			ends = append(ends, reignOf{epoch, acts[0], acts[len(acts)-1]})
		}
	}
	for _, a := range ends {
		for _, b := range ends {
			if a.epoch < b.epoch {
				require.Less(t, a.last, b.first, "the program of epoch %d acted when that of %d did", a.epoch, b.epoch)
			}
		}
	}
	require.Greater(t, len(ends), 3)
}

// reignOf is when a program acted in an epoch, by the clock of the machine.
type reignOf struct {
	epoch       int
	first, last int64
}

// TestPythonBesideANode runs the program of the page, which acts in one reign, and in the next.
func TestPythonBesideANode(t *testing.T) {
	t.Parallel()
	c := newCluster(t, 1)
	socket := filepath.Join(t.TempDir(), "s")
	node := c.run(1, "-socket", socket)
	until(t, "it listens", func() bool { _, err := os.Stat(socket); return err == nil })
	p := beside(t, socket, "python3", ofAgentPage(t, "python"))
	until(t, "it acts", func() bool { return len(p.acts()) == 1 })
	resign(t, c.http[0])
	until(t, "it acts again", func() bool { return len(p.acts()) == 2 })
	node.signal(syscall.SIGTERM)
	require.Zero(t, node.wait(), "node 1 must end when it is told, though a program is beside it")
	until(t, "the program is told", func() bool { return strings.Contains(p.log.String(), "the node leads for this program no longer") })
}

// TestSocketAlone: a node that serves nothing else lets a program lead.
func TestSocketAlone(t *testing.T) {
	t.Parallel()
	c := newCluster(t, 1)
	socket := filepath.Join(t.TempDir(), "s")
	spawn(t, append([]string{"run", "-id", "1", "-members", c.members, "-data", c.data[0], "-cluster", "test", "-socket", socket}, steady...)...)
	until(t, "it listens", func() bool { _, err := os.Stat(socket); return err == nil })
	p := beside(t, socket, "python3", ofAgentPage(t, "python"))
	until(t, "it acts", func() bool { return len(p.acts()) > 0 })
	status, _, log := bully(t, append([]string{"exec", "-socket", socket}, append(c.flags(1), "--", "true")...)...)
	require.Equal(t, 2, status)
	require.Contains(t, log, "-socket is for bully run")
}

// TestShellBesideANode runs the script of the page: it acts in an epoch, and ends when the node resigns.
func TestShellBesideANode(t *testing.T) {
	t.Parallel()
	c := newCluster(t, 1)
	socket := filepath.Join(t.TempDir(), "s")
	c.run(1, "-socket", socket)
	until(t, "it says what it waits for", func() bool {
		_, body := fetch(c.http[0], "/status")
		return strings.Contains(body, "a program that asks to lead, at "+socket)
	})
	lead := func(cmd ...string) *process {
		script := filepath.Join(t.TempDir(), "lead.sh")
		require.NoError(t, os.WriteFile(script, []byte(ofAgentPage(t, "bash")), 0o700))
		return spawn(t, append([]string{"lead", "-socket", socket, "--", script}, cmd...)...)
	}
	p := lead("sh", "-c", `echo "acts $BULLY_EPOCH 0"`)
	until(t, "it acts", func() bool { return len(p.acts()) > 0 })
	if response, err := http.Post("http://"+c.http[0]+"/resign", "", nil); err == nil { // the node may end before it has answered
		require.NoError(t, response.Body.Close())
	}
	require.Zero(t, p.wait(), "bully lead passes on the status of its command: %s", p.log)
	require.Len(t, p.acts(), 1)
	waits := func() bool {
		_, body := fetch(c.http[0], "/status")
		return strings.Contains(body, "a program that asks to lead, at "+socket)
	}
	until(t, "the node waits again", waits)
	require.Equal(t, 1, lead("/no/such/command").wait(), "it does not lead, and do nothing")
	until(t, "the node waits again", waits)
}

// TestSocketIsTakenAway: a socket that somebody removes is made anew, and what is there then is left when the node ends, if it is not that.
func TestSocketIsTakenAway(t *testing.T) {
	t.Parallel()
	c := newCluster(t, 1)
	socket := filepath.Join(t.TempDir(), "s")
	node := c.run(1, "-socket", socket)
	reached := func() bool {
		conn, err := net.Dial("unix", socket)
		return err == nil && conn.Close() == nil
	}
	until(t, "it listens", reached)
	require.NoError(t, os.Remove(socket))
	until(t, "it is made anew", reached)
	until(t, "it is said", func() bool { return strings.Contains(node.log.String(), "somebody has taken the socket away") })
	p := beside(t, socket, "python3", ofAgentPage(t, "python"))
	until(t, "a program acts", func() bool { return len(p.acts()) > 0 })
	require.NoError(t, os.Remove(socket))
	require.NoError(t, os.WriteFile(socket, []byte("precious"), 0o600))
	until(t, "it is said", func() bool { return strings.Contains(node.log.String(), "is there, and is no socket") })
	node.signal(syscall.SIGTERM)
	require.Zero(t, node.wait(), "node 1 must end in good order, though its socket was replaced by a file")
	text, err := os.ReadFile(socket)
	require.NoError(t, err)
	require.Equal(t, "precious", string(text))
}

// TestSocketIsTaken: what a killed node has left is replaced; what another listens on, or is something else, is not.
func TestSocketIsTaken(t *testing.T) {
	t.Parallel()
	c := newCluster(t, 1)
	folder := t.TempDir()
	left := filepath.Join(folder, "left")
	l, err := net.ListenUnix("unix", &net.UnixAddr{Name: left})
	require.NoError(t, err)
	l.SetUnlinkOnClose(false)
	require.NoError(t, l.Close())
	node := c.run(1, "-socket", left)
	until(t, "it listens", func() bool {
		conn, err := net.Dial("unix", left)
		return err == nil && conn.Close() == nil
	})
	file := filepath.Join(folder, "file")
	require.NoError(t, os.WriteFile(file, []byte("precious"), 0o600))
	other := newCluster(t, 1)
	for path, says := range map[string]string{left: "another program listens on", file: "is there, and is no socket", filepath.Join(folder, strings.Repeat("x", 200)): "give a shorter path"} {
		p := other.run(1, "-socket", path)
		require.Equal(t, 1, p.wait())
		require.Contains(t, p.log.String(), says)
	}
	text, err := os.ReadFile(file)
	require.NoError(t, err)
	require.Equal(t, "precious", string(text))
	node.signal(syscall.SIGTERM)
	require.Zero(t, node.wait(), "the node at the socket must end in good order")
	_, err = os.Stat(left)
	require.ErrorIs(t, err, os.ErrNotExist, "a node that ends takes its socket away")
}
