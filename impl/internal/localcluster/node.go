package localcluster

import (
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"
)

// stopping is how long a node may take to end after SIGTERM.
const stopping = 10 * time.Second

// errNotRunning says that a node does not run, so nothing can be done to it.
var errNotRunning = errors.New("it does not run")

// node is one node of a cluster, over all its processes.
type node struct {
	cluster    *Cluster
	id         int
	dir, data  string
	addr, http string

	mu      sync.Mutex
	process *process // the last one that was started
}

// process is one run of a node.
type process struct {
	command *exec.Cmd
	gone    chan struct{} // closed when it has ended, and everybody knows
	err     error         // how it ended; set before gone is closed
}

// logFile returns where the node's output is kept.
func (n *node) logFile() string { return filepath.Join(n.dir, "log") }

// running reports whether the node has a process that has not ended.
func (n *node) running() bool {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.process == nil {
		return false
	}
	select {
	case <-n.process.gone:
		return false
	default:
		return true
	}
}

// arguments returns the whole command line of the node.
func (n *node) arguments() []string {
	c := n.cluster
	all := append([]string{}, c.config.Command...)
	if c.config.Changing {
		all = append(all, "-listen", n.addr, "-data", n.data, "-http", n.http)
	} else {
		all = append(all, "-id", strconv.Itoa(n.id), "-members", c.members(n.id), "-data", n.data, "-http", n.http)
	}
	if c.config.Traces {
		all = append(all, "-trace", c.TraceDir())
	}
	if c.config.Extra != nil {
		all = append(all, c.config.Extra(n.id)...)
	}
	if c.spaces != nil {
		all = c.spaces.wrap(n.id, all)
	}
	return all
}

// start starts a process for the node.
func (n *node) start() error {
	if n.running() {
		return errors.New("it runs already")
	}
	if err := n.cluster.ctx.Err(); err != nil {
		return errors.New("the cluster is closed")
	}
	log, err := os.OpenFile(n.logFile(), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o644)
	if err != nil {
		return err
	}
	// A pipe, so that nothing that befalls the node's files befalls what it says of it.
	said, says, err := os.Pipe()
	if err != nil {
		return errors.Join(err, log.Close())
	}
	defer func() { _ = says.Close() }()
	logged := make(chan struct{})
	n.cluster.wait.Go(func() {
		defer close(logged)
		_, _ = io.Copy(log, said)
		_, _ = said.Close(), log.Close()
	})
	arguments := n.arguments()
	p := &process{command: exec.Command(arguments[0], arguments[1:]...), gone: make(chan struct{})}
	p.command.Stdout, p.command.Stderr = says, says
	p.command.SysProcAttr = attributes()
	// The proxies listen before the node does: an address that refuses while its node runs would be a false
	// proof of death.
	if err := n.reachable(true); err != nil {
		return err
	}
	run := n.cluster.watch.begin(n.id)
	if err := p.command.Start(); err != nil {
		n.cluster.watch.add(run, Event{Node: n.id, At: time.Now()})
		return errors.Join(err, n.reachable(false))
	}
	n.mu.Lock()
	n.process = p
	n.mu.Unlock()
	n.cluster.wait.Go(func() {
		p.err = p.command.Wait()
		_ = n.reachable(false) // Closing a listener does not fail in a way that matters here.
		killGroup(p.command.Process.Pid)
		<-logged
		n.cluster.watch.add(run, Event{Node: n.id, At: time.Now()})
		close(p.gone)
	})
	n.cluster.wait.Go(func() { n.follow(p, run) })
	return nil
}

// reachable opens or closes the proxies to the node.
func (n *node) reachable(alive bool) error {
	var errs []error
	for link, p := range n.cluster.proxies {
		if link.To == n.id {
			errs = append(errs, p.setAlive(alive))
		}
	}
	return errors.Join(errs...)
}

