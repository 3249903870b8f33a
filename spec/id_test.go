package spec_test

import (
	"encoding/json"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed-fdf591db/bully/spec"
)

// ranked is ids from the lowest to the highest.
var ranked = []string{
	"1", "2", "9", "10", "255", "256", "9223372036854775807", "9223372036854775808", "18446744073709551615",
	"00000000-0000-4000-8000-000000000000",
	"00000000-0000-4000-8000-000000000001",
	"00000000-0000-4000-bfff-ffffffffffff",
	"00000000-0001-4000-8000-000000000000",
	"7fffffff-ffff-4fff-bfff-ffffffffffff",
	"80000000-0000-4000-8000-000000000000",
	"ffffffff-ffff-4fff-bfff-ffffffffffff",
}

func id(t testing.TB, text string) spec.NodeID {
	t.Helper()
	parsed, err := spec.ParseNodeID(text)
	require.NoError(t, err)
	return parsed
}

func TestNodeIDRank(t *testing.T) {
	for i, a := range ranked {
		for j, b := range ranked {
			require.Equal(t, compareInts(i, j), id(t, a).Compare(id(t, b)), "%s against %s", a, b)
		}
		require.Equal(t, 1, id(t, a).Compare(spec.NodeID{}), "%s against none", a)
	}
}

func compareInts(i, j int) int {
	switch {
	case i < j:
		return -1
	case i > j:
		return 1
	}
	return 0
}

func TestNodeIDText(t *testing.T) {
	for _, text := range ranked {
		parsed := id(t, text)
		require.True(t, parsed.Valid(), text)
		require.False(t, parsed.IsNone(), text)
		require.Equal(t, text, parsed.String())

		marshalled, err := parsed.MarshalText()
		require.NoError(t, err)
		require.Equal(t, text, string(marshalled))
		appended, err := parsed.AppendText([]byte("node "))
		require.NoError(t, err)
		require.Equal(t, "node "+text, string(appended))

		var back spec.NodeID
		require.NoError(t, back.UnmarshalText(marshalled))
		require.Equal(t, parsed, back)
	}
}

func TestNodeIDBytes(t *testing.T) {
	require.Equal(t, spec.NodeID{14: 1, 15: 2}, id(t, "258"))
	require.Equal(t, spec.IntegerID(258), id(t, "258"))
	want := spec.NodeID{0x01, 0x23, 0x45, 0x67, 0x89, 0xab, 0x4d, 0xef, 0x81, 0x23, 0x45, 0x67, 0x89, 0xab, 0xcd, 0xef}
	require.Equal(t, want, id(t, "01234567-89ab-4def-8123-456789abcdef"))
}

func TestParseNodeIDRefuses(t *testing.T) {
	for text, problem := range map[string]string{
		"":                                       `"" is empty`,
		"0":                                      `"0" is no id: integers begin at 1`,
		"007":                                    `"007" has a leading zero`,
		"00":                                     `"00" has a leading zero`,
		"+3":                                     `"+3" has a sign`,
		"-3":                                     `"-3" has a sign`,
		"3 ":                                     `"3 " is neither a decimal integer nor a UUID`,
		"1e3":                                    `"1e3" is neither`,
		"node-3":                                 `"node-3" is neither`,
		"18446744073709551616":                   `"18446744073709551616" is above 2^64-1`,
		"99999999999999999999":                   `is above 2^64-1`,
		"01234567-89AB-4def-8123-456789abcdef":   `upper-case`,
		"01234567-89ab-1def-8123-456789abcdef":   `a UUID of version 1: version 4 is wanted`,
		"01234567-89ab-7def-8123-456789abcdef":   `a UUID of version 7`,
		"00000000-0000-0000-0000-000000000000":   `a UUID of version 0`,
		"01234567-89ab-4def-7123-456789abcdef":   `another variant`,
		"01234567-89ab-4def-c123-456789abcdef":   `another variant`,
		"01234567x89ab-4def-8123-456789abcdef":   `character 9 is not a hyphen`,
		"0123456g-89ab-4def-8123-456789abcdef":   `character 8 is not a hexadecimal digit`,
		"012345678-9ab-4def-8123-456789abcdef":   `character 9 is not a hyphen`,
		"{1234567-89ab-4def-8123-456789abcde}":   `character 1 is not a hexadecimal digit`,
		"0123456789ab4def8123456789abcdef":       `is neither`,
		"{01234567-89ab-4def-8123-456789abcdef}": `is neither`,
	} {
		parsed, err := spec.ParseNodeID(text)
		require.ErrorContains(t, err, "node id: ", text)
		require.ErrorContains(t, err, problem, text)
		require.True(t, parsed.IsNone(), text)

		kept := spec.IntegerID(7)
		require.Error(t, kept.UnmarshalText([]byte(text)), text)
		require.Equal(t, spec.IntegerID(7), kept, "an error must leave the id as it was")
	}
}

func TestNodeIDNone(t *testing.T) {
	var none spec.NodeID
	require.True(t, none.IsNone())
	require.False(t, none.Valid())
	require.Equal(t, none, spec.IntegerID(0))
	require.Equal(t, "none", none.String())
	_, err := none.MarshalText()
	require.ErrorContains(t, err, "none")

	text, err := json.Marshal(none)
	require.NoError(t, err)
	require.Equal(t, "null", string(text))
	read := spec.IntegerID(3)
	require.NoError(t, json.Unmarshal([]byte("null"), &read))
	require.True(t, read.IsNone())
}

func TestNodeIDThatIsNone(t *testing.T) {
	neither := spec.NodeID{0: 1}
	require.False(t, neither.Valid())
	require.Equal(t, "01000000-0000-0000-0000-000000000000", neither.String())
	_, err := neither.MarshalText()
	require.ErrorContains(t, err, "neither an integer nor a UUID")
	_, err = json.Marshal(neither)
	require.ErrorContains(t, err, "neither an integer nor a UUID")
}

func TestNodeIDJSON(t *testing.T) {
	ids := map[spec.NodeID][]spec.NodeID{spec.IntegerID(2): {id(t, ranked[11]), {}}}
	text, err := json.Marshal(ids)
	require.NoError(t, err)
	require.Equal(t, `{"2":["00000000-0000-4000-bfff-ffffffffffff",null]}`, string(text))
	var back map[spec.NodeID][]spec.NodeID
	require.NoError(t, json.Unmarshal(text, &back))
	require.Equal(t, ids, back)

	for _, text := range []string{`3`, `"x"`, `""`, `true`, `["3"]`, `"\u0033"`, `nul`, `"3" "4"`, ``} {
		var read spec.NodeID
		require.ErrorContains(t, read.UnmarshalJSON([]byte(text)), "node id: ", text)
	}
}

func TestNodeIDSorts(t *testing.T) {
	var ids []spec.NodeID
	for _, text := range slices.Backward(ranked) {
		ids = append(ids, id(t, text))
	}
	slices.SortFunc(ids, spec.NodeID.Compare)
	for i, text := range ranked {
		require.Equal(t, text, ids[i].String())
	}
}
