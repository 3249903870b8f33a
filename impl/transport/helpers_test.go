package transport

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"net"
	"os"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed-fdf591db/bully/spec"
)

// never is longer than any test runs: what waits so long has not come at once.
const never = time.Hour

// patience is how long a test waits for what must come. Nothing is taken for granted because it did not come sooner.
const patience = 30 * time.Second

var one, two, three, nine = spec.IntegerID(1), spec.IntegerID(2), spec.IntegerID(3), spec.IntegerID(9)

func claim(from, to spec.NodeID, epoch int) spec.Message {
	return spec.Message{Type: spec.Claim, From: from, To: to, Epoch: spec.Epoch(epoch), Question: 1}
}

// A node is what both transports are to a host.
type node interface {
	Send(spec.Message)
	Wake() <-chan struct{}
	Next() (Event, bool)
	Close() error
}

var (
	_ node = (*TCP)(nil)
	_ node = (*Endpoint)(nil)
)

// take returns the events up to and with the first that is wanted.
func take(t *testing.T, n node, wanted func(Event) bool) (events []Event) {
	t.Helper()
	late := time.NewTimer(patience)
	defer late.Stop()
	for {
		if event, ok := n.Next(); ok {
			events = append(events, event)
			if wanted(event) {
				return events
			}
			continue
		}
		select {
		case <-n.Wake():
		case <-late.C:
			if tcp, ok := n.(*TCP); ok {
				t.Logf("%+v", tcp.Stats())
			}
			require.FailNow(t, "what is wanted has not come", "these have: %v", events)
		}
	}
}

// until takes events up to one.
func until(t *testing.T, n node, kind Kind, id spec.NodeID) []Event {
	t.Helper()
	return take(t, n, func(e Event) bool { return e.Kind == kind && e.Node == id })
}

// untilEpoch takes events up to a message.
func untilEpoch(t *testing.T, n node, epoch int) []Event {
	t.Helper()
	return take(t, n, func(e Event) bool { return e.Kind == Received && e.Message.Epoch == spec.Epoch(epoch) })
}

// epochs returns those of the messages of a node.
func epochs(events []Event, from spec.NodeID) (epochs []int) {
	for _, e := range events {
		if e.Kind == Received && e.Node == from {
			epochs = append(epochs, int(e.Message.Epoch))
		}
	}
	return epochs
}

// kinds returns the events that are about links to a node.
func kinds(events []Event, id spec.NodeID) (kinds []Kind) {
	for _, e := range events {
		if e.Kind != Received && e.Node == id {
			kinds = append(kinds, e.Kind)
		}
	}
	return kinds
}

// eventually waits for what can only be looked at, not waited for.
func eventually(t *testing.T, what string, holds func() bool) {
	t.Helper()
	require.Eventually(t, holds, patience, time.Millisecond, "it has not come about: %s", what)
}

// A tcpNet is a cluster over TCP on this machine. Nodes keep their addresses while they do not run.
type tcpNet struct {
	t       testing.TB
	members map[spec.NodeID]string
	change  func(*Config)                 // for all nodes, or nil
	starts  map[spec.NodeID]spec.Question // how often each has started: each start reserves a block of numbers
}

func newTCPNet(t testing.TB, change func(*Config), ids ...spec.NodeID) *tcpNet {
	n := &tcpNet{t: t, members: make(map[spec.NodeID]string), change: change, starts: make(map[spec.NodeID]spec.Question)}
	for _, id := range ids {
		listener := listen(t)
		n.members[id] = listener.Addr().String()
		require.NoError(t, listener.Close()) // a node that does not run refuses
	}
	return n
}

var loopbacks atomic.Uint32

// loopback returns an address of this host that nothing else uses, where there is more than one. What is dialled comes
// from another, so that nobody takes the port of a node that does not run just now.
func loopback() string {
	if runtime.GOOS != "linux" {
		return "127.0.0.1"
	}
	pid, n := os.Getpid(), loopbacks.Add(1)
	return fmt.Sprintf("127.%d.%d.%d", 1+pid%250, 1+pid/250%250, 1+n%250)
}

