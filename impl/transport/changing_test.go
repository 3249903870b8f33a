package transport

import (
	"maps"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed-fdf591db/bully/spec"
)

// A changing ground is where the contract of changing members is tested: it starts nodes that know no members.
type changingGround interface {
	ground
	address(id spec.NodeID) string
}

type changingNode interface {
	node
	SetMembers(map[spec.NodeID]string)
}

var (
	_ changingNode = (*TCP)(nil)
	_ changingNode = (*Endpoint)(nil)
)

// disk is the incarnation of a node in these tests.
func disk(id spec.NodeID) uint64 { return 0xd15c0000 + uint64(id[15]) }

type changingMemory struct{ *Network }

func (g changingMemory) begin(id spec.NodeID) node { return g.JoinChanging(id, disk(id)) }
func (g changingMemory) kill(id spec.NodeID)       { g.Kill(id) }
func (g changingMemory) address(spec.NodeID) string {
	return ""
}

type changingTCP struct {
	*tcpGround
	cluster *tcpNet
}

func newChangingTCP(t testing.TB, change func(*Config), ids ...spec.NodeID) *changingTCP {
	n := newTCPNet(t, nil, ids...)
	addresses := maps.Clone(n.members)
	n.change = func(c *Config) {
		c.Members = nil
		c.Changing = &Changing{Incarnation: disk(c.ID), Address: addresses[c.ID]}
		if change != nil {
			change(c)
		}
	}
	return &changingTCP{tcpGround: &tcpGround{n, make(map[spec.NodeID]*TCP)}, cluster: n}
}

func (g *changingTCP) address(id spec.NodeID) string { return g.cluster.members[id] }

// at returns the members with their addresses, each of which names its disk.
func at(g changingGround, ids ...spec.NodeID) map[spec.NodeID]string {
	members := make(map[spec.NodeID]string)
	for _, id := range ids {
		members[id] = JoinAddress(g.address(id), disk(id))
	}
	return members
}

func begin(g changingGround, id spec.NodeID, members ...spec.NodeID) changingNode {
	n := g.begin(id).(changingNode)
	n.SetMembers(at(g, members...))
	return n
}

// Both transports keep the same contract where members change, too.
func TestChangingContract(t *testing.T) {
	grounds := map[string]func(*testing.T) changingGround{
		"TCP":            func(t *testing.T) changingGround { return newChangingTCP(t, nil, one, two, three, nine) },
		"memory":         func(*testing.T) changingGround { return changingMemory{NewNetwork(nil)} },
		"memory, slower": func(*testing.T) changingGround { return changingMemory{NewNetwork(laterBy(time.Millisecond))} },
	}
	for name, newGround := range grounds {
		for _, c := range contract {
			t.Run(name+"/fixed/"+c.name, func(t *testing.T) { c.test(t, allMembers{newGround(t)}) })
		}
		for _, c := range changingContract {
			t.Run(name+"/"+c.name, func(t *testing.T) { c.test(t, newGround(t)) })
		}
	}
}

// allMembers is a ground of changing members on which they are 1, 2 and 3, and do not change.
type allMembers struct{ changingGround }

func (g allMembers) begin(id spec.NodeID) node {
	return begin(g.changingGround, id, one, two, three)
}

var changingContract = []struct {
	name string
	test func(*testing.T, changingGround)
}{
	{"a non-member is heard, and answered", changingNonMember},
	{"a non-member that restarts hears nothing old", changingNonMemberRestarts},
	{"a node that knows nobody is told by one that knows it", changingJoiner},
	{"a non-member becomes a member", changingJoins},
	{"a member that leaves hears why, and nothing is told of it", changingLeaves},
	{"a node of another disk is refused, at either end", changingOtherDisk},
	{"a member that comes back is told of anew", changingReturns},
	{"after Close members are not set", changingClosed},
	{"messages with a configuration and without arrive as they are", changingMessages},
}

