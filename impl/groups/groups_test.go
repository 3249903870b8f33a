package groups_test

import (
	"context"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
	"unsafe"

	"github.com/stretchr/testify/require"

	"github.com/seed-fdf591db/bully/impl/groups"
	"github.com/seed-fdf591db/bully/impl/host"
	"github.com/seed-fdf591db/bully/impl/transport"
	"github.com/seed-fdf591db/bully/spec"
	"github.com/seed-fdf591db/bully/spec/slowtest"
)

// Each group comes to be led by whom its order says; what a node led moves when it dies, and nothing else; and returns when it does.
func TestGroupsComeToBeLed(t *testing.T) {
	virtually(t, func(t *testing.T, ctx context.Context) {
		all := names(60)
		c := newLed(ctx, t, all)
		dead := spec.IntegerID(2)
		c.kill(dead)
		took := c.awaitLeaders(time.Second, c.wanted(all, dead))
		require.Less(t, took, 100*time.Millisecond)
		c.start(dead)
		c.lead(ctx, dead, all...)
		c.awaitLeaders(20*time.Second, c.wanted(all))
		require.NotZero(t, c.fences.count())
	})
}

// A node that leads a thousand groups dies: each has another leader within moments, by a few saves of each node, and no other group hears of it.
func TestManyFailOverAtOnce(t *testing.T) {
	slowtest.NoRace(t, "TestChaos runs the same goroutines")
	virtually(t, func(t *testing.T, ctx context.Context) {
		all, dead := names(1200), spec.IntegerID(5)
		pins := map[string]spec.NodeID{}
		for _, name := range all[:1000] {
			pins[name] = dead
		}
		c := newCluster(t, 5, func(config *groups.Config) { config.Pins = pins })
		for _, id := range c.ids {
			require.NoError(t, c.nodes[id].Add(ctx, all...))
		}
		placed := groups.Placement{Members: c.ids, Pins: pins}
		planned := func(down ...spec.NodeID) map[string]spec.NodeID {
			wanted := map[string]spec.NodeID{}
			for id, names := range placed.Plan(all, down...) {
				for _, name := range names {
					wanted[name] = id
				}
			}
			return wanted
		}
		c.awaitLeaders(20*time.Second, planned())
		before := map[spec.NodeID]groups.Counters{}
		for id, node := range c.nodes {
			before[id] = node.Status().Counters
		}
		lost := uint64(len(placed.Plan(all)[dead]))
		var mu sync.Mutex
		told := map[spec.NodeID]uint64{} // groups that had been told as the first save of a node began
		for id, node := range c.nodes {
			if id == dead {
				continue
			}
			c.disks[id].begins(func() {
				now := node.Status().Counters.Changes
				mu.Lock()
				defer mu.Unlock()
				if _, is := told[id]; !is {
					told[id] = now - before[id].Changes // what is told of it first is that it has no leader
				}
			})
		}
		c.kill(dead)
		took := c.awaitLeaders(time.Second, planned(dead))
		require.Less(t, took, 100*time.Millisecond)
		for id, node := range c.nodes {
			c.disks[id].begins(nil)
			now := node.Status().Counters
			require.LessOrEqual(t, now.Saves-before[id].Saves, uint64(20), "node %v", id)
			require.LessOrEqual(t, now.Changes-before[id].Changes, 2*lost, "the leader is lost, and another is known")
			require.LessOrEqual(t, told[id], uint64(100), "of %d groups: the others come after what the first save has, at node %v", lost, id)
		}
		require.Len(t, told, len(c.nodes))
	})
}

