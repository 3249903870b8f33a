package host

import (
	"context"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed-fdf591db/bully/impl/internal/bubbletest"
	"github.com/seed-fdf591db/bully/impl/storage"
	"github.com/seed-fdf591db/bully/spec"
)

// roam runs a test on a cluster whose members come and go: of n nodes that there may be, the first so many are members at
// the beginning.
func roam(t *testing.T, n, first int, f func(t *testing.T, c *cluster)) {
	t.Helper()
	bubbletest.Run(t, func(t *testing.T) {
		c := newCluster(t, n, 81)
		var members []spec.Member
		for i := range first {
			members = append(members, at(i+1, spec.Voter))
		}
		var err error
		c.first, err = spec.NewConfiguration(0, 1, members)
		require.NoError(t, err)
		defer c.stop()
		f(t, c)
	})
}

// at returns node i as a member of a kind, at its address.
func at(i int, kind spec.MemberKind) spec.Member {
	return spec.Member{ID: id(i), Kind: kind, Address: fmt.Sprintf("10.0.0.%d:7400", i)}
}

// newDisk returns what a node is made with.
func (c *cluster) newDisk(node spec.NodeID) *storage.Memory {
	if c.first.IsNone() {
		return storage.NewMemory()
	}
	first := c.first
	if _, member := first.Member(node); !member {
		first = spec.EmptyConfiguration()
	}
	disk, err := storage.NewChangingMemory(storage.Identity{ID: node, Cluster: "test", Incarnation: uint64(node[15])}, first)
	require.NoError(c.t, err)
	return disk
}

// leader returns who runs and leads, or nil.
func (c *cluster) leader() *member {
	for _, m := range c.running() {
		if m.seen.Load().told.Leading {
			return m
		}
	}
	return nil
}

// startSome starts nodes, and waits until the highest of them leads.
func (c *cluster) startSome(nodes ...int) {
	for _, i := range nodes {
		c.start(i)
	}
	c.awaitLeader(time.Second, slices.Max(nodes))
}

// add makes a node a member of a kind, wherever the leader comes to be; it must go well.
func (c *cluster) add(i int, kind spec.MemberKind) spec.Configuration {
	c.t.Helper()
	conf := c.handOver(func(leader *member) (spec.Configuration, error) { return leader.AddMember(c.soon(), at(i, kind), 0) })
	m, _ := conf.Member(id(i))
	require.Equal(c.t, at(i, kind), m)
	return conf
}

// drop removes a member; it must go well, and the node must learn of it if it runs.
func (c *cluster) drop(i int) spec.Configuration {
	c.t.Helper()
	conf := c.handOver(func(leader *member) (spec.Configuration, error) { return leader.RemoveMember(c.soon(), id(i), 0) })
	_, member := conf.Member(id(i))
	require.False(c.t, member, "node %d must be no member after its removal", i)
	if c.host(i) != nil {
		c.gone(i)
	}
	return conf
}

// handOver calls the leader, and its successor if it hands over.
func (c *cluster) handOver(call func(leader *member) (spec.Configuration, error)) spec.Configuration {
	c.t.Helper()
	c.await(time.Second, "somebody leads", func() bool { return c.leader() != nil })
	conf, err := call(c.leader())
	for attempt := 0; err != nil; attempt++ {
		require.ErrorIs(c.t, err, ErrHandedOver)
		require.Less(c.t, attempt, 3)
		c.await(time.Second, "somebody leads", func() bool { return c.leader() != nil })
		conf, err = call(c.leader())
	}
	return conf
}

// gone waits until a node has ended because it is no member any more.
func (c *cluster) gone(i int) {
	c.t.Helper()
	m := c.host(i)
	select {
	case err := <-m.ended:
		require.ErrorIs(c.t, err, ErrRemoved)
	case <-time.After(time.Second + c.timing.Linger()):
		require.Fail(c.t, "it has not been told that it is no member", "node %d: %v", i, c)
	}
	m.cancel()
	c.remove(m)
	require.Equal(c.t, "removed", m.Status().Membership)
	require.True(c.t, m.Status().Stopped, "node %d must stop after its removal", m.id)
}

// soon returns a context in which what goes well has ended.
func (c *cluster) soon() context.Context {
	ctx, cancel := context.WithTimeout(c.t.Context(), 5*time.Second)
	c.t.Cleanup(cancel)
	return ctx
}

// voters returns the configuration of nodes that all are voters.
func voters(epoch spec.Epoch, version uint64, nodes ...int) spec.Configuration {
	var members []spec.Member
	for _, i := range nodes {
		members = append(members, at(i, spec.Voter))
	}
	c, err := spec.NewConfiguration(epoch, version, members)
	if err != nil {
		panic(err)
	}
	return c
}
