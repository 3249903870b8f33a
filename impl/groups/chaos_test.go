package groups_test

import (
	"context"
	"math/rand/v2"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed-fdf591db/bully/impl/transport"
	"github.com/seed-fdf591db/bully/spec"
)

// Nodes are killed and started, links are cut, bundles are lost and late, and disks are slow, at random: no group is ever led twice at once, nor in one epoch, and
// when all is well again each is led by whom it is to be.
func TestChaos(t *testing.T) {
	lives := 3
	if testing.Short() {
		lives = 1
	}
	for seed := range uint64(lives) {
		virtually(t, func(t *testing.T, ctx context.Context) { chaos(t, ctx, seed) })
	}
}

func chaos(t *testing.T, ctx context.Context, seed uint64) {
	random := rand.New(rand.NewPCG(seed, 2))
	all := names(40)
	c := newCluster(t, 5, nil)
	var bad atomic.Bool
	bad.Store(true)
	weather := rand.New(rand.NewPCG(seed, 3)) // only the network asks, under its lock
	network := transport.NewNetwork(func(_, _ spec.NodeID) time.Duration {
		switch n := weather.IntN(100); {
		case !bad.Load():
			return time.Millisecond
		case n < 2:
			return -1
		case n < 5:
			return time.Duration(weather.IntN(200)) * time.Millisecond
		default:
			return time.Duration(weather.IntN(3000)) * time.Microsecond
		}
	})
	for id := range c.nodes {
		c.stop(id)
	}
	c.network = network
	for _, id := range c.ids {
		c.start(id)
		c.lead(ctx, id, all...)
	}
	one := func() spec.NodeID { return c.ids[random.IntN(len(c.ids))] }
	for range 60 {
		time.Sleep(time.Duration(random.IntN(400)) * time.Millisecond)
		switch id, other := one(), one(); random.IntN(6) {
		case 0, 1:
			if c.nodes[id] != nil && len(c.nodes) > 3 {
				c.kill(id)
			}
		case 2:
			if c.nodes[id] == nil {
				c.start(id)
				c.lead(ctx, id, all...)
			}
		case 3:
			if id != other {
				network.Cut(id, other)
			}
		case 4:
			if id != other {
				network.Heal(id, other)
			}
		case 5:
			c.disks[id].takes(time.Duration(random.IntN(100)) * time.Millisecond)
		}
	}
	bad.Store(false)
	for _, id := range c.ids {
		for _, other := range c.ids {
			if id != other {
				network.Heal(id, other)
			}
		}
		c.disks[id].takes(time.Millisecond)
		if c.nodes[id] == nil {
			c.start(id)
			c.lead(ctx, id, all...)
		}
	}
	took := c.awaitLeaders(5*time.Minute, c.wanted(all))
	require.NotZero(t, c.fences.count())
	c.fences.check(t)
	t.Logf("seed %d: %d writes, all as wanted after %v", seed, c.fences.count(), took)
}
