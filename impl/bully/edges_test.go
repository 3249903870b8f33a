package bully_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed-fdf591db/bully/impl/bully"
	"github.com/seed-fdf591db/bully/spec"
)

// TestMemberTwice gives each place among the members to one that is there already.
func TestMemberTwice(t *testing.T) {
	for n := 2; n <= 5; n++ {
		for i := range n {
			for j := range n {
				members := integers(n)
				members[i] = members[j]
				_, err := bully.New(members[j], members)
				if i == j {
					require.NoError(t, err)
				} else {
					require.ErrorContains(t, err, "is there twice", members)
				}
			}
		}
	}
}

// TestCauses holds Causes to be all that there are, each once.
func TestCauses(t *testing.T) {
	require.Equal(t, []bully.Cause{
		"malformed", "unknown-type", "non-member", "misaddressed", "timer-not-running", "not-started", "started-twice",
		"mixed-members",
	}, bully.Causes())
	node, err := bully.New(spec.IntegerID(1), integers(1))
	require.NoError(t, err)
	require.Contains(t, bully.Causes(), node.Step(bully.Resign()).Ignored)
}
