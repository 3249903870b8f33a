package shrink_test

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/seed-fdf591db/bully/conformance/internal/shrink"
)

// TestList leaves just what it takes to fail, whatever else is in the list.
func TestList(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		needed := rapid.SliceOfNDistinct(rapid.IntRange(0, 40), 0, 5, rapid.ID).Draw(t, "needed")
		var list []int
		for i := range 41 {
			list = append(list, i)
		}
		tried := 0
		shrink.List(func() int { return len(list) }, func(from, to int) bool {
			require.Less(t, from, to)
			tried++
			rest := slices.Concat(list[:from], list[to:])
			for _, n := range needed {
				if !slices.Contains(rest, n) {
					return false
				}
			}
			list = rest
			return true
		})
		slices.Sort(needed)
		require.True(t, slices.Equal(needed, list), "%v, and needed are %v", list, needed)
		require.Less(t, tried, 400)
	})
}
