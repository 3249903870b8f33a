package groups_test

import (
	"context"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed-fdf591db/bully/impl/groups"
	"github.com/seed-fdf591db/bully/impl/host"
	"github.com/seed-fdf591db/bully/impl/transport"
	"github.com/seed-fdf591db/bully/spec"
	"github.com/seed-fdf591db/bully/spec/slowtest"
)

// Nodes are killed and started, links are cut, bundles are lost and late, and disks are slow, at random: no group is ever led twice at once, nor in one epoch, and
// when all is well again each is led by whom it is to be.
func TestChaos(t *testing.T) {
	lives := 3
	if testing.Short() {
		lives = 1
	}
	for seed := range uint64(lives) {
		virtuallyOf(t, seed, func(t *testing.T, ctx context.Context) { chaos(t, ctx, seed) })
	}
}

func chaos(t *testing.T, ctx context.Context, seed uint64) {
	random := rand.New(rand.NewPCG(seed, 2))
	all := names(40)
	c := newCluster(t, 5, nil)
	var bad atomic.Bool
	bad.Store(true)
	network := stormy(seed, &bad)
	for id := range c.nodes {
		c.stop(id)
	}
	c.network, c.traced = network, newTraced(t, false, c.ids)
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
	c.heal()
	for _, id := range c.ids {
		c.disks[id].takes(time.Millisecond)
		if c.nodes[id] == nil {
			c.start(id)
			c.lead(ctx, id, all...)
		}
	}
	took := c.awaitLeaders(5*time.Minute, c.wanted(all))
	require.NotZero(t, c.fences.count())
	c.fences.check(t)
	c.close()
	events, reigns, _ := c.traced.check()
	t.Logf("seed %d: %d writes, all as wanted after %v; %d steps, %d reigns", seed, c.fences.count(), took, events, reigns)
}