// Groups that can get no leader do not keep the others from hearing of a death: more are told as time goes by.
func TestGroupsWithoutQuorumHoldUpNobody(t *testing.T) {
	virtually(t, func(t *testing.T, ctx context.Context) {
		all, one, two, three := names(10), spec.IntegerID(1), spec.IntegerID(2), spec.IntegerID(3)
		pins := map[string]spec.NodeID{}
		few := map[spec.NodeID][]string{} // groups of node 3 and one other: the other cannot lead them alone
		for _, id := range []spec.NodeID{one, two} {
			for i := range 40 {
				few[id] = append(few[id], fmt.Sprintf("of-%v-%d", id, i))
			}
			few[three] = append(few[three], few[id]...)
		}
		for _, name := range append(few[three], all...) {
			pins[name] = three
		}
		c := newCluster(t, 3, func(config *groups.Config) { config.Pins = pins })
		for _, id := range c.ids {
			require.NoError(t, c.nodes[id].Add(ctx, append(few[id], all...)...))
		}
		c.awaits(20*time.Second, func() bool { return c.nodes[three].Status().Leading == len(pins) })
		c.kill(three)
		c.awaitLeaders(30*time.Millisecond, c.wanted(all, three))
	})
}

// late is a transport that tells of a death after the next bundle.
type late struct {
	groups.Transport
	held  *transport.Event
	heard bool // a bundle, since it is held

	refuses atomic.Bool // it has said a REFUSE
}

func (l *late) SendBundle(to spec.NodeID, saves uint64, bundle []byte) {
	if groups.Says(string(bundle), spec.Refuse) {
		l.refuses.Store(true)
	}
	l.Transport.SendBundle(to, saves, bundle)
}

func (l *late) Next() (transport.Event, bool) {
	if l.heard {
		e := *l.held
		l.held, l.heard = nil, false
		return e, true
	}
	e, ok := l.Transport.Next()
	if ok && e.Kind == transport.Dead {
		l.held = &e
		return l.Transport.Next()
	}
	l.heard = l.held != nil && ok && e.Kind == transport.Bundle
	return e, ok
}

// An ELECTION that comes a little before the proof that the leader is dead is answered after it, in each group: nobody is refused, and has to ask again.
func TestLateProof(t *testing.T) {
	virtually(t, func(t *testing.T, ctx context.Context) {
		all, one, three, told := names(30), spec.IntegerID(1), spec.IntegerID(3), &late{}
		c := newCluster(t, 3, func(config *groups.Config) {
			config.Pins = map[string]spec.NodeID{}
			for _, name := range all {
				config.Pins[name] = three
			}
			if config.ID == one {
				told.Transport, config.Transport = config.Transport, told
			}
		})
		for _, id := range c.ids {
			require.NoError(t, c.nodes[id].Add(ctx, all...))
		}
		led := func(by func(spec.NodeID) bool) func() bool {
			return func() bool {
				for _, name := range all {
					if !by(c.leaders()[name]) {
						return false
					}
				}
				return true
			}
		}
		c.awaits(20*time.Second, led(func(id spec.NodeID) bool { return id == three }))
		told.refuses.Store(false)
		c.kill(three)
		took := c.awaits(time.Second, led(func(id spec.NodeID) bool { return id != three && !id.IsNone() }))
		require.False(t, told.refuses.Load(), "no node may refuse an election shortly before it hears of the leader's death")
		require.Less(t, took, 20*time.Millisecond, "who is refused asks again after 25")
	})
}

// lossy is a transport that loses messages of one group.
type lossy struct {
	groups.Transport
	mu   sync.Mutex
	of   string
	left int // which one is lost: the next that is said is 0
}

func (l *lossy) SendBundle(to spec.NodeID, saves uint64, bundle []byte) {
	l.mu.Lock()
	rest, said := groups.Without(bundle, l.of)
	if said {
		if l.left--; l.left == -1 {
			bundle = rest
		}
	}
	l.mu.Unlock()
	if len(bundle) > 0 {
		l.Transport.SendBundle(to, saves, bundle)
	}
}

func (l *lossy) loses(which int, of string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.of, l.left = of, which
}

