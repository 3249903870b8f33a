//go:build unix

package main

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed-fdf591db/bully/impl/internal/cli"
	"github.com/seed-fdf591db/bully/impl/internal/web"
)

// blocksOf returns the blocks of code of a page in a language.
func blocksOf(t testing.TB, page, language string) (blocks []string) {
	t.Helper()
	text, err := os.ReadFile(page)
	require.NoError(t, err)
	for _, found := range regexp.MustCompile("(?s)```"+language+"\n(.*?)```").FindAllStringSubmatch(string(text), -1) {
		blocks = append(blocks, found[1])
	}
	require.NotEmpty(t, blocks, "%s has a block of %s", page, language)
	return blocks
}

const reaching = "../../REACHING.md"

// askLeading asks a node whether it leads.
func askLeading(address string) (code int, says web.Leading) {
	code, body := fetch(address, "/leading")
	_ = json.Unmarshal([]byte(body), &says)
	return code, says
}

// service is what runs beside a node, and asks it before it serves.
type service struct {
	*httptest.Server
	got atomic.Int64 // requests
}

// newService starts the service of the node at an HTTP address. A request that it serves is answered with the node and the epoch.
func newService(t testing.TB, node string) *service {
	s := &service{}
	s.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.got.Add(1)
		code, says := askLeading(node)
		if code != http.StatusOK {
			http.Error(w, "not the leader", http.StatusServiceUnavailable)
			return
		}
		_, _ = fmt.Fprintf(w, "%s %d", says.Node, says.Epoch)
	}))
	t.Cleanup(s.Close)
	return s
}

func (s *service) address() string { return strings.TrimPrefix(s.URL, "http://") }

// checker does what HAProxy does by the recipe: it asks each server now and then, with a status in mind, and sends requests to one that is up.
type checker struct {
	path  string
	wants int
	up    []atomic.Bool
}

// newChecker reads the recipe, and returns where requests go.
func newChecker(t testing.TB, config string, nodes []string, services []*service) string {
	checks := regexp.MustCompile(`option httpchk GET (\S+)\s+http-check expect status (\d+)`).FindStringSubmatch(config)
	require.NotNil(t, checks, "the recipe says what is asked, and which status a leader answers with")
	c := &checker{path: checks[1], up: make([]atomic.Bool, len(nodes))}
	_, err := fmt.Sscan(checks[2], &c.wants)
	require.NoError(t, err)
	stop := make(chan struct{})
	var checking sync.WaitGroup
	client := &http.Client{Timeout: 2 * time.Second}
	for i, node := range nodes {
		checking.Go(func() {
			for {
				response, err := client.Get("http://" + node + c.path)
				c.up[i].Store(err == nil && response.StatusCode == c.wants)
				if err == nil {
					_ = response.Body.Close()
				}
				select {
				case <-stop:
					return
				case <-time.After(20 * time.Millisecond):
				}
			}
		})
	}
	t.Cleanup(func() {
		close(stop)
		checking.Wait()
	})
	front := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		for i, s := range services {
			if !c.up[i].Load() {
				continue
			}
			response, err := client.Get(s.URL) // it gives up on a server that does not answer, as HAProxy does when one is marked down
			if err != nil {
				break
			}
			defer func() { _ = response.Body.Close() }()
			w.WriteHeader(response.StatusCode)
			_, _ = io.Copy(w, response.Body)
			return
		}
		w.WriteHeader(http.StatusServiceUnavailable)
	}))
	t.Cleanup(front.Close)
	return strings.TrimPrefix(front.URL, "http://")
}

