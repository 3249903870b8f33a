package transport

import (
	"context"
	"io"
	"net"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed-fdf591db/bully/spec"
)

// What a node does not read is dropped, the oldest first; what is kept leaves in one write.
func TestQueueDropsTheOldest(t *testing.T) {
	node, dials := handled(t, func(c *Config) { c.Queue, c.WriteTimeout = 8, never })
	conn := next(t, dials).succeed(t)
	sees(t, node, "Up 2")

	// The first message is being written; the pipe has no room for it.
	node.Send(claim(one, two, 0))
	eventually(t, "it is being written", func() bool { return node.Stats().Links[0].Queued == 0 })
	for i := range 20 {
		node.Send(claim(one, two, 1+i))
	}
	stats := node.Stats().Links[0]
	require.Equal(t, 8, stats.Queued)
	require.Equal(t, uint64(12), stats.Dropped)

	buffer := make([]byte, 100*frameSize)
	n, err := conn.Read(buffer)
	require.NoError(t, err)
	require.Equal(t, framed(claim(one, two, 0)), buffer[:n])
	n, err = conn.Read(buffer)
	require.NoError(t, err)
	var want []byte
	for i := range 8 {
		want = append(want, framed(claim(one, two, 13+i))...)
	}
	require.Equal(t, want, buffer[:n])
	eventually(t, "all is counted", func() bool {
		s := node.Stats()
		return s.Sent == 9 && s.BytesOut == 9*frameSize && s.Dropped == 12 && s.Lost == 0
	})
}

// hasty is a connection whose writes have half a second where others have all of patience.
type hasty struct{ net.Conn }

func (h hasty) SetWriteDeadline(at time.Time) error {
	return h.Conn.SetWriteDeadline(at.Add(500*time.Millisecond - patience))
}

// A connection that takes nothing for too long ends, and what is queued for it is lost.
func TestWriteTimeout(t *testing.T) {
	node, dials := handled(t, func(c *Config) { c.Queue = 8 })
	next(t, dials).succeedBy(t, func(conn net.Conn) net.Conn { return hasty{conn} })
	sees(t, node, "Up 2")
	for i := range 4 {
		node.Send(claim(one, two, i))
	}
	sees(t, node, "Down 2")
	node.Send(claim(one, two, 5))
	conn := next(t, dials).succeed(t)
	sees(t, node, "Up 2")
	read := make(chan spec.Message)
	go func() {
		m, _ := spec.ReadFrame(conn)
		read <- m
	}()
	node.Send(claim(one, two, 6))
	require.Equal(t, claim(one, two, 6), <-read, "what was sent before is lost")
	require.Equal(t, uint64(5), node.Stats().Lost)
}

// The same on sockets: a program that is stopped reads nothing, and its host takes what it has room for.
func TestMemberThatDoesNotRead(t *testing.T) {
	stopped := listen(t)
	n := newTCPNet(t, func(c *Config) {
		c.Members[three] = stopped.Addr().String()
		c.Dial = func(ctx context.Context, address string) (net.Conn, error) {
			conn, err := dialTCP(ctx, nil, address)
			if err != nil || address != stopped.Addr().String() {
				return conn, err
			}
			return hasty{conn}, conn.(*net.TCPConn).SetWriteBuffer(4096)
		}
	}, one, two)
	first, second := n.start(one), n.start(two)
	until(t, first, Up, two)
	until(t, second, Up, one)

	conn, err := stopped.Accept()
	require.NoError(t, err)
	defer conn.Close()
	require.NoError(t, conn.(*net.TCPConn).SetReadBuffer(4096))
	h, err := readHello(conn)
	require.NoError(t, err)
	_, err = conn.Write(answer{code: welcome, node: three, life: life{boot: 1}}.append(nil))
	require.NoError(t, err)

	to := first
	if h.from == two {
		to = second
	}
	other := map[*TCP]*TCP{first: second, second: first}[to]
	until(t, to, Up, three)
	for i, down := 0, false; !down; i++ {
		for range 100 {
			to.Send(claim(h.from, three, 1))
		}
		to.Send(claim(h.from, map[spec.NodeID]spec.NodeID{one: two, two: one}[h.from], i))
		untilEpoch(t, other, i)
		require.LessOrEqual(t, to.Stats().Links[1].Queued, defaultQueue)
		for e, ok := to.Next(); ok; e, ok = to.Next() {
			down = down || e == Event{Kind: Down, Node: three}
		}
	}
	require.NotZero(t, to.Stats().Dropped)
}

// A host that does not call Next costs no more than the newest messages of each node.
func TestInboxIsBounded(t *testing.T) {
	node := alone(t, func(c *Config) { c.Inbox = 8 })
	second, third := connectAs(t, node, two), connectAs(t, node, three)
	write(t, third, claim(three, one, 1))
	eventually(t, "it has come", func() bool { return node.Stats().Received == 1 })
	for i := range 1000 {
		write(t, second, claim(two, one, i))
	}
	eventually(t, "all have come", func() bool { return node.Stats().Received == 1001 })
	stats := node.Stats()
	require.Equal(t, 8, stats.Links[0].Waiting)
	require.Equal(t, uint64(992), stats.Links[0].Overrun)
	require.Equal(t, uint64(1001*frameSize), stats.BytesIn)
	events := untilEpoch(t, node, 999)
	require.Equal(t, []int{992, 993, 994, 995, 996, 997, 998, 999}, epochs(events, two))
	require.Equal(t, []int{1}, epochs(events, three))
}

