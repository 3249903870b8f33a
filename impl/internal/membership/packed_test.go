package membership

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/seed-fdf591db/bully/spec"
)

func ids(n int) (all []spec.NodeID) {
	for i := range n {
		all = append(all, spec.IntegerID(uint64(i+1)))
	}
	return all
}

// What is written is read, and of what is cut short nothing.
func TestConfigurationsAreReadAsWritten(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		names := ids(rapid.IntRange(1, spec.MaxChangingMembers).Draw(t, "names"))
		var members []spec.Member
		for i, id := range names {
			kind := spec.Voter // one at least
			if i > 0 {
				kind = rapid.SampledFrom(kinds).Draw(t, "kind")
			}
			members = append(members, spec.Member{ID: id, Kind: kind, Rank: rapid.SampledFrom([]uint16{0, 1, 127, 128, spec.MaxRank}).Draw(t, "rank")})
		}
		made, err := spec.NewConfiguration(spec.Epoch(rapid.Uint64Range(0, uint64(spec.MaxEpoch)).Draw(t, "epoch")), rapid.Uint64Range(1, spec.MaxVersion).Draw(t, "version"), members)
		if err != nil {
			t.Skip("not drawn: it does not fit into a message")
		}
		c := rapid.SampledFrom([]spec.Configuration{{}, spec.EmptyConfiguration(), made}).Draw(t, "which")
		b := AppendNames(nil, names)
		head := len(b)
		b = Append(b, c, func(id spec.NodeID) int { return slices.Index(names, id) })
		read, rest, ok := ReadNames(append(slices.Clone(b), 7))
		require.True(t, ok, "names that were written can be read")
		require.Equal(t, names, read)
		got, rest, ok := Read(rest, read)
		require.True(t, ok, "a configuration that was written can be read")
		require.Equal(t, c, got)
		require.Equal(t, []byte{7}, rest)
		for cut := range b {
			if cut < head {
				_, _, ok = ReadNames(b[:cut])
			} else {
				_, _, ok = Read(b[head:cut], names)
			}
			require.False(t, ok, "%d of %d bytes", cut, len(b))
		}
	})
}

// What is no configuration is none.
func TestBadConfigurations(t *testing.T) {
	for name, bytes := range map[string][]byte{
		"too many members": {1, 1, 51}, "a place that is none": {1, 1, 1, 1, 1}, "no kind": {1, 1, 1, 0, 0}, "a kind that is none": {1, 1, 1, 0, 8},
		"a rank of 0": {1, 1, 1, 0, 5, 0}, "a rank above all": {1, 1, 1, 0, 5, 0x80, 0x80, 4}, "no voter": {1, 1, 1, 0, 2}, "twice": {1, 1, 2, 0, 1, 0, 1}, "a version without members": {1, 1, 0},
	} {
		_, _, ok := Read(bytes, ids(1))
		require.False(t, ok, name)
	}
	_, _, ok := ReadNames([]byte{200})
	require.False(t, ok, "names that are cut short must be refused")
}

// Members that are moved are those of the same configuration, written with the other places; what is cut, or names a node that is not known there, is none.
func TestMoved(t *testing.T) {
	c, err := spec.NewConfiguration(3, 7, []spec.Member{{ID: id(1), Kind: spec.Voter}, {ID: id(2), Kind: spec.Witness, Rank: 1}, {ID: id(3), Kind: spec.Observer, Rank: 60000}})
	require.NoError(t, err)
	places := []int{5, 63, 0}
	at := func(place func(spec.NodeID) int) []byte { return Append(nil, c, place)[2:] } // behind epoch and version, of a byte each
	there := at(func(id spec.NodeID) int { return int(id[len(id)-1]) - 1 })
	here := at(func(id spec.NodeID) int { return places[id[len(id)-1]-1] })
	moved, rest, ok := Moved([]byte("before"), append(there, "behind"...), places)
	require.True(t, ok, "a configuration can be moved")
	require.Equal(t, "before"+string(here), string(moved))
	require.Equal(t, "behind", string(rest))
	for n := range there {
		_, _, ok := Moved(nil, there[:n], places)
		require.False(t, ok, "%d bytes", n)
	}
	_, _, ok = Moved(nil, there, places[:2])
	require.False(t, ok, "a configuration with an unknown place must be refused")
	_, _, ok = Moved(nil, there, []int{5, -1, 0})
	require.False(t, ok, "a configuration with a free place must be refused")
	_, _, ok = Moved(nil, []byte{spec.MaxChangingMembers + 1}, places)
	require.False(t, ok, "a configuration with too many members must be refused")
}