// Whichever of the messages by which a group comes to be led is lost, it comes to be led; and no other group hears of it.
func TestLostMessageOfOneGroup(t *testing.T) {
	virtually(t, func(t *testing.T, ctx context.Context) {
		all, links := names(10), map[spec.NodeID]*lossy{}
		c := newCluster(t, 3, func(config *groups.Config) {
			links[config.ID] = &lossy{Transport: config.Transport}
			config.Transport = links[config.ID]
		})
		for _, id := range c.ids {
			require.NoError(t, c.nodes[id].Add(ctx, all...))
		}
		c.awaitLeaders(20*time.Second, c.wanted(all))
		epochs := func() map[string]spec.Epoch {
			led := map[string]spec.Epoch{}
			for _, one := range c.nodes[spec.IntegerID(1)].Status().Groups {
				led[one.Name] = one.Epoch
			}
			return led
		}
		lost := 0
		for which := range 6 {
			for _, id := range c.ids {
				name := fmt.Sprintf("new-%d-%v", which, id)
				before := epochs()
				links[id].loses(which, name)
				for _, node := range c.nodes {
					require.NoError(t, node.Add(ctx, name))
				}
				c.awaitLeaders(time.Minute, c.wanted([]string{name}))
				if links[id].left < 0 {
					lost++
				}
				now := epochs()
				for name, epoch := range before {
					require.Equal(t, epoch, now[name])
				}
			}
		}
		require.Greater(t, lost, 6)
	})
}

// said returns how many bundles, and bytes of them, the nodes say in a second, how many messages that is, and how many steps they make.
func (c *cluster) said() (bundles, bytes, messages, steps uint64) {
	count := func() (s groups.Counters) {
		for _, node := range c.nodes {
			now := node.Status().Counters
			s.Bundles, s.Bytes, s.Messages, s.Steps = s.Bundles+now.Bundles, s.Bytes+now.Bytes, s.Messages+now.Messages, s.Steps+now.Steps
		}
		return s
	}
	before := count()
	time.Sleep(time.Second)
	after := count()
	return after.Bundles - before.Bundles, after.Bytes - before.Bytes, after.Messages - before.Messages, after.Steps - before.Steps
}

// While nothing happens a node that leads a thousand groups says as much as one that leads one: in a beat and an answer for each peer.
func TestIdleGroupsCostNoFrames(t *testing.T) {
	slowtest.NoRace(t, "TestChaos runs the same goroutines")
	virtually(t, func(t *testing.T, ctx context.Context) {
		idle := func(n int) (bundles, bytes, messages, steps uint64) {
			all, three := names(n), spec.IntegerID(3)
			pins := map[string]spec.NodeID{}
			for _, name := range all {
				pins[name] = three
			}
			c := newCluster(t, 3, func(config *groups.Config) { config.Pins = pins })
			defer c.close()
			for _, id := range c.ids {
				require.NoError(t, c.nodes[id].Add(ctx, all...))
			}
			wanted := map[string]spec.NodeID{}
			for _, name := range all {
				wanted[name] = three
			}
			c.awaitLeaders(20*time.Second, wanted)
			time.Sleep(time.Second)
			return c.said()
		}
		one, few, _, _ := idle(1)
		many, bytes, messages, steps := idle(1000)
		require.InDelta(t, one, many, 4)
		require.InDelta(t, few, bytes, float64(few)/2)
		require.Greater(t, messages, uint64(30_000), "each group beats, and is answered, all the same")
		require.InEpsilon(t, messages, steps, 0.1, "a beat, what two others make of it, and the first answer: the second dates nothing")
	})
}

