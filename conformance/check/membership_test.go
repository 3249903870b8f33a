package check

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed-fdf591db/bully/spec"
)

// TestOutranked: who is to lead rather than another is said by ranks, and then by ids (R1); and a witness is outranked by all (R46).
func TestOutranked(t *testing.T) {
	one, two, three := spec.IntegerID(1), spec.IntegerID(2), spec.IntegerID(3)
	c, err := spec.NewConfiguration(1, 1, []spec.Member{
		{ID: one, Kind: spec.Voter, Rank: 7}, {ID: two, Kind: spec.Voter}, {ID: three, Kind: spec.Witness, Rank: 9}})
	require.NoError(t, err)
	require.True(t, Outranked(&c, two, one))
	require.False(t, Outranked(&c, one, two))
	require.True(t, Outranked(&c, three, two))
	require.True(t, Outranked(&spec.Configuration{}, one, two))
	require.False(t, Outranked(&spec.Configuration{}, two, one))
}
