package transport

import (
	"crypto/tls"
	"io"
	"math/rand/v2"
	"net"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed-fdf591db/bully/impl/internal/bubbletest"
	"github.com/seed-fdf591db/bully/spec"
)

// Pauses double up to the longest, and are jittered by half.
func TestBackoff(t *testing.T) {
	c, err := Config{ID: one, Cluster: "test", Members: map[spec.NodeID]string{one: "127.0.0.1:0"}, Rand: rand.New(rand.NewPCG(1, 2))}.complete()
	require.NoError(t, err)
	for failures, want := range map[int]int{0: 25, 1: 25, 2: 50, 3: 100, 4: 200, 5: 400, 6: 500, 7: 500, 1000: 500} {
		least, most := time.Hour, time.Duration(0)
		for range 1000 {
			pause := backoff(c, failures)
			least, most = min(least, pause), max(most, pause)
		}
		whole := time.Duration(want) * time.Millisecond
		require.LessOrEqual(t, whole/2, least, failures)
		require.Greater(t, whole*6/10, least, failures)
		require.GreaterOrEqual(t, whole, most, failures)
		require.Less(t, whole*9/10, most, failures)
	}
	c.BackoffMin, c.BackoffMax = 1, 1
	require.GreaterOrEqual(t, backoff(c, 1), time.Millisecond/2, "never a busy loop")
}

// deaf is a connection that is gone when it is written to.
type deaf struct{ net.Conn }

func (deaf) SetDeadline(time.Time) error { return nil }
func (deaf) Write([]byte) (int, error)   { return 0, io.ErrClosedPipe }
func (deaf) Read([]byte) (int, error)    { return 0, io.EOF }

// A node that cannot be greeted is not waited for.
func TestCannotGreet(t *testing.T) {
	c, err := Config{ID: one, Cluster: "test", Members: map[spec.NodeID]string{one: "127.0.0.1:0"}}.complete()
	require.NoError(t, err)
	for _, l := range []*link{{node: two}, {node: two, tls: &tls.Config{ServerName: "2"}}} {
		_, err = (&TCP{config: c}).greet(l, way{}, deaf{})
		require.Equal(t, io.ErrClosedPipe, err)
	}
}

// The pause grows with each dial that fails, and is short again after one that did not, or when the node is known to be there.
func TestPauseGrows(t *testing.T) {
	bubbletest.Run(t, func(t *testing.T) {
		c, err := Config{ID: one, Cluster: "test", Members: map[spec.NodeID]string{one: "127.0.0.1:0"}, Rand: rand.New(rand.NewPCG(1, 2))}.complete()
		require.NoError(t, err)
		node, l := &TCP{config: c, ctx: t.Context()}, &link{kick: make(chan struct{}, 1)}
		pause := func(err error) time.Duration {
			begin := time.Now()
			require.True(t, node.pause(l, err), "the pause ends before its context")
			return time.Since(begin)
		}
		grows := func() {
			for range 4 {
				pause(errRefused)
			}
			require.GreaterOrEqual(t, pause(errRefused), c.BackoffMin*8)
		}
		grows()
		require.Zero(t, pause(nil), "a connection has ended")
		require.LessOrEqual(t, pause(errRefused), c.BackoffMin)
		grows()
		l.dialNow()
		require.Zero(t, pause(errRefused), "a new one has come")
		require.LessOrEqual(t, pause(errRefused), c.BackoffMin)
	})
}

// One may be in haste so often, and then once in a while.
func TestHaste(t *testing.T) {
	var h haste
	now := time.Now()
	spend := func() (n int) {
		for ; h.left(now); n++ {
			h.spend()
		}
		return n
	}
	require.Equal(t, maxHaste, spend())
	for _, n := range []int{1, 2, 5} {
		now = now.Add(time.Duration(n) * hasteEvery)
		require.Equal(t, n, spend())
	}
	for range 4 { // to ask whether any is left costs nothing of what is earned meanwhile
		now = now.Add(hasteEvery / 4)
		h.left(now)
	}
	require.Equal(t, 1, spend())
	now = now.Add(time.Hour)
	require.Equal(t, maxHaste, spend())
}

