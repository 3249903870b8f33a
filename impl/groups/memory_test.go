package groups_test

import (
	"context"
	"runtime"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed-fdf591db/bully/spec"
	"github.com/seed-fdf591db/bully/spec/slowtest"
)

// A group costs a node so many bytes at most where members change, all that the node has for it counted: with ten thousand a node is to have less than 100 MiB, of which the collector takes half.
func TestMemoryOfAGroup(t *testing.T) {
	slowtest.Only(t, "it measures the memory of 5,000 groups")
	const most = 3300
	virtually(t, func(t *testing.T, ctx context.Context) {
		all := names(1000)
		c := newRoaming(t, 5, nil)
		kept := func() uint64 {
			var m runtime.MemStats
			runtime.GC()
			runtime.ReadMemStats(&m)
			return m.HeapAlloc
		}
		began := kept()
		for _, id := range c.ids {
			require.NoError(t, c.nodes[id].Add(ctx, all...))
		}
		dead := spec.IntegerID(5)
		c.awaitLeaders(20*time.Second, c.wanted(all))
		c.kill(dead)
		c.awaitLeaders(20*time.Second, c.wanted(all, dead))
		c.start(dead)
		require.NoError(t, c.nodes[dead].Add(ctx, all...))
		c.awaitLeaders(time.Minute, c.wanted(all))
		each := (kept() - began) / uint64(len(c.nodes)*len(all))
		t.Logf("%d bytes", each)
		require.Less(t, each, uint64(most))
	})
}
