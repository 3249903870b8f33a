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
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed-fdf591db/bully/impl/internal/localcluster"
	"github.com/seed-fdf591db/bully/impl/internal/proctest"
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

// process is a program that a test has started.
type process struct {
	t    testing.TB
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
func spawn(t testing.TB, args ...string) *process {
	t.Helper()
	return command(t, args...).start()
}

// spawnTo is spawn with a file for standard error.
func spawnTo(t testing.TB, log *os.File, args ...string) *process {
	t.Helper()
	p := command(t, args...)
	p.cmd.Stderr = log
	return p.start()
}

// spawnWith is spawn with more variables in the environment. A test that runs in parallel cannot use t.Setenv.
func spawnWith(t testing.TB, environment []string, args ...string) *process {
	t.Helper()
	p := command(t, args...)
	p.cmd.Env = append(p.cmd.Env, environment...)
	return p.start()
}

// command returns the command, which has not been started.
func command(t testing.TB, args ...string) *process {
	p := newProcess(t, exec.Command(os.Args[0], args...))
	p.cmd.Env = append(os.Environ(), asCommand+"=1")
	return p
}

// newProcess returns a program that has not been started. Its output is kept.
func newProcess(t testing.TB, cmd *exec.Cmd) *process {
	p := &process{t: t, cmd: cmd, log: &output{}, out: &output{}}
	p.cmd.Stdout, p.cmd.Stderr = p.out, p.log
	return p
}

// start starts the process, which is killed when the test ends.
func (p *process) start() *process {
	t := p.t
	t.Helper()
	p.cmd.WaitDelay = proctest.Patience // its output is read to the end, unless a child of it lives on
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

// ending is how long a process may take to end.
const ending = time.Minute

// wait waits until the process has ended, and returns its exit status, -1 if a signal ended it. A process that does not
// end in time fails the test, and is killed. One that works before it ends is given ending several times.
func (p *process) wait(times ...int) int {
	p.once.Do(func() {
		ended := make(chan struct{})
		go func() {
			defer close(ended)
			_ = p.cmd.Wait()
		}()
		for range append(times, 1)[0] {
			select {
			case <-ended:
				p.code = p.cmd.ProcessState.ExitCode()
				return
			case <-time.After(ending):
			}
		}
		p.t.Errorf("%s must end, and still runs", strings.Join(p.cmd.Args, " "))
		_ = p.cmd.Process.Kill()
		<-ended
		p.code = p.cmd.ProcessState.ExitCode()
	})
	return p.code
}

// signal sends a signal.
func (p *process) signal(s syscall.Signal) { require.NoError(p.t, p.cmd.Process.Signal(s)) }

// freeAddress returns an address of loopback that nobody listens on, and that nobody else is given while the test runs.
func freeAddress(t testing.TB) string {
	t.Helper()
	address, release, err := localcluster.Reserve()
	require.NoError(t, err)
	t.Cleanup(release)
	return address
}

// until waits until a condition holds, or fails the test with what was waited for.
func until(t testing.TB, what string, holds func() bool) {
	t.Helper()
	proctest.Until(t, func() string { return what }, holds)
}

// reignAt returns how to ask the node at an HTTP address whose reign it knows of.
func reignAt(address string) func() proctest.Reign {
	return func() (reign proctest.Reign) {
		if code, body := fetch(address, "/leader"); code == http.StatusOK {
			_ = json.Unmarshal([]byte(body), &reign) // one that cannot be read is no reign
		}
		return reign
	}
}

// leads waits until the node at an HTTP address knows of a leader, of the cluster's own election if there are many, and returns its epoch.
func leads(t testing.TB, address string) (epoch uint64) {
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
func leadsHere(t testing.TB, address string) {
	t.Helper()
	until(t, address+" leads", func() bool {
		code, _ := fetch(address, "/leading")
		return code == http.StatusOK
	})
}

// post returns the answer of a node to POST.
func post(t testing.TB, address, path string) (int, string) {
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
	t       testing.TB
	members string
	http    []string
	data    []string
}

// newCluster returns a cluster of n nodes, of which none runs.
func newCluster(t testing.TB, n int) *cluster {
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

// flags returns the flags of a node, 1 or above, and more of them. Without others it is steady.
func (c *cluster) flags(id int, more ...string) []string {
	return slices.Concat(steady, []string{"-id", fmt.Sprint(id), "-members", c.members, "-data", c.data[id-1], "-http", c.http[id-1],
		"-cluster", "test"}, more)
}

// steady are the timers of a node that keeps its reign on a busy machine, and takes over from a lower node at once.
var steady = append(proctest.Steady(), "-preempt", "now")

// run starts a node.
func (c *cluster) run(id int, more ...string) *process {
	return spawn(c.t, append([]string{"run"}, c.flags(id, more...)...)...)
}

// resign makes the node at an HTTP address resign, as soon as it leads and has a connection left.
func resign(t testing.TB, address string) {
	t.Helper()
	until(t, "the node at "+address+" resigns", func() bool {
		response, err := http.Post("http://"+address+"/resign", "", nil)
		return err == nil && response.Body.Close() == nil && response.StatusCode == http.StatusOK
	})
}
