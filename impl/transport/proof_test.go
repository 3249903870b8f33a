package transport

import (
	"context"
	"fmt"
	"io"
	"net"
	"os"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed-fdf591db/bully/spec"
)

// A dial is one that the node under test has begun, and that the test has in its hands.
type dial struct {
	ctx    context.Context
	result chan<- dialled
}

type dialled struct {
	conn net.Conn
	err  error
}

// byHand makes a node dial node 2 by the hands of the test, and nobody else. It pauses for an hour between dials that
// fail: whatever is dialled again is so at once.
func byHand(c *Config) <-chan dial {
	dials := make(chan dial)
	c.BackoffMin, c.BackoffMax = never, never
	c.DialTimeout = never
	c.Dial = func(ctx context.Context, address string) (net.Conn, error) {
		result := make(chan dialled, 1)
		if address != "two" {
			<-ctx.Done()
			return nil, ctx.Err()
		}
		select {
		case dials <- dial{ctx, result}:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
		select {
		case r := <-result:
			return r.conn, r.err
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
	return dials
}

func handled(t *testing.T, change func(*Config)) (*TCP, <-chan dial) {
	var dials <-chan dial
	node := alone(t, func(c *Config) {
		dials = byHand(c)
		if change != nil {
			change(c)
		}
	})
	return node, dials
}

// next returns the next dial, which must begin without a pause.
func next(t *testing.T, dials <-chan dial) dial {
	t.Helper()
	select {
	case d := <-dials:
		return d
	case <-time.After(patience):
		require.FailNow(t, "it is not dialled")
		return dial{}
	}
}

var errRefused = &net.OpError{Op: "dial", Err: os.NewSyscallError("connect", syscall.ECONNREFUSED)}

func (d dial) fail(err error) { d.result <- dialled{err: err} }

// succeed answers a dial as node 2, and returns its end of the connection.
func (d dial) succeed(t *testing.T) net.Conn {
	return d.succeedBy(t, func(conn net.Conn) net.Conn { return conn })
}

// succeedBy is succeed, where the node is given what is made of its end.
func (d dial) succeedBy(t *testing.T, made func(net.Conn) net.Conn) net.Conn {
	here, there := net.Pipe()
	t.Cleanup(func() { here.Close() })
	d.result <- dialled{conn: made(there)}
	h, err := readHello(here)
	require.NoError(t, err)
	require.Equal(t, two, h.to)
	_, err = here.Write(answer{code: welcome, node: two, life: life{boot: 1}}.append(nil))
	require.NoError(t, err)
	return here
}

// sees takes the next events, which must be these.
func sees(t *testing.T, node *TCP, want ...string) {
	t.Helper()
	for _, w := range want {
		event := take(t, node, func(Event) bool { return true })[0]
		require.Equal(t, w, event.String())
	}
}

// nothing looks that there is no event now. What would have caused it is over.
func nothing(t *testing.T, node *TCP) {
	t.Helper()
	event, ok := node.Next()
	require.False(t, ok, event.String())
}

func TestDeadOnceAnOutage(t *testing.T) {
	var logged log
	node, dials := handled(t, func(c *Config) {
		c.BackoffMin, c.BackoffMax, c.Logger = time.Millisecond, time.Millisecond, logged.logger()
	})
	for i := range 3 {
		for range 3 {
			next(t, dials).fail(errRefused)
		}
		conn := next(t, dials).succeed(t)
		sees(t, node, "Dead 2", "Up 2")
		require.Equal(t, i+1, strings.Count(logged.String(), "dead: its address refuses"), logged.String())
		require.NoError(t, conn.Close())
		sees(t, node, "Down 2")
	}
	require.Equal(t, uint64(0), node.Stats().Untold)
}

// A connection that has ended is dialled again at once.
func TestRedialAtOnce(t *testing.T) {
	var logged log
	node, dials := handled(t, func(c *Config) { c.Logger = logged.logger() })
	for i := range 3 {
		conn := next(t, dials).succeed(t)
		sees(t, node, "Up 2")
		require.NoError(t, conn.Close())
		sees(t, node, "Down 2")
		eventually(t, "that is logged", func() bool { return strings.Count(logged.String(), "msg=disconnected") == i+1 })
	}
	next(t, dials).fail(errRefused)
	sees(t, node, "Dead 2")
}

// Only a refusal proves something.
func TestNoProof(t *testing.T) {
	for name, c := range map[string]struct {
		err    error
		change func(*Config)
	}{
		"reset":       {err: syscall.ECONNRESET},
		"unreachable": {err: syscall.EHOSTUNREACH},
		"time-out":    {err: os.ErrDeadlineExceeded},
		"end":         {err: io.EOF},
		"abandoned":   {err: context.Canceled},
		"switched off": {err: errRefused, change: func(c *Config) {
			c.NoProof = true
		}},
	} {
		t.Run(name, func(t *testing.T) {
			node, dials := handled(t, func(n *Config) {
				n.BackoffMin, n.BackoffMax = time.Millisecond, time.Millisecond
				if c.change != nil {
					c.change(n)
				}
			})
			for range 3 {
				conn := next(t, dials).succeed(t)
				sees(t, node, "Up 2")
				require.NoError(t, conn.Close())
				sees(t, node, "Down 2")
				next(t, dials).fail(c.err)
				next(t, dials).fail(fmt.Errorf("dial: %w", c.err))
			}
			next(t, dials)
			nothing(t, node)
		})
	}
}

// Neither does a connection that is accepted and ends, as it does by the hands of a program that ends: it closes its
// connections and its listener one after the other. It is dialled again soon.
func TestEndOfHandshakeIsNoProof(t *testing.T) {
	node, dials := handled(t, nil)
	conn := next(t, dials).succeed(t)
	sees(t, node, "Up 2")
	require.NoError(t, conn.Close())
	for range 3 {
		here, there := net.Pipe()
		next(t, dials).result <- dialled{conn: there}
		_, err := readHello(here)
		require.NoError(t, err)
		require.NoError(t, here.Close())
	}
	d := next(t, dials)
	sees(t, node, "Down 2")
	nothing(t, node)
	d.fail(errRefused)
	sees(t, node, "Dead 2")
}

// While a connection of the node is open it may have more to say. When that ends it is dialled again at once.
func TestNotDeadWhileHeard(t *testing.T) {
	node, dials := handled(t, nil)
	d := next(t, dials)
	inbound := connectAs(t, node, two)
	write(t, inbound, claim(two, one, 1))
	sees(t, node, "Received 2→1 CLAIM epoch:1 question:1")

	// It was heard when that dial had begun. So another begins, and that is refused while the connection is open.
	d.fail(errRefused)
	again := fmt.Errorf("again: %w", errRefused)
	next(t, dials).fail(again)
	eventually(t, "that is known", func() bool { return node.Stats().Links[0].LastError == again.Error() })
	write(t, inbound, claim(two, one, 2))
	sees(t, node, "Received 2→1 CLAIM epoch:2 question:1")

	write(t, inbound, claim(two, one, 3))
	require.NoError(t, inbound.Close())
	d = next(t, dials)
	sees(t, node, "Received 2→1 CLAIM epoch:3 question:1")
	nothing(t, node)
	d.fail(errRefused)
	sees(t, node, "Dead 2")
	require.True(t, node.Stats().Links[0].Dead, "node 2 is proved dead when its address refuses")
}

// The dial began before the node listened. It has started since, has spoken, and its connection has ended: that may be
// by the way, and the refusal is old.
func TestNotDeadIfHeardSinceTheDial(t *testing.T) {
	for name, say := range map[string][]spec.Message{"hello": nil, "a message": {claim(two, one, 1)}} {
		t.Run(name, func(t *testing.T) {
			node, dials := handled(t, nil)
			d := next(t, dials)
			inbound := connectAs(t, node, two)
			write(t, inbound, say...)
			require.NoError(t, inbound.Close())
			eventually(t, "its end is known", func() bool { s := node.Stats().Links[0]; return s.Received == uint64(len(say)) && !s.Hears })
			d.fail(errRefused)
			d = next(t, dials)
			for _, m := range say {
				sees(t, node, "Received "+m.String())
			}
			nothing(t, node)
			d.fail(errRefused)
			sees(t, node, "Dead 2")
		})
	}
}

// The same on a connection that was open before the dial began.
func TestNotDeadIfAMessageCameSinceTheDial(t *testing.T) {
	node, dials := handled(t, nil)
	d := next(t, dials)
	inbound := connectAs(t, node, two)
	d.fail(errRefused)
	d = next(t, dials)
	write(t, inbound, claim(two, one, 1))
	require.NoError(t, inbound.Close())
	eventually(t, "its end is known", func() bool { s := node.Stats().Links[0]; return s.Received == 1 && !s.Hears })
	d.fail(errRefused)
	d = next(t, dials)
	sees(t, node, "Received 2→1 CLAIM epoch:1 question:1")
	nothing(t, node)
	d.fail(errRefused)
	sees(t, node, "Dead 2")
}

// What was said before the dial began was said by the program that is proved dead: it comes before Dead.
func TestDeadAfterWhatWasHeardBefore(t *testing.T) {
	node, dials := handled(t, nil)
	inbound := connectAs(t, node, two)
	conn := next(t, dials).succeed(t)
	sees(t, node, "Up 2")
	write(t, inbound, claim(two, one, 1), claim(two, one, 2))
	require.NoError(t, inbound.Close())
	eventually(t, "its end is known", func() bool { s := node.Stats().Links[0]; return s.Received == 2 && !s.Hears })
	require.NoError(t, conn.Close())
	next(t, dials).fail(errRefused)
	sees(t, node, "Received 2→1 CLAIM epoch:1 question:1", "Received 2→1 CLAIM epoch:2 question:1", "Down 2", "Dead 2")
}

// A dial is refused while a connection of the node is open yet: it is a proof when that ends, unless something has come of it.
func TestDeadAtTheEndOfItsConnection(t *testing.T) {
	for name, said := range map[string][]spec.Message{"silent": nil, "with a message": {claim(two, one, 1)}} {
		t.Run(name, func(t *testing.T) {
			node, dials := handled(t, nil)
			inbound := connectAs(t, node, two)
			conn := next(t, dials).succeed(t)
			sees(t, node, "Up 2")
			require.NoError(t, conn.Close())
			next(t, dials).fail(errRefused)
			eventually(t, "the refusal is known", func() bool { return node.Stats().Links[0].LastError == errRefused.Error() })
			sees(t, node, "Down 2")
			nothing(t, node)
			write(t, inbound, said...)
			require.NoError(t, inbound.Close())
			if said != nil {
				d := next(t, dials)
				sees(t, node, "Received 2→1 CLAIM epoch:1 question:1")
				nothing(t, node)
				d.fail(errRefused)
			}
			sees(t, node, "Dead 2")
			require.Equal(t, uint64(2+len(said)), node.Stats().Links[0].Dials)
		})
	}
}

// A node that is dead comes back and ends again before it could be dialled: that is another outage.
func TestDeadAgain(t *testing.T) {
	node, dials := handled(t, nil)
	next(t, dials).fail(errRefused)
	sees(t, node, "Dead 2")
	for i := range 3 {
		inbound := connectAs(t, node, two)
		write(t, inbound, claim(two, one, i))
		d := next(t, dials) // at once, because it has come
		eventually(t, "it is heard", func() bool { return node.Stats().Links[0].Received == uint64(i+1) })
		require.NoError(t, inbound.Close())
		d.fail(errRefused)
		next(t, dials).fail(errRefused)
		sees(t, node, fmt.Sprintf("Received 2→1 CLAIM epoch:%d question:1", i), "Dead 2")
	}
}

// The successor of a dead node has connected, but has said nothing yet, when the refusal of its predecessor comes.
// What it then says comes after Dead.
func TestSuccessorComesAfterDead(t *testing.T) {
	node, dials := handled(t, nil)
	d := next(t, dials)
	inbound := connect(t, node)
	eventually(t, "it is accepted", func() bool { return node.Stats().Pending == 1 })
	d.fail(errRefused)
	eventually(t, "the refusal is known", func() bool { return node.Stats().Links[0].Dead })
	require.Equal(t, welcome, greetAs(t, inbound, helloOf(two)).code)
	require.False(t, node.Stats().Links[0].Dead, "a new connection ends the proof of death")
	write(t, inbound, claim(two, one, 1))
	sees(t, node, "Dead 2", "Received 2→1 CLAIM epoch:1 question:1")
}

// A dial that hangs, because a link was cut, is given up when the node is heard again.
func TestHangingDialIsAbandoned(t *testing.T) {
	node, dials := handled(t, func(c *Config) { c.BackoffMin = time.Millisecond })
	d := next(t, dials)
	time.Sleep(2 * time.Millisecond)
	connectAs(t, node, two)
	<-d.ctx.Done()
	next(t, dials).succeed(t)
	sees(t, node, "Up 2")
}

// All addresses of a name must refuse to prove something.
func TestDialEach(t *testing.T) {
	errs := map[string]error{
		"a": errRefused, "b": fmt.Errorf("b: %w", syscall.ECONNREFUSED), "hangs": os.ErrDeadlineExceeded, "listens": nil,
		"::1": syscall.EADDRNOTAVAIL, "127.0.0.1": errRefused, "2001:db8::1": syscall.ENETUNREACH,
	}
	for _, c := range []struct {
		hosts []string
		err   error
	}{
		{[]string{"a", "b"}, syscall.ECONNREFUSED},
		{[]string{"a", "hangs"}, os.ErrDeadlineExceeded},
		{[]string{"hangs", "a"}, os.ErrDeadlineExceeded},
		{[]string{"a", "hangs", "b"}, os.ErrDeadlineExceeded},
		{[]string{"a", "hangs", "listens"}, nil},
		{[]string{"::1", "127.0.0.1"}, syscall.ECONNREFUSED}, // localhost, without IPv6
		{[]string{"127.0.0.1", "::1"}, syscall.ECONNREFUSED},
		{[]string{"::1", "hangs"}, os.ErrDeadlineExceeded},
		{[]string{"::1"}, syscall.EADDRNOTAVAIL},
		{[]string{"a", "2001:db8::1"}, syscall.ENETUNREACH},
		{[]string{"2001:db8::1", "a"}, syscall.ENETUNREACH},
	} {
		ctx, cancel := context.WithTimeout(t.Context(), patience)
		_, err := dialEach(ctx, func(_ context.Context, _, address string) (net.Conn, error) {
			host, _, err := net.SplitHostPort(address)
			require.NoError(t, err)
			return nil, errs[host]
		}, c.hosts, "1")
		cancel()
		require.ErrorIs(t, err, c.err, c.hosts)
		require.Equal(t, c.err == syscall.ECONNREFUSED, refused(err), c.hosts)
	}
}

// The default dial tells a refusal from all else, by number and by name.
func TestDialTCP(t *testing.T) {
	for _, host := range []string{loopback(), "localhost"} {
		listener, err := net.Listen("tcp", net.JoinHostPort(host, "0"))
		require.NoError(t, err)
		_, port, err := net.SplitHostPort(listener.Addr().String())
		require.NoError(t, err)
		address := net.JoinHostPort(host, port)
		conn, err := dialTCP(t.Context(), nil, address)
		require.NoError(t, err)
		require.NoError(t, conn.Close())
		require.NoError(t, listener.Close())
		_, err = dialTCP(t.Context(), nil, address)
		require.True(t, refused(err), err)
	}
	_, err := dialTCP(t.Context(), nil, "no-such-name.invalid:1")
	require.Error(t, err)
	require.False(t, refused(err), "an error of the name server is no refusal")
}
