package main_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
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

// shelf is the store: a fence for each shard, and who wrote last.
type shelf struct {
	mu      sync.Mutex
	guards  map[string]*resource.Guard
	writer  map[string]string                // of each shard, the last
	led     map[string]map[spec.Epoch]string // of each shard, who wrote in which epoch
	epochs  map[string]spec.Epoch            // of each shard, the last that wrote
	wrong   []string
	fenced  int
	written int
	began   time.Time
	asked   uint64                  // writes
	ops     map[string][]history.Op // of some shards: what was asked, and what came of it
}

// isChecked reports whether what is asked of a shard is kept for a checker of histories: one shard in ten, or all of it would be gigabytes.
func isChecked(shard string) bool { return strings.HasSuffix(shard, "0") }

// calls notes that a write is asked for.
func (s *shelf) calls(shard string, r *http.Request) history.Op {
	body, _ := io.ReadAll(r.Body)
	by, _, _ := strings.Cut(string(body), " ")
	s.mu.Lock()
	defer s.mu.Unlock()
	s.asked++
	op := history.Op{Client: by, Kind: history.WriteOp, Resource: shard, Value: s.asked, Outcome: history.Done, Call: int64(time.Since(s.began))}
	_, _ = fmt.Sscan(r.Header.Get(resource.EpochHeader), &op.Epoch)
	return op
}

// returns notes what has come of it.
func (s *shelf) returns(op history.Op, w *codes) {
	s.mu.Lock()
	defer s.mu.Unlock()
	op.Return = int64(time.Since(s.began))
	switch w.code {
	case 0, http.StatusOK:
	case http.StatusPreconditionFailed:
		s.fenced++
		op.Outcome = history.Fenced
		_, _ = fmt.Sscan(w.Header().Get(resource.AdmittedHeader), &op.Admitted)
	default:
		return // the client has gone, and nothing was written
	}
	if isChecked(op.Resource) {
		s.ops[op.Resource] = append(s.ops[op.Resource], op)
	}
}

// check has porcupine look at the history of each shard that has one.
func (s *shelf) check(t *testing.T) {
	for shard, ops := range s.ops {
		report, err := history.Check(history.Header{Source: "a service of many shards", Commit: "unknown"}, ops, history.Options{})
		require.NoError(t, err)
		require.NoError(t, report.Err(), shard)
		require.Equal(t, history.Linearizable, report.Verdict(), shard)
	}
}

func (s *shelf) guard(t *testing.T, shard string) *resource.Guard {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.guards[shard] == nil {
		guard, err := resource.NewGuard(&resource.MemoryRegister{})
		require.NoError(t, err)
		s.guards[shard] = guard
	}
	return s.guards[shard]
}

// handler serves each shard behind its fence.
func (s *shelf) handler(t *testing.T) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		shard := strings.TrimPrefix(r.URL.Path, "/")
		recorder, op := &codes{ResponseWriter: w}, s.calls(shard, r)
		next := http.HandlerFunc(func(http.ResponseWriter, *http.Request) { s.write(&op) })
		(&resource.Handler{Guard: s.guard(t, shard), Next: next}).ServeHTTP(recorder, r)
		s.returns(op, recorder)
	})
}

// codes notes the status of an answer.
type codes struct {
	http.ResponseWriter
	code int
}

func (c *codes) WriteHeader(code int) {
	c.code = code
	c.ResponseWriter.WriteHeader(code)
}

// write is a write that the fence has admitted: nobody else has written in that epoch, and nobody in a later one.
func (s *shelf) write(op *history.Op) {
	shard, by, epoch := op.Resource, op.Client, op.Epoch
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.led[shard] == nil {
		s.led[shard] = map[spec.Epoch]string{}
	}
	if was := s.led[shard][epoch]; was != "" && was != by {
		s.wrong = append(s.wrong, fmt.Sprintf("OneLeaderPerEpoch: nodes %s and %s have written to %s in epoch %d", was, by, shard, epoch))
	}
	if epoch < s.epochs[shard] {
		s.wrong = append(s.wrong, fmt.Sprintf("the fence of %s has admitted epoch %d after %d", shard, epoch, s.epochs[shard]))
	}
	s.led[shard][epoch], s.epochs[shard], s.writer[shard] = by, epoch, by
	s.written++
}

// count returns how many writes were admitted.
func (s *shelf) count() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.written
}

// missing returns how many shards were not written to last by whom a plan says. It fails if something is wrong.
func (s *shelf) missing(t *testing.T, plan map[string]string) (n int) {
	s.mu.Lock()
	defer s.mu.Unlock() // though the test fails: handlers wait for it, and the end of the test for them
	require.Empty(t, s.wrong)
	for shard, id := range plan {
		if s.writer[shard] != id {
			n++
		}
	}
	return n
}

