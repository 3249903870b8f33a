package groups_test

import (
	"context"
	"errors"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed-fdf591db/bully/impl/groups"
	"github.com/seed-fdf591db/bully/impl/host"
	"github.com/seed-fdf591db/bully/impl/storage"
	"github.com/seed-fdf591db/bully/impl/transport"
	"github.com/seed-fdf591db/bully/spec"
	"github.com/seed-fdf591db/bully/spec/slowtest"
)

// newRoaming returns a cluster whose members come and go, founded with so many.
func newRoaming(t *testing.T, n int, config func(*groups.Config)) *cluster {
	c := newCluster(t, 0, config)
	c.records = map[spec.NodeID]*storage.Memory{}
	c.found(n)
	return c
}

// found starts the first nodes, if there are any.
func (c *cluster) found(n int) {
	if n == 0 {
		return
	}
	c.ids = ids(n)
	var members []spec.Member
	for _, id := range c.ids {
		members = append(members, memberOf(id))
	}
	var err error
	c.founded, err = spec.NewConfiguration(0, 1, members)
	require.NoError(c.t, err)
	for _, id := range c.ids {
		c.begin(id)
	}
}

func memberOf(id spec.NodeID) spec.Member {
	return spec.Member{ID: id, Kind: spec.Voter, Address: "node-" + id.String() + ":7000"}
}

// begin starts a node for the first time: a founder, or one that waits to be added.
func (c *cluster) begin(id spec.NodeID) *groups.Groups {
	first := c.founded
	if _, founder := first.Member(id); !founder {
		first = spec.EmptyConfiguration()
	}
	record, err := storage.NewChangingMemory(storage.Identity{ID: id, Cluster: "test", Incarnation: uint64(id[15])}, first)
	require.NoError(c.t, err)
	c.records[id], c.disks[id] = record, &disk{kept: map[uint64]storage.GroupPromise{}, slow: time.Millisecond}
	return c.start(id)
}

// change has whoever leads the cluster's own election change its members, again if it hands over.
func (c *cluster) change(ctx context.Context, call func(*host.Host) error) error {
	ctx, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	for ctx.Err() == nil {
		for _, id := range c.ids {
			node := c.nodes[id]
			if node == nil || !node.Own.Status().Leading {
				continue
			}
			if err := call(node.Own); !errors.Is(err, host.ErrHandedOver) && !errors.Is(err, host.ErrNotLeader) {
				return err
			}
		}
		time.Sleep(10 * time.Millisecond)
	}
	return ctx.Err()
}

func (c *cluster) add(ctx context.Context, id spec.NodeID) {
	require.NoError(c.t, c.change(ctx, func(h *host.Host) error { _, err := h.AddMember(ctx, memberOf(id), 0); return err }))
	c.ids = append(c.ids, id)
}

func (c *cluster) remove(ctx context.Context, id spec.NodeID) {
	require.NoError(c.t, c.change(ctx, func(h *host.Host) error { _, err := h.RemoveMember(ctx, id, 0); return err }))
	c.ids = slices.DeleteFunc(c.ids, func(other spec.NodeID) bool { return other == id })
}

// awaitMembers waits until every node that runs has the members of the cluster in every group, and no other.
func (c *cluster) awaitMembers(most time.Duration, all []string) time.Duration {
	return c.awaits(most, func() bool {
		for _, id := range c.ids {
			if node := c.nodes[id]; node != nil && !hasMembers(node, all, c.ids) {
				return false
			}
		}
		return true
	})
}

func hasMembers(node *groups.Groups, all []string, ids []spec.NodeID) bool {
	n := 0
	for _, one := range node.Status().Groups {
		members := one.Members.Members()
		for _, m := range members {
			if m.Kind != spec.Voter || !slices.Contains(ids, m.ID) {
				return false
			}
		}
		if len(members) == len(ids) && slices.Contains(all, one.Name) {
			n++
		}
	}
	return n == len(all)
}

// gone waits until a node has ended as it is no member any more.
func (c *cluster) gone(id spec.NodeID) {
	node := c.nodes[id]
	select {
	case <-node.Done():
	case <-time.After(time.Minute):
		require.FailNow(c.t, "a node that was removed runs on", "node %v: %+v", id, node.Status())
	}
	require.ErrorIs(c.t, node.Close(), host.ErrRemoved)
	c.ended(id)
}

var one, two, three, four, five, six = spec.IntegerID(1), spec.IntegerID(2), spec.IntegerID(3), spec.IntegerID(4), spec.IntegerID(5), spec.IntegerID(6)