// A connection ends what was counted against the node: else one that restarts often is waited for ever longer.
func TestConnectedIsForgiven(t *testing.T) {
	c, err := Config{ID: one, Cluster: "test", Members: map[spec.NodeID]string{one: "127.0.0.1:0"}}.complete()
	require.NoError(t, err)
	l := &link{pace: pace{failures: 3, ends: dyingTries}}
	require.True(t, (&TCP{config: c, ctx: t.Context()}).pause(l, nil), "the pause ends before its context")
	require.Zero(t, l.pace.failures)
	require.Zero(t, l.pace.ends)
}

func TestLimiter(t *testing.T) {
	q := limiter{burst: 10, every: time.Second}
	now := time.Now()
	pass := func() (n int) {
		for range 100 {
			if q.allow(now) {
				n++
			}
		}
		return n
	}
	require.Equal(t, 10, pass())
	now = now.Add(3 * time.Second)
	require.Equal(t, 3, pass())
	now = now.Add(time.Hour)
	require.Equal(t, 10, pass())
}

// A connection that opens and ends, over and over, is not dialled in a busy loop.
func TestConnectionsThatEndKeepNobodyBusy(t *testing.T) {
	node, dials := handled(t, func(c *Config) { c.BackoffMin, c.BackoffMax = 2*hasteEvery, 2*hasteEvery })
	begin := time.Now()
	for range maxHaste + 20 {
		conn := next(t, dials).succeed(t)
		until(t, node, Up, two)
		require.NoError(t, conn.Close())
	}
	// Each dial beyond those in hand has waited, or was earned by the wait of another.
	require.GreaterOrEqual(t, time.Since(begin), 9*hasteEvery)
}

// Nor is one that ends in the handshake: that a program is ending explains only so many.
func TestHandshakesThatEndKeepNobodyBusy(t *testing.T) {
	_, dials := handled(t, func(c *Config) { c.BackoffMin, c.BackoffMax = 100*time.Millisecond, 100*time.Millisecond })
	begin := time.Now()
	for range dyingTries + 5 {
		next(t, dials).fail(io.EOF)
	}
	require.GreaterOrEqual(t, time.Since(begin), 4*50*time.Millisecond)
}

// Two programs with one id, and copies of one record, replace each other's connections, and do not do so without a pause.
func TestTwins(t *testing.T) {
	n := newTCPNet(t, func(c *Config) {
		if c.ID == two {
			c.Listener, c.Record = listen(t), spec.Durable{}
			c.BackoffMin, c.BackoffMax = 10*time.Millisecond, 10*time.Millisecond
		}
	}, one, two)
	begin := time.Now()
	node := n.start(one)
	twins := []*TCP{n.start(two), n.start(two)}
	eventually(t, "they replace each other", func() bool { return node.Stats().Links[0].Replaced > 3*maxHaste })
	connections := node.Stats().Accepted
	elapsed := time.Since(begin)
	// In a row: those in hand, and then the pauses, of 5 ms at the least, of each.
	require.LessOrEqual(t, connections, uint64(2*(maxHaste+2+int(elapsed/(5*time.Millisecond))+int(elapsed/hasteEvery))))
	for _, twin := range twins {
		require.NotZero(t, twin.Stats().Links[0].Dials)
	}
}

// A node that is restarted gets nothing of what was sent to its predecessor, by whoever was quicker.
func TestRestartedNodeHearsNothingOld(t *testing.T) {
	n := newTCPNet(t, nil, one, two)
	sender := n.start(one)
	epoch := 0
	for range 20 {
		receiver := n.start(two)
		started := epoch
		for got := false; !got; {
			epoch++
			sender.Send(claim(one, two, epoch)) // lost, unless it is connected
			if e, ok := receiver.Next(); ok && e.Kind == Received {
				require.Greater(t, int(e.Message.Epoch), started)
				got = true
			}
		}
		require.NoError(t, receiver.Close())
		for range 100 {
			epoch++
			sender.Send(claim(one, two, epoch))
		}
	}
	require.NotZero(t, sender.Stats().Lost)
}

// What comes on a connection that this node has dialled is a fault of the other end.
func TestNothingComesBack(t *testing.T) {
	node, dials := handled(t, nil)
	conn := next(t, dials).succeed(t)
	sees(t, node, "Up 2")
	_, err := io.WriteString(conn, "x")
	require.NoError(t, err)
	sees(t, node, "Down 2")
	require.Contains(t, node.Stats().Links[0].LastError, "not for that")
	next(t, dials)
}