// Work that reports no progress loses its group, and no other; while it hangs the node takes no part in that group, and then it does again.
func TestStuckGroup(t *testing.T) {
	virtually(t, func(t *testing.T, ctx context.Context) {
		all := names(20)
		var log strings.Builder
		var overran []string
		c := newCluster(t, 3, func(config *groups.Config) {
			config.Progress, config.Logger = time.Second, slog.New(slog.NewTextHandler(&log, nil))
			config.Overrun = func(group string, r groups.Reign) {
				require.False(t, r.Valid(), "a reign is over when its work has overrun the deadline")
				overran = append(overran, group)
			}
		})
		stuck := all[7]
		hangs := func(id spec.NodeID) (stuck []string) {
			for _, one := range c.nodes[id].Status().Groups {
				if one.Stuck {
					stuck = append(stuck, one.Name)
				}
			}
			return stuck
		}
		wanted := c.wanted(all)
		on := wanted[stuck]
		returns := make(chan struct{})
		for _, id := range c.ids {
			if id != on {
				c.lead(ctx, id, all...)
				continue
			}
			for _, name := range all {
				if name != stuck {
					c.lead(ctx, id, name)
				}
			}
			node := c.nodes[id]
			go func() {
				_ = node.Lead(ctx, stuck, func(ctx context.Context, r groups.Reign) error {
					select {
					case <-returns:
						<-ctx.Done()
					case <-ctx.Done():
						require.ErrorIs(t, context.Cause(ctx), groups.ErrNoProgress)
						<-returns
					}
					return nil
				})
			}()
		}
		c.awaitLeaders(10*time.Second, wanted)
		changes := c.nodes[on].Status().Counters.Changes
		require.Zero(t, c.nodes[on].Status().Counters.Quiets)
		require.Empty(t, hangs(on))
		c.awaits(10*time.Second, func() bool { return c.leaders(on)[stuck] != on && c.leaders(on)[stuck] != spec.NodeID{} })
		time.Sleep(5 * time.Second)
		led := c.leaders(on)
		require.NotEqual(t, on, led[stuck])
		for name, id := range wanted {
			if name != stuck {
				require.Equal(t, id, led[name])
			}
		}
		require.LessOrEqual(t, c.nodes[on].Status().Counters.Changes-changes, uint64(3), "no other group has heard of it")
		require.Equal(t, uint64(1), c.nodes[on].Status().Counters.Quiets)
		require.Equal(t, []string{stuck}, hangs(on))
		require.Equal(t, []string{stuck}, overran)
		require.Regexp(t, "^[^\n]* msg=\"the work of a group hangs: this node takes no part in it until that returns\" node="+on.String()+" group="+stuck+"\n$", log.String())
		close(returns)
		c.awaits(10*time.Second, func() bool { return c.leaders(on)[stuck] == on })
		require.Empty(t, hangs(on))
	})
}

// A disk that is slow for a while holds up the groups that elect, and no others: who leads leads on.
func TestSlowDisk(t *testing.T) {
	virtually(t, func(t *testing.T, ctx context.Context) {
		all := names(30)
		c := newLed(ctx, t, all)
		slow := spec.IntegerID(3)
		c.disks[slow].takes(2 * time.Second)
		changes := c.nodes[slow].Status().Counters.Changes
		for _, id := range c.ids {
			require.NoError(t, c.nodes[id].Add(ctx, "new"))
		}
		time.Sleep(time.Second)
		require.LessOrEqual(t, c.nodes[slow].Status().Counters.Changes-changes, uint64(1))
		c.awaitLeaders(time.Millisecond, c.wanted(all))
		c.awaits(10*time.Second, func() bool { return c.leaders()["new"] != spec.NodeID{} })
	})
}

// While disks hang nobody comes to lead: nothing that a step says leaves before its promise is on disk (R4). What comes meanwhile waits.
func TestNothingLeavesBeforeTheSave(t *testing.T) {
	virtually(t, func(t *testing.T, ctx context.Context) {
		all := names(10)
		c := newCluster(t, 3, nil)
		for _, id := range c.ids {
			require.NoError(t, c.nodes[id].Add(ctx, all...))
		}
		c.awaitLeaders(10*time.Second, c.wanted(all))
		hang := func(long time.Duration) {
			for _, d := range c.disks {
				d.takes(long)
			}
		}
		hang(10 * time.Second)
		three := spec.IntegerID(3)
		moves := c.wanted(all)
		c.kill(three)
		time.Sleep(5 * time.Second)
		for _, node := range c.nodes {
			for _, one := range node.Status().Groups {
				if moves[one.Name] == three {
					require.Equal(t, spec.NodeID{}, one.Leader)
				} else {
					require.Equal(t, moves[one.Name], one.Leader, "it does not wait for the disk")
				}
			}
		}
		hang(time.Millisecond)
		c.awaitLeaders(time.Minute, c.wanted(all, three))
	})
}