// The groups follow the members of the cluster: a node that is added comes to lead what it is to, one that is removed leads nothing any more, and ends when no group has it;
// until all have been replaced. While it goes on each group is led, by one node in an epoch, and its fence holds.
func TestGroupsFollowTheMembers(t *testing.T) {
	virtually(t, func(t *testing.T, ctx context.Context) {
		all := names(40)
		c := newRoaming(t, 3, nil).led(ctx, 20*time.Second, all)
		for _, next := range []struct{ comes, goes spec.NodeID }{{four, one}, {five, three}, {six, two}} {
			c.begin(next.comes)
			c.lead(ctx, next.comes, all...)
			c.add(ctx, next.comes)
			t.Logf("%v comes: all groups have it after %v, and are led as planned after %v more", next.comes, c.awaitMembers(20*time.Second, all), c.awaitLeaders(30*time.Second, c.wanted(all)))
			c.remove(ctx, next.goes)
			took := c.awaitMembers(20*time.Second, all)
			require.Less(t, took, 500*time.Millisecond, "who leads hands over, and is not pre-empted")
			c.gone(next.goes)
			t.Logf("%v goes: no group has it after %v, and all are led as planned after %v more", next.goes, took, c.awaitLeaders(30*time.Second, c.wanted(all)))
		}
		require.ElementsMatch(t, []spec.NodeID{four, five, six}, c.ids)
		c.fences.check(t)
	})
}

// Where weights or pins are not the same, ranks stay as they are; when the last node has been started again with the new ones, all groups are led as these say.
func TestRanksFollowWeights(t *testing.T) {
	slowtest.NoRace(t, "TestChaos runs the same goroutines")
	virtually(t, func(t *testing.T, ctx context.Context) {
		all := names(40)
		weights, pins := map[spec.NodeID]int{}, map[string]spec.NodeID{}
		c := newRoaming(t, 3, func(config *groups.Config) { config.Weights, config.Pins = weights, pins })
		for _, id := range c.ids {
			c.lead(ctx, id, all...)
		}
		was := c.wanted(all)
		c.awaitLeaders(20*time.Second, was)
		weights, pins = map[spec.NodeID]int{one: 5}, map[string]spec.NodeID{all[0]: two, all[1]: three}
		for i, id := range c.ids {
			if i > 0 {
				c.awaitLeaders(30*time.Second, was)
				time.Sleep(5 * time.Second)
				c.awaitLeaders(time.Second, was)
			}
			c.stop(id)
			c.start(id)
			c.lead(ctx, id, all...)
		}
		is := map[string]spec.NodeID{}
		for id, names := range (groups.Placement{Members: c.ids, Weights: weights, Pins: pins}).Plan(all) {
			for _, name := range names {
				is[name] = id
			}
		}
		require.NotEqual(t, was, is)
		c.awaitLeaders(30*time.Second, is)
		require.Equal(t, c.nodes[one].Placement().Plan(all), groups.Placement{Members: c.ids, Weights: weights, Pins: pins}.Plan(all))
		c.fences.check(t)
	})
}

// A group that is added after founders have gone begins with the members that are named, and comes to have all; who names none waits for it.
func TestFirstMembers(t *testing.T) {
	virtually(t, func(t *testing.T, ctx context.Context) {
		named := map[string][]spec.NodeID{}
		c := newRoaming(t, 3, func(config *groups.Config) { config.First = func(group string) []spec.NodeID { return named[group] } })
		c.awaits(10*time.Second, func() bool { return c.nodes[three].Own.Status().Leading })
		for _, next := range []struct{ comes, goes spec.NodeID }{{four, one}, {five, two}} {
			c.begin(next.comes)
			c.add(ctx, next.comes)
			c.remove(ctx, next.goes)
			c.gone(next.goes)
		}
		late := names(10)
		for _, id := range c.ids {
			require.NoError(t, c.nodes[id].Add(ctx, late...))
		}
		time.Sleep(10 * time.Second) // with the founders, of whom one runs
		for _, one := range c.nodes[five].Status().Groups {
			require.True(t, one.Leader.IsNone(), "group %s has no quorum of its first members, and must not name a leader", one.Name)
			require.Contains(t, one.Problem, "waits until its leader adds this node")
		}
		for _, id := range c.ids {
			require.NoError(t, c.nodes[id].Remove(ctx, late...))
		}
		for _, name := range late {
			named[name] = []spec.NodeID{five, four}
		}
		for _, id := range c.ids {
			c.lead(ctx, id, late...)
		}
		c.awaitMembers(20*time.Second, late)
		c.awaitLeaders(20*time.Second, c.wanted(late))
		// A node that waits to be added may be named: it is no member of the cluster, and has no say who is.
		c.begin(six)
		named["early"] = []spec.NodeID{six, five}
		for _, id := range append(slices.Clone(c.ids), six) {
			c.lead(ctx, id, "early")
		}
		c.awaitMembers(20*time.Second, append(slices.Clone(late), "early"))
		c.awaits(20*time.Second, func() bool { return c.leaders(six)["early"] == c.wanted([]string{"early"})["early"] })
		named["bad"] = []spec.NodeID{one, one}
		require.ErrorContains(t, c.nodes[five].Add(ctx, "good", "bad"), `groups: First: group "bad": member 1 is there twice`)
		require.NotContains(t, c.nodes[five].Names(), "good")
		c.fences.check(t)
	})
}

