//go:build unix

package transport

import (
	"fmt"
	"net"
	"runtime"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed-fdf591db/bully/spec"
)

// Ten thousand connections of non-members: those that say nothing, those that say something else, those that begin as a
// member does. The cluster goes on; no connection of a member ends; memory stays where it is.
func TestFlood(t *testing.T) {
	connections := 10_000
	var limit syscall.Rlimit
	require.NoError(t, syscall.Getrlimit(syscall.RLIMIT_NOFILE, &limit))
	if most := int(limit.Cur) - 500; most < connections {
		t.Logf("%d connections, because there may be no more than %d files", most, limit.Cur)
		connections = most
	}
	n := newTCPNet(t, nil, one, two, three)
	nodes := map[spec.NodeID]*TCP{one: n.start(one), two: n.start(two), three: n.start(three)}
	for id, node := range nodes {
		up := 0
		take(t, node, func(e Event) bool {
			if e.Kind == Up {
				up++
			}
			require.NotEqual(t, id, e.Node)
			return up == 2
		})
	}
	before, goroutines := heap(), runtime.NumGoroutine()
	sayings := [][]byte{nil, []byte("GET / HTTP/1.1\r\n\r\n"), []byte("BULLY"), helloOf(two).append(nil)[:30], helloOf(nine).append(nil)}
	open := make([]net.Conn, 0, connections)
	t.Cleanup(func() {
		for _, conn := range open {
			conn.Close()
		}
	})
	for i := range connections {
		conn, err := net.Dial("tcp", n.members[one])
		require.NoError(t, err)
		open = append(open, conn)
		_, _ = conn.Write(sayings[i%len(sayings)])
		if i%100 == 0 {
			nodes[two].Send(claim(two, one, i))
			nodes[one].Send(claim(one, three, i))
			require.Len(t, untilEpoch(t, nodes[one], i), 1)
			require.Len(t, untilEpoch(t, nodes[three], i), 1)
			eventually(t, "there are few goroutines", func() bool { return runtime.NumGoroutine() <= goroutines+defaultPending+10 })
			require.LessOrEqual(t, nodes[one].Stats().Pending, defaultPending)
		}
	}
	require.Less(t, heap()-before, int64(4<<20)+int64(connections)*300, "300 bytes are what the test holds of each")
	eventually(t, "all have been accepted", func() bool { return nodes[one].Stats().Accepted >= uint64(connections)+2 })
	stats := nodes[one].Stats()
	for _, l := range stats.Links {
		require.True(t, l.Up && l.Hears, l)
		require.Zero(t, l.Replaced)
	}
	require.Zero(t, stats.AcceptErrors)
	t.Logf("%d evicted, %d refused as non-members", stats.Evicted, stats.Refused[nonMemberRefusal])
	// A member gets through at once still.
	require.NoError(t, nodes[two].Close())
	until(t, nodes[one], Dead, two)
	n.start(two)
	until(t, nodes[one], Up, two)
}

func heap() int64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapInuse)
}

// There are never more pending connections than allowed; the oldest gives way.
func TestOldestPendingGivesWay(t *testing.T) {
	node := alone(t, func(c *Config) { c.MaxPending, c.HandshakeTimeout = 2, never })
	member := connectAs(t, node, two)
	first := connect(t, node)
	eventually(t, "it is accepted", func() bool { return node.Stats().Accepted == 2 })
	second, third := connect(t, node), connect(t, node)
	ends(t, first)
	eventually(t, "the third is accepted", func() bool { return node.Stats().Accepted == 4 })
	require.Equal(t, 2, node.Stats().Pending)
	require.Equal(t, uint64(1), node.Stats().Evicted)
	require.Equal(t, welcome, greetAs(t, second, helloOf(three)).code)
	connect(t, node)
	eventually(t, "the fourth is accepted", func() bool { return node.Stats().Accepted == 5 })
	require.Equal(t, nonMemberRefusal, greetAs(t, third, helloOf(nine)).code, "a member does not count any more")
	write(t, member, claim(two, one, 1))
	untilEpoch(t, node, 1)
}

// A failing listener fails as often as it is asked.
type failingListener struct {
	net.Listener
	err   error
	fails atomic.Int64 // so often
	asked atomic.Int64
}

func (f *failingListener) Accept() (net.Conn, error) {
	f.asked.Add(1)
	if f.fails.Add(-1) >= 0 {
		return nil, fmt.Errorf("accept: %w", f.err)
	}
	return f.Listener.Accept()
}

// When there are no files left, connections go on, and nobody is kept busy.
func TestAcceptFails(t *testing.T) {
	listener := &failingListener{Listener: listen(t), err: syscall.EMFILE}
	var logged log
	node := alone(t, func(c *Config) { c.Listener, c.Logger, c.HandshakeTimeout = listener, logged.logger(), never })
	member := connectAs(t, node, two)
	mute := connect(t, node)
	eventually(t, "it is accepted", func() bool { return node.Stats().Pending == 1 })

	listener.fails.Store(4)
	begin := time.Now()
	connect(t, node) // wakes the one call that waits
	ends(t, mute)    // its file is of more use to others
	write(t, member, claim(two, one, 1))
	untilEpoch(t, node, 1)
	connectAs(t, node, three)
	require.GreaterOrEqual(t, time.Since(begin), 75*time.Millisecond, "pauses of 5, 10, 20 and 40 ms")
	require.Equal(t, uint64(4), node.Stats().AcceptErrors)
	require.Contains(t, node.Stats().LastAcceptError, "too many open files")
	require.Contains(t, logged.String(), "cannot accept connections")

	// The listener is closed by somebody else.
	require.NoError(t, listener.Close())
	eventually(t, "that is known", func() bool { return node.Stats().AcceptErrors > 5 })
	begin, asked := time.Now(), listener.asked.Load()
	eventually(t, "it is asked again and again", func() bool { return listener.asked.Load() >= asked+4 })
	require.GreaterOrEqual(t, time.Since(begin), 140*time.Millisecond, "three whole pauses, of 20, 40 and 80 ms at least")
	require.True(t, node.Stats().Links[0].Hears, "the connection must stay when no file is left for others")
}
