package main_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed-fdf591db/bully/conformance/history"
	"github.com/seed-fdf591db/bully/impl/groups"
	"github.com/seed-fdf591db/bully/impl/host"
	"github.com/seed-fdf591db/bully/impl/internal/localcluster"
	"github.com/seed-fdf591db/bully/impl/resource"
	"github.com/seed-fdf591db/bully/spec"
)

// These are of main_test.go.
const (
	asService        = "TEST_AS_SERVICE"
	goroutinesSuffix = ".goroutines"
)

// cluster is the service as processes.
type cluster struct {
	t       *testing.T
	store   *shelf
	url     string
	folder  string
	shards  int
	ids     []spec.NodeID
	address map[spec.NodeID]string
	weights map[spec.NodeID]int
	pins    map[string]spec.NodeID
	runs    map[spec.NodeID]*run
	admin   map[spec.NodeID]string // where members are changed; nil if they are fixed
}

func newCluster(t *testing.T, nodes, shards int) *cluster {
	c := &cluster{t: t, folder: t.TempDir(), shards: shards, address: map[spec.NodeID]string{}, weights: map[spec.NodeID]int{}, runs: map[spec.NodeID]*run{}}
	c.store = &shelf{began: time.Now(), ops: map[string][]history.Op{}, guards: map[string]*resource.Guard{}, writer: map[string]string{}, led: map[string]map[spec.Epoch]string{}, epochs: map[string]spec.Epoch{}}
	served := httptest.NewServer(c.store.handler())
	c.url = served.URL
	t.Cleanup(served.Close)
	for i := range nodes {
		id := spec.IntegerID(uint64(i + 1))
		c.ids, c.address[id] = append(c.ids, id), c.reserve()
	}
	t.Cleanup(func() {
		for id := range c.runs {
			c.end(id, syscall.SIGKILL)
		}
	})
	return c
}

// reserve returns an address that is free.
func (c *cluster) reserve() string {
	address, release, err := localcluster.Reserve()
	require.NoError(c.t, err)
	c.t.Cleanup(release)
	return address
}

// start starts a node.
func (c *cluster) start(id spec.NodeID) {
	name := filepath.Join(c.folder, id.String())
	config := map[string]any{"Dir": name, "Weights": c.weights, "Pins": c.pins, "Timing": host.TimingFor(100 * time.Millisecond), "Shards": c.shards, "Store": c.url}
	if c.admin == nil {
		config["ID"], config["Cluster"], config["Addresses"] = id, "orders", c.address
	} else {
		config["Admin"] = c.admin[id]
	}
	text, err := json.Marshal(config)
	require.NoError(c.t, err)
	require.NoError(c.t, os.WriteFile(name+".json", text, 0o600))
	c.runs[id] = newRun(c.t, name+".json")
}

// run is a process of a node.
type run struct {
	command *exec.Cmd
	log     bytes.Buffer
	gone    chan struct{} // closed when it has ended: then the log is whole, and err says how it ended
	err     error
}

// newRun starts a process.
func newRun(t *testing.T, config string) *run {
	r := &run{command: exec.Command(os.Args[0], config), gone: make(chan struct{})}
	r.command.Env = append(os.Environ(), asService+"=1")
	r.command.Stdout, r.command.Stderr = &r.log, &r.log
	require.NoError(t, r.command.Start())
	go func() {
		defer close(r.gone)
		r.err = r.command.Wait()
	}()
	return r
}

// kill kills a process and returns what it has printed.
func (r *run) kill() string {
	_ = r.command.Process.Kill() // it may have ended
	<-r.gone
	return r.log.String()
}

// end ends a node.
func (c *cluster) end(id spec.NodeID, by syscall.Signal) {
	run := c.runs[id]
	delete(c.runs, id)
	_ = run.command.Process.Signal(by) // it may have ended
	select {
	case <-run.gone:
	case <-time.After(patience):
		require.FailNow(c.t, "a node runs on", "node %v, %v after %v: %s", id, patience, by, run.kill())
	}
	status, _ := run.command.ProcessState.Sys().(syscall.WaitStatus)
	if by == syscall.SIGTERM && !(status.Signaled() && status.Signal() == by) { // a node that has just begun does not listen yet
		require.NoError(c.t, run.err, "node %v was sent %v, and said: %s", id, by, &run.log)
	}
}

// placement is who is to serve what.
func (c *cluster) placement() groups.Placement {
	return groups.Placement{Members: c.ids, Weights: c.weights, Pins: c.pins}
}

// plan returns who is to serve each shard now.
func (c *cluster) plan() map[string]string {
	var down []spec.NodeID
	for _, id := range c.ids {
		if c.runs[id] == nil {
			down = append(down, id)
		}
	}
	plan := map[string]string{}
	for id, shards := range c.placement().Plan(c.names(), down...) {
		for _, shard := range shards {
			plan[shard] = id.String()
		}
	}
	return plan
}

func (c *cluster) names() (names []string) {
	for i := range c.shards {
		names = append(names, fmt.Sprintf("orders-%d", i))
	}
	return names
}

// patience is how long what must come is waited for.
const patience = 5 * time.Minute

// settles waits until each shard is served by whom it is to be.
func (c *cluster) settles() {
	c.t.Helper()
	plan := c.plan()
	missing := 0
	for began := time.Now(); ; time.Sleep(200 * time.Millisecond) {
		missing = c.store.missing(c.t, plan)
		if missing == 0 {
			return
		}
		for id, run := range c.runs {
			select {
			case <-run.gone:
				require.FailNow(c.t, "a node has ended by itself", "node %v (%v): %s", id, run.err, &run.log)
			default:
			}
		}
		if time.Since(began) > patience {
			require.FailNow(c.t, "shards are not served by the node of the plan", "%d of %d after %v, as nodes %v run: %v", missing, len(plan), patience, slices.Collect(maps.Keys(c.runs)), c.store.differs(plan))
		}
	}
}
