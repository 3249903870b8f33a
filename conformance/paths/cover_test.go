package paths

import (
	"fmt"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestEveryEdgeIsTaken walks along the paths: each step is an edge of the state that the last one led to, and in the end all
// edges of all states have been taken.
func TestEveryEdgeIsTaken(t *testing.T) {
	for _, c := range Small() {
		tour, err := New(c)
		require.NoError(t, err)
		g := tour.graph
		type taken struct{ state, edge int }
		seen := map[taken]bool{}
		for _, p := range tour.paths {
			require.Less(t, p.start, g.first, "a path begins in an initial state")
			at := p.start
			for _, e := range p.edges {
				i := slices.Index(g.edges[at], e)
				require.GreaterOrEqual(t, i, 0)
				seen[taken{at, i}] = true
				at = e.to
			}
		}
		require.Len(t, seen, tour.Edges, c.Name)
	}
}

// TestGraphIsBounded shows that a graph that is too large is refused, and not cut short.
func TestGraphIsBounded(t *testing.T) {
	c := Small()[0]
	_, err := explored(c.explore(), c.Pinned.States-1)
	require.EqualError(t, err, fmt.Sprintf("paths: there are more than %d states", c.Pinned.States-1))
	g, err := explored(c.explore(), c.Pinned.States)
	require.NoError(t, err)
	require.Len(t, g.states, c.Pinned.States)
}

// TestSameTourEachTime shows that the paths do not depend on chance.
func TestSameTourEachTime(t *testing.T) {
	c := Small()[0]
	one, err := New(c)
	require.NoError(t, err)
	two, err := New(c)
	require.NoError(t, err)
	require.Equal(t, one.paths, two.paths)
}
