package localcluster

import (
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"slices"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed-fdf591db/bully/impl/internal/proctest"
	"github.com/seed-fdf591db/bully/impl/resource"
	"github.com/seed-fdf591db/bully/spec"
)

// epochVariable is the environment variable in which bully exec tells work the epoch of its reign.
const epochVariable = "BULLY_EPOCH"

// runWriter writes to a resource for the reign that it is started in, until it is ended. A refusal does not stop it, as
// it must stop a good writer (R38.4): this one is deaf to all but a signal.
func runWriter(url string) int {
	epoch, err := strconv.ParseUint(os.Getenv(epochVariable), 10, 64)
	if err != nil {
		fmt.Fprintln(os.Stderr, "writer:", err)
		return 1
	}
	for {
		request, err := http.NewRequest(http.MethodPost, url, nil)
		if err != nil {
			return 1
		}
		resource.SetEpoch(request.Header, spec.Epoch(epoch))
		response, err := http.DefaultClient.Do(request)
		if err != nil {
			return 1
		}
		_ = response.Body.Close()
		if err := resource.CheckResponse(response); err != nil && !errors.Is(err, resource.ErrFenced) {
			return 1
		}
		time.Sleep(5 * time.Millisecond)
	}
}

// ledger is a resource that counts its writes.
type ledger struct {
	mu       sync.Mutex
	arrived  []uint64       // the epochs of all writes, in order
	admitted []uint64       // those that were admitted
	refused  map[uint64]int // how many of each epoch
	changed  chan struct{}
}

// serve serves the ledger behind a real fence whose epoch is on disk, and returns its address.
func (l *ledger) serve(t *testing.T) string {
	t.Helper()
	register, err := resource.OpenRegister(t.TempDir())
	require.NoError(t, err)
	guard, err := resource.NewGuard(register)
	require.NoError(t, err)
	l.refused, l.changed = map[uint64]int{}, make(chan struct{})
	fenced := &resource.Handler{Guard: guard, Next: http.HandlerFunc(func(http.ResponseWriter, *http.Request) {})}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		l.mu.Lock() // One at a time, so that admitted has the order of the guard.
		defer l.mu.Unlock()
		answer := httptest.NewRecorder()
		fenced.ServeHTTP(answer, r)
		epoch, _ := strconv.ParseUint(r.Header.Get(resource.EpochHeader), 10, 64)
		l.arrived = append(l.arrived, epoch)
		if answer.Code == http.StatusOK {
			l.admitted = append(l.admitted, epoch)
		} else {
			l.refused[epoch]++
		}
		close(l.changed)
		l.changed = make(chan struct{})
		for key, values := range answer.Header() {
			w.Header()[key] = values
		}
		w.WriteHeader(answer.Code)
	}))
	t.Cleanup(server.Close)
	return server.URL
}

// until waits until a condition of the ledger holds, which is asked after each write.
func (l *ledger) until(t testing.TB, what string, condition func() bool) {
	t.Helper()
	late := within(t, patience)
	for {
		l.mu.Lock()
		met, changed := condition(), l.changed
		l.mu.Unlock()
		if met {
			return
		}
		select {
		case <-changed:
		case <-late.Done():
			l.mu.Lock()
			defer l.mu.Unlock()
			require.Failf(t, "waited for ever", "until %s; admitted were epochs %v, and refused so many of each: %v", what, slices.Compact(slices.Clone(l.admitted)), l.refused)
		}
	}
}

// TestPausedLeader stops the leader in its tracks (SIGSTOP), for longer than its reign can last, and lets it go on. Its
// work has gone on meanwhile, since nobody could end it: all that it wrote once there was another leader was refused.
func TestPausedLeader(t *testing.T) {
	t.Parallel()
	pause := 5 * time.Second // twice as long as a reign that nobody acknowledges
	if os.Getenv("BULLY_SOAK") != "" {
		pause = 10 * time.Second
	}
	var l ledger
	writer := []string{"-move", "--", "env", writerVariable + "=" + l.serve(t), os.Args[0]}
	command := steadyCommand(t, "-preempt", "1s")
	command[slices.Index(command, "run")] = "exec"
	c := bullies(t, Config{Nodes: 5, Command: command, Extra: func(int) []string { return writer }, Traces: true})
	require.NoError(t, c.Start())
	proctest.While(t, "5", current(c, c.IDs()...), func(t *proctest.Attempt, reign proctest.Reign) { l.pausesLeader(t, c, reign.Epoch, pause) })
	l.mu.Lock()
	defer l.mu.Unlock()
	require.True(t, slices.IsSorted(l.admitted), "%s: the epochs of admitted writes went back: %v", spec.NoStaleWrite, slices.Compact(slices.Clone(l.admitted)))
}

// pausesLeader stops node 5, which leads in epoch old, for a time, and sees what becomes of its writes.
func (l *ledger) pausesLeader(t testing.TB, c *Cluster, old uint64, pause time.Duration) {
	l.until(t, fmt.Sprintf("the leader has written in epoch %d", old), func() bool { return slices.Contains(l.admitted, old) })
	paused, err := c.Pause(5)
	require.NoError(t, err)
	defer func() { _, _ = c.Continue(5) }() // again, if this fails before
	next := leads(t, c, 4, old, 1, 2, 3, 4)
	l.until(t, fmt.Sprintf("the next leader, 4, has written in epoch %d", next.Epoch), func() bool { return slices.Max(l.admitted) >= next.Epoch })
	l.until(t, fmt.Sprintf("a late write of epoch %d was refused", old), func() bool { return l.refused[old] > 0 })
	require.NoError(t, sleep(t.Context(), time.Until(paused.Add(pause))))
	l.mu.Lock()
	late := l.refused[old]
	l.mu.Unlock()

	heard := len(c.Events(0))
	_, err = c.Continue(5)
	require.NoError(t, err)
	last := leads(t, c, 5, next.Epoch, c.IDs()...)
	const many = 20
	later := func() []uint64 { // all writes since the first of the reign that the one that was paused has now
		first := slices.IndexFunc(l.arrived, func(epoch uint64) bool { return epoch >= last.Epoch })
		return l.arrived[max(first, 0):]
	}
	l.until(t, fmt.Sprintf("node 5 has written %d times in epoch %d", many, last.Epoch), func() bool { return later()[0] >= last.Epoch && len(later()) > many })
	for _, e := range c.Events(heard) {
		require.False(t, e.Node == 5 && e.Leader == 5 && e.Epoch <= next.Epoch, "node 5 acted in a reign that was over, as 4 led epoch %d: %s", next.Epoch, e)
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	t.Logf("5 was stopped for %s: 4 led after %s; %d writes of epoch %d were refused before it went on, %d after; %d writes admitted in all",
		pause, next.At.Sub(paused), late, old, l.refused[old]-late, len(l.admitted))
	belated := slices.DeleteFunc(slices.Clone(later()), func(epoch uint64) bool { return epoch != old })
	require.LessOrEqual(t, len(belated), 1, "work of epoch %d went on while 5 led epoch %d; one write may have been under way", old, last.Epoch)
}