// newHAProxy runs HAProxy by the recipe, and returns where requests go.
func newHAProxy(t testing.TB, config string, nodes []string, services []*service) string {
	program, err := exec.LookPath("haproxy")
	if err != nil {
		t.Skip("needs haproxy: the recipe is tried with a checker that does the same")
	}
	front := freeAddress(t)
	config = strings.Replace(config, "bind :80", "bind "+front, 1)
	for i := range nodes {
		config = strings.Replace(config, fmt.Sprintf("10.0.0.%d:8080", i+1), services[i].address(), 1)
		config = strings.Replace(config, fmt.Sprintf("addr 10.0.0.%d port 8000", i+1), "addr "+strings.Replace(nodes[i], ":", " port ", 1), 1)
	}
	require.NotContains(t, config, "10.0.0.")
	file := filepath.Join(t.TempDir(), "haproxy.cfg")
	require.NoError(t, os.WriteFile(file, []byte(config), 0o600))
	cmd := exec.Command(program, "-db", "-f", file)
	said := &output{}
	cmd.Stdout, cmd.Stderr = said, said
	require.NoError(t, cmd.Start())
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
		if t.Failed() {
			t.Logf("haproxy printed:\n%s", said)
		}
	})
	return front
}

// crossing is a cluster with a service beside each node, and a balancer before them.
type crossing struct {
	*cluster
	nodes    []*process
	services []*service
	front    string
	epoch    uint64 // the highest that has served
}

// served sends a request, and returns who has served it, or 0. No epoch that serves is lower than one before.
func (c *crossing) served() (node int) {
	code, body := fetch(c.front, "/")
	if code != http.StatusOK {
		return 0
	}
	var epoch uint64
	_, err := fmt.Sscan(body, &node, &epoch)
	require.NoError(c.t, err, body)
	require.GreaterOrEqual(c.t, epoch, c.epoch, "a leader of old has served")
	c.epoch = epoch
	return node
}

// settles waits until requests are served by another node than one, and sees that then they go to nobody else. It returns who serves.
func (c *crossing) settles(than int) (leader int) {
	until(c.t, "another serves", func() bool {
		leader = c.served()
		return leader != 0 && leader != than
	})
	until(c.t, "requests go to one that leads, and to nobody else, as long as it leads", func() bool {
		code, before := askLeading(c.http[leader-1])
		if code != http.StatusOK {
			leader = max(c.served(), 1) // the machine has held it up
			return false
		}
		var got [4]int64
		for i, s := range c.services {
			got[i] = s.got.Load()
		}
		for range 10 {
			if c.served() != leader {
				return false // it was checked while the last failover was under way
			}
		}
		for i, s := range c.services {
			if i != leader-1 && s.got.Load() != got[i] {
				return false
			}
		}
		code, after := askLeading(c.http[leader-1])
		return code == http.StatusOK && after.Epoch == before.Epoch
	})
	return leader
}

// TestReachingHAProxy has a balancer with the recipe of the page send requests to the leader: through the start, the kill of the leader, its
// return, and a leader that is stopped and woken up.
func TestReachingHAProxy(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("../../deploy/haproxy.cfg")
	require.NoError(t, err)
	config := string(text)
	for name, balancer := range map[string]func(testing.TB, string, []string, []*service) string{"simulated": newChecker, "haproxy": newHAProxy} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := &crossing{cluster: newCluster(t, 3)}
			for _, node := range c.http {
				c.services = append(c.services, newService(t, node))
			}
			c.front = balancer(t, config, c.http, c.services)
			for id := 1; id <= 3; id++ {
				c.nodes = append(c.nodes, c.run(id, rests...))
			}
			leader := c.settles(0)
			c.nodes[leader-1].signal(syscall.SIGKILL)
			c.nodes[leader-1].wait()
			c.settles(leader)
			c.nodes[leader-1] = c.run(leader, rests...)
			leads(t, c.http[leader-1])
			next := c.settles(0)

			c.nodes[next-1].pause()
			late := make(chan int, 1)
			go func() { // asked while it is stopped, answered when it is woken up
				code, _ := askLeading(c.http[next-1])
				late <- code
			}()
			last := c.settles(next)
			c.nodes[next-1].signal(syscall.SIGCONT)
			require.NotEqual(t, http.StatusOK, <-late, "its reign was over")
			require.NotZero(t, last, "another node than %d serves", next)
			c.settles(0)
		})
	}
}

