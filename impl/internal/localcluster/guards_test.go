package localcluster

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// TestMeasureGuards sums up what nodes say of their guards.
func TestMeasureGuards(t *testing.T) {
	t.Parallel()
	g, err := MeasureGuards(within(t, patience), Config{Nodes: 3, Command: fakeCommand()}, 1)
	require.NoError(t, err)
	require.Equal(t, Guarded{Kills: 3, Because: []string{"its loop hangs", "its loop hangs"}, HeldUp: 6, Reigns: g.Reigns}, g)
}
