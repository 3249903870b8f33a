package host

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed-fdf591db/bully/impl/internal/reigns"
	"github.com/seed-fdf591db/bully/spec"
)

// setOf returns the set of nodes among the members of links.
func (l *links) setOf(nodes ...int) (s set) {
	for _, i := range nodes {
		s |= l.one(id(i))
	}
	return s
}

// TestLinksByKind: who votes, who may lead, and whose support counts.
func TestLinksByKind(t *testing.T) {
	c, err := spec.NewConfiguration(1, 1, []spec.Member{at(1, spec.Voter), at(2, spec.Voter), at(3, spec.Witness), at(4, spec.Observer), at(5, spec.Voter),
		at(6, spec.Observer)})
	require.NoError(t, err)
	for _, test := range []struct {
		me            int
		stands        bool
		asked, higher []int
	}{
		{1, true, []int{2, 3, 5}, []int{2, 5}},
		{2, true, []int{1, 3, 5}, []int{5}},
		{3, false, []int{1, 2, 5}, []int{1, 2, 5}},
		{4, false, []int{1, 2, 3, 5}, []int{1, 2, 5}},
		{5, true, []int{1, 2, 3}, nil},
		{7, false, []int{1, 2, 3, 5}, []int{1, 2, 5}},
	} {
		l := linksOf(id(test.me), c)
		require.Equal(t, test.stands, l.who.Stands, test.me)
		require.Equal(t, l.setOf(test.asked...), l.who.Asked(), test.me)
		require.Equal(t, l.setOf(test.higher...), l.who.Higher, test.me)
	}
	for _, test := range []struct {
		me      int
		support []int
		want    bool
	}{
		{1, nil, false},
		{1, []int{2}, false}, // two of four
		{1, []int{2, 4, 6}, false},
		{1, []int{2, 3}, true},
		{1, []int{4, 6}, false},
		{4, []int{1, 2}, false}, // it does not count itself
		{4, []int{1, 2, 3}, true},
	} {
		s := spec.State{}
		for _, i := range test.support {
			s.Support = append(s.Support, id(i))
		}
		require.Equal(t, test.want, linksOf(id(test.me), c).backs(&s), "%d with %v", test.me, test.support)
	}
}

// TestLinksByRank: who is higher is said by ranks, and then by ids.
func TestLinksByRank(t *testing.T) {
	raised := at(1, spec.Voter)
	raised.Rank = 1
	c, err := spec.NewConfiguration(1, 1, []spec.Member{raised, at(2, spec.Voter), at(3, spec.Voter)})
	require.NoError(t, err)
	for me, higher := range map[int][]int{1: nil, 2: {1, 3}, 3: {1}} {
		l := linksOf(id(me), c)
		require.Equal(t, l.setOf(higher...), l.who.Higher, me)
	}
}

// TestBacksNow: who has acknowledged a leader backs it for two reigns, unless it is proved dead.
func TestBacksNow(t *testing.T) {
	h := &Host{links: newLinks(id(1), []spec.NodeID{id(1), id(2), id(3)}), config: Config{Timing: LAN()}, watch: &reigns.Watch{}}
	h.links.backed[0], h.links.backed[1] = 1000, 1000
	for passed, backs := range map[time.Duration]bool{0: true, 2 * LAN().Reign: true, 2*LAN().Reign + 1: false} {
		h.watch.Now = instant(1000).Add(passed)
		require.Equal(t, backs, h.backsNow(id(1)), passed)
		require.Equal(t, backs, h.backsNow(id(2)), passed)
		require.False(t, h.backsNow(id(3)), "it never has")
		require.False(t, h.backsNow(id(4)), "it is no member")
	}
	h.watch.Now = 1000
	h.links.dead.Store(uint64(h.links.one(id(2))))
	require.True(t, h.backsNow(id(1)), "node 1 has acknowledged a moment ago")
	require.False(t, h.backsNow(id(2)), "node 2 is proved dead")
}
