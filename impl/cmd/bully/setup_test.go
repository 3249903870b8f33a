//go:build unix

package main

import (
	"fmt"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed-fdf591db/bully/impl/internal/cli"
)

// TestFromFixed takes a cluster of fixed members over into one whose members come and go: epochs go on rising, and members can
// be added.
func TestFromFixed(t *testing.T) {
	t.Parallel()
	old := newCluster(t, 3)
	var nodes []*process
	for id := 1; id <= 3; id++ {
		nodes = append(nodes, old.run(id))
	}
	leads(t, old.http[0])
	for range 3 {
		before := leads(t, old.http[2])
		resign(t, old.http[2])
		until(t, "3 leads again", func() bool { return leads(t, old.http[2]) > before })
	}
	status, _, log := bully(t, "init", "-from-fixed", "-data", old.data[0], "-cluster", "test", "-members", old.members)
	require.Equal(t, cli.Mismatch, status)
	require.Contains(t, log, "is in use")
	epoch := leads(t, old.http[2])
	for _, node := range nodes {
		node.signal(syscall.SIGTERM)
		require.Equal(t, cli.OK, node.wait())
	}

	for id := 1; id <= 3; id++ {
		status, out, log := bully(t, "init", "-from-fixed", "-data", old.data[id-1], "-cluster", "test", "-members", old.members)
		require.Equal(t, cli.OK, status, log)
		require.Contains(t, out, fmt.Sprintf("The members of node %d of cluster test, incarnation ", id))
		require.Contains(t, out, " come and go from now on. Its epoch is ")
		require.Contains(t, out, "with the same -cluster and -members, before you start any.")
	}
	c := newRoaming(t)
	for id := 1; id <= 3; id++ {
		name := fmt.Sprint(id)
		c.http[name] = old.http[id-1]
		c.node[name] = spawn(t, append([]string{"run", "-data", old.data[id-1], "-http", old.http[id-1]}, steady...)...)
	}
	require.Greater(t, leads(t, old.http[0]), epoch, "a new reign")
	four := c.join("4")
	c.run("4")
	until(t, "4 is up", func() bool { code, _ := fetch(c.http["4"], "/healthz"); return code == 200 })
	status, out, log := c.member("add", four)
	require.Equal(t, cli.OK, status, log)
	require.Regexp(t, `(?m)^4 +voter +127`, out)

	c.node["1"].signal(syscall.SIGTERM)
	require.Equal(t, cli.OK, c.node["1"].wait())
	status, _, log = bully(t, "run", "-id", "1", "-cluster", "test", "-members", old.members, "-data", old.data[0])
	require.Equal(t, cli.Mismatch, status)
	require.Contains(t, log, "start the node without a list of members", "there is no way back")
}

// TestFromFixedUsage sees that nothing is taken over that is no such record, and that it then stays as it is.
func TestFromFixedUsage(t *testing.T) {
	t.Parallel()
	c := newCluster(t, 1)
	one := c.run(1)
	leads(t, c.http[0])
	one.signal(syscall.SIGTERM)
	require.Equal(t, cli.OK, one.wait())
	record := filepath.Join(c.data[0], "record")
	before, err := os.ReadFile(record)
	require.NoError(t, err)
	over := func(more ...string) []string {
		return append([]string{"init", "-from-fixed", "-data", c.data[0], "-cluster", "test", "-members", c.members}, more...)
	}
	for _, test := range []struct {
		status int
		want   string
		args   []string
	}{
		{cli.Misused, "-data is missing", []string{"init", "-from-fixed"}},
		{cli.Misused, "-cluster is missing", []string{"init", "-from-fixed", "-data", c.data[0], "-members", c.members}},
		{cli.Misused, "node 1 is at 192.0.2.1:1, which is no loopback address", over("-members", "1=192.0.2.1:1")},
		{cli.Misused, "-members is missing", []string{"init", "-from-fixed", "-data", c.data[0]}},
		{cli.Misused, `unexpected argument "x"`, over("x")},
		{cli.Misused, "is that of node 1, not of 2", over("-id", "2")},
		{cli.Mismatch, "is that of node 1 of [1], and the first configuration is to be", over("-members", c.members+",2=127.0.0.1:1")},
		{cli.Misused, `-cluster: "a b" is not 1 to 64 characters`, over("-cluster", "a b")},
		{cli.Mismatch, "there is none, and no sign that there has been one; make one", over("-data", t.TempDir())},
		{cli.Mismatch, "there is no such folder", over("-data", filepath.Join(t.TempDir(), "none"))},
		{cli.Mismatch, "already; start the node without a list of members", over("-data", newRoaming(t, "1").data("1"))},
	} {
		status, _, log := bully(t, test.args...)
		require.Equal(t, test.status, status, log)
		require.Contains(t, log, test.want)
		after, err := os.ReadFile(record)
		require.NoError(t, err)
		require.Equal(t, before, after)
	}
}