// A node whose disk fails stops for good: it leads nothing, says nothing, and says why; others lead what it led, when its programs act no more.
func TestFailingDisk(t *testing.T) {
	virtually(t, func(t *testing.T, ctx context.Context) {
		all := names(30)
		c := newLed(ctx, t, all)
		bad := spec.IntegerID(2)
		node := c.nodes[bad]
		c.disks[bad].mu.Lock()
		c.disks[bad].fails = true
		c.disks[bad].mu.Unlock()
		_ = node.Add(ctx, "new")
		<-node.Done()
		require.ErrorIs(t, node.Close(), groups.ErrStopped)
		require.ErrorIs(t, node.Close(), errDisk)
		require.ErrorIs(t, node.Lead(ctx, "other", nil), groups.ErrStopped)
		require.Zero(t, node.Status().Leading)
		c.awaits(time.Second, func() bool {
			for name, id := range c.wanted(all, bad) {
				if c.leaders(bad)[name] != id {
					return false
				}
			}
			return true
		})
	})
}

// A group that goes and comes again goes on above all epochs that it had; its place is free meanwhile.
func TestGroupsComeAndGo(t *testing.T) {
	virtually(t, func(t *testing.T, ctx context.Context) {
		c := newCluster(t, 3, nil)
		epoch := spec.Epoch(0)
		for range 5 {
			for _, id := range c.ids {
				c.lead(ctx, id, "a", "b")
			}
			c.awaitLeaders(10*time.Second, c.wanted([]string{"a", "b"}))
			now := c.nodes[c.ids[0]].Status().Groups[0].Epoch
			require.Greater(t, now, epoch)
			epoch = now
			for _, id := range c.ids {
				require.NoError(t, c.nodes[id].Remove(ctx, "a"))
				require.Equal(t, []string{"b"}, c.nodes[id].Names())
				c.disks[id].mu.Lock()
				require.Len(t, c.disks[id].kept, 1)
				c.disks[id].mu.Unlock()
			}
			c.awaitLeaders(time.Second, c.wanted([]string{"b"}))
			require.NoError(t, c.nodes[c.ids[0]].Remove(ctx, "a", "never there"))
		}
	})
}

// A group that is removed while this node is about to lead it is not worked for: what it has won is over at once.
func TestRemovedAsItWins(t *testing.T) {
	virtually(t, func(t *testing.T, ctx context.Context) {
		c := newCluster(t, 3, nil)
		id := c.wanted([]string{"a"})["a"]
		node := c.nodes[id]
		for _, other := range c.ids {
			require.NoError(t, c.nodes[other].Add(ctx, "a"))
		}
		wins := make(chan struct{}, 100)
		c.disks[id].takes(50 * time.Millisecond)
		c.disks[id].begins(func() {
			if node.Status().Groups[0].Role == spec.Claimant { // it has won, and saves that before it says so
				wins <- struct{}{}
			}
		})
		worked := make(chan error, 1)
		go func() {
			worked <- node.Lead(ctx, "a", func(context.Context, groups.Reign) error { panic("it is removed") })
		}()
		<-wins
		require.NoError(t, node.Remove(ctx, "a"))
		require.Empty(t, node.Names())
		require.ErrorIs(t, <-worked, groups.ErrClosed)
	})
}

// What comes from a node that is no member, or from this node itself, is nothing.
func TestNobody(t *testing.T) {
	virtually(t, func(t *testing.T, ctx context.Context) {
		all := names(5)
		c := newCluster(t, 3, func(config *groups.Config) {
			config.Transport = &nobody{Transport: config.Transport, from: []spec.NodeID{spec.IntegerID(99), config.ID, {}}}
		})
		for _, id := range c.ids {
			require.NoError(t, c.nodes[id].Add(ctx, all...))
		}
		c.awaitLeaders(20*time.Second, c.wanted(all))
		for _, node := range c.nodes {
			require.Zero(t, node.Status().Counters.Malformed)
		}
	})
}

