package membership

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed-fdf591db/bully/spec"
)

func id(n uint64) spec.NodeID { return spec.IntegerID(n) }

func member(n uint64, kind spec.MemberKind, address string) spec.Member {
	return spec.Member{ID: id(n), Kind: kind, Address: address}
}

func configuration(t *testing.T, members ...spec.Member) spec.Configuration {
	c, err := spec.NewConfiguration(3, 7, members)
	require.NoError(t, err)
	return c
}

// What comes next on the way to what is wanted of one member, as the leader, node 3, sees it.
func TestNext(t *testing.T) {
	c := configuration(t, member(1, spec.Voter, "a"), member(2, spec.Observer, "b"), member(3, spec.Voter, "c"))
	for name, want := range map[string]struct {
		wanted   spec.Member
		answered bool
		verdict  Verdict
		becomes  spec.Member
	}{
		"as it is":              {member(1, spec.Voter, "a"), false, Fulfilled, spec.Member{}},
		"none, and is":          {member(9, "", ""), false, Fulfilled, spec.Member{}},
		"a new voter":           {member(9, spec.Voter, "z"), false, Changes, member(9, spec.Observer, "z")},
		"a new observer":        {member(9, spec.Observer, "z"), false, Changes, member(9, spec.Observer, "z")},
		"an observer is silent": {member(2, spec.Voter, "b"), false, Awaits, spec.Member{}},
		"an observer answers":   {member(2, spec.Voter, "b"), true, Changes, member(2, spec.Voter, "b")},
		"one that has moved":    {member(2, spec.Voter, "x"), true, Changes, member(2, spec.Observer, "x")},
		"a voter less":          {member(1, spec.Witness, "a"), false, Changes, member(1, spec.Witness, "a")},
		"one goes":              {member(1, "", ""), false, Changes, spec.Member{ID: id(1)}},
		"the leader goes":       {member(3, "", ""), false, Changes, member(3, spec.Witness, "c")},
		"the leader observes":   {member(3, spec.Observer, "c"), false, Changes, member(3, spec.Witness, "c")},
	} {
		verdict, members := Next(c, id(3), want.wanted, func(spec.NodeID) bool { return want.answered })
		require.Equal(t, want.verdict, verdict, name)
		if verdict != Changes {
			require.Nil(t, members, name)
			continue
		}
		next := configuration(t, members...)
		is, there := next.Member(want.becomes.ID)
		require.Equal(t, want.becomes.Kind != "", there, name)
		if there {
			require.Equal(t, want.becomes, is, name)
		}
	}
	leaves := configuration(t, member(1, spec.Voter, "a"), member(3, spec.Witness, "c"))
	verdict, _ := Next(leaves, id(3), member(3, "", ""), nil)
	require.Equal(t, HandsOver, verdict)
	verdict, _ = Next(leaves, id(3), member(3, spec.Witness, "c"), nil)
	require.Equal(t, Fulfilled, verdict)
}

// Whose answers a configuration needs.
func TestLosesQuorum(t *testing.T) {
	c := configuration(t, member(1, spec.Voter, ""), member(2, spec.Voter, ""), member(3, spec.Witness, ""), member(4, spec.Observer, ""), member(5, spec.Voter, ""))
	backs := func(ids ...uint64) func(spec.NodeID) bool {
		return func(of spec.NodeID) bool {
			for _, n := range ids {
				if of == id(n) {
					return true
				}
			}
			return false
		}
	}
	require.Empty(t, LosesQuorum(c, id(1), backs(2, 3)))
	require.Equal(t, "of the 4 that would vote 2 answer, which are no quorum: nothing is heard of 3, 5", LosesQuorum(c, id(1), backs(2, 4)))
	require.Empty(t, LosesQuorum(c, id(3), backs(2, 5)), "another may lead")
	alone := configuration(t, member(1, spec.Voter, ""), member(2, spec.Witness, ""), member(3, spec.Witness, ""))
	require.Equal(t, "node 3 would lead no more, and nothing is heard of those that could: 1", LosesQuorum(alone, id(3), backs(2)))
}
