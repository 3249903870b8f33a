package host

import (
	"testing"

	"github.com/stretchr/testify/require"

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