// nobody is a transport on which what is no bundle comes from some nodes first.
type nobody struct {
	groups.Transport
	from []spec.NodeID
}

func (n *nobody) Next() (transport.Event, bool) {
	if len(n.from) == 0 {
		return n.Transport.Next()
	}
	from := n.from[0]
	n.from = n.from[1:]
	return transport.Event{Kind: transport.Bundle, Node: from, Bundle: "no bundle"}, true
}

// When a node comes back it stands in few groups at once, and in the end leads all that it is to.
func TestNoThunderingHerd(t *testing.T) {
	slowtest.NoRace(t, "TestChaos runs the same goroutines")
	virtually(t, func(t *testing.T, ctx context.Context) {
		all := names(200)
		c := newCluster(t, 3, func(config *groups.Config) { config.Preemptions = 2 })
		for _, id := range c.ids {
			require.NoError(t, c.nodes[id].Add(ctx, all...))
		}
		c.awaitLeaders(30*time.Second, c.wanted(all))
		three := spec.IntegerID(3)
		c.kill(three)
		c.awaitLeaders(time.Second, c.wanted(all, three))
		node := c.start(three)
		require.NoError(t, node.Add(ctx, all...))
		standing := 0
		wanted := c.wanted(all)
		c.awaits(30*time.Second, func() bool {
			now := 0
			for _, one := range node.Status().Groups {
				if one.Role == spec.Candidate || one.Role == spec.Claimant {
					now++
				}
			}
			standing = max(standing, now)
			led := c.leaders()
			for name, id := range wanted {
				if led[name] != id {
					return false
				}
			}
			return true
		})
		require.LessOrEqual(t, standing, 2)
		require.NotZero(t, standing)
	})
}

// Watch tells of each group what is latest; Resign ends a reign, and the highest that runs comes to lead; Stop leaves nobody waiting.
func TestWatchResignStop(t *testing.T) {
	virtually(t, func(t *testing.T, ctx context.Context) {
		all := names(30)
		c := newLed(ctx, t, all)
		three := spec.IntegerID(3)
		node := c.nodes[three]
		watching, stop := context.WithCancel(ctx)
		defer stop()
		told := map[string]groups.Leadership{}
		left, leave := context.WithCancel(ctx)
		require.NotEmpty(t, <-node.Watch(left))
		changes := node.Watch(watching)
		require.Equal(t, 2, node.Watchers())
		leave()
		synctest.Wait()
		require.Equal(t, 1, node.Watchers())
		for range all {
			l := <-changes
			told[l.Group] = l
		}
		require.Len(t, told, len(all))
		var mine string
		for name, l := range told {
			require.Equal(t, l.Leader == three, l.Leading)
			if l.Leading {
				mine = name
			}
		}
		require.NoError(t, node.Resign(ctx, mine))
		require.Equal(t, groups.Leadership{Group: mine}, <-changes)
		next := <-changes
		require.Equal(t, mine, next.Group)
		require.Greater(t, next.Epoch, told[mine].Epoch)
		c.awaitLeaders(10*time.Second, c.wanted(all))
		began := time.Now()
		require.NoError(t, node.Stop(ctx))
		delete(c.nodes, three)
		c.awaitLeaders(50*time.Millisecond, c.wanted(all, three))
		require.Less(t, time.Since(began), 100*time.Millisecond)
		last := told
		for l := range changes { // until it is closed
			last[l.Group] = l
		}
		for name, l := range last {
			require.Equal(t, groups.Leadership{Group: name}, l, "the node knows no leader any more")
		}
	})
}

