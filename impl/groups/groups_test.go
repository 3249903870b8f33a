package groups_test

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed-fdf591db/bully/impl/groups"
	"github.com/seed-fdf591db/bully/spec"
)

// Each group comes to be led by whom its order says; what a node led moves when it dies, and nothing else; and returns when it does.
func TestGroupsComeToBeLed(t *testing.T) {
	virtually(t, func(t *testing.T, ctx context.Context) {
		all := names(60)
		c := newCluster(t, 3, nil)
		for _, id := range c.ids {
			c.lead(ctx, id, all...)
		}
		c.awaitLeaders(10*time.Second, c.wanted(all))
		dead := spec.IntegerID(2)
		c.kill(dead)
		took := c.awaitLeaders(time.Second, c.wanted(all, dead))
		require.Less(t, took, 100*time.Millisecond)
		c.start(dead)
		c.lead(ctx, dead, all...)
		c.awaitLeaders(20*time.Second, c.wanted(all))
		require.NotZero(t, c.fences.writes)
	})
}

var _ = groups.ErrClosed
