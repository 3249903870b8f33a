package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed-fdf591db/bully/impl/internal/localcluster"
)

// patience is how long a test waits for what must come. It is far more than a node needs.
const patience = time.Minute

// cluster is nodes as real processes, and what each has said last.
type cluster struct {
	t         *testing.T
	profile   string
	members   string
	http      map[string]string
	dir       string
	processes map[string]*exec.Cmd

	mu   sync.Mutex
	said map[string]view // by node, since its start
}

// freeAddress returns an address of the loopback whose port is held for this test, until it ends.
func freeAddress(t *testing.T) string {
	address, release, err := localcluster.Reserve()
	require.NoError(t, err)
	t.Cleanup(release)
	return address
}

func newCluster(t *testing.T, nodes int, profile string) *cluster {
	c := &cluster{
		t: t, profile: profile, dir: t.TempDir(), http: map[string]string{},
		processes: map[string]*exec.Cmd{}, said: map[string]view{},
	}
	var members []string
	for i := range nodes {
		id := fmt.Sprint(i + 1)
		members = append(members, id+"="+freeAddress(t))
		c.http[id] = freeAddress(t)
	}
	c.members = strings.Join(members, ",")
	t.Cleanup(func() {
		for id := range c.processes {
			c.kill(id)
		}
	})
	return c
}

func (c *cluster) data(id string) string { return filepath.Join(c.dir, id) }

// start starts nodes, and listens to them. Those of a test end with it, and their connections with them.
func (c *cluster) start(ids ...string) {
	for _, id := range ids {
		command := exec.Command(os.Args[0], "-id", id, "-members", c.members, "-data", c.data(id),
			"-http", c.http[id], "-profile", c.profile, "-log", "off")
		command.Env = append(os.Environ(), asNode+"=yes")
		command.Stderr = os.Stderr
		require.NoError(c.t, command.Start())
		c.processes[id] = command
	}
	for _, id := range ids {
		var response *http.Response
		require.Eventually(c.t, func() bool {
			var err error
			response, err = http.Get("http://" + c.http[id] + "/events")
			return err == nil
		}, patience, 5*time.Millisecond, "node %s does not serve", id)
		require.Equal(c.t, "text/event-stream", response.Header.Get("Content-Type"))
		go c.listen(id, response.Body)
	}
}

// listen notes what a node says, until it ends.
func (c *cluster) listen(id string, body io.ReadCloser) {
	defer body.Close()
	lines := bufio.NewScanner(body)
	for lines.Scan() {
		data, ok := strings.CutPrefix(lines.Text(), "data: ")
		if !ok {
			continue
		}
		var v view
		decoder := json.NewDecoder(strings.NewReader(data))
		decoder.DisallowUnknownFields()
		if err := decoder.Decode(&v); err != nil || v.Node != id {
			c.t.Errorf("node %s said %s: %v", id, data, err)
		}
		c.mu.Lock()
		c.said[id] = v
		c.mu.Unlock()
	}
}

// agree waits until all nodes that run name the same leader, who is not another one, and that one alone leads.
func (c *cluster) agree(notThis string) (leader string, epoch uint64) {
	require.Eventually(c.t, func() bool {
		c.mu.Lock()
		defer c.mu.Unlock()
		first := true
		for id := range c.processes {
			v, ok := c.said[id]
			if !ok || v.Leader == nil || *v.Leader == notThis || v.Leading != (*v.Leader == id) {
				return false
			}
			if !first && (*v.Leader != leader || v.Epoch != epoch) {
				return false
			}
			first, leader, epoch = false, *v.Leader, v.Epoch
		}
		return true
	}, patience, time.Millisecond, "no leader that all name")
	return leader, epoch
}

// kill ends a node without notice.
func (c *cluster) kill(id string) {
	process := c.processes[id]
	_ = process.Process.Kill()
	_ = process.Wait()
	c.forget(id)
}

func (c *cluster) forget(id string) {
	delete(c.processes, id)
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.said, id)
}

// get returns what a node answers.
func (c *cluster) get(id, path string) []byte {
	response, err := http.Get("http://" + c.http[id] + path)
	require.NoError(c.t, err)
	defer response.Body.Close()
	require.Equal(c.t, http.StatusOK, response.StatusCode)
	body, err := io.ReadAll(response.Body)
	require.NoError(c.t, err)
	return body
}

// healthy waits until a node says that it is well. One that was held up may not be just now.
func (c *cluster) healthy(id string) {
	require.Eventually(c.t, func() bool {
		response, err := http.Get("http://" + c.http[id] + "/healthz")
		if err != nil {
			return false
		}
		defer response.Body.Close()
		body, err := io.ReadAll(response.Body)
		return err == nil && response.StatusCode == http.StatusOK && string(body) == "ok\n"
	}, patience, 10*time.Millisecond, "node %s is not well", id)
}

func (c *cluster) status(id string) status {
	var s status
	decoder := json.NewDecoder(bytes.NewReader(c.get(id, "/status")))
	decoder.DisallowUnknownFields()
	require.NoError(c.t, decoder.Decode(&s))
	return s
}