// A leader that hears of a higher epoch, from who has granted it, leads until its work has returned: else it would be free to grant that epoch, too.
func TestHigherEpochWaitsForWork(t *testing.T) {
	virtually(t, func(t *testing.T, ctx context.Context) {
		c := newCluster(t, 4, nil)
		for _, id := range c.ids {
			require.NoError(t, c.nodes[id].Add(ctx, "a"))
		}
		highest := c.wanted([]string{"a"})["a"]
		c.kill(highest)
		led := c.awaitsSome(20*time.Second, "a")
		valid := make(chan bool, 1)
		go func() {
			_ = c.nodes[led].Lead(ctx, "a", func(ctx context.Context, r groups.Reign) error {
				<-ctx.Done()
				time.Sleep(3 * time.Millisecond)
				valid <- r.Valid()
				return nil
			})
		}()
		synctest.Wait()
		other, epoch := c.network.Join(highest), c.epochOf(led, "a")+1
		c.awaits(10*time.Second, func() bool {
			other.SendBundle(led, 1<<30, groups.Refuses("a", epoch))
			return len(valid) > 0
		})
		require.True(t, <-valid, "OneActing: node %v must lead group a in epoch %d until its work has returned", led, epoch-1)
		require.NoError(t, other.Close())
	})
}

// A leader of a group whose reign ends before its deadline, as somebody sets the wall clock forward, grants nothing while work may act that was told that by another clock.
func TestReignThatEndsEarly(t *testing.T) {
	virtually(t, func(t *testing.T, ctx context.Context) {
		clocks := map[spec.NodeID]*wall{}
		c := newCluster(t, 4, func(config *groups.Config) {
			clocks[config.ID] = &wall{}
			config.Clock = clocks[config.ID]
		})
		for _, id := range c.ids {
			require.NoError(t, c.nodes[id].Add(ctx, "a"))
		}
		highest := c.wanted([]string{"a"})["a"]
		c.kill(highest)
		led := c.awaitsSome(20*time.Second, "a")
		clock := clocks[led]
		began, ended := make(chan time.Time, 1), make(chan bool, 1)
		go func() {
			_ = c.nodes[led].Lead(ctx, "a", func(ctx context.Context, r groups.Reign) error {
				told := r.Deadline()
				began <- told
				<-ctx.Done()
				time.Sleep(told.Sub(clock.Now()))
				ended <- true
				return nil
			})
		}()
		require.Greater(t, (<-began).Sub(clock.Now()), 10*time.Millisecond)
		other, epoch := c.network.Join(highest), c.epochOf(led, "a")+1
		clock.ahead.Store(int64(time.Hour))
		beside := false
		c.awaits(10*time.Second, func() (granted bool) {
			other.SendBundle(led, 1<<30, groups.Claims("a", epoch))
			for event, ok := other.Next(); ok; event, ok = other.Next() {
				granted = granted || event.Kind == transport.Bundle && event.Node == led && groups.Says(event.Bundle, spec.Grant)
			}
			beside = beside || granted && len(ended) == 0
			return granted
		})
		require.False(t, beside, "OneActing: node %v still acts in epoch %d of group a, and has granted epoch %d to node %v", led, epoch-1, epoch, highest)
		require.NoError(t, other.Close())
	})
}

// wall is a clock whose time on the wall can be set, while its monotonic reading goes on. Package time has no function for that, and no monotonic reading in
// virtual time: a Time with one has a bit that says so, the seconds since 1885, and the nanoseconds; then that reading.
type wall struct {
	host.SystemClock
	ahead atomic.Int64
}

// Now implements host.Clock.
func (w *wall) Now() time.Time {
	now := time.Now()
	shown := now.Add(time.Duration(w.ahead.Load()))
	bits := (*[2]uint64)(unsafe.Pointer(&now))
	bits[0], bits[1] = 1<<63|uint64(shown.Unix()-time.Date(1885, 1, 1, 0, 0, 0, 0, time.UTC).Unix())<<30|uint64(shown.Nanosecond()), uint64(now.UnixNano())
	return now
}