// forget forgets who wrote last: what is seen from now on is of now.
func (s *shelf) forget() {
	s.mu.Lock()
	defer s.mu.Unlock()
	clear(s.writer)
}

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
	runs    map[spec.NodeID]*exec.Cmd
	logs    map[spec.NodeID]*bytes.Buffer
	admin   map[spec.NodeID]string // where members are changed; nil if they are fixed
}

func newCluster(t *testing.T, nodes, shards int) *cluster {
	c := &cluster{t: t, folder: t.TempDir(), shards: shards, address: map[spec.NodeID]string{}, weights: map[spec.NodeID]int{}, runs: map[spec.NodeID]*exec.Cmd{}, logs: map[spec.NodeID]*bytes.Buffer{}}
	c.store = &shelf{began: time.Now(), ops: map[string][]history.Op{}, guards: map[string]*resource.Guard{}, writer: map[string]string{}, led: map[string]map[spec.Epoch]string{}, epochs: map[string]spec.Epoch{}}
	served := httptest.NewServer(c.store.handler(t))
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
	run := exec.Command(os.Args[0], name+".json")
	run.Env = append(os.Environ(), asService+"=1")
	c.logs[id] = &bytes.Buffer{}
	run.Stdout, run.Stderr = c.logs[id], c.logs[id]
	require.NoError(c.t, run.Start())
	c.runs[id] = run
}

// end ends a node.
func (c *cluster) end(id spec.NodeID, by syscall.Signal) {
	run := c.runs[id]
	delete(c.runs, id)
	_ = run.Process.Signal(by)
	err := run.Wait()
	status, _ := run.ProcessState.Sys().(syscall.WaitStatus)
	if by == syscall.SIGTERM && !(status.Signaled() && status.Signal() == by) { // who has just begun does not listen yet
		require.NoError(c.t, err, "node %v: %s", id, c.logs[id])
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
			require.Nil(c.t, run.ProcessState, "node %v has ended: %s", id, c.logs[id])
		}
		if time.Since(began) > patience {
			require.Zero(c.t, missing, "so many shards are not served by whom they are to be")
		}
	}
}

// leaks are what must not grow over the lives of others.
type leaks struct{ goroutines, descriptors, threads, kilobytes int }

// within reports whether it has not grown but by what a share is larger while fewer nodes run.
func (l leaks) within(began leaks, shards int) bool {
	return l.goroutines < began.goroutines+20+shards/4 && l.descriptors < began.descriptors+20 && l.threads < began.threads+20 && l.kilobytes < 2*began.kilobytes+64<<10
}

// leaks returns what a node holds.
func (c *cluster) leaks(id spec.NodeID) (l leaks) {
	folder := fmt.Sprintf("/proc/%d", c.runs[id].Process.Pid)
	open, err := os.ReadDir(folder + "/fd")
	require.NoError(c.t, err)
	l.descriptors = len(open)
	text, err := os.ReadFile(filepath.Join(c.folder, id.String()+".json"+goroutinesSuffix))
	require.NoError(c.t, err)
	_, err = fmt.Sscan(string(text), &l.goroutines)
	require.NoError(c.t, err)
	status, err := os.ReadFile(folder + "/status")
	require.NoError(c.t, err)
	for line := range strings.Lines(string(status)) {
		_, _ = fmt.Sscanf(line, "Threads: %d", &l.threads)
		_, _ = fmt.Sscanf(line, "VmRSS: %d", &l.kilobytes)
	}
	return l
}

