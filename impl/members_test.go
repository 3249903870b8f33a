package bully_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	bully "github.com/seed-fdf591db/bully/impl"
)

// TestParseMembers reads a list as the command does, or says which entry is wrong.
func TestParseMembers(t *testing.T) {
	members, err := bully.ParseMembers("1=10.0.0.1:7000, 2=[::1]:7000,3=host:7000")
	require.NoError(t, err)
	require.Equal(t, map[string]string{"1": "10.0.0.1:7000", "2": "[::1]:7000", "3": "host:7000"}, members)
	for text, want := range map[string]string{
		"":            `bully: members: "" has no =: give id=address, with commas between`,
		"1":           `bully: members: "1" has no =`,
		"x=a:1":       `bully: members: node id: "x" is neither`,
		"1=a:1,1=b:1": "bully: members: node 1 is there twice",
		"1=a:1,2=a:1": "bully: members: nodes 1 and 2 have the same address a:1",
		"1=a":         `bully: members: node 1: "a" is no address: give host:port`,
		"1=a:0":       `bully: members: node 1: the port in "a:0" is not a number from 1 to 65535`,
	} {
		_, err := bully.ParseMembers(text)
		require.ErrorContains(t, err, want)
	}
}

// TestOrdinalID makes ids of the names of hosts.
func TestOrdinalID(t *testing.T) {
	for host, want := range map[string]string{
		"bully-0": "1", "bully-0.bully.jobs.svc.cluster.local": "1", "my-jobs-41.x": "42", "web-007": "8",
		"a-9223372036854775807": "9223372036854775808",
	} {
		id, err := bully.OrdinalID(host)
		require.NoError(t, err)
		require.Equal(t, want, id)
	}
	for _, host := range []string{"", "bully", "bully-", "bully-x", "bully0", "-1", "7", "10-0-0-7.bully", "bully-+1", "bully-9223372036854775808", "bully.jobs-1"} {
		_, err := bully.OrdinalID(host)
		require.ErrorContains(t, err, "a name such as bully-0 is wanted", host)
	}
	for _, host := range []string{"", "bully", "bully-", "-1"} {
		_, err := bully.OrdinalID(host)
		require.ErrorContains(t, err, "has no ordinal", host)
	}
}