func listen(t testing.TB) net.Listener {
	listener, err := net.Listen("tcp", loopback()+":0")
	require.NoError(t, err)
	t.Cleanup(func() { listener.Close() })
	return listener
}

// config returns the configuration of a node, with short pauses, and time for a busy machine.
func (n *tcpNet) config(id spec.NodeID) Config {
	c := Config{
		ID: id, Cluster: "test", Members: maps.Clone(n.members), BackoffMin: time.Millisecond, BackoffMax: 20 * time.Millisecond,
		HandshakeTimeout: patience, FrameTimeout: patience, WriteTimeout: patience,
		Record: spec.Durable{Epoch: spec.Epoch(n.starts[id]) << 40, Reserved: n.starts[id] * spec.Block}, // it has promised nothing that the test says
	}
	n.starts[id]++
	if n.change != nil {
		n.change(&c)
	}
	return c
}

// start starts a node. The test stops it.
func (n *tcpNet) start(id spec.NodeID) *TCP { return startTCP(n.t, n.config(id)) }

func startTCP(t testing.TB, c Config) *TCP {
	node, err := NewTCP(c)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, node.Close()) })
	return node
}

// alone starts node 1 of a cluster with 2 and 3, which run only in the test's own hands. It does not dial.
func alone(t testing.TB, change func(*Config)) *TCP {
	c := Config{
		ID: one, Cluster: "test", Listener: listen(t),
		Members: map[spec.NodeID]string{one: "one", two: "two", three: "three"},
		Dial:    neverDial, DialTimeout: never, HandshakeTimeout: patience, FrameTimeout: patience, WriteTimeout: patience,
	}
	if change != nil {
		change(&c)
	}
	return startTCP(t, c)
}

func neverDial(ctx context.Context, _ string) (net.Conn, error) {
	<-ctx.Done()
	return nil, ctx.Err()
}

// connect opens a connection to a node without a word.
func connect(t testing.TB, to *TCP) net.Conn {
	conn, err := net.Dial("tcp", to.Addr().String())
	require.NoError(t, err)
	t.Cleanup(func() { conn.Close() })
	require.NoError(t, conn.SetDeadline(time.Now().Add(patience)))
	return conn
}

// greetAs says hello on a connection, and returns what is answered.
func greetAs(t testing.TB, conn net.Conn, h hello) answer {
	_, err := conn.Write(h.append(nil))
	require.NoError(t, err)
	a, err := readAnswer(conn)
	require.NoError(t, err)
	return a
}

// helloOf returns what a node of fixed members says to node 1.
func helloOf(from spec.NodeID) hello {
	return hello{from: from, to: one, cluster: "test", life: life{boot: 1}}
}

// connectAs opens a connection to node 1 as another member does.
func connectAs(t testing.TB, to *TCP, from spec.NodeID) net.Conn {
	conn := connect(t, to)
	require.Equal(t, welcome, greetAs(t, conn, helloOf(from)).code)
	return conn
}

// write writes messages as frames.
func write(t testing.TB, conn net.Conn, messages ...spec.Message) {
	var frames []byte
	for _, m := range messages {
		var err error
		frames, err = spec.AppendFrame(frames, m)
		require.NoError(t, err)
	}
	_, err := conn.Write(frames)
	require.NoError(t, err)
}

// ends waits until the other end has closed a connection.
func ends(t testing.TB, conn net.Conn) {
	_, err := io.Copy(io.Discard, conn)
	netErr, timeout := err.(net.Error)
	require.False(t, timeout && netErr.Timeout(), "the connection is open still")
}

// A log is what a node has logged.
type log struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (l *log) logger() *slog.Logger { return slog.New(slog.NewTextHandler(l, nil)) }

func (l *log) Write(line []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(line)
}

func (l *log) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.String()
}
