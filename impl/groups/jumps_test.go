package groups_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed-fdf591db/bully/impl/groups"
	"github.com/seed-fdf591db/bully/impl/transport"
	"github.com/seed-fdf591db/bully/spec"
	"github.com/seed-fdf591db/bully/spec/policy"
	"github.com/seed-fdf591db/bully/spec/slowtest"
)

// machines are where nodes run whose clocks on the wall are set. A program beside each does the work of one group, and goes by a clock that nobody sets: it acts while it was told a
// deadline that lies ahead, whatever has become of the reign.
type machines struct {
	clocks map[spec.NodeID]*wall

	leading sync.WaitGroup

	mu   sync.Mutex
	dice *rand.Rand
	acts map[spec.NodeID]spec.Epoch // in which the program of a machine acts; 0 if it does not
}

func (m *machines) number(most int64) int64 {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.dice.Int64N(most)
}

// notes notes in which epoch the program of a machine acts, and returns which other program acts too, or "".
func (m *machines) notes(id spec.NodeID, epoch spec.Epoch) (beside string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.acts[id] = epoch
	for other, too := range m.acts {
		if epoch != 0 && too != 0 && other != id {
			return fmt.Sprintf("node %v in epoch %d", other, too)
		}
	}
	return ""
}

// work acts in a reign. Told that it is over it acts on for a while, and at most until the deadline, unless its node is killed.
func (m *machines) work(t *testing.T, id spec.NodeID, dies <-chan struct{}) func(context.Context, groups.Reign) error {
	return func(ctx context.Context, r groups.Reign) error {
		var told, stops time.Time
		for {
			now := m.clocks[id].Now()
			if next := r.Deadline(); ctx.Err() == nil {
				told, stops = next, now.Add(time.Duration(m.number(int64(300*time.Millisecond))))
			}
			if !now.Before(told) || !now.Before(stops) {
				m.notes(id, 0)
				<-ctx.Done()
				return nil
			}
			if beside := m.notes(id, r.Epoch()); beside != "" {
				t.Errorf("OneActing: node %v acts in epoch %d until %v, and so does %s", id, r.Epoch(), told, beside)
			}
			select {
			case <-dies:
				m.notes(id, 0)
				return nil
			case <-time.After(time.Millisecond / 2):
			}
		}
	}
}

// TestClocksThatJump: whoever sets clocks on walls, forward and back, of one machine or of all, and as often as he likes, has no two nodes' users act in a group at the same moment; whatever
// else happens to nodes meanwhile. When it is over the group has a leader.
func TestClocksThatJump(t *testing.T) {
	slowtest.NoRace(t, "TestChaos runs the same goroutines")
	for seed := range uint64(40) {
		virtuallyOf(t, seed, func(t *testing.T, ctx context.Context) { jumps(t, ctx, seed) })
	}
}

func jumps(t *testing.T, ctx context.Context, seed uint64) {
	m := &machines{clocks: map[spec.NodeID]*wall{}, dice: rand.New(rand.NewPCG(seed, 0)), acts: map[spec.NodeID]spec.Epoch{}}
	for _, id := range ids(4) {
		m.clocks[id] = &wall{}
	}
	c := newCluster(t, 3+int(seed%2), func(config *groups.Config) { config.Clock = m.clocks[config.ID] })
	begin := func(id spec.NodeID) {
		node, work := c.nodes[id], m.work(t, id, c.deaths[id])
		m.leading.Go(func() {
			for node.Lead(ctx, "a", work) == groups.ErrClosed { // or it is removed, and comes again
				select {
				case <-node.Done():
					return
				case <-time.After(time.Millisecond):
				}
			}
		})
	}
	for _, id := range c.ids {
		begin(id)
	}
	wanted := c.wanted([]string{"a"})
	c.awaitLeaders(10*time.Second, wanted)
	timing, one := policy.LAN(), func() spec.NodeID { return c.ids[m.number(int64(len(c.ids)))] }
	for range 25 {
		c.heal()
		for _, d := range c.disks {
			d.takes(time.Duration(m.number(int64(2 * timing.Delay))))
		}
		time.Sleep(time.Duration(m.number(int64(4 * timing.Patience))))
		for range 1 + m.number(6) { // within a patience or so
			time.Sleep(time.Duration(m.number(int64(timing.Reign / 4))))
			switch id := one(); m.number(9) {
			case 0, 1, 2: // of all, as by a server of time that is wrong
				by := m.jump()
				for _, clock := range m.clocks {
					clock.ahead.Add(by)
				}
			case 3, 4:
				m.clocks[id].ahead.Add(m.jump())
			case 5, 6:
				m.cut(c)
			default:
				m.disturb(ctx, c, id, begin)
			}
		}
	}
	c.heal()
	for _, id := range c.ids {
		if c.nodes[id] == nil {
			c.start(id)
			begin(id)
		}
	}
	c.awaitLeaders(time.Minute, wanted)
	c.close()
	m.leading.Wait()
	m.mu.Lock()
	defer m.mu.Unlock()
	require.NotEmpty(t, m.acts)
}

