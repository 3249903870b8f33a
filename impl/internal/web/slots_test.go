package web

import (
	"bufio"
	"context"
	"io"
	"net"
	"net/http"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed-fdf591db/bully/spec"
)

// dialOnly opens a connection to a server, and sends a text.
func dialOnly(t *testing.T, url, text string) net.Conn {
	t.Helper()
	c, err := net.Dial("tcp", strings.TrimPrefix(url, "http://"))
	require.NoError(t, err)
	t.Cleanup(func() { _ = c.Close() })
	_, err = io.WriteString(c, text)
	require.NoError(t, err)
	return c
}

// TestIdleGiveWay opens many times as many connections as there are slots, and asks nothing on them, or half of something: whoever asks
// is answered at once.
func TestIdleGiveWay(t *testing.T) {
	url, _ := serve(t, newLeader(time.Hour), func(c *Config) { c.Most = 4 })
	begin := time.Now()
	for range 10 {
		var all []net.Conn
		for _, text := range []string{"", "GET /", "GET / HTTP/1.1\r\nHost: x\r\n", "GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n"} {
			all = append(all, dialOnly(t, url, text))
		}
		code, _, _ := get(t, url+"/leading")
		require.Equal(t, http.StatusOK, code)
		http.DefaultClient.CloseIdleConnections()
		for _, c := range all[:1] {
			_ = c.Close()
		}
	}
	require.Less(t, time.Since(begin), 9*patience, "nobody waited for one of them to give up, which takes so long once in each round")
}

// noFiles is a listener of a process that may open no more files.
type noFiles struct{ net.Listener }

func (noFiles) Accept() (net.Conn, error) { return nil, syscall.EMFILE }

// TestNoFiles: who cannot accept for want of a file closes the oldest connection that nothing is asked on.
func TestNoFiles(t *testing.T) {
	s := &slots{Listener: noFiles{}, most: 4}
	for range 3 {
		here, there := net.Pipe()
		t.Cleanup(func() { _, _ = here.Close(), there.Close() })
		s.open = append(s.open, &slot{Conn: here, slots: s})
	}
	at, idle, last := s.open[0], s.open[1], s.open[2]
	at.setActive(true) // it is being served
	_, err := s.Accept()
	require.ErrorIs(t, err, syscall.EMFILE)
	require.Equal(t, []*slot{at, last}, s.open)
	_, err = idle.Write([]byte("x"))
	require.ErrorIs(t, err, io.ErrClosedPipe)
}

// closing is a connection that the server is closing.
type closing struct{ net.Conn }

func (closing) Close() error { return net.ErrClosed }

// TestIdleEndsMeanwhile: a connection that ends by itself while it gives way makes room like any other.
func TestIdleEndsMeanwhile(t *testing.T) {
	s := &slots{most: 1}
	ends := &slot{Conn: closing{}, slots: s}
	s.open = []*slot{ends}
	require.True(t, s.room(), "the first connection has room")
	require.Empty(t, s.open)
	require.ErrorIs(t, ends.Close(), net.ErrClosed)
	require.True(t, s.room(), "a connection that has ended makes room")
}

// TestStreamsHaveHalf fills all slots for streams with listeners that read nothing: others are answered, and one listener more is told
// to come again.
func TestStreamsHaveHalf(t *testing.T) {
	url, _ := serve(t, newLeader(time.Hour), func(c *Config) { c.Most = 8 })
	var listeners []net.Conn
	for k := range 4 {
		c := dialOnly(t, url, "GET "+[]string{"/events", "/steps"}[k%2]+" HTTP/1.1\r\nHost: x\r\n\r\n")
		line, err := bufio.NewReader(c).ReadString('\n')
		require.NoError(t, err)
		require.Contains(t, line, "200")
		listeners = append(listeners, c)
	}
	for range 20 {
		response, err := http.ReadResponse(bufio.NewReader(dialOnly(t, url, "GET /events HTTP/1.1\r\nHost: x\r\n\r\n")), nil)
		require.NoError(t, err)
		require.Equal(t, http.StatusServiceUnavailable, response.StatusCode)
		require.Equal(t, "1", response.Header.Get("Retry-After"))
		require.True(t, response.Close, "a refused stream must be closed")
		for _, path := range []string{"/healthz", "/leader", "/leading"} {
			code, _, _ := get(t, url+path)
			require.Equal(t, http.StatusOK, code, path)
		}
	}
	for _, c := range listeners { // who leaves makes room for another, though the server hears of it later
		require.NoError(t, c.Close())
		require.Eventually(t, func() bool {
			response, err := http.ReadResponse(bufio.NewReader(dialOnly(t, url, "GET /steps HTTP/1.1\r\nHost: x\r\n\r\n")), nil)
			return err == nil && response.StatusCode == http.StatusOK
		}, 30*time.Second, time.Millisecond)
	}
}

// stuck is a node that takes its time to resign.
type stuckNode struct {
	*fake
	asks, free chan struct{}
}

func (s *stuckNode) HandOver(ctx context.Context, _ spec.NodeID, _ time.Duration) error {
	return s.Resign(ctx)
}

func (s *stuckNode) Resign(ctx context.Context) error {
	s.asks <- struct{}{}
	<-s.free
	return nil
}

// TestAllAtWork fills all slots with requests that wait for the node: one more is told so, and none of them is cut off.
func TestAllAtWork(t *testing.T) {
	n := &stuckNode{newLeader(time.Hour), make(chan struct{}), make(chan struct{})}
	url, _ := serveNode(t, n, NewEvents(three, nil), func(c *Config) { c.Most = 2 })
	var waiting []net.Conn
	for range 2 {
		waiting = append(waiting, dialOnly(t, url, "POST /resign HTTP/1.1\r\nHost: x\r\nContent-Length: 0\r\n\r\n"))
		<-n.asks
	}
	answer, err := io.ReadAll(dialOnly(t, url, ""))
	require.NoError(t, err)
	require.Equal(t, tooMany, string(answer))
	head, body, _ := strings.Cut(tooMany, "\r\n\r\n")
	require.Contains(t, head, "Content-Length: "+"51")
	require.Len(t, body, 51)
	close(n.free)
	for _, c := range waiting {
		line, err := bufio.NewReader(c).ReadString('\n')
		require.NoError(t, err)
		require.Contains(t, line, "200")
	}
}
