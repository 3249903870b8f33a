//go:build unix

package main

import (
	"net"
	"net/http"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed-fdf591db/bully/impl/internal/cli"
)

func TestMayOpen(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		files   uint64
		members int
		http    int
	}{
		{1024, 3, 512}, {52 + 512, 3, 512}, {52 + 511, 3, 511}, {256, 3, 204}, {52 + 9, 3, 9}, {52 + 8, 3, 8}, {52, 3, 8}, {0, 3, 8}, {1024, 64, 512},
	} {
		http, wanted := mayOpen(c.files, c.members)
		require.Equal(t, c.http, http, c)
		require.EqualValues(t, 40+4*c.members+512, wanted)
	}
}

// limited starts a node that a shell has limited.
func (c *cluster) limited(id int, limit string) *process {
	n := newProcess(c.t, exec.Command("/bin/sh", append([]string{"-c", limit + ` && exec "$0" "$@"`, os.Args[0], "run"}, c.flags(id)...)...))
	n.cmd.Env = append(os.Environ(), asCommand+"=1")
	return n.start()
}

// TestRunTooFewDescriptors: a node that could accept no connection does not begin, and says why.
func TestRunTooFewDescriptors(t *testing.T) {
	t.Parallel()
	c := newCluster(t, 3)
	n := c.limited(1, "ulimit -n 51")
	require.Equal(t, cli.Mismatch, n.wait())
	require.Contains(t, n.log.String(), "this process may have 51 files open, and a node of 3 members needs 52: let it have more (ulimit -n, LimitNOFILE=)")
}

// TestRunFewDescriptors lets a node have few files open, and opens more connections to its HTTP server than that: it says so, leads on,
// saves, and answers.
func TestRunFewDescriptors(t *testing.T) {
	t.Parallel()
	c := newCluster(t, 1)
	n := c.limited(1, "ulimit -n 80")
	epoch := leads(t, c.http[0])
	until(t, "it says that it may have few files", func() bool { return strings.Contains(n.log.String(), "this process may have few files open") })
	for range 200 {
		conn, err := net.Dial("tcp", c.http[0])
		require.NoError(t, err)
		t.Cleanup(func() { _ = conn.Close() })
		_, _ = conn.Write([]byte("GET /events HTTP/1.1\r\nHost: x\r\n\r\n")) // it may have given way already
	}
	resign(t, c.http[0])
	until(t, "it leads again", func() bool { return leads(t, c.http[0]) > epoch })
	until(t, "it is well", func() bool { code, _ := fetch(c.http[0], "/healthz"); return code == http.StatusOK })
	n.signal(syscall.SIGTERM)
	require.Equal(t, cli.OK, n.wait())
	require.NotContains(t, n.log.String(), "too many open files")
}
