package localcluster

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed-fdf591db/bully/conformance/check"
	"github.com/seed-fdf591db/bully/impl/internal/proctest"
	"github.com/seed-fdf591db/bully/spec"
)

// steadyCommand returns the command line of a real node that keeps its reign on a busy machine, with further flags.
func steadyCommand(t testing.TB, flags ...string) []string {
	t.Helper()
	return commandOf(t, append(proctest.Steady(), flags...)...)
}

// quickCommand returns the command line of a real node that takes a pause of 0.6 s for a death. It is for tests that do
// harm all the time, and ask for what must hold however often nodes elect: they see five times as many elections.
func quickCommand(t testing.TB, flags ...string) []string {
	t.Helper()
	return commandOf(t, append([]string{"-profile", "busy"}, flags...)...)
}

// commandOf returns the command line of a real node. Root lets it go before other programs.
func commandOf(t testing.TB, flags ...string) []string {
	t.Helper()
	binary, err := program()
	require.NoError(t, err)
	var command []string
	if nice, err := exec.LookPath("nice"); err == nil && os.Geteuid() == 0 {
		command = []string{nice, "-n", "-10"}
	}
	return append(append(command, binary, "run", "-cluster", "localcluster", "-insecure"), flags...)
}

// current returns the reign that all nodes with these ids name, as proctest asks for it.
func current(c *Cluster, ids ...int) func() proctest.Reign {
	return func() proctest.Reign {
		reign, ok := c.View().Agreed(ids...)
		if !ok {
			return proctest.Reign{}
		}
		return proctest.Reign{Leader: strconv.Itoa(reign.Leader), Epoch: reign.Epoch}
	}
}

// bullies returns a cluster of real nodes that is checked and closed when the test ends.
func bullies(t testing.TB, config Config) *Cluster {
	t.Helper()
	c, err := New(config)
	require.NoError(t, err)
	t.Cleanup(func() { finish(t, c) })
	return c
}

// finish checks a cluster and closes it: nobody may ever have told of two leaders in one epoch, and if the nodes write
// traces, they must merge into a run that keeps the promises.
func finish(t testing.TB, c *Cluster) {
	t.Helper()
	defer func() { require.NoError(t, c.Close()) }()
	if t.Failed() {
		explain(t, c)
	}
	require.NoError(t, onePerEpoch(c.Events(0)))
	if c.config.Traces && !t.Failed() {
		for _, id := range c.IDs() {
			if c.nodes[id-1].running() {
				_, err := c.Stop(id)
				require.NoError(t, err)
			}
		}
		checkTraces(t, c)
	}
}

// calmly starts nodes, waits until a certain node leads, and tries something that goes well as long as all nodes run on
// time. A node that does not get the processor may lose its reign, rightly: if try fails and a node has counted such a
// pause, a new cluster tries again.
//
// It is not proctest.While, which excuses a failure if the reign has changed: here the reign must not change, or the test
// itself ends it. So While would excuse what these tests look for. Only pauses excuse it.
func calmly(t *testing.T, config Config, start []int, leader int, try func(c *Cluster, old Reign) error) {
	t.Helper()
	const attempts = 5
	for attempt := 1; ; attempt++ {
		c, err := New(config)
		require.NoError(t, err)
		t.Cleanup(func() { require.NoError(t, c.Close()) })
		require.NoError(t, c.Start(start...))
		old := leads(t, c, leader, 0, start...)
		before, err := c.counted(t.Context(), start)
		require.NoError(t, err)
		wrong := try(c, old)
		after, err := c.counted(t.Context(), start)
		require.NoError(t, err)
		held := after.HeldUp - before.HeldUp
		if wrong != nil && (held == 0 || attempt == attempts) {
			explain(t, c)
		}
		finish(t, c)
		if wrong == nil {
			return
		}
		if held == 0 || attempt == attempts {
			require.NoError(t, wrong, "attempt %d; nodes were held up %d times", attempt, held)
		}
		t.Logf("attempt %d: %v; but nodes were held up %d times, so it counts for nothing", attempt, wrong, held)
	}
}

// explain prints what the nodes have said, and the end of their logs.
func explain(t testing.TB, c *Cluster) {
	t.Helper()
	events := c.Events(0)
	for _, e := range events[max(0, len(events)-60):] {
		t.Logf("%s %s", e.At.Format("05.000000"), e)
	}
	for _, id := range c.IDs() {
		t.Logf("node %d printed:\n%s", id, c.Log(id))
	}
	if !c.config.Traces {
		return
	}
	kept, err := os.MkdirTemp("", "localcluster-failed-")
	if err == nil {
		err = os.CopyFS(kept, os.DirFS(c.TraceDir()))
	}
	t.Logf("traces kept in %s (%v)", kept, err)
}

// onePerEpoch returns an error if nodes have told of two leaders in one epoch, or of two nodes that lead in one, or if
// one of them has told of a lower epoch than before.
func onePerEpoch(events []Event) error {
	leaders, last := map[uint64]int{}, map[int]uint64{}
	for _, e := range events {
		if e.Leader == 0 {
			continue
		}
		if e.Leading && e.Leader != e.Node {
			return fmt.Errorf("node %d says that it leads, and names %d", e.Node, e.Leader)
		}
		if other, known := leaders[e.Epoch]; known && other != e.Leader {
			return fmt.Errorf("%s: nodes were told of %d and %d as leaders of epoch %d", spec.OneLeaderPerEpoch, other, e.Leader, e.Epoch)
		}
		if e.Epoch < last[e.Node] {
			return fmt.Errorf("%s: node %d told of epoch %d after %d", spec.EpochMonotonic, e.Node, e.Epoch, last[e.Node])
		}
		leaders[e.Epoch], last[e.Node] = e.Leader, e.Epoch
	}
	return nil
}

