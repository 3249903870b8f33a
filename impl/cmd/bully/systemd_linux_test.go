package main

import (
	"errors"
	"net"
	"net/http"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed-fdf591db/bully/impl/internal/cli"
	"github.com/seed-fdf591db/bully/impl/internal/proctest"
)

// systemd is the service manager of a test, as far as a node tells it something.
type systemd struct {
	t       testing.TB
	socket  *net.UnixConn
	address *net.UnixAddr
}

// newSystemd starts to listen to a node.
func newSystemd(t testing.TB) *systemd {
	t.Helper()
	s := &systemd{t: t, address: &net.UnixAddr{Name: filepath.Join(t.TempDir(), "notify"), Net: "unixgram"}}
	var err error
	s.socket, err = net.ListenUnixgram("unixgram", s.address)
	require.NoError(t, err)
	t.Cleanup(func() { _ = s.socket.Close() })
	return s
}

// environment returns the variables of a service that must report every so many microseconds.
func (s *systemd) environment(microseconds string) []string {
	return []string{"NOTIFY_SOCKET=" + s.address.Name, "WATCHDOG_USEC=" + microseconds}
}

// hears returns the next message of the node.
func (s *systemd) hears() string {
	s.t.Helper()
	require.NoError(s.t, s.socket.SetReadDeadline(time.Now().Add(proctest.Patience)))
	message := make([]byte, 100)
	n, err := s.socket.Read(message)
	require.NoError(s.t, err, "the node tells systemd something")
	return string(message[:n])
}

// TestSystemdIsTold hears what a node tells systemd: that it is ready, again and again that it is well, and that it stops.
func TestSystemdIsTold(t *testing.T) {
	t.Parallel()
	for name, more := range map[string][]string{"alone": nil, "with a guard": {"-guard"}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c, systemd := newCluster(t, 1), newSystemd(t)
			n := spawnWith(t, systemd.environment("100000"), append([]string{"run"}, c.flags(1, more...)...)...)
			require.Equal(t, "READY=1\nWATCHDOG=1", systemd.hears())
			for range 20 {
				require.Equal(t, "WATCHDOG=1", systemd.hears())
			}
			n.signal(syscall.SIGTERM)
			require.Equal(t, cli.OK, n.wait())
			last := "WATCHDOG=1"
			for last == "WATCHDOG=1" {
				last = systemd.hears()
			}
			require.Equal(t, "STOPPING=1\nWATCHDOG=1", last)
			code, _ := fetch(c.http[0], "/healthz")
			require.NotEqual(t, http.StatusOK, code)
		})
	}
}

// TestSystemdIsToldOfPrograms: a node that waits for a program is ready, and is not stopping when the program ends.
func TestSystemdIsToldOfPrograms(t *testing.T) {
	t.Parallel()
	c, systemd, programs := newCluster(t, 1), newSystemd(t), filepath.Join(t.TempDir(), "s")
	waits := spawnWith(t, systemd.environment(""), append([]string{"run"}, c.flags(1, "-guard", "-socket", programs)...)...)
	require.Equal(t, "READY=1\nWATCHDOG=1", systemd.hears(), "it waits for a program")
	p := beside(t, programs, "python3", ofAgentPage(t, "python"))
	until(t, "it acts", func() bool { return len(p.acts()) > 0 })
	p.signal(syscall.SIGKILL)
	until(t, "the node ends, and the process waits again", func() bool { return strings.Contains(waits.log.String(), "msg=stopped") })
	waits.signal(syscall.SIGTERM)
	require.Equal(t, cli.OK, waits.wait())
	mark, err := net.DialUnix("unixgram", nil, systemd.address)
	require.NoError(t, err)
	_, err = mark.Write([]byte("that was all"))
	require.NoError(t, errors.Join(err, mark.Close()))
	for said := ""; said != "that was all"; said = systemd.hears() {
		require.NotContains(t, said, "STOPPING", "systemd would end what runs on")
	}
}

// TestSystemdUsage: a node that is told nonsense by systemd says so, and does not run.
func TestSystemdUsage(t *testing.T) {
	t.Parallel()
	c := newCluster(t, 1)
	n := spawnWith(t, []string{"NOTIFY_SOCKET=/no/such/socket", "WATCHDOG_USEC=soon"}, append([]string{"run"}, c.flags(1)...)...)
	require.Equal(t, cli.Mismatch, n.wait())
	require.Contains(t, n.log.String(), `WATCHDOG_USEC="soon" is no number of microseconds`)
}
