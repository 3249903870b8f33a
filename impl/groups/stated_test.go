package groups

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed-fdf591db/bully/spec"
)

// What a peer says of the members of a group, which is nearly always what this node says, is in memory once, in whichever order the peer knows the nodes (decision 0058). What it says otherwise is not.
func TestMembersAreThereOnce(t *testing.T) {
	one, two, three := spec.IntegerID(1), spec.IntegerID(2), spec.IntegerID(3)
	c := firstOf([]spec.NodeID{one, two, three}, nil)
	here, there := &loop{changing: true, members: []spec.NodeID{one, two, three}}, &loop{changing: true, members: []spec.NodeID{three, one, two}}
	g := &group{key: 7, first: 5, configuration: c}
	here.byKey = map[uint64]*group{g.key: g}
	reads := func(first uint64, c spec.Configuration) *stated {
		said := there.states(&group{key: g.key, first: first}, c)
		r := reader{data: said.bytes, names: there.members, loop: here}
		r.find()
		s := r.stated(g.key)
		require.False(t, r.bad, "the bundle can be read")
		require.Empty(t, r.data)
		require.Equal(t, first, s.first)
		require.Equal(t, c, s.configuration)
		return s
	}
	ours := here.states(g, c)
	require.Same(t, ours, reads(g.first, c))
	require.NotSame(t, ours, reads(g.first+1, c))
	require.NotSame(t, ours, reads(g.first, c.At(9, c.Version)))
	require.Same(t, ours, g.said)
}
