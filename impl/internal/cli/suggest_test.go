package cli

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestSuggest(t *testing.T) {
	names := []string{"models/ClusterOneCrash", "models/ClusterOneWay", "mutants/ClusterB06DoubleVote"}
	require.Equal(t, "; did you mean models/ClusterOneCrash or models/ClusterOneWay?", Suggest("ClusterOneCarsh", names))
	require.Equal(t, "; did you mean models/ClusterOneCrash or models/ClusterOneWay?", Suggest("clusterone", names))
	require.Equal(t, "; did you mean mutants/ClusterB06DoubleVote?", Suggest("B06", names))
	require.Empty(t, Suggest("Unrelated", names))
	require.Equal(t, 3, edits("kitten", "sitting"))
}
