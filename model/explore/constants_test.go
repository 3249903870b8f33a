package explore

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// TestConstants reads constants as configurations write them, and says what is wrong with others.
func TestConstants(t *testing.T) {
	values := map[string]string{"N": "3", "S": "{1, 3}", "E": "{}", "W": "three", "O": "{1", "B": "{1, 4}"}
	n, err := Number(values, "N", 1, 3)
	require.NoError(t, err)
	require.Equal(t, 3, n)
	for name, problem := range map[string]string{"N": `constant N = "3" is not a number from 4 to 5`, "W": `constant W = "three"`, "absent": `constant absent = ""`} {
		_, err := Number(values, name, 4, 5)
		require.ErrorContains(t, err, problem)
	}
	_, err = Number(values, "N", 1, 2)
	require.ErrorContains(t, err, "from 1 to 2")
	for name, want := range map[string][]int{"S": {1, 3}, "E": nil} {
		members, err := nodeSet(values, name, 3)
		require.NoError(t, err)
		require.Equal(t, want, members)
	}
	for name, problem := range map[string]string{"O": `"{1" is not a set of nodes`, "N": "is not a set", "B": "has 4 in it, which is no node"} {
		_, err := nodeSet(values, name, 3)
		require.ErrorContains(t, err, problem)
	}
}
