package main_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed-fdf591db/bully/impl/host"
	"github.com/seed-fdf591db/bully/spec"
)

// leaks are what must not grow over the lives of others.
type leaks struct{ goroutines, descriptors, threads, kilobytes int }

// within reports whether it has not grown but by what a share is larger while fewer nodes run.
func (l leaks) within(began leaks, shards int) bool {
	return l.goroutines < began.goroutines+20+shards/4 && l.descriptors < began.descriptors+20 && l.threads < began.threads+20 && l.kilobytes < 2*began.kilobytes+64<<10
}

// leaks returns what a node holds.
func (c *cluster) leaks(id spec.NodeID) (l leaks) {
	folder := fmt.Sprintf("/proc/%d", c.runs[id].command.Process.Pid)
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
		t.Skip("needs Linux: it looks into /proc")
	}
	t.Parallel()
	shards, rounds, long := soaks(2)
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
	run := c.runs[id]
	delete(c.runs, id)
	select {
	case <-run.gone:
		require.Error(c.t, run.err, "node %v must end because %v, and said: %s", id, why, &run.log)
		require.Contains(c.t, run.log.String(), why.Error(), "node %v has ended for another reason", id)
	case <-time.After(patience):
		require.FailNow(c.t, "a node runs on that must end", "node %v, as %v: %s", id, why, run.kill())
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
