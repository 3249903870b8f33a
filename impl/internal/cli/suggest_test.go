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
	require.Equal(t, "; did you mean abz?", Suggest("abc", []string{"azz", "abz"}), "of three letters one may be wrong")
	require.Equal(t, "; did you mean xabc or abz?", Suggest("abc", []string{"abz", "xabc"}), "what contains it is nearest")
	require.Equal(t, 2, edits("", "ab"))
	require.Equal(t, 3, edits("kitten", "sitting"))
	require.Equal(t, 2, edits("ab", ""))
}
