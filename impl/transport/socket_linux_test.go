package transport

import (
	"net"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// Both ends of a connection are set up to notice its end; one that is no TCP connection is left alone.
func TestTune(t *testing.T) {
	here, there := net.Pipe()
	tune(here, time.Second)
	require.NoError(t, here.Close())
	require.NoError(t, there.Close())

	var dialled net.Conn
	nodes := make(chan net.Conn, 1)
	first := alone(t, func(c *Config) {
		c.UserTimeout = 1500 * time.Millisecond
		c.Listener = keeping{c.Listener, nodes}
	})
	dialled = connectAs(t, first, two)
	accepted := <-nodes
	eventually(t, "it is tuned", func() bool { return option(t, accepted, syscall.IPPROTO_TCP, tcpUserTimeout) == 1500 })
	require.Equal(t, 1, option(t, accepted, syscall.IPPROTO_TCP, syscall.TCP_NODELAY))
	require.Equal(t, 1, option(t, accepted, syscall.SOL_SOCKET, syscall.SO_KEEPALIVE))
	require.Equal(t, 1, option(t, accepted, syscall.IPPROTO_TCP, syscall.TCP_KEEPIDLE))
	require.Equal(t, 1, option(t, accepted, syscall.IPPROTO_TCP, syscall.TCP_KEEPINTVL))
	require.Equal(t, 2, option(t, accepted, syscall.IPPROTO_TCP, syscall.TCP_KEEPCNT))

	require.Zero(t, option(t, dialled, syscall.IPPROTO_TCP, tcpUserTimeout))
	tune(dialled, 10*time.Second)
	require.Equal(t, 10_000, option(t, dialled, syscall.IPPROTO_TCP, tcpUserTimeout))
	require.Equal(t, 10, option(t, dialled, syscall.IPPROTO_TCP, syscall.TCP_KEEPCNT))
}

func option(t *testing.T, conn net.Conn, level, name int) (value int) {
	raw, err := conn.(syscall.Conn).SyscallConn()
	require.NoError(t, err)
	var failed error
	require.NoError(t, raw.Control(func(fd uintptr) { value, failed = syscall.GetsockoptInt(int(fd), level, name) }))
	require.NoError(t, failed)
	return value
}
