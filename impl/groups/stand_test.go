package groups_test

import (
	"context"
	"fmt"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed-fdf591db/bully/impl/groups"
	"github.com/seed-fdf591db/bully/impl/host"
	"github.com/seed-fdf591db/bully/impl/transport"
)

// A busy node takes so long for each message of an election that it is given. Beats and what answers them are another matter: they cost the same in all tests.
type busy struct {
	*transport.Endpoint
	each  time.Duration
	heard *atomic.Int64 // how many those were, at all nodes
}

func (b *busy) Next() (transport.Event, bool) {
	event, ok := b.Endpoint.Next()
	if ok && event.Kind == transport.Bundle {
		n := groups.Elects(event.Bundle)
		b.heard.Add(int64(n))
		time.Sleep(time.Duration(n) * b.each)
	}
	return event, ok
}

// Two thousand groups begin at once at nodes that take a millisecond for each message of an election: each comes to be led, by few more messages than its election needs, and in little more time than
// these take, though it is far more than any timer. With LAN not twelve of them are taken within the Delay.
func TestFirstElectionsArePaced(t *testing.T) {
	for _, profile := range []host.Timing{host.LAN(), host.WAN()} {
		t.Run(fmt.Sprint("a Delay of ", profile.Delay), func(t *testing.T) {
			virtually(t, func(t *testing.T, ctx context.Context) {
				const each, n, groupsOfAll = time.Millisecond, 3, 2000
				var heard atomic.Int64
				c := newCluster(t, n, func(config *groups.Config) {
					config.Timing = profile
					config.Transport = &busy{config.Transport.(*transport.Endpoint), each, &heard}
				})
				all := names(groupsOfAll)
				for _, id := range c.ids {
					require.NoError(t, c.nodes[id].Add(ctx, all...))
				}
				const needed = 5 * (n - 1) * groupsOfAll // ELECTION, ASSENT, CLAIM, GRANT, COORDINATOR
				took := c.awaitsLed(2*needed/n*each, groupsOfAll)
				t.Logf("%d groups are led after %v, and %d messages of elections", groupsOfAll, took, heard.Load())
				require.Less(t, heard.Load(), int64(needed*3/2))
			})
		})
	}
}

// awaitsLed waits until so many groups are led, and returns how long that took. It asks seldom, as nodes have much to answer.
func (c *cluster) awaitsLed(most time.Duration, groups int) time.Duration {
	began := time.Now()
	for led := 0; led < groups; {
		require.Less(c.t, time.Since(began), most, "%d of %d groups are led", led, groups)
		time.Sleep(100 * time.Millisecond)
		led = 0
		for _, node := range c.nodes {
			led += node.Status().Leading
		}
	}
	return time.Since(began)
}

// Groups that one node has alone, and that fail there again and again, hold up no others; and none of them is forgotten when all have them.
func TestStuckElectionsHoldUpNobody(t *testing.T) {
	virtually(t, func(t *testing.T, ctx context.Context) {
		c := newCluster(t, 3, func(config *groups.Config) { config.Timing = host.WAN() })
		all := names(1000)
		well := all[900:]
		for i, id := range c.ids {
			require.NoError(t, c.nodes[id].Add(ctx, all[300*i:300*(i+1)]...))
		}
		time.Sleep(10 * time.Minute)
		for _, id := range c.ids {
			require.Zero(t, c.nodes[id].Status().Leading)
			require.NoError(t, c.nodes[id].Add(ctx, well...))
		}
		c.awaitsLed(5*time.Second, len(well))
		for _, id := range c.ids {
			require.NoError(t, c.nodes[id].Add(ctx, all...))
		}
		c.awaitsLed(10*time.Second, len(all))
	})
}
