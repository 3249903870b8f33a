//go:build unix

package main

import (
	"os"
	"regexp"
	"slices"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed-fdf591db/bully/impl/internal/web"
	"github.com/seed-fdf591db/bully/impl/storage"
	"github.com/seed-fdf591db/bully/spec"
)

// TestPoisoned gives all nodes the last epoch that there is, and goes the way that the page says.
func TestPoisoned(t *testing.T) {
	t.Parallel()
	h := fixed(t)
	var members []spec.NodeID
	for _, id := range h.all {
		node, err := spec.ParseNodeID(id)
		require.NoError(t, err)
		members = append(members, node)
		h.service[id].signal(syscall.SIGTERM)
		h.service[id].wait()
	}
	for i, id := range h.all {
		store, err := storage.Open(h.data(id), members[i], members)
		require.NoError(t, err)
		kept, _, err := store.Load()
		require.NoError(t, err)
		require.NoError(t, store.Save(spec.Durable{Epoch: spec.MaxEpoch, Reserved: kept.Reserved}))
		require.NoError(t, store.Close())
		h.serve(id, "start")
	}
	h.run("1", "bully status -http $ALL   # exits with 1, says: the epochs are used up")
	h.rename()
	h.follow("Quorum lost for good, members fixed")
	epoch := h.agree()
	require.Greater(t, epoch, uint64(1_000_000))
	require.Less(t, epoch, uint64(2_000_000))
}

// TestAlertsAreOfMetrics: the page names no metric that a node does not have.
func TestAlertsAreOfMetrics(t *testing.T) {
	t.Parallel()
	var told []string
	for _, f := range slices.Concat(web.Metrics(), web.GroupMetrics(), web.ProcessMetrics()) {
		told = append(told, f.Name)
	}
	text, err := os.ReadFile("../../OPERATING.md")
	require.NoError(t, err)
	named := regexp.MustCompile("`(bully_[a-z_]+)`").FindAllStringSubmatch(string(text), -1)
	require.Greater(t, len(named), 10)
	for _, name := range named {
		require.Contains(t, told, name[1])
	}
}
