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
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed-fdf591db/bully/impl/internal/cli"
)

func TestMayOpen(t *testing.T) {
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

// TestRunFewDescriptors lets a node have few files open, and opens more connections to its HTTP server than that: it says so, leads on,
// saves, and answers.
func TestRunFewDescriptors(t *testing.T) {
	c := newCluster(t, 1)
	n := &process{t: t, cmd: exec.Command("/bin/sh", append([]string{"-c", `ulimit -n 80 && exec "$0" "$@"`, os.Args[0], "run"}, c.flags(1)...)...),
		log: &output{}, out: &output{}}
	n.cmd.Env = append(os.Environ(), asCommand+"=1")
	n.cmd.Stderr = n.log
	require.NoError(t, n.cmd.Start())
	t.Cleanup(func() { _ = n.cmd.Process.Kill(); n.wait() })
	epoch := leads(t, c.http[0])
	until(t, "it says that it may have few files", func() bool { return strings.Contains(n.log.String(), "this process may have few files open") })
	for range 200 {
		conn, err := net.DialTimeout("tcp", c.http[0], 10*time.Second)
		require.NoError(t, err)
		t.Cleanup(func() { _ = conn.Close() })
		_, err = conn.Write([]byte("GET /events HTTP/1.1\r\nHost: x\r\n\r\n"))
		require.NoError(t, err)
	}
	until(t, "it is asked to resign, if not the first time", func() bool {
		response, err := http.Post("http://"+c.http[0]+"/resign", "", nil)
		if err != nil {
			return false // it had to give way to another connection
		}
		_ = response.Body.Close()
		return response.StatusCode == http.StatusOK
	})
	until(t, "it leads again", func() bool { return leads(t, c.http[0]) > epoch })
	code, _ := fetch(c.http[0], "/healthz")
	require.Equal(t, http.StatusOK, code)
	n.signal(syscall.SIGTERM)
	require.Equal(t, cli.OK, n.wait())
	require.NotContains(t, n.log.String(), "too many open files")
}