// Nodes that name other first members of one group say so, and none leads it, while they are connected before any has; when they name the same one does. Where some lead it already, who comes with others
// takes no part, and they lead on.
func TestOtherFirstMembers(t *testing.T) {
	virtually(t, func(t *testing.T, ctx context.Context) {
		named := map[spec.NodeID][]spec.NodeID{one: {one, two}, two: {one, two}, three: {three}, four: {three, four}}
		c := newRoaming(t, 4, nil)
		for _, id := range c.ids {
			c.stop(id)
			c.config = func(config *groups.Config) {
				config.First = func(group string) []spec.NodeID {
					if group == "a" {
						return named[id]
					}
					return nil
				}
			}
			c.start(id)
		}
		for _, id := range c.ids {
			c.awaits(10*time.Second, func() bool { return len(c.nodes[id].Status().Up) == 3 })
		}
		for _, id := range c.ids {
			c.lead(ctx, id, "a", "b")
		}
		b := map[string]spec.NodeID{"b": c.wanted([]string{"b"})["b"]}
		c.awaitLeaders(20*time.Second, b)
		time.Sleep(10 * time.Second)
		for _, id := range c.ids {
			one := c.nodes[id].Status().Groups[0]
			require.True(t, one.Leader.IsNone(), "%v: %+v", id, one)
			require.Contains(t, one.Problem, "has begun it with other first members", "%v", id)
		}
		named[three], named[four] = named[one], named[one]
		for _, id := range []spec.NodeID{three, four} {
			require.NoError(t, c.nodes[id].Remove(ctx, "a"))
			c.lead(ctx, id, "a")
		}
		both := c.wanted([]string{"a", "b"})
		c.awaitLeaders(20*time.Second, both)

		// Who comes with others later takes no part, and disturbs nobody.
		c.stop(four)
		c.disks[four].kept, named[four] = map[uint64]storage.GroupPromise{}, []spec.NodeID{four}
		c.ids = c.ids[:3]
		led := c.awaitsSome(20*time.Second, "a")
		epoch := c.epochOf(one, "a")
		c.start(four)
		require.NoError(t, c.nodes[four].Add(ctx, "a"))
		time.Sleep(10 * time.Second)
		require.Contains(t, c.nodes[four].Status().Groups[0].Problem, "with other first members")
		require.True(t, c.nodes[four].Status().Groups[0].Leader.IsNone(), "node 4 begins with other members, and must not name a leader")
		require.Equal(t, led, c.leaders(four)["a"])
		require.Equal(t, epoch, c.epochOf(one, "a"))
		c.fences.check(t)
	})
}

// awaitsSome waits until all nodes name one leader of a group, and returns it.
func (c *cluster) awaitsSome(most time.Duration, name string) spec.NodeID {
	c.awaits(most, func() bool { return !c.leaders()[name].IsNone() })
	return c.leaders()[name]
}

func (c *cluster) epochOf(id spec.NodeID, name string) spec.Epoch {
	for _, one := range c.nodes[id].Status().Groups {
		if one.Name == name {
			return one.Epoch
		}
	}
	return 0
}