// jump returns by how much a clock is set: forward or back, by a little or by much.
func (m *machines) jump() int64 {
	by := int64(6*time.Millisecond) + m.number(int64([]time.Duration{24 * time.Millisecond, 150 * time.Millisecond, time.Minute, 100 * time.Hour}[m.number(4)]))
	if m.number(3) == 0 {
		return -by
	}
	return by
}

// cut cuts one part off, or nobody.
func (m *machines) cut(c *cluster) {
	c.heal()
	part := m.number(1 << len(c.ids))
	for i, one := range c.ids {
		for j, other := range c.ids {
			if part>>i&1 != part>>j&1 {
				c.network.Cut(one, other)
			}
		}
	}
}

// disturb ends a node, in good order or by kill −9 with its program, or has it resign, or leave the group and come again. One that has ended is started again.
func (m *machines) disturb(ctx context.Context, c *cluster, id spec.NodeID, begin func(spec.NodeID)) {
	node := c.nodes[id]
	if node == nil {
		c.start(id)
		begin(id)
		return
	}
	switch m.number(5) {
	case 0:
		go func() { _ = node.Resign(ctx, "a") }()
	case 1:
		require.NoError(c.t, node.Stop(ctx))
		c.ended(id)
	case 2:
		c.kill(id)
		m.notes(id, 0)
	default:
		go func() {
			_ = node.Remove(ctx, "a")
			_ = node.Add(ctx, "a")
		}()
	}
}

// TestClockIsSetDuringASave: a lease that a node grants lasts as long as any other, though somebody sets the clock on the wall forward while the promise is written.
func TestClockIsSetDuringASave(t *testing.T) {
	virtually(t, func(t *testing.T, ctx context.Context) {
		clock := &wall{}
		c := newCluster(t, 3, func(config *groups.Config) { config.Clock = clock })
		me := c.ids[0]
		for _, id := range c.ids {
			require.NoError(t, c.nodes[id].Add(ctx, "a"))
		}
		c.awaitLeaders(10*time.Second, c.wanted([]string{"a"}))
		epoch := c.epochOf(me, "a") + 10
		c.kill(c.ids[1])
		c.kill(c.ids[2])
		others := [...]*transport.Endpoint{c.network.Join(c.ids[1]), c.network.Join(c.ids[2])}
		granted := func(other *transport.Endpoint) (granted bool) {
			for event, ok := other.Next(); ok; event, ok = other.Next() {
				granted = granted || event.Kind == transport.Bundle && groups.Says(event.Bundle, spec.Grant)
			}
			return granted
		}
		c.disks[me].begins(func() { clock.ahead.Add(int64(policy.LAN().Reign)) })
		c.awaits(time.Second, func() bool {
			others[0].SendBundle(me, 1<<30, groups.Claims("a", epoch))
			return granted(others[0])
		})
		c.disks[me].begins(nil)
		took := c.awaits(time.Second, func() bool {
			others[1].SendBundle(me, 1<<30, groups.Claims("a", epoch+10))
			return granted(others[1])
		})
		require.Greater(t, took, policy.LAN().Reign)
		for _, other := range others {
			require.NoError(t, other.Close())
		}
	})
}