func changingNonMember(t *testing.T, g changingGround) {
	first, second := begin(g, one, one, two), begin(g, two, one, two)
	until(t, first, Up, two)
	until(t, second, Up, one)
	nonMember := begin(g, nine, one)
	until(t, nonMember, Up, one)
	for i := range 3 {
		nonMember.Send(claim(nine, one, 10+i))
		events := untilEpoch(t, first, 10+i)
		require.Equal(t, nine, events[len(events)-1].Node)
		require.Empty(t, kinds(events, nine))
		first.Send(claim(one, nine, 20+i))
		require.Equal(t, []int{20 + i}, epochs(untilEpoch(t, nonMember, 20+i), one))
	}
	second.Send(claim(two, one, 7))
	require.Empty(t, kinds(untilEpoch(t, first, 7), nine), "nothing is told of it")
	g.kill(nine)
	g.kill(two)
	require.Empty(t, kinds(until(t, first, Dead, two), nine), "nor that it is dead")
}

func changingNonMemberRestarts(t *testing.T, g changingGround) {
	first := begin(g, one, one)
	for life := range 3 {
		nonMember := begin(g, nine, one)
		until(t, nonMember, Up, one)
		nonMember.Send(claim(nine, one, life))
		untilEpoch(t, first, life)
		first.Send(claim(one, nine, 10+life))
		require.Equal(t, []int{10 + life}, epochs(untilEpoch(t, nonMember, 10+life), one))
		g.kill(nine)
		for i := range 10 {
			first.Send(claim(one, nine, 100+i)) // to nobody
		}
	}
}

func changingJoiner(t *testing.T, g changingGround) {
	joins := begin(g, nine)
	joins.Send(claim(nine, one, 1)) // it has never heard of that node
	first := begin(g, one, one)
	first.Send(claim(one, nine, 1)) // nor has that one heard of it
	first.SetMembers(at(g, one, nine))
	until(t, first, Up, nine)
	first.Send(claim(one, nine, 2))
	require.Equal(t, []int{2}, epochs(untilEpoch(t, joins, 2), one))
	joins.Send(claim(nine, one, 3))
	require.Equal(t, []int{3}, epochs(untilEpoch(t, first, 3), nine))
	joins.SetMembers(at(g, one, nine))
	require.Equal(t, []Kind{Up}, kinds(until(t, joins, Up, one), one))
	joins.Send(claim(nine, one, 4))
	require.Equal(t, []int{4}, epochs(untilEpoch(t, first, 4), nine))
}

func changingJoins(t *testing.T, g changingGround) {
	first, nonMember := begin(g, one, one), begin(g, nine, one)
	until(t, nonMember, Up, one)
	nonMember.Send(claim(nine, one, 1))
	untilEpoch(t, first, 1)
	first.Send(claim(one, nine, 2))
	untilEpoch(t, nonMember, 2) // so there is a connection already
	first.SetMembers(at(g, one, nine))
	require.Equal(t, []Kind{Up}, kinds(until(t, first, Up, nine), nine))
	first.Send(claim(one, nine, 3))
	require.Equal(t, []int{3}, epochs(untilEpoch(t, nonMember, 3), one))
	g.kill(nine)
	require.Equal(t, []Kind{Down, Dead}, kinds(until(t, first, Dead, nine), nine), "it is proved dead as any member is")
}

func changingLeaves(t *testing.T, g changingGround) {
	first, second, third := begin(g, one, one, two, three), begin(g, two, one, two, three), begin(g, three, one, two, three)
	up := 0
	take(t, first, func(e Event) bool {
		if e.Kind == Up {
			up++
		}
		return up == 2
	})
	until(t, second, Up, one)
	until(t, third, Up, one)
	for i := range 50 {
		first.Send(claim(one, three, i))
	}
	first.SetMembers(at(g, one, two))
	first.Send(claim(one, three, 50)) // as a leader that tells a member that it is one no longer
	require.Len(t, epochs(untilEpoch(t, third, 50), one), 51)
	third.Send(claim(three, one, 51)) // which has not heard that yet
	require.Equal(t, []int{51}, epochs(untilEpoch(t, first, 51), three))
	g.kill(three)
	g.kill(two)
	require.Empty(t, kinds(until(t, first, Dead, two), three))
}

