package groups_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed-fdf591db/bully/impl/host"
	"github.com/seed-fdf591db/bully/spec"
)

// lagging waits until a node says of all groups that so many members are otherwise than in the cluster, and in these words why.
func (c *cluster) lagging(id spec.NodeID, pending int, words string) {
	c.t.Helper()
	node := c.nodes[id]
	c.awaits(20*time.Second, func() bool {
		for _, one := range node.Status().Groups {
			if one.Pending != pending || (one.Lags == "") != (pending == 0) || !strings.Contains(one.Lags, words) {
				return false
			}
		}
		return true
	})
}

// Who operates a cluster is told which groups lag behind its members, and why: one that is to vote takes no part in them; there is no quorum of who was in them when a change was forced.
func TestWhyGroupsLag(t *testing.T) {
	virtually(t, func(t *testing.T, ctx context.Context) {
		all := names(5)
		c := newRoaming(t, 3, nil).led(ctx, 20*time.Second, all)
		c.lagging(one, 0, "")

		awaited := "node 4 is to vote, and has not acknowledged yet that it is an observer: it must run, and take part in this group"
		c.begin(four) // and it takes part in no group
		witness := memberOf(four)
		witness.Kind = spec.Witness // a node that leads the cluster goes by its own groups
		require.NoError(t, c.change(ctx, func(h *host.Host) error { _, err := h.AddMember(ctx, witness, 0); return err }))
		says := map[string]int{}
		c.awaits(20*time.Second, func() bool {
			clear(says)
			for _, id := range c.ids {
				for _, g := range c.nodes[id].Status().Groups {
					require.LessOrEqual(t, g.Pending, 1)
					says[g.Lags]++
				}
			}
			return says[awaited] == len(all)
		})
		elsewhere := 0
		for text, n := range says {
			if strings.HasSuffix(text, "leads it, and knows why") {
				elsewhere += n
			}
		}
		require.Equal(t, 2*len(all), elsewhere, "%v", says)

		// The next change would wait for the groups.
		few, cancel := context.WithTimeout(ctx, 5*time.Second)
		require.ErrorIs(t, c.change(few, func(h *host.Host) error { _, err := h.RemoveMember(few, two, 0); return err }), context.DeadlineExceeded)
		cancel()
		for _, goes := range []spec.NodeID{two, three} {
			c.stop(goes)
			force := func(h *host.Host) error { _, err := h.RemoveMember(ctx, goes, 0, host.Force); return err }
			require.NoError(t, c.change(ctx, force))
			if goes == two { // a quorum of the groups runs yet, and they follow
				c.lagging(three, 1, "")
			}
		}
		forced := "it has no quorum: its members are nodes 1, 3, and there is no connection to node 3; the cluster has removed node 3 before this group had (it was forced, or that node was stopped too early): " +
			"start that once more"
		c.awaits(20*time.Second, func() bool {
			clear(says)
			for _, g := range c.nodes[one].Status().Groups { // node 1 led some already, and has removed node 3 there
				says[g.Lags] += g.Pending
			}
			return len(says) == 2 && says[awaited] > 0 && says[forced]/2+says[awaited] == len(all)
		})
		c.start(three)
		c.lead(ctx, three, all...)
		c.lead(ctx, four, all...)
		c.gone(three)
		c.ids = []spec.NodeID{one, four}
		for _, id := range c.ids {
			c.lagging(id, 0, "")
		}
		c.awaits(20*time.Second, func() bool { return c.nodes[one].Status().Leading == len(all) })
		c.fences.check(t)
	})
}