// Nor does one that sleeps through the ups and downs of a link: the newest tell how things are.
func TestToldIsBounded(t *testing.T) {
	node, dials := handled(t, func(c *Config) { c.BackoffMin, c.BackoffMax = time.Millisecond, time.Millisecond })
	for range 30 {
		conn := next(t, dials).succeed(t)
		eventually(t, "it is open", func() bool { return node.Stats().Links[0].Up })
		require.NoError(t, conn.Close())
		next(t, dials).fail(errRefused)
	}
	next(t, dials).succeed(t)
	eventually(t, "all has happened", func() bool { return node.Stats().Links[0].Up })
	require.Equal(t, uint64(91-maxTold), node.Stats().Untold)
	var events []Event
	for e, ok := node.Next(); ok; e, ok = node.Next() {
		events = append(events, e)
	}
	require.Len(t, events, maxTold)
	slices.Reverse(events)
	require.Equal(t, []Kind{Up, Dead, Down, Up, Dead, Down}, kinds(events[:6], two))
}

// What was sent just before Close still leaves; a node that resigns counts on that.
func TestCloseWritesWhatIsQueued(t *testing.T) {
	for range 10 {
		node, dials := handled(t, nil)
		conn := next(t, dials).succeed(t)
		sees(t, node, "Up 2")
		node.Send(claim(one, two, 1))
		eventually(t, "it is being written", func() bool { return node.Stats().Links[0].Queued == 0 })
		node.Send(claim(one, two, 2))
		closed := make(chan error)
		go func() { closed <- node.Close() }()
		<-node.ctx.Done()
		all, err := io.ReadAll(conn)
		require.NoError(t, err)
		require.Equal(t, append(framed(claim(one, two, 1)), framed(claim(one, two, 2))...), all)
		require.NoError(t, <-closed)
	}
}

// What cannot be sent is counted: each message is in one counter.
func TestUnsent(t *testing.T) {
	node, dials := handled(t, func(c *Config) { c.WriteTimeout = never })
	for _, m := range []spec.Message{
		{}, claim(one, one, 1), claim(one, nine, 1), claim(two, one, 1), claim(three, two, 1),
		{Type: "HELLO", From: one, To: two}, claim(one, two, int(spec.MaxEpoch)+1),
	} {
		node.Send(m)
	}
	require.Equal(t, uint64(7), node.Stats().Unsendable)
	node.Send(claim(one, two, 1))
	require.Equal(t, uint64(1), node.Stats().Lost)

	conn := next(t, dials).succeed(t)
	sees(t, node, "Up 2")
	node.Send(claim(one, two, 2))
	eventually(t, "it is being written", func() bool { return node.Stats().Links[0].Queued == 0 })
	node.Send(claim(one, two, 3))
	node.Send(claim(one, two, 4))
	require.NoError(t, conn.Close())
	sees(t, node, "Down 2")
	eventually(t, "all are lost", func() bool { return node.Stats().Lost == 4 })
	require.Zero(t, node.Stats().Sent)
}

// Close waits for nobody: not for a dial, not for an answer, not for a node that does not read.
func TestCloseIsQuick(t *testing.T) {
	mute := listen(t) // accepts, by the hands of the kernel, and says nothing
	for name, change := range map[string]func(*Config){
		"dialling":       func(*Config) {},
		"no answer":      func(c *Config) { c.Dial = nil; c.Members[two] = mute.Addr().String(); c.Members[three] = "127.0.0.1:1" },
		"accepted mutes": nil,
		"full pipe": func(c *Config) {
			dials := byHand(c)
			c.WriteTimeout = never
			go func() {
				d := next(t, dials)
				here, there := net.Pipe()
				d.result <- dialled{conn: there}
				_, _ = readHello(here)
				_, _ = here.Write(answer{code: welcome, node: two, life: life{boot: 1}}.append(nil))
			}()
		},
	} {
		t.Run(name, func(t *testing.T) {
			node := alone(t, func(c *Config) {
				c.HandshakeTimeout, c.DialTimeout, c.BackoffMin, c.BackoffMax = never, never, never, never
				if change != nil {
					change(c)
				}
			})
			switch name {
			case "accepted mutes":
				connect(t, node)
				connectAs(t, node, two)
				eventually(t, "it is accepted", func() bool { return node.Stats().Pending == 1 })
			case "full pipe":
				until(t, node, Up, two)
				node.Send(claim(one, two, 1))
			default:
				eventually(t, "it dials", func() bool { return node.Stats().Links[0].Dials == 1 })
			}
			closed := make(chan struct{})
			go func() {
				_ = node.Close()
				close(closed)
			}()
			select {
			case <-closed:
			case <-time.After(patience):
				require.Fail(t, "Close hangs")
			}
		})
	}
}
