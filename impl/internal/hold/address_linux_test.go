package hold

import (
	"net"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// between returns both ends of a Unix socket.
func between(t *testing.T) (ours, theirs net.Conn) {
	t.Helper()
	l, err := net.Listen("unix", filepath.Join(t.TempDir(), "s"))
	require.NoError(t, err)
	theirs, err = net.Dial("unix", l.Addr().String())
	require.NoError(t, err)
	ours, err = l.Accept()
	require.NoError(t, err)
	t.Cleanup(func() { _, _, _ = ours.Close(), theirs.Close(), l.Close() })
	return ours, theirs
}

// refuses reports whether an address does.
func refuses(t *testing.T, address string) bool {
	t.Helper()
	conn, err := net.Dial("tcp", address)
	if err == nil {
		require.NoError(t, conn.Close())
		return false
	}
	require.ErrorIs(t, err, syscall.ECONNREFUSED)
	return true
}

// TestLend: whoever it was lent to has the address refuse nobody, though the process that has lent it is no more; until it closes the connection, which it has not read.
func TestLend(t *testing.T) {
	l, err := Listen("127.0.0.1:0")
	require.NoError(t, err)
	address := l.Addr().String()
	ours, theirs := between(t)
	require.NoError(t, l.Lend(ours))
	require.NoError(t, l.TCPListener.Close()) // as the kernel does when a process ends
	require.NoError(t, ours.Close())
	require.False(t, refuses(t, address), "an address that was lent must not refuse")
	waits, err := net.Dial("tcp", address)
	require.NoError(t, err)
	require.NoError(t, theirs.Close())
	require.True(t, refuses(t, address), "an address must refuse when the borrower has closed it")
	require.NoError(t, waits.SetReadDeadline(time.Now().Add(time.Minute)))
	_, err = waits.Read(make([]byte, 1))
	require.ErrorIs(t, err, syscall.ECONNRESET, "who has waited meanwhile is told")
	require.NoError(t, waits.Close())
}

// TestCloseLent: who closes it has nobody listen there, whoever has it; and it can be listened on again.
func TestCloseLent(t *testing.T) {
	l, err := Listen("127.0.0.1:0")
	require.NoError(t, err)
	address := l.Addr().String()
	ours, _ := between(t)
	require.NoError(t, l.Lend(ours))
	require.NoError(t, l.Close())
	require.True(t, refuses(t, address), "an address must refuse when its owner has closed it")
	again, err := Listen(address)
	require.NoError(t, err)
	require.NoError(t, again.Close())
}

// TestLendWrongly: each mistake has its error.
func TestLendWrongly(t *testing.T) {
	_, err := Listen("nowhere")
	require.Error(t, err)
	l, err := Listen("127.0.0.1:0")
	require.NoError(t, err)
	one, other := net.Pipe()
	require.ErrorContains(t, l.Lend(one), "a listener is lent over a Unix socket")
	require.NoError(t, one.Close())
	require.NoError(t, other.Close())
	ours, theirs := between(t)
	require.NoError(t, theirs.Close())
	require.Error(t, l.Lend(ours), "nobody is there")
	require.NoError(t, l.Close())
	require.Error(t, l.Lend(ours))
}
