package transport

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed-fdf591db/bully/spec"
)

// A list is read with any kind of address, or the entry that is wrong is named.
func TestParseMembers(t *testing.T) {
	members, err := ParseMembers("1=a:1, 2=[::1]:65535", nil)
	require.NoError(t, err)
	require.Equal(t, map[spec.NodeID]string{one: "a:1", two: "[::1]:65535"}, members)
	upper := func(address string) string {
		if address != strings.ToUpper(address) {
			return "shout"
		}
		return ""
	}
	members, err = ParseMembers("1=A", upper)
	require.NoError(t, err)
	require.Equal(t, map[spec.NodeID]string{one: "A"}, members)
	_, err = ParseMembers("1=A,2=b", upper)
	require.EqualError(t, err, "node 2: shout")
	for text, want := range map[string]string{
		"": `"" has no =`, "1=a:1,": `"" has no =`, "0=a:1": "integers begin at 1", "1=a:1,1=b:1": "node 1 is there twice", "1=a:1,2=a:1": "nodes 1 and 2 have the same address a:1",
		"1=a:65536": `the port in "a:65536" is not a number from 1 to 65535`, "1=::1": `"::1" is no address`,
	} {
		_, err := ParseMembers(text, nil)
		require.ErrorContains(t, err, want, text)
	}
}

// The digest tells members from others, in whatever order they are given, and wherever they are.
func TestDigest(t *testing.T) {
	of := func(ids ...spec.NodeID) uint64 {
		c := Config{Members: map[spec.NodeID]string{}}
		for _, id := range ids {
			c.Members[id] = id.String()
		}
		return c.digest()
	}
	require.Equal(t, of(one, two, three), of(three, one, two))
	require.NotEqual(t, of(one, two, three), of(one, two))
	require.NotEqual(t, of(one, two, three), of(one, two, nine))
	require.NotZero(t, of(one))
}