func changingOtherDisk(t *testing.T, g changingGround) {
	first, copied := begin(g, one, one), begin(g, nine, one)
	until(t, copied, Up, one) // nobody has said yet which disk it should have
	copied.Send(claim(nine, one, 1))
	untilEpoch(t, first, 1)
	first.SetMembers(map[spec.NodeID]string{nine: JoinAddress(g.address(nine), disk(nine)+1)})
	until(t, copied, Down, one) // so it is another now
	for i := range 10 {
		copied.Send(claim(nine, one, 2+i))
		first.Send(claim(one, nine, 2+i))
	}
	first.SetMembers(at(g, nine)) // and now it is not
	until(t, copied, Up, one)
	events := until(t, first, Up, nine)
	require.Equal(t, []Kind{Up}, kinds(events, nine), "who answers in its place is no proof of its death")
	copied.Send(claim(nine, one, 99))
	require.Equal(t, []int{99}, epochs(append(events, untilEpoch(t, first, 99)...), nine))
	first.Send(claim(one, nine, 98))
	require.Equal(t, []int{98}, epochs(untilEpoch(t, copied, 98), one))
}

func changingReturns(t *testing.T, g changingGround) {
	first := begin(g, one, one, two)
	for range 5 {
		until(t, first, Dead, two)
		first.SetMembers(at(g, one))
		first.SetMembers(at(g, one, two)) // dead still, and told so again
	}
	until(t, first, Dead, two)
	second := begin(g, two, one, two)
	for range 5 {
		until(t, first, Up, two)
		first.SetMembers(at(g, one))
		first.SetMembers(at(g, one, two))
	}
	until(t, first, Up, two)
	until(t, second, Up, one)
	first.Send(claim(one, two, 1))
	untilEpoch(t, second, 1)
}

func changingClosed(t *testing.T, g changingGround) {
	first := begin(g, one, one)
	require.NoError(t, first.Close())
	first.SetMembers(at(g, one, two, three))
	second := begin(g, two, one, two)
	until(t, second, Dead, one)
	event, ok := first.Next()
	require.False(t, ok, event)
}

func changingMessages(t *testing.T, g changingGround) {
	first, second := begin(g, one, one, two), begin(g, two, one, two)
	until(t, first, Up, two)
	until(t, second, Up, one)
	for i, c := range []spec.Configuration{fiveMembers(t), {}, spec.EmptyConfiguration(), fiveMembers(t).At(3, 1)} {
		m := claim(one, two, 10+i)
		m.Configuration = c
		first.Send(m)
		events := untilEpoch(t, second, 10+i)
		require.Equal(t, m, events[len(events)-1].Message)
	}
}

// Nobody is reached who is not connected, at either end or at one only; nor behind a cut.
func TestNetworkOfNonMembers(t *testing.T) {
	n := NewNetwork(nil)
	first, second, fixed := n.JoinChanging(one, disk(one)), n.JoinChanging(two, disk(two)), n.Join(three)
	first.Send(claim(one, two, 1))
	require.Empty(t, all(second))
	second.SetMembers(map[spec.NodeID]string{one: "", three: ""})
	first.SetMembers(map[spec.NodeID]string{three: ""})
	require.Equal(t, []string{"Up 1"}, all(second), "changing members and fixed ones do not connect")
	require.Empty(t, all(first))
	require.Empty(t, all(fixed))
	first.Send(claim(one, two, 2))
	require.Equal(t, []string{"Received 1→2 CLAIM epoch:2 question:1"}, all(second))
	n.Cut(one, two)
	first.Send(claim(one, two, 3))
	require.Empty(t, all(second))
	second.Send(claim(two, one, 4))
	require.Equal(t, []string{"Received 2→1 CLAIM epoch:4 question:1"}, all(first))
	n.Heal(one, two)
	n.Kill(two)
	second = n.JoinChanging(two, disk(two))
	first.Send(claim(one, two, 5))
	require.Empty(t, all(second), "its successor knows nobody")
	fixed.Send(claim(three, one, 6))
	require.Empty(t, all(first))
}

// Who stays a member notices nothing of members that are said anew, and each node is known once.
func TestNetworkOfWhoStays(t *testing.T) {
	n := NewNetwork(nil)
	first, second := n.JoinChanging(one, disk(one)), n.JoinChanging(two, disk(two))
	members := map[spec.NodeID]string{one: "", two: ""}
	first.SetMembers(members)
	second.SetMembers(members)
	require.Equal(t, []string{"Up 2"}, all(first))
	require.Equal(t, []string{"Up 1"}, all(second))
	for range 3 {
		first.SetMembers(members)
	}
	require.Empty(t, all(first))
	require.Empty(t, all(second))
	require.Equal(t, []spec.NodeID{one, two}, n.nodes)
}