// A node that is no member, and is not to be one, is not believed who the members of a group are; one that waits to be added believes the members of the cluster.
func TestGroupsBelieveMembers(t *testing.T) {
	virtually(t, func(t *testing.T, ctx context.Context) {
		all := names(5)
		c := newRoaming(t, 3, nil).led(ctx, 20*time.Second, all)
		liar := c.network.JoinChanging(six, 6)
		liar.SetMembers(map[spec.NodeID]string{one: "", two: "", three: ""})
		for _, id := range c.ids {
			c.awaits(10*time.Second, func() bool {
				liar.SendBundle(id, 1, groups.Lie(six, id, all[0], 1<<40, 0))
				return c.nodes[id].Status().Counters.Unbelieved > 0
			})
		}
		c.awaitMembers(time.Second, all)
		require.Less(t, c.epochOf(one, all[0]), spec.Epoch(100))

		// A member is not believed of a group that has begun with others than this one.
		c.kill(three)
		member := c.network.JoinChanging(three, 3)
		member.SetMembers(map[spec.NodeID]string{one: "", two: ""})
		for _, id := range []spec.NodeID{one, two} {
			c.awaits(10*time.Second, func() bool {
				member.SendBundle(id, 1, groups.Lie(three, id, all[0], 1<<40, 99))
				return c.nodes[id].Status().Groups[0].Problem != ""
			})
		}
		require.Contains(t, c.nodes[one].Status().Groups[0].Problem, "node 3 has begun it with other first members")
		require.Less(t, c.epochOf(one, all[0]), spec.Epoch(100))
		c.fences.check(t)
	})
}

// A node that is removed runs on as long as a group has it: the disks of the others are slow, and some of them are killed before the groups have followed. Until then no further member is changed, unless that is forced.
func TestRemovedNodesStay(t *testing.T) {
	slowtest.NoRace(t, "TestChaos runs the same goroutines")
	virtually(t, func(t *testing.T, ctx context.Context) {
		all := names(5)
		timing := host.TimingFor(2 * time.Second)
		c := newRoaming(t, 4, func(config *groups.Config) { config.Timing = timing })
		for _, id := range c.ids {
			c.lead(ctx, id, all...)
		}
		c.awaitLeaders(20*time.Minute, c.wanted(all))
		for _, id := range c.ids {
			c.disks[id].takes(1500 * time.Millisecond)
		}
		c.remove(ctx, one)
		has := func() bool {
			for _, id := range c.ids {
				for _, g := range c.nodes[id].Status().Groups {
					if _, member := g.Members.Member(one); member {
						return true
					}
				}
			}
			return false
		}
		require.True(t, has(), "the group still has the removed node as a member")
		soon, cancel := context.WithTimeout(ctx, time.Second)
		defer cancel()
		err := c.change(soon, func(h *host.Host) error { _, err := h.RemoveMember(soon, two, 0); return err })
		require.ErrorIs(t, err, context.DeadlineExceeded)
		require.True(t, has(), "a change that was not forced must wait for the groups")
		for _, id := range []spec.NodeID{three, four} { // who are left are no quorum of the groups, which had no time to follow
			c.kill(id)
		}
		time.Sleep(2 * timing.Linger())
		require.False(t, isDone(c.nodes[one]), "node 1 has no quorum, and must not report that the groups have followed")
		for _, id := range []spec.NodeID{three, four} {
			c.start(id)
			c.lead(ctx, id, all...)
		}
		c.awaits(20*time.Minute, func() bool { return !has() })
		c.awaits(20*time.Minute, func() bool { return isDone(c.nodes[one]) })
		c.gone(one)
		c.fences.check(t)
	})
}

// A node whose answers come after those of a quorum is made a voter all the same: that it has the members counts, though its ACK dates nothing.
func TestLateAnswersCount(t *testing.T) {
	virtually(t, func(t *testing.T, ctx context.Context) {
		all := names(10)
		c := newRoaming(t, 0, nil)
		c.network = transport.NewNetwork(func(from, _ spec.NodeID) time.Duration {
			if from == four {
				return 8 * time.Millisecond
			}
			return time.Millisecond
		})
		c.found(3)
		for _, id := range c.ids {
			c.lead(ctx, id, all...)
		}
		c.awaitLeaders(20*time.Second, c.wanted(all))
		c.begin(four)
		c.lead(ctx, four, all...)
		c.add(ctx, four)
		c.awaitMembers(20*time.Second, all)
		c.fences.check(t)
	})
}

// A place that is free is nobody's: whoever keeps no lease does not come to say that it keeps that of the node that is added next. It is not free while something waits to be said that names who had it.
func TestPlacesAreFreed(t *testing.T) {
	require.Negative(t, groups.PlaceOfNobody())
	require.True(t, groups.Frees(false), "a place that nothing names must become free")
	require.False(t, groups.Frees(true), "a place that a queued message names must stay taken")
}