// stormy returns a network that loses and delays what is said, while the weather is bad.
func stormy(seed uint64, bad *atomic.Bool) *transport.Network {
	weather := rand.New(rand.NewPCG(seed, 3)) // only the network asks, under its lock
	return transport.NewNetwork(func(_, _ spec.NodeID) time.Duration {
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
}

// The same while members are added, removed and ranked otherwise, and groups come, some of them at once with a change. Who is removed is killed in the midst of it, or ends by itself.
func TestChaosOfMembers(t *testing.T) {
	slowtest.NoRace(t, "TestChaos runs the same goroutines")
	lives := 2
	if slowtest.Wanted() {
		lives = 4
	}
	for seed := range uint64(lives) {
		virtuallyOf(t, seed, func(t *testing.T, ctx context.Context) { chaosOfMembers(t, ctx, seed) })
	}
}

func chaosOfMembers(t *testing.T, ctx context.Context, seed uint64) {
	random := rand.New(rand.NewPCG(seed, 2))
	all := names(20)
	weights := map[spec.NodeID]int{}
	named := map[string][]spec.NodeID{}
	c := newRoaming(t, 0, func(config *groups.Config) {
		config.Weights = maps.Clone(weights)
		config.First = func(group string) []spec.NodeID { return named[group] }
	})
	var bad atomic.Bool
	bad.Store(true)
	c.network, c.traced = stormy(seed, &bad), newTraced(t, true, ids(40))
	c.found(4)
	last := c.ids[3][15]
	every := map[spec.NodeID]bool{} // that has ever been a member, or was to be one
	for _, id := range c.ids {
		every[id] = true
		c.lead(ctx, id, all...)
	}
	one := func() spec.NodeID { return c.ids[random.IntN(len(c.ids))] }
	briefly := func(call func(ctx context.Context, h *host.Host) error) error {
		ctx, cancel := context.WithTimeout(ctx, 3*time.Second)
		defer cancel()
		return c.change(ctx, func(h *host.Host) error { return call(ctx, h) })
	}
	added, removed, groupsAdded := 0, 0, 0
	for range 70 {
		time.Sleep(time.Duration(random.IntN(400)) * time.Millisecond)
		running := 0
		for _, id := range c.ids {
			if node := c.nodes[id]; node != nil && isDone(node) { // removed, though whoever called for it was not told
				c.stop(id)
			} else if node != nil {
				running++
			}
		}
		switch id, other := one(), one(); random.IntN(9) {
		case 0:
			if c.nodes[id] != nil && running > len(c.ids)/2+1 {
				c.kill(id)
			}
		case 1, 2:
			if c.nodes[id] == nil {
				c.start(id)
				c.lead(ctx, id, all...)
			}
		case 3:
			if id != other {
				c.network.Cut(id, other)
			}
		case 4:
			c.heal()
		case 5:
			c.disks[id].takes(time.Duration(random.IntN(60)) * time.Millisecond)
		case 6: // one comes, and perhaps a group at once
			if len(c.ids) >= 6 {
				continue
			}
			last++
			id := spec.IntegerID(uint64(last))
			every[id] = true
			c.begin(id)
			if random.IntN(2) == 0 {
				groupsAdded++
				name := fmt.Sprintf("late-%d", groupsAdded)
				named[name] = slices.Clone(c.ids)
				all = append(all, name)
			}
			for _, id := range append(slices.Clone(c.ids), id) {
				if c.nodes[id] != nil {
					c.lead(ctx, id, all...)
				}
			}
			c.ids = append(c.ids, id)
			if briefly(func(ctx context.Context, h *host.Host) error { _, err := h.AddMember(ctx, memberOf(id), 0); return err }) == nil {
				added++
			}
		case 7: // one goes
			if len(c.ids) <= 3 {
				continue
			}
			if briefly(func(ctx context.Context, h *host.Host) error { _, err := h.RemoveMember(ctx, id, 0); return err }) == nil {
				c.ids = slices.DeleteFunc(c.ids, func(other spec.NodeID) bool { return other == id })
				if removed++; c.nodes[id] != nil && random.IntN(2) == 0 {
					c.kill(id)
				}
			}
		case 8: // one comes to be ranked otherwise
			weights[id] = 1 + random.IntN(3)
			_ = briefly(func(ctx context.Context, h *host.Host) error {
				_, err := h.RankMember(ctx, id, uint16(random.IntN(9)), 0)
				return err
			})
		}
	}
	bad.Store(false)
	c.heal()
	// What came of it is what the cluster says when it is well; and all nodes are told the same weights.
	for id := range every {
		if c.nodes[id] != nil {
			c.stop(id)
		}
		c.disks[id].takes(time.Millisecond)
	}
	c.ids = slices.SortedFunc(maps.Keys(every), spec.NodeID.Compare)
	for _, id := range c.ids {
		c.start(id)
		c.lead(ctx, id, all...)
	}
	var members spec.Configuration
	c.awaits(time.Minute, func() bool {
		for _, id := range c.ids {
			if node := c.nodes[id]; node.Own.Status().Leading && node.Own.Status().Settled {
				members = node.Own.Members()
				return true
			}
		}
		return false
	})
	c.ids = nil
	for _, m := range members.Members() {
		c.ids = append(c.ids, m.ID)
	}
	for _, m := range members.Members() { // a change may have been given up half way
		m.Kind = spec.Voter
		require.NoError(t, c.change(ctx, func(h *host.Host) error { _, err := h.AddMember(ctx, m, 0); return err }))
	}
	took := c.awaitMembers(5*time.Minute, all)
	wanted := map[string]spec.NodeID{}
	for id, names := range c.nodes[c.ids[0]].Placement().Plan(all) {
		for _, name := range names {
			wanted[name] = id
		}
	}
	for id := range c.nodes {
		if !slices.Contains(c.ids, id) {
			if members := c.nodes[id].Own.Members(); members.IsEmpty() { // it was never added
				c.stop(id)
			} else {
				c.gone(id)
			}
		}
	}
	more := c.awaitLeaders(5*time.Minute, wanted)
	require.NotZero(t, c.fences.count())
	c.fences.check(t)
	c.close()
	events, reigns, changes := c.traced.check()
	require.NotZero(t, changes)
	t.Logf("seed %d: %d writes; %d added, %d removed, %d groups came; all have the members after %v, and are led as wanted after %v more; %d steps, %d reigns, %d changes", seed, c.fences.count(), added, removed,
		groupsAdded, took, more, events, reigns, changes)
}

func isDone(node *groups.Groups) bool {
	select {
	case <-node.Done():
		return true
	default:
		return false
	}
}

// heal makes all links carry again.
func (c *cluster) heal() {
	for id := range c.disks {
		for other := range c.disks {
			if id != other {
				c.network.Heal(id, other)
			}
		}
	}
}