// current returns the node's process, or an error if it does not run.
func (n *node) current() (*process, error) {
	if !n.running() {
		return nil, fmt.Errorf("node %d: %w", n.id, errNotRunning)
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.process, nil
}

// destroy kills the node and what it has started, and waits for its end.
func (n *node) destroy() {
	p, err := n.current()
	if err != nil {
		return
	}
	_ = p.command.Process.Kill()
	<-p.gone
}

// signal sends s to all processes of the given nodes, and returns the moment before the first.
func (c *Cluster) signal(s syscall.Signal, ids []int) (at time.Time, all []*process, err error) {
	for _, id := range ids {
		p, err := c.nodes[id-1].current()
		if err != nil {
			return at, nil, err
		}
		all = append(all, p)
	}
	at = time.Now()
	for i, p := range all {
		if err := p.command.Process.Signal(s); err != nil {
			return at, nil, fmt.Errorf("node %d: %w", ids[i], err)
		}
	}
	return at, all, nil
}

// Kill kills nodes at once, as kill -9 does, and waits until they are gone. It returns the moment before.
func (c *Cluster) Kill(ids ...int) (time.Time, error) {
	at, all, err := c.signal(syscall.SIGKILL, ids)
	for _, p := range all {
		<-p.gone
	}
	return at, err
}

// Pause stops nodes in their tracks (SIGSTOP): they keep their connections and their memory, and do nothing.
func (c *Cluster) Pause(ids ...int) (time.Time, error) {
	at, _, err := c.signal(pauseSignal, ids)
	return at, err
}

// Continue lets nodes go on that were paused (SIGCONT).
func (c *Cluster) Continue(ids ...int) (time.Time, error) {
	at, _, err := c.signal(continueSignal, ids)
	return at, err
}

// Stop asks nodes to stop (SIGTERM), and waits until they have. A node that takes more than ten seconds, or does
// not exit with status 0, is an error.
func (c *Cluster) Stop(ids ...int) (time.Time, error) {
	at, all, err := c.signal(syscall.SIGTERM, ids)
	if err != nil {
		return at, err
	}
	late := time.After(c.stopping)
	for i, p := range all {
		select {
		case <-p.gone:
			if p.err != nil {
				return at, fmt.Errorf("node %d stopped: %w; it said:\n%s", ids[i], p.err, c.Log(ids[i]))
			}
		case <-late:
			return at, fmt.Errorf("node %d has not stopped %s after SIGTERM; it said:\n%s", ids[i], c.stopping, c.Log(ids[i]))
		}
	}
	return at, nil
}

// Gone returns a channel that is closed when the process that the node has now has ended, for whatever reason.
func (c *Cluster) Gone(id int) <-chan struct{} {
	n := c.nodes[id-1]
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.process == nil {
		gone := make(chan struct{})
		close(gone)
		return gone
	}
	return n.process.gone
}

// ExitStatus returns the status with which the node's last process has ended, or -1 if it runs, has never
// run, or was ended by a signal.
func (c *Cluster) ExitStatus(id int) int {
	n := c.nodes[id-1]
	if n.process == nil || n.running() {
		return -1
	}
	return n.process.command.ProcessState.ExitCode()
}

// PID returns the process id of a node that runs.
func (c *Cluster) PID(id int) (int, error) {
	p, err := c.nodes[id-1].current()
	if err != nil {
		return 0, err
	}
	return p.command.Process.Pid, nil
}

// signalInner sends a signal to the program that faults befall, which the process of a node has started, and returns the moment before.
func (c *Cluster) signalInner(id int, s syscall.Signal) (time.Time, error) {
	pid, err := c.PID(id)
	if err != nil {
		return time.Time{}, err
	}
	inner, err := childOf(pid, c.config.Inner)
	if err != nil {
		return time.Time{}, fmt.Errorf("node %d: %w", id, err)
	}
	process, err := os.FindProcess(inner)
	if err != nil {
		return time.Time{}, err
	}
	at := time.Now()
	if err := process.Signal(s); err != nil {
		return at, fmt.Errorf("node %d: %s: %w", id, c.config.Inner, err)
	}
	return at, process.Release()
}

// childOf returns the process of a name that a process has started.
func childOf(pid int, name string) (int, error) {
	for child, called := range Children(pid) {
		if called == name {
			return child, nil
		}
	}
	return 0, fmt.Errorf("process %d has started no %s that runs", pid, name)
}

// Children returns the processes that the threads of a process have started, as /proc calls them; none where there is no /proc.
func Children(pid int) map[int]string {
	children := map[int]string{}
	lists, _ := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/children", pid)) // the pattern is one
	for _, list := range lists {
		text, _ := os.ReadFile(list) // that of a thread that has ended is gone
		for child := range strings.FieldsSeq(string(text)) {
			name, _ := os.ReadFile("/proc/" + child + "/comm") // it may have ended too
			if id, err := strconv.Atoi(child); err == nil {
				children[id] = strings.TrimSpace(string(name))
			}
		}
	}
	return children
}

// attempts is how many ports are tried before there is none.
const attempts = 1000

// Reserve finds a free port of 127.0.0.1, and returns its address and what gives it back. A port that was only looked
// at could be taken by somebody else before the node listens there, or while the node is down; so a socket stays bound
// to it. It does not listen, so that connections are refused until a node does; and both it and the node's listener say
// SO_REUSEADDR, as net.Listen does, so that the node may.
//
// The port is below those that the kernel gives to outgoing connections. Above, a node that dials the port of a dead
// one for long enough is connected to itself.
func Reserve() (addr string, release func(), err error) {
	low := ephemeral()
	for range attempts {
		port := 10_000 + rand.IntN(low-10_000)
		if release, err = bind(port); err == nil {
			return fmt.Sprintf("127.0.0.1:%d", port), release, nil
		}
	}
	return "", nil, fmt.Errorf("no free port of 127.0.0.1 in %d attempts from 10000 to %d: %w", attempts, low, err)
}

// ephemeral returns the lowest port that the kernel gives to outgoing connections.
func ephemeral() int {
	const usual, least = 32_768, 12_000
	text, _ := os.ReadFile("/proc/sys/net/ipv4/ip_local_port_range") // it is there on Linux alone
	first, _, _ := strings.Cut(string(text), "\t")
	if low, err := strconv.Atoi(first); err == nil && low >= least {
		return low
	}
	return usual
}
