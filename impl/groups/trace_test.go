package groups_test

import (
	"errors"
	"io"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed-fdf591db/bully/conformance/check"
	"github.com/seed-fdf591db/bully/impl/host"
	"github.com/seed-fdf591db/bully/spec"
)

// traced are elections whose steps are checked while they are taken, each as the trace of one election: by the rules, which say among others how a configuration changes (R47), and by all promises. No
// rule speaks of two elections, so nothing is asked of them together. OneActing is asked of the fences: a step that ends a reign is in the trace when it is on disk, and others may act before that.
type traced struct {
	t        *testing.T
	changing bool
	members  []spec.NodeID // who is ever a member

	mu  sync.Mutex
	all map[string]*election
}

// own is what the cluster's own election is known by, beside groups.
const own = ""

func newTraced(t *testing.T, changing bool, members []spec.NodeID) *traced {
	c := &traced{t: t, changing: changing, members: members, all: map[string]*election{}}
	t.Cleanup(c.close)
	return c
}

// of returns the trace of a node in an election.
func (c *traced) of(id spec.NodeID, name string) host.Trace {
	c.mu.Lock()
	defer c.mu.Unlock()
	e := c.all[name]
	if e == nil {
		r, w := io.Pipe()
		e = &election{to: w, out: spec.NewTraceWriter(w, spec.Header{Changing: c.changing, Members: c.members, Commit: "none"}), kept: map[spec.NodeID]*spec.Event{}, over: make(chan struct{})}
		go func() {
			defer close(e.over)
			e.report, e.err = check.Trace(r, check.Options{Strict: true})
			_ = r.CloseWithError(errors.Join(e.err, io.ErrClosedPipe))
		}()
		c.all[name] = e
	}
	return &record{e, id}
}

func (c *traced) close() {
	for _, e := range c.all {
		_ = e.to.Close()
		<-e.over
	}
}

// check returns what the traces come to, when all nodes have stopped.
func (c *traced) check() (events, reigns uint64, changes uint64) {
	c.close()
	for name, e := range c.all {
		require.NoError(c.t, e.err, "group %q", name)
		events, reigns, changes = events+e.report.Events, reigns+e.report.Reigns, changes+e.report.Actions[spec.ChangeAction]
	}
	return events, reigns, changes
}

// election is the trace of one election, in the order in which its nodes take steps.
type election struct {
	mu     sync.Mutex
	to     *io.PipeWriter
	out    *spec.TraceWriter
	seq    uint64
	kept   map[spec.NodeID]*spec.Event // the crash that is to be told when the node ends; none of one that is down
	over   chan struct{}
	report check.Report
	err    error
}

// record is what one node adds to it. Where members are fixed the node is known by its rank there.
type record struct {
	*election
	node spec.NodeID
}

func (r *record) Record(e *spec.Event) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.node = e.Node
	crash := spec.Event{Node: r.node, Action: spec.CrashAction, State: check.Survivor(e.State.Durable())}
	r.kept[r.node] = &crash
	return r.write(e)
}

// Stopped tells of a crash: of the node, or in one group (R4).
func (r *record) Stopped() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	crash := r.kept[r.node]
	if crash == nil {
		return nil
	}
	delete(r.kept, r.node)
	return r.write(crash)
}

func (e *election) write(one *spec.Event) error {
	e.seq++
	one.Seq = e.seq
	return errors.Join(e.out.Write(one), e.out.Flush())
}
