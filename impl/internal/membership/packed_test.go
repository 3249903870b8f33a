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
			t.Skip("it does not fit into a message")
		}
		c := rapid.SampledFrom([]spec.Configuration{{}, spec.EmptyConfiguration(), made}).Draw(t, "which")
		b := AppendNames(nil, names)
		head := len(b)
		b = Append(b, c, func(id spec.NodeID) int { return slices.Index(names, id) })
		read, rest, ok := ReadNames(append(slices.Clone(b), 7))
		require.True(t, ok)
		require.Equal(t, names, read)
		got, rest, ok := Read(rest, read)
		require.True(t, ok)
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
	require.False(t, ok)
}
