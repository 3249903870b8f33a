// Package deploy has no code: it tests what is in this folder with the programs and libraries that read it.
package deploy

import (
	"context"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed-fdf591db/bully/impl/internal/localcluster"
)

// binary is the command of nodes, built as the Dockerfile builds it: the one program that all tests run.
var binary string

func TestMain(m *testing.M) {
	os.Exit(func() int {
		dir, err := os.MkdirTemp("", "deploy-")
		if err != nil {
			fmt.Println(err)
			return 1
		}
		defer func() { _ = os.RemoveAll(dir) }()
		binary = filepath.Join(dir, "bully")
		if err := build(binary); err != nil {
			fmt.Println(err)
			return 1
		}
		return m.Run()
	}())
}

// patience is how long a test waits for what must come. Nothing is taken for granted because it did not come sooner.
const patience = 3 * time.Minute

func within(t *testing.T) context.Context {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	t.Cleanup(cancel)
	return ctx
}

// command runs the command to its end, and returns what it has printed.
func command(t *testing.T, args ...string) string {
	t.Helper()
	out, err := exec.CommandContext(within(t), binary, args...).CombinedOutput()
	require.NoError(t, err, "bully %s\n%s", strings.Join(args, " "), out)
	return string(out)
}

// certificates returns the flags of each node that has a certificate of a new authority.
func certificates(t *testing.T, nodes int) func(id int) []string {
	t.Helper()
	dir := t.TempDir()
	command(t, "cert", "ca", "-dir", filepath.Join(dir, "ca"))
	of := func(id int) string { return filepath.Join(dir, strconv.Itoa(id)) }
	for id := range nodes {
		command(t, "cert", "node", "-ca", filepath.Join(dir, "ca"), "-cluster", "jobs", "-id", strconv.Itoa(id+1), "-dir", of(id+1))
	}
	return func(id int) []string {
		return []string{"-tls-cert", filepath.Join(of(id), "node.crt"), "-tls-key", filepath.Join(of(id), "node.key"), "-tls-ca", filepath.Join(of(id), "ca.crt")}
	}
}

// cluster returns nodes of a cluster; none runs yet. They are not easily held up, and a leader leads as long as it can.
func cluster(t *testing.T, config localcluster.Config) *localcluster.Cluster {
	t.Helper()
	config.Command = []string{binary, "run", "-cluster", "jobs", "-profile", "busy", "-preempt", "never"}
	c, err := localcluster.New(config)
	require.NoError(t, err)
	t.Cleanup(func() {
		if t.Failed() {
			for _, id := range c.IDs() {
				t.Logf("node %d said:\n%s", id, c.Log(id))
			}
		}
		require.NoError(t, c.Close())
	})
	return c
}

// leads waits until nodes name one leader, in an epoch above one.
func leads(t *testing.T, c *localcluster.Cluster, above uint64, ids ...int) localcluster.Reign {
	t.Helper()
	reign, err := c.Agree(within(t), above, ids...)
	require.NoError(t, err)
	return reign
}

// reserve returns an address of loopback that nobody else is given as long as the test runs.
func reserve(t *testing.T) string {
	t.Helper()
	address, release, err := localcluster.Reserve()
	require.NoError(t, err)
	t.Cleanup(release)
	return address
}

// runs starts a node, waits until it says that it is well, does something with it meanwhile, and stops it: it ends in good order.
func runs(t *testing.T, node *exec.Cmd, address string, meanwhile func()) {
	t.Helper()
	var log strings.Builder
	node.Stderr = &log
	require.NoError(t, node.Start())
	ended := make(chan error, 1)
	go func() { ended <- node.Wait() }()
	defer func() { _ = node.Process.Kill() }()
	well := false
	eventually(t, "the node is well, or has ended", func() bool {
		if len(ended) > 0 {
			return true
		}
		response, err := http.Get("http://" + address + "/healthz")
		if err != nil {
			return false
		}
		well = response.StatusCode == http.StatusOK
		return well && response.Body.Close() == nil
	})
	require.True(t, well, "the node has ended: %s", &log)
	meanwhile()
	require.NoError(t, node.Process.Signal(os.Interrupt))
	require.NoError(t, <-ended)
}
