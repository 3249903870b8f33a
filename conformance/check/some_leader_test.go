package check

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed-fdf591db/bully/spec"
)

// TestSomeLeader has a light that shows it: nobody need lead at each moment, and so no monitor asks.
func TestSomeLeader(t *testing.T) {
	l := NewLights(three())
	see := func(s seen) []Light {
		l.See(s.node-1, &s.view)
		return l.Changed()
	}
	require.Empty(t, see(in(1, 0)), "no quorum runs")
	require.Equal(t, []Light{{&someLeader, "nobody leads, though 2 of 3 nodes run"}}, see(in(2, 0)))
	require.Empty(t, see(in(3, 0)), "the same again")
	require.Equal(t, []Light{{&someLeader, ""}}, see(leads(1, 4)))
	require.Equal(t, []Light{{&someLeader, "nobody leads, though 2 of 3 nodes run"}}, see(down(1, 4)))
}

// TestSomeLeaderOfMembersThatChange goes by the newest configuration, of whose voters one must run.
func TestSomeLeaderOfMembersThatChange(t *testing.T) {
	c, err := spec.NewConfiguration(0, 2, []spec.Member{
		{ID: spec.IntegerID(1), Kind: spec.Voter}, {ID: spec.IntegerID(2), Kind: spec.Witness}, {ID: spec.IntegerID(3), Kind: spec.Observer},
	})
	require.NoError(t, err)
	l := NewLights(three())
	broken := func(node int) string {
		l.See(node-1, &View{Up: true, Configuration: c})
		l.Changed()
		return l.brokenNow(&someLeader)
	}
	require.Empty(t, broken(3), "an observer")
	require.Empty(t, broken(2), "a witness alone")
	require.Equal(t, "nobody leads, though 2 of 2 run that vote", broken(1))
}