// checkTraces merges the traces of all nodes, and checks that the result is a run that the specification allows.
func checkTraces(t testing.TB, c *Cluster) {
	t.Helper()
	name := filepath.Join(c.Dir(), "merged.ndjson")
	file, err := os.Create(name)
	require.NoError(t, err)
	defer func() { _ = file.Close() }()
	summary, err := c.MergeTraces(file)
	if err != nil {
		explain(t, c)
	}
	require.NoError(t, err)
	_, err = file.Seek(0, io.SeekStart)
	require.NoError(t, err)
	report, err := check.Trace(file, check.Options{Strict: true})
	require.NoError(t, err)
	t.Logf("merged: %s; %d reigns", summary, report.Reigns)
}

// together runs a subtest for each element at the same time. They mostly wait, and count as one for -parallel.
func together[T any](t *testing.T, all []T, name func(T) string, run func(t *testing.T, x T)) {
	t.Helper()
	var wait sync.WaitGroup
	for _, x := range all {
		wait.Go(func() { t.Run(name(x), func(t *testing.T) { run(t, x) }) })
	}
	wait.Wait()
}

// rounds returns how often something is to be done: the whole of it if BULLY_SOAK is set, a fifth if not, a tenth in short
// tests, and never nothing.
func rounds(full int) int {
	switch {
	case testing.Short():
		return max(full/10, 1)
	case os.Getenv("BULLY_SOAK") != "":
		return full
	}
	return max(full/5, 1)
}

// patience is how long a test waits for what must come. Nothing is taken for granted because it did not come sooner.
const patience = time.Minute

// within bounds what a test waits for.
func within(t testing.TB, d time.Duration) context.Context {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), d)
	t.Cleanup(cancel)
	return ctx
}

// agree waits until nodes agree, in an epoch above one.
func agree(t testing.TB, c *Cluster, above uint64, ids ...int) Reign {
	t.Helper()
	reign, err := c.Agree(within(t, patience), above, ids...)
	require.NoError(t, err)
	return reign
}

// leads waits until nodes agree on one certain leader, in an epoch above one.
func leads(t testing.TB, c *Cluster, leader int, above uint64, ids ...int) Reign {
	t.Helper()
	var reign Reign
	require.NoError(t, c.Wait(within(t, patience), fmt.Sprintf("nodes %v name %d, above epoch %d", ids, leader, above),
		func(v View) (ok bool) {
			reign, ok = v.Agreed(ids...)
			return ok && reign.Leader == leader && reign.Epoch > above
		}))
	return reign
}

// leaderless waits until nodes name no leader.
func leaderless(t testing.TB, c *Cluster, ids ...int) {
	t.Helper()
	require.NoError(t, c.Wait(within(t, patience), fmt.Sprintf("nodes %v name no leader", ids),
		func(v View) bool { return v.Leaderless(ids...) }))
}

// eventually waits for what can only be looked at, not waited for.
func eventually(t testing.TB, what string, holds func() bool) {
	t.Helper()
	proctest.Until(t, func() string { return what }, holds)
}

// ends waits until the process of a node has ended.
func ends(t testing.TB, c *Cluster, id int) {
	t.Helper()
	select {
	case <-c.Gone(id):
	case <-within(t, patience).Done():
		require.Fail(t, "a node goes on that is to end", "node %d; it said:\n%s\n%s", id, c.Log(id), c.View())
	}
}

// epochsSince returns the epochs in which anybody was told of a leader, in events, ascending.
func epochsSince(events []Event) []uint64 {
	var all []uint64
	for _, e := range events {
		if e.Leader != 0 && !slices.Contains(all, e.Epoch) {
			all = append(all, e.Epoch)
		}
	}
	slices.Sort(all)
	return all
}

// TestChecks sees that the checks of these tests fail when they should.
func TestChecks(t *testing.T) {
	t.Parallel()
	told := func(node, leader int, epoch uint64) Event {
		return Event{Node: node, Running: true, Leader: leader, Epoch: epoch, Leading: node == leader}
	}
	require.NoError(t, onePerEpoch([]Event{told(1, 3, 4), told(2, 3, 4), told(1, 2, 5), told(1, 0, 0), told(1, 2, 5)}))
	require.ErrorContains(t, onePerEpoch([]Event{told(1, 3, 4), told(2, 2, 4)}), "OneLeaderPerEpoch")
	require.ErrorContains(t, onePerEpoch([]Event{told(1, 3, 4), told(1, 2, 3)}), "EpochMonotonic")
	require.ErrorContains(t, onePerEpoch([]Event{{Node: 1, Leader: 2, Epoch: 1, Leading: true}}), "says that it leads, and names 2")
	require.NoError(t, climbing([]Event{told(1, 5, 3), told(3, 3, 4), told(1, 3, 4), told(4, 0, 5), told(4, 4, 6)}, 3))
	require.ErrorContains(t, climbing([]Event{told(3, 3, 4), told(3, 3, 5)}, 3), "3 led epoch 5 after a reign of 3")
	require.ErrorContains(t, climbing([]Event{told(3, 4, 4), told(3, 3, 5)}, 3), "3 led epoch 5 after a reign of 4")
}

// TestHandOversOfProcesses has leaders hand over by name (R51), again and again.
func TestHandOversOfProcesses(t *testing.T) {
	t.Parallel()
	all, err := Failovers{Config: Config{Nodes: 3, Command: steadyCommand(t)}, Fault: FaultResign, Rounds: 3}.Measure(t.Context())
	require.NoError(t, err)
	for _, one := range all {
		require.NotEqual(t, one.Old.Leader, one.New.Leader)
		require.Equal(t, one.Named, one.New.Leader)
		require.Zero(t, one.Teardown)
	}
}
