package frame_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed-fdf591db/bully/model/internal/frame"
)

func TestSets(t *testing.T) {
	s := frame.Only(1) | frame.Only(4)
	require.True(t, s.Has(4))
	require.False(t, s.Has(2))
	require.Equal(t, 4, s.Highest())
	require.Equal(t, 2, s.Size())
	require.Equal(t, "{1, 4}", s.String())
	var all []string
	s.Subsets(func(sub frame.Set) { all = append(all, sub.String()) })
	require.Equal(t, []string{"{}", "{1}", "{4}", "{1, 4}"}, all)
}

func TestNetwork(t *testing.T) {
	var w frame.Network
	w.Connect(3)
	require.Equal(t, []frame.Link{{1, 2}, {1, 3}, {2, 1}, {2, 3}, {3, 1}, {3, 2}}, w.Links)
	w.CutWhere(func(l frame.Link) bool { return l.To == 3 })
	require.False(t, w.IsCut(0, 1, 3))
	require.True(t, w.IsCut(1, 1, 3))
	require.False(t, w.IsCut(1, 3, 1))
	require.Equal(t, "{<<1, 3>>, <<2, 3>>}", w.CutLinks(1))
	w.CutWhere(func(frame.Link) bool { return false })
	require.Len(t, w.Cuts, 1, "to cut nothing is the whole network")
	require.True(t, w.SomeNode(func(i int) bool { return i == 3 }))
	require.False(t, w.SomeNode(func(i int) bool { return i == 4 }))
}
