package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"os/signal"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed-fdf591db/bully/impl/internal/localcluster"
)

// asCommand makes this test program be the command itself.
const asCommand = "TEST_AS_COMMAND"

func TestMain(m *testing.M) {
	if os.Getenv(asCommand) != "" {
		main()
		os.Exit(3) // main never returns; if it did, this program would start itself, again and again
	}
	if socket := os.Getenv(asActing); socket != "" {
		act(socket)
	}
	if signal.Ignored(syscall.SIGHUP) {
		// The tests were started under nohup. The nodes that they start would inherit that, and not reload a certificate when told.
		signal.Notify(make(chan os.Signal, 1), syscall.SIGHUP)
	}
	os.Exit(m.Run())
}

// process is the command as a process of its own.
type process struct {
	t    *testing.T
	cmd  *exec.Cmd
	log  *output
	out  *output
	once sync.Once
	code int
}

// output keeps what a process prints.
type output struct {
	mu   sync.Mutex
	text bytes.Buffer
}

// Write implements io.Writer.
func (o *output) Write(p []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.text.Write(p)
}

// String returns what has been printed.
func (o *output) String() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.text.String()
}

// spawn starts the command. It is killed when the test ends.
func spawn(t *testing.T, args ...string) *process {
	t.Helper()
	return spawnTo(t, nil, args...)
}

// spawnTo is spawn with a file for standard error, or nil.
func spawnTo(t *testing.T, log *os.File, args ...string) *process {
	t.Helper()
	p := &process{t: t, cmd: exec.Command(os.Args[0], args...), log: &output{}, out: &output{}}
	p.cmd.Env = append(os.Environ(), asCommand+"=1")
	p.cmd.Stdout, p.cmd.Stderr = p.out, p.log
	if log != nil {
		p.cmd.Stderr = log
	}
	return p.start()
}

// start starts the process, which is killed when the test ends.
func (p *process) start() *process {
	t := p.t
	t.Helper()
	p.cmd.WaitDelay = patience // what it has printed is read to the end, unless something that it has started lives on
	require.NoError(t, p.cmd.Start())
	t.Cleanup(func() {
		_ = p.cmd.Process.Kill()
		p.wait()
		if t.Failed() {
			t.Logf("%s printed:\n%s%s", strings.Join(p.cmd.Args[1:], " "), p.out, p.log)
		}
	})
	return p
}

// wait waits until the process has ended, and returns its exit status, -1 if a signal ended it.
func (p *process) wait() int {
	p.once.Do(func() {
		late := time.AfterFunc(3*patience, func() {
			p.t.Errorf("%s goes on, and is to end", p.cmd)
			_ = p.cmd.Process.Kill()
		})
		defer late.Stop()
		_ = p.cmd.Wait()
		p.code = p.cmd.ProcessState.ExitCode()
	})
	return p.code
}

// signal sends a signal.
func (p *process) signal(s syscall.Signal) { require.NoError(p.t, p.cmd.Process.Signal(s)) }

// freeAddress returns an address of loopback that nobody listens on, and that nobody else is given while the test runs.
func freeAddress(t *testing.T) string {
	t.Helper()
	address, release, err := localcluster.Reserve()
	require.NoError(t, err)
	t.Cleanup(release)
	return address
}

// patience is how long a test waits for what must come. Nothing is taken for granted because it did not come sooner.
const patience = time.Minute

// until waits until a condition holds.
func until(t *testing.T, what string, holds func() bool) {
	t.Helper()
	require.Eventually(t, holds, patience, 5*time.Millisecond, what)
}

// leads waits until the node at an HTTP address knows of a leader, of the cluster's own election if there are many, and returns its epoch.
func leads(t *testing.T, address string) (epoch uint64) {
	t.Helper()
	until(t, "a leader at "+address, func() bool {
		var answer struct {
			Leader *string
			Epoch  uint64
		}
		code, body := fetch(address, "/status")
		if code != http.StatusOK || json.Unmarshal([]byte(body), &answer) != nil || answer.Leader == nil {
			return false
		}
		epoch = answer.Epoch
		return true
	})
	return epoch
}

// leadsHere waits until the node at an HTTP address leads itself.
func leadsHere(t *testing.T, address string) {
	t.Helper()
	until(t, address+" leads", func() bool {
		code, _ := fetch(address, "/leading")
		return code == http.StatusOK
	})
}

// post returns the answer of a node to POST.
func post(t *testing.T, address, path string) (int, string) {
	t.Helper()
	response, err := http.Post("http://"+address+path, "", nil)
	require.NoError(t, err)
	body, err := io.ReadAll(response.Body)
	require.NoError(t, errors.Join(err, response.Body.Close()))
	return response.StatusCode, string(body)
}

// fetch returns the answer of a node, and 0 if there is none.
func fetch(address, path string) (int, string) {
	response, err := http.Get("http://" + address + path)
	if err != nil {
		return 0, err.Error()
	}
	body, err := io.ReadAll(response.Body)
	if err := errors.Join(err, response.Body.Close()); err != nil {
		return 0, err.Error()
	}
	return response.StatusCode, string(body)
}

// cluster is what the nodes of a test are told.
type cluster struct {
	t       *testing.T
	members string
	http    []string
	data    []string
}

// newCluster returns a cluster of n nodes, of which none runs.
func newCluster(t *testing.T, n int) *cluster {
	t.Helper()
	c := &cluster{t: t}
	var members []string
	for i := range n {
		members = append(members, fmt.Sprintf("%d=%s", i+1, freeAddress(t)))
		c.http = append(c.http, freeAddress(t))
		c.data = append(c.data, t.TempDir())
	}
	c.members = strings.Join(members, ",")
	return c
}

// flags returns the flags of a node, 1 or above, and more of them.
func (c *cluster) flags(id int, more ...string) []string {
	return append([]string{"-id", fmt.Sprint(id), "-members", c.members, "-data", c.data[id-1], "-http", c.http[id-1], "-profile", "local",
		"-cluster", "test"}, more...)
}

// steady are the flags of a node that is to keep its reign: a machine that does not run it for 8 ms costs one of profile local its own,
// rightly. Of profile wan it is more than two seconds.
var steady = []string{"-profile", "wan", "-preempt", "now"}

// run starts a node.
func (c *cluster) run(id int, more ...string) *process {
	return spawn(c.t, append([]string{"run"}, c.flags(id, more...)...)...)
}

// resign makes the node at an HTTP address resign, as soon as it leads and has a connection left.
func resign(t *testing.T, address string) {
	t.Helper()
	until(t, "the node at "+address+" resigns", func() bool {
		response, err := http.Post("http://"+address+"/resign", "", nil)
		return err == nil && response.Body.Close() == nil && response.StatusCode == http.StatusOK
	})
}