// store returns the process id of the store that runs, when it is not another one.
func (c *cluster) store(notThis int) (pid int) {
	require.Eventually(c.t, func() bool {
		text, err := os.ReadFile(filepath.Join(c.dir, lockFile))
		if err != nil {
			return false
		}
		pid, err = strconv.Atoi(strings.TrimSpace(string(text)))
		return err == nil && pid != notThis && syscall.Kill(pid, 0) == nil
	}, patience, 5*time.Millisecond, "no store runs")
	return pid
}

// The store outlives the node that has started it, and the leader; and it ends when all have gone.
func TestKillTheLeader(t *testing.T) {
	t.Parallel()
	c := newCluster(t, 3, "fast")
	c.start("1") // leads, and has started the store
	c.agree("")
	store := c.store(0)
	group, err := syscall.Getpgid(store)
	require.NoError(t, err)
	require.Equal(t, store, group, "it must not end with the group of the node that started it")
	c.start("2", "3")
	first, epoch := c.agree("")

	c.kill("1")
	if first != "1" { // a loaded machine has deposed it
		c.kill(first)
	}
	killed := time.Now()
	_, next := c.agree(first)
	t.Logf("%v until all named another leader", time.Since(killed))
	require.Greater(t, next, epoch)
	require.Equal(t, store, c.store(0))

	c.start("1") // beside one or two that have run on
	_, again := c.agree("")
	require.GreaterOrEqual(t, again, next, "epochs never go back, over restarts too")
	require.Equal(t, store, c.store(0))

	for id := range c.processes {
		c.kill(id)
	}
	lock, err := os.Open(filepath.Join(c.dir, lockFile))
	require.NoError(t, err)
	defer lock.Close()
	require.Eventually(t, func() bool { return syscall.Flock(int(lock.Fd()), syscall.LOCK_EX|syscall.LOCK_NB) == nil },
		patience, 10*time.Millisecond, "the store must end")
	require.NoFileExists(t, filepath.Join(c.dir, socketFile))
	said, err := os.ReadFile(filepath.Join(c.dir, logFile))
	require.NoError(t, err)
	require.Empty(t, string(said))
}

// A node that was stopped says that it leads until it finds its Lease gone, and then that it does not, and is a candidate
// again.
func TestStopTheLeader(t *testing.T) {
	t.Parallel()
	c := newCluster(t, 3, "fast")
	c.start("1", "2", "3")
	first, epoch := c.agree("")
	process := c.processes[first]
	delete(c.processes, first) // nobody waits for what it says
	require.NoError(t, process.Process.Signal(syscall.SIGSTOP))
	_, next := c.agree(first)
	require.Greater(t, next, epoch)

	require.NoError(t, process.Process.Signal(syscall.SIGCONT))
	c.processes[first] = process
	_, again := c.agree("")
	require.GreaterOrEqual(t, again, next)
	for id := range c.processes {
		if id != first {
			c.kill(id)
		}
	}
	require.Eventually(t, func() bool { return c.status(first).Leading }, patience, 10*time.Millisecond)
}

// A store that is killed is started anew by a node, and has forgotten nothing.
func TestKillTheStore(t *testing.T) {
	t.Parallel()
	c := newCluster(t, 3, "fast")
	c.start("1", "2", "3")
	leader, epoch := c.agree("")
	store := c.store(0)
	require.NoError(t, syscall.Kill(store, syscall.SIGKILL))
	c.store(store)
	sent := c.status(leader).Counters["writes"]
	require.Eventually(t, func() bool { return c.status(leader).Counters["writes"] > sent+2 }, patience, 5*time.Millisecond)
	_, next := c.agree("")
	require.GreaterOrEqual(t, next, epoch)
	c.healthy(leader)
}

func TestFace(t *testing.T) {
	t.Parallel()
	c := newCluster(t, 3, "fast")
	c.start("1", "2", "3")
	leader, _ := c.agree("")
	c.healthy(leader)

	require.Eventually(t, func() bool { // a loaded machine may depose it just now
		leader, epoch := c.agree("")
		s := c.status(leader)
		return s.Leading && s.Role == "leader" && s.Leader != nil && *s.Leader == leader && s.Epoch == epoch
	}, patience, 10*time.Millisecond)
	s := c.status(leader)
	require.Equal(t, leader, s.ID)
	require.Len(t, s.Members, 3)
	require.Equal(t, "fast", s.Profile)
	require.Equal(t, c.dir, s.Store)
	require.WithinDuration(t, time.Now(), s.Since, patience)
	require.NotZero(t, s.Counters["writes"])
	require.Greater(t, s.Counters["bytes_sent"], s.Counters["writes"], "a request is more than a byte")
	require.Eventually(t, func() bool { return c.status(leader).Counters["writes"] > s.Counters["writes"] },
		patience, 10*time.Millisecond, "renewals are counted")
}

// A node that is told to stop lets go of the Lease, and ends with 0.
func TestTerminate(t *testing.T) {
	t.Parallel()
	c := newCluster(t, 3, "default")
	c.start("1", "2", "3")
	leader, epoch := c.agree("")
	process := c.processes[leader]
	begin := time.Now()
	require.NoError(t, process.Process.Signal(syscall.SIGTERM))
	require.NoError(t, process.Wait(), "it must end with 0")
	c.forget(leader)
	_, next := c.agree(leader)
	require.Greater(t, next, epoch)
	took := time.Since(begin)
	t.Logf("%v until all named another leader", took)
	require.Less(t, took, 12*time.Second, "nobody need wait until the Lease runs out")
}
