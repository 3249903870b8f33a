package detector

import (
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed-fdf591db/bully/spec"
)

func TestStagger(t *testing.T) {
	for _, test := range []struct {
		rank int
		unit time.Duration
		want time.Duration
	}{
		{0, 30 * ms, 0},
		{1, 30 * ms, 30 * ms},
		{63, 30 * ms, 1890 * ms},
		{-1, 30 * ms, 0},
		{1, 0, 0},
		{1, -1, 0},
		{math.MinInt, math.MinInt64, 0},
		{1, math.MaxInt64, math.MaxInt64},
		{2, math.MaxInt64/2 + 1, math.MaxInt64},
		{2, math.MaxInt64 / 2, math.MaxInt64 - 1},
		{math.MaxInt, math.MaxInt64, math.MaxInt64},
	} {
		require.Equal(t, test.want, Stagger(test.rank, test.unit), "%d · %v", test.rank, test.unit)
	}
}

func TestRank(t *testing.T) {
	id := func(s string) spec.NodeID {
		id, err := spec.ParseNodeID(s)
		require.NoError(t, err)
		return id
	}
	members := []spec.NodeID{id("4"), id("2"), id("10"), id("5"), id("3")}
	none := func(spec.NodeID) bool { return false }
	dead := func(dead ...string) func(spec.NodeID) bool {
		return func(of spec.NodeID) bool {
			for _, d := range dead {
				if id(d) == of {
					return true
				}
			}
			return false
		}
	}
	require.Equal(t, 0, Rank(id("10"), members, none))
	require.Equal(t, 1, Rank(id("5"), members, none))
	require.Equal(t, 4, Rank(id("2"), members, none))
	require.Equal(t, 0, Rank(id("5"), members, dead("10")), "the first to stand does not wait for the dead one")
	require.Equal(t, 2, Rank(id("2"), members, dead("10", "5")))
	require.Equal(t, 1, Rank(id("5"), members, dead("2", "5")), "who is lower, or itself, never counts")
}
