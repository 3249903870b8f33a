// Package peertest tests nodes of other systems as real processes: the test program is the node.
package peertest

import (
	"context"
	"encoding/json"
	"net/http"
	"os"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed-fdf591db/bully/impl/baselines/peers"
	"github.com/seed-fdf591db/bully/impl/internal/localcluster"
)

// Patience is how long a test waits for what must come. It is far more than a node needs.
const Patience = time.Minute

// asNode makes the processes that a test program starts nodes.
const asNode = "PEERTEST_RUNS_MAIN"

// Main is TestMain of a program. Its tests can start it.
func Main(m *testing.M, program func()) {
	if os.Getenv(asNode) != "" {
		program()
		os.Exit(0)
	}
	_ = os.Setenv(asNode, "yes")
	os.Exit(m.Run())
}

// Cluster is nodes of a test.
type Cluster struct {
	*localcluster.Cluster
	t *testing.T
}

// New returns a cluster of the program under test. No node runs yet.
func New(t *testing.T, nodes int, profile string) Cluster {
	t.Helper()
	return Of(t, localcluster.Config{Nodes: nodes, Command: []string{os.Args[0], "-profile", profile, "-log", "off"}})
}

// Of returns a cluster as the config says.
func Of(t *testing.T, config localcluster.Config) Cluster {
	t.Helper()
	c, err := localcluster.New(config)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, c.Close()) })
	return Cluster{c, t}
}

// Start starts nodes.
func (c Cluster) Start(ids ...int) {
	c.t.Helper()
	require.NoError(c.t, c.Cluster.Start(ids...))
}

// Agree waits until the given nodes name one leader, in an epoch above one.
func (c Cluster) Agree(above uint64, ids ...int) localcluster.Reign {
	c.t.Helper()
	ctx, cancel := context.WithTimeout(c.t.Context(), Patience)
	defer cancel()
	reign, err := c.Cluster.Agree(ctx, above, ids...)
	require.NoError(c.t, err)
	return reign
}

// Wait waits for a condition of what the nodes say.
func (c Cluster) Wait(what string, condition func(localcluster.View) bool) {
	c.t.Helper()
	ctx, cancel := context.WithTimeout(c.t.Context(), Patience)
	defer cancel()
	require.NoError(c.t, c.Cluster.Wait(ctx, what, condition))
}

// Status returns what a node says of itself.
func (c Cluster) Status(id int) (s peers.Status) {
	c.t.Helper()
	response, err := http.Get("http://" + c.HTTP(id) + "/status")
	require.NoError(c.t, err)
	defer response.Body.Close()
	require.Equal(c.t, http.StatusOK, response.StatusCode)
	require.NoError(c.t, json.NewDecoder(response.Body).Decode(&s))
	return s
}

// Healthy waits until a node says that it is well. One that was held up may not be just now.
func (c Cluster) Healthy(id int) {
	c.t.Helper()
	require.Eventually(c.t, func() bool {
		response, err := http.Get("http://" + c.HTTP(id) + "/healthz")
		if err != nil {
			return false
		}
		defer response.Body.Close()
		return response.StatusCode == http.StatusOK
	}, Patience, 10*time.Millisecond, "node %d is not well", id)
}

// Counted waits until a counter of a node is above a number, and returns it.
func (c Cluster) Counted(id int, counter string, above uint64) (n uint64) {
	c.t.Helper()
	require.Eventually(c.t, func() bool {
		n = c.Status(id).Counters[counter]
		return n > above
	}, Patience, 10*time.Millisecond, "%s of node %d stays at %d", counter, id, above)
	return n
}

// Free returns an address of the loopback that nobody else is given as long as the test runs.
func Free(t *testing.T) string {
	t.Helper()
	address, release, err := localcluster.Reserve()
	require.NoError(t, err)
	t.Cleanup(release)
	return address
}

// Leads waits until a node says that it leads, and returns what it says. It waits for what is pushed.
func Leads(t *testing.T, h *peers.Hub) peers.View {
	t.Helper()
	deadline := time.After(Patience)
	for {
		v, changed := h.Current()
		if v.Leading {
			return v
		}
		select {
		case <-changed:
		case <-deadline:
			require.Fail(t, "nobody was told who leads")
		}
	}
}
