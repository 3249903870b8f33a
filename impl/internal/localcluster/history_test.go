package localcluster

import (
	"bytes"
	"errors"
	"fmt"
	"net/http/httptest"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/seed-fdf591db/bully/conformance/history"
	"github.com/seed-fdf591db/bully/impl/internal/proctest"

	"github.com/stretchr/testify/require"
)

// soak returns how many times as long a test must be as it commonly is: three times the environment variable BULLY_SOAK,
// or once.
func soak() int {
	if n, err := strconv.Atoi(os.Getenv("BULLY_SOAK")); err == nil && n > 0 {
		return 3 * n
	}
	return 1
}

// resourceProcess is the process of the resources.
type resourceProcess struct {
	t         *testing.T
	arguments string
	command   *exec.Cmd
}

func (p *resourceProcess) start() {
	p.command = exec.Command(os.Args[0])
	p.command.Env = append(os.Environ(), resourceVariable+"="+p.arguments)
	p.command.Stderr = os.Stderr
	p.command.SysProcAttr = attributes()
	require.NoError(p.t, p.command.Start())
}

func (p *resourceProcess) kill() {
	_ = p.command.Process.Kill()
	_ = p.command.Wait() // it was killed
}

// TestHistory checks what real processes have seen for linearizability: nodes that elect, work of leaders that writes to
// real resources, and readers, while leaders are stopped in their tracks and killed, their work too, and so is the process
// of the resources; and requests and answers are lost.
func TestHistory(t *testing.T) {
	t.Parallel()
	r := &recorder{begin: time.Now(), pids: map[string]int{}, changed: make(chan struct{})}
	server := httptest.NewServer(r)
	t.Cleanup(server.Close)
	addr, release, err := Reserve()
	require.NoError(t, err)
	t.Cleanup(release)
	p := &resourceProcess{t: t, arguments: t.TempDir() + " " + addr}
	p.start()
	t.Cleanup(func() { p.kill() })

	writer := []string{"-move", "--", "env", leaderVariable + "=" + server.URL + " http://" + addr, os.Args[0]}
	command := steadyCommand(t, "-preempt", "400ms")
	command[slices.Index(command, "run")] = "exec"
	c := bullies(t, Config{Nodes: 3, Command: command, Extra: func(int) []string { return writer }, Traces: true})
	require.NoError(t, c.Start())
	stop := make(chan struct{})
	var readers sync.WaitGroup
	for range 2 {
		readers.Go(func() { r.read(c, "http://"+addr, stop) })
	}
	h := histories{t, c, r, 0}
	for range soak() {
		for _, harm := range []func() bool{h.stopNode, h.stopBoth, h.killNode} {
			attempts := 1
			for ; !harm(); attempts++ {
				require.Less(t, attempts, 5, "no leader kept its reign until it was stopped")
			}
		}
		p.kill()
		p.start()
		h.writes()
	}
	close(stop)
	readers.Wait()
	for _, id := range c.IDs() {
		_, err := c.Stop(id)
		require.NoError(t, err)
	}
	h.check()
}

// histories is what is done to the nodes and their work.
type histories struct {
	t     *testing.T
	c     *Cluster
	r     *recorder
	epoch uint64 // of the last reign that was seen
}

// writes waits until somebody leads whom all name, and has written to all resources from now on.
func (h *histories) writes(but ...int) Reign {
	h.t.Helper()
	above := uint64(0)
	if len(but) > 0 {
		above = h.epoch
	}
	now := h.r.now()
	reign, err := h.c.Agree(within(h.t, patience), above, h.c.IDs(but...)...)
	require.NoError(h.t, err)
	h.epoch = max(h.epoch, reign.Epoch)
	for _, name := range resources {
		require.True(h.t, h.r.until(h.t, patience, func(op *history.Op) bool {
			return op.Outcome == history.Done && op.Call > now && op.Resource == name && uint64(op.Epoch) >= reign.Epoch
		}), "waited for ever until a leader writes to %s, after epoch %d", name, reign.Epoch)
	}
	return reign
}

// late waits until the work of a reign that is over has written to all resources from now on, and was refused by the
// fences. It reports whether it has: not if the reign was over, and its work ended, before its node was stopped.
func (h *histories) late(reign Reign) bool {
	h.t.Helper()
	now := h.r.now()
	for _, name := range resources {
		want := history.Fenced
		if name == unfenced {
			want = history.Done
		}
		if !h.r.until(h.t, 10*time.Second, func(op *history.Op) bool {
			return op.Outcome == want && op.Return > now && op.Resource == name && uint64(op.Epoch) == reign.Epoch
		}) {
			return false
		}
	}
	return true
}