// TestShards runs five nodes as processes; they are killed, stopped, added, removed, and ranked otherwise at random, and come without their disks. No fence admits two in one epoch,
// nor an earlier one after a later; each time that all is quiet every shard is served by whom the plan says; and what a node holds does not grow. With BULLY_SOAK it is a thousand shards, and as long as
// that says, as "25m", or an hour.
func TestShards(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("it looks into /proc")
	}
	few := 2
	if testing.Short() {
		few = 1
	}
	shards, rounds, long := soaks(few)
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	random, c := rand.New(rand.NewPCG(seed, 0)), newCluster(t, 5, shards)
	for _, id := range c.ids[:4] { // the fifth is added later
		c.start(id)
	}
	c.settles()
	steady := c.ids[0] // lives on, but for when all are ranked otherwise
	var began leaks
	start := time.Now()
	round := 0
	for ; round < rounds || time.Since(start) < long; round++ {
		for i := range 4 {
			if i == 0 && round%5 == 0 {
				c.rank(random)
				began = leaks{}
			} else {
				c.harm(random, steady)
			}
			time.Sleep(time.Duration(random.IntN(1500)) * time.Millisecond)
		}
		for _, id := range c.ids[:4] {
			if c.runs[id] == nil {
				c.start(id)
			}
		}
		c.store.forget()
		c.settles()
		if round%3 == 0 {
			c.losesDisk(c.ids[1+random.IntN(3)])
		}
		is := c.doesNotGrow(steady, &began, shards)
		if long > 0 {
			t.Logf("%v: round %d, %d writes; node %v holds %+v", time.Since(start).Round(time.Second), round, c.store.count(), steady, is)
		}
	}
	for _, id := range c.ids {
		if c.runs[id] != nil {
			t.Logf("node %v holds %+v", id, c.leaks(id))
			c.end(id, syscall.SIGTERM)
		}
	}
	c.store.mu.Lock()
	defer c.store.mu.Unlock()
	require.Empty(t, c.store.wrong)
	c.store.check(t)
	t.Logf("%d rounds in %v; %d writes, of which %d were of reigns that were over, and refused; %d histories are linearizable", round, time.Since(start).Round(time.Second),
		c.store.written+c.store.fenced, c.store.fenced, len(c.store.ops))
}

// losesDisk ends a node, and has it come back with an empty folder: the others know that it has said more than is there, and it ends by itself. Then it has its folder again.
func (c *cluster) losesDisk(id spec.NodeID) {
	folder := filepath.Join(c.folder, id.String())
	c.end(id, syscall.SIGKILL)
	require.NoError(c.t, os.Rename(folder, folder+".kept"))
	c.start(id)
	c.endsItself(id, host.ErrLostDisk)
	require.NoError(c.t, os.RemoveAll(folder))
	require.NoError(c.t, os.Rename(folder+".kept", folder))
	c.start(id)
}

// harm does one thing to a node that is not the steady one: a quorum of five runs on.
func (c *cluster) harm(random *rand.Rand, steady spec.NodeID) {
	id := c.ids[1+random.IntN(len(c.ids)-1)]
	require.NotEqual(c.t, steady, id)
	switch {
	case c.runs[id] == nil:
		c.start(id) // it comes back, or is added
	case len(c.runs) <= 3:
	case random.IntN(3) == 0: // removed for now
		c.end(id, syscall.SIGTERM)
	default:
		c.end(id, syscall.SIGKILL)
	}
}

// rank gives a node another weight, and pins a shard: one node after the other is started again, and ranks otherwise than those that have not been yet.
func (c *cluster) rank(random *rand.Rand) {
	c.weights = map[spec.NodeID]int{c.ids[random.IntN(len(c.ids))]: random.IntN(4)}
	c.pins = map[string]spec.NodeID{fmt.Sprintf("orders-%d", random.IntN(c.shards)): c.ids[random.IntN(len(c.ids))]}
	for _, id := range c.ids {
		if c.runs[id] != nil {
			c.end(id, syscall.SIGTERM)
			c.start(id)
		}
	}
}

// endsItself waits until a node has ended by itself, and has said why.
func (c *cluster) endsItself(id spec.NodeID, why error) {
	c.t.Helper()
	run, ended := c.runs[id], make(chan error, 1)
	delete(c.runs, id)
	go func() { ended <- run.Wait() }()
	select {
	case err := <-ended:
		require.Error(c.t, err)
		require.Contains(c.t, c.logs[id].String(), why.Error())
	case <-time.After(patience):
		_ = run.Process.Kill()
		require.FailNow(c.t, "a node runs on that was to end", "node %v, as %v: %s", id, why, c.logs[id])
	}
}

// soaks returns how many shards there are, and how many rounds, or how long: few, unless BULLY_SOAK says that it is a soak, as "25m".
func soaks(rounds int) (shards, most int, long time.Duration) {
	soak := os.Getenv("BULLY_SOAK")
	if soak == "" {
		return 40, rounds, 0
	}
	if long, err := time.ParseDuration(soak); err == nil {
		return 1000, 0, long
	}
	return 1000, 0, time.Hour
}

// doesNotGrow waits until a node holds no more than it did when its life began, and returns what it holds. A life begins where began is nothing.
func (c *cluster) doesNotGrow(id spec.NodeID, began *leaks, shards int) leaks {
	c.t.Helper()
	is := c.leaks(id)
	if *began == (leaks{}) {
		*began = is
	}
	for looked := time.Now(); !is.within(*began, shards); is = c.leaks(id) { // writes that are under way hold some too
		require.Less(c.t, time.Since(looked), 30*time.Second, "node %v held %+v, and holds %+v", id, *began, is)
		time.Sleep(200 * time.Millisecond)
	}
	return is
}