// TestReachingCommands runs every command of the page, with addresses of this machine.
func TestReachingCommands(t *testing.T) {
	t.Parallel()
	c := newCluster(t, 3)
	path, told := script(t, tells)
	places := []string{"-cluster jobs", "-cluster test", "/var/lib/bully", c.data[2], "/etc/bully/notify", path}
	for i, member := range strings.Split(c.members, ",") {
		places = append(places, fmt.Sprintf("%d=10.0.0.%d:7000", i+1, i+1), member, fmt.Sprintf("10.0.0.%d:8000", i+1), c.http[i])
	}
	here := strings.NewReplacer(places...)
	c.run(1, rests...)
	c.run(2, rests...)
	leadsHere(t, c.http[1])
	var ran []string
	for _, block := range blocksOf(t, reaching, "sh") {
		for line := range strings.Lines(block) {
			command, says, _ := strings.Cut(here.Replace(strings.TrimSpace(line)), "  # ")
			words := strings.Fields(command)
			ran = append(ran, strings.Join(words[:2], " "))
			switch strings.Join(words[:2], " ") {
			case "bully run":
				n := spawn(t, append(words[1:], rests...)...)
				leads(t, c.http[2])
				until(t, "it is told", func() bool { return strings.HasSuffix(last(told), " 2") })
				n.signal(syscall.SIGTERM)
				require.Equal(t, cli.OK, n.wait(), n.log)
			case "bully resign":
				c.run(3, rests...)
				leads(t, c.http[2])
				status, out, log := bully(t, words[1:]...)
				require.Equal(t, cli.OK, status, log)
				leader, _, found := strings.Cut(says, " epoch ")
				require.True(t, found && strings.HasPrefix(out, leader), "%s, and not %s", out, says)
			default:
				require.Equal(t, "curl", words[0])
				if _, err := exec.LookPath("curl"); err != nil {
					continue
				}
				out, err := exec.Command(words[0], words[1:]...).CombinedOutput()
				require.NoError(t, err, "%s", out)
				require.Regexp(t, `"leading":false,"node":"1","leader":"2"|503 Service Unavailable`, string(out))
			}
		}
	}
	require.Equal(t, []string{"curl -s", "curl -sI", "bully run", "bully resign", "bully resign"}, ran)
}

// TestReachingScripts runs the scripts of the page, as -on-change does, with programs in the place of kubectl and nsupdate that say what they
// were told.
func TestReachingScripts(t *testing.T) {
	t.Parallel()
	bin := t.TempDir()
	for _, name := range []string{"kubectl", "nsupdate"} {
		require.NoError(t, os.WriteFile(filepath.Join(bin, name), []byte("#!/bin/sh\n"+`echo "$@"; [ "$1" = label ] || cat`), 0o755))
	}
	want := [][2]string{
		{"label pod jobs-2 bully=leader --overwrite\n", "label pod jobs-2 bully=follower --overwrite\n"},
		{"-k /etc/bully/dns.key\nupdate delete leader.example.org A\nupdate add leader.example.org 1 A 10.0.0.3\nsend\n", ""},
	}
	scripts := blocksOf(t, reaching, "bash")
	require.Len(t, scripts, len(want))
	for i, text := range scripts {
		file := filepath.Join(t.TempDir(), "script")
		require.NoError(t, os.WriteFile(file, []byte(text), 0o755))
		for k, role := range []string{"leader", "follower"} {
			cmd := exec.Command(file)
			cmd.Env = append(os.Environ(), "PATH="+bin+":"+os.Getenv("PATH"), "BULLY_ROLE="+role, "POD=jobs-2", "ADDRESS=10.0.0.3")
			out, err := cmd.CombinedOutput()
			require.NoError(t, err, "%s", out)
			require.Equal(t, want[i][k], string(out))
		}
	}
}