// stopNode stops the leader, but not its work, until the next one has written and its own work has tried to.
func (h *histories) stopNode() bool {
	old := h.writes()
	_, err := h.c.Pause(old.Leader)
	require.NoError(h.t, err)
	h.writes(old.Leader)
	late := h.late(old)
	_, err = h.c.Continue(old.Leader)
	require.NoError(h.t, err)
	return late
}

// stopBoth stops the leader and its work, in the middle of what that does, until the next one has written.
func (h *histories) stopBoth() bool {
	old := h.writes()
	h.r.mu.Lock()
	pid := h.r.pids[strconv.Itoa(old.Leader)]
	h.r.mu.Unlock()
	_, err := h.c.Pause(old.Leader)
	require.NoError(h.t, err)
	stopped := proctest.Kill(pid, pauseSignal) == nil // not if another node has written instead
	h.writes(old.Leader)
	late := stopped && proctest.Kill(pid, continueSignal) == nil && h.late(old)
	_, err = h.c.Continue(old.Leader)
	require.NoError(h.t, err)
	return late
}

// killNode kills the leader, and its work with it, and starts it again when the next one has written.
func (h *histories) killNode() bool {
	old := h.writes()
	_, err := h.c.Kill(old.Leader)
	require.NoError(h.t, err)
	h.writes(old.Leader)
	require.NoError(h.t, h.c.Start(old.Leader))
	return true
}

// check checks what was recorded, and what the nodes have written into their traces. The nodes have stopped.
func (h *histories) check() {
	t := h.t
	var merged bytes.Buffer
	_, err := h.c.MergeTraces(&merged)
	require.NoError(t, err)
	traced, err := history.TraceOps(&merged)
	require.NoError(t, err)
	h.judge("traces", traced, 1)

	// What clients saw has another clock than the traces: who led at all is taken from there, at any time.
	all, open := []history.Op{}, []history.Op{}
	for _, op := range traced {
		if op.Kind == history.LedOp {
			op.Call, op.Return = 0, h.r.now()
			all, open = append(all, op), append(open, op)
		}
	}
	outcomes := map[history.Outcome]int{}
	for _, op := range h.r.ops {
		if op.Resource == unfenced {
			open = append(open, op)
			continue
		}
		all = append(all, op)
		outcomes[op.Outcome]++
	}
	h.judge("clients", all, 3)
	t.Logf("of the fenced resources: %d writes done, %d fenced, %d unknown", outcomes[history.Done], outcomes[history.Fenced], outcomes[history.Unknown])
	for _, o := range []history.Outcome{history.Done, history.Fenced, history.Unknown} {
		require.Positive(t, outcomes[o], o)
	}

	// The resource without a fence shows that the checks can fail.
	report, err := history.Check(header(h.c), open, history.Options{})
	require.NoError(t, err)
	for i, want := range []history.Verdict{history.Linearizable, history.Refused, history.Refused} {
		f := report.Findings[i]
		require.Equal(t, want, f.Verdict, f.Explanation)
		t.Logf("without a fence: %s, %d operations: %s in %s %s", f.Check, f.Operations, f.Verdict, f.Took.Round(time.Millisecond), f.Explanation)
	}
}

func header(c *Cluster) history.Header {
	return history.Header{Source: fmt.Sprintf("%d real nodes", len(c.nodes)), Commit: "unknown", Raises: []string{guarded}}
}

// judge sees that a history is linearizable, and that so many of the checks have had something to check. A history that is
// not is kept.
func (h *histories) judge(name string, ops []history.Op, checks int) {
	t := h.t
	report, err := history.Check(header(h.c), ops, history.Options{})
	require.NoError(t, err)
	for _, f := range report.Findings {
		t.Logf("%s: %s, %d operations in %d parts: %s in %s", name, f.Check, f.Operations, f.Parts, f.Verdict, f.Took.Round(time.Millisecond))
		if f.Operations > 0 {
			checks--
		}
	}
	if err := report.Err(); err != nil {
		kept, keepErr := os.CreateTemp("", "history-failed-*.ndjson")
		if keepErr == nil {
			keepErr = errors.Join(history.Write(kept, header(h.c), ops), kept.Close())
			t.Logf("the history is kept (%v): workbench history -html page.html %s", keepErr, kept.Name())
		}
		require.NoError(t, err)
	}
	require.LessOrEqual(t, checks, 0, "checks that had nothing to check")
}
