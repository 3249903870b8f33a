package host_test

import (
	"bytes"
	"context"
	"fmt"
	"net"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed-fdf591db/bully/conformance/check"
	"github.com/seed-fdf591db/bully/impl/bully"
	"github.com/seed-fdf591db/bully/impl/host"
	"github.com/seed-fdf591db/bully/impl/storage"
	"github.com/seed-fdf591db/bully/impl/trace"
	"github.com/seed-fdf591db/bully/impl/transport"
	"github.com/seed-fdf591db/bully/spec"
)

// What is made for a host fits it.
var (
	_ host.Storage   = (*storage.File)(nil)
	_ host.Storage   = (*storage.Memory)(nil)
	_ host.Transport = (*transport.TCP)(nil)
	_ host.Transport = (*transport.Endpoint)(nil)
	_ host.Trace     = (*trace.Recorder)(nil)
)

// real is a node on a real disk and a real network.
type real struct {
	host   *host.Host
	store  *storage.File
	traces *trace.Recorder
	cancel context.CancelFunc
	ended  chan error
}

// startReal starts a node with everything that a program would give it.
func startReal(t *testing.T, me spec.NodeID, addresses map[spec.NodeID]string, listener net.Listener, dir string) *real {
	var members []spec.NodeID
	for i := range uint64(len(addresses)) {
		members = append(members, spec.IntegerID(i+1))
	}
	r := &real{ended: make(chan error, 1)}
	var err error
	r.store, err = storage.Open(dir+"/data-"+me.String(), me, members)
	require.NoError(t, err)
	r.traces, err = trace.NewRecorder(trace.Options{Dir: dir + "/trace", Node: me, Members: members, Host: "test", Commit: "test"})
	require.NoError(t, err)
	promise, _, err := r.store.Load()
	require.NoError(t, err)
	links, err := transport.NewTCP(transport.Config{ID: me, Cluster: "test", Members: addresses, Listener: listener, Record: promise})
	require.NoError(t, err)
	phi, err := host.NewPhi(host.PhiConfig{Heartbeat: host.Local().Heartbeat, Floor: host.Local().Patience})
	require.NoError(t, err)
	r.host, err = host.New(host.Config{
		ID: me, Members: members, Storage: r.store, Transport: links, Timing: host.Local(), Detector: phi, Trace: r.traces,
	})
	require.NoError(t, err)
	var ctx context.Context
	ctx, r.cancel = context.WithCancel(context.Background())
	go func() { r.ended <- r.host.Run(ctx) }()
	return r
}

// stop stops the node in good order.
func (r *real) stop(t *testing.T) {
	r.cancel()
	require.NoError(t, <-r.ended)
	require.NoError(t, r.traces.Close())
	require.NoError(t, r.store.Close())
}

// TestReal: three nodes on real disks, sockets and clocks elect the highest; it stops, another leads, it comes back.
// Nothing here depends on how fast the machine is.
func TestReal(t *testing.T) {
	dir, addresses, listeners := t.TempDir(), map[spec.NodeID]string{}, map[spec.NodeID]net.Listener{}
	for i := range uint64(3) {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		require.NoError(t, err)
		addresses[spec.IntegerID(i+1)], listeners[spec.IntegerID(i+1)] = l.Addr().String(), l
	}
	nodes := map[uint64]*real{}
	for i := uint64(1); i <= 3; i++ {
		nodes[i] = startReal(t, spec.IntegerID(i), addresses, listeners[spec.IntegerID(i)], dir)
	}
	follow := func(leader uint64) {
		t.Helper()
		require.Eventually(t, func() bool {
			for _, node := range nodes {
				if node.host.Status().Leader != spec.IntegerID(leader) {
					return false
				}
			}
			return true
		}, time.Minute, time.Millisecond, fmt.Sprint("all follow ", leader))
	}
	follow(3)
	nodes[3].stop(t)
	delete(nodes, 3)
	follow(2)
	nodes[3] = startReal(t, spec.IntegerID(3), addresses, nil, dir)
	follow(3)
	for i := uint64(1); i <= 3; i++ {
		require.NoError(t, nodes[i].host.Check(t.Context()))
		nodes[i].stop(t)
	}
	files, err := trace.Files(dir + "/trace")
	require.NoError(t, err)
	var merged bytes.Buffer
	_, err = trace.Merging{Step: bully.Replay}.Merge(&merged, files...)
	require.NoError(t, err)
	report, err := check.Trace(&merged, check.Options{Strict: true})
	require.NoError(t, err)
	require.GreaterOrEqual(t, report.Reigns, uint64(3))
}

// BenchmarkHeartbeat is what a heartbeat costs a follower: a HEARTBEAT comes, an ACK leaves, patience begins anew.
func BenchmarkHeartbeat(b *testing.B) {
	links := &fed{wake: make(chan struct{}, 1), in: make(chan spec.Message, 1), out: make(chan spec.Message, 1)}
	one, two := spec.IntegerID(1), spec.IntegerID(2)
	h, err := host.New(host.Config{ID: one, Members: []spec.NodeID{one, two}, Storage: storage.NewMemory(), Transport: links})
	require.NoError(b, err)
	ended := make(chan error)
	go func() { ended <- h.Run(context.Background()) }()
	b.ReportAllocs()
	for asked := spec.Question(1); b.Loop(); asked++ {
		links.in <- spec.Message{Type: spec.Heartbeat, From: two, To: one, Epoch: 1, Question: asked}
		links.wake <- struct{}{}
		<-links.out
	}
	go func() { // it may stand meanwhile
		for range links.out {
		}
	}()
	require.NoError(b, h.Close())
	require.NoError(b, <-ended)
	close(links.out)
}

// fed is a transport that a benchmark feeds.
type fed struct {
	wake    chan struct{}
	in, out chan spec.Message
}

func (f *fed) Send(m spec.Message)   { f.out <- m }
func (f *fed) Wake() <-chan struct{} { return f.wake }
func (f *fed) Close() error          { return nil }

func (f *fed) Next() (transport.Event, bool) {
	select {
	case m := <-f.in:
		return transport.Event{Kind: transport.Received, Node: m.From, Message: m}, true
	default:
		return transport.Event{}, false
	}
}
