//go:build unix

package main

import (
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed-fdf591db/bully/impl/internal/cli"
	"github.com/seed-fdf591db/bully/impl/transport"
	"github.com/seed-fdf591db/bully/spec"
)

// intrudes connects a node that is no member to some nodes.
func intrudes(t testing.TB, me spec.NodeID, to map[spec.NodeID]string) *transport.TCP {
	links, err := transport.NewTCP(transport.Config{ID: me, Cluster: "test", Members: to, Changing: &transport.Changing{Incarnation: 7, Address: "127.0.0.1:0"}})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, links.Close()) })
	for up := 0; up < len(to); {
		<-links.Wake()
		for e, ok := links.Next(); ok; e, ok = links.Next() {
			if e.Kind == transport.Up {
				up++
			}
		}
	}
	return links
}

// TestTakeOverOfWhoWaits: nor does a node that waits to be added, which would make all others adopt them once it is a member.
func TestTakeOverOfWhoWaits(t *testing.T) {
	t.Parallel()
	c := newRoaming(t, "1", "2", "3")
	for _, id := range []string{"1", "2", "3"} {
		c.run(id)
	}
	four := c.join("4")
	c.run("4")
	until(t, "4 waits", func() bool { code, _ := fetch(c.http["4"], "/status"); return code == 200 })
	me, it := spec.IntegerID(999), spec.IntegerID(4)
	links := intrudes(t, me, map[spec.NodeID]string{it: c.address["4"]})
	mine, err := spec.NewConfiguration(1000, 9, []spec.Member{{ID: me, Kind: spec.Voter, Address: "127.0.0.1:9"}, {ID: it, Kind: spec.Voter, Address: c.address["4"]}})
	require.NoError(t, err)
	links.Send(spec.Message{Type: spec.Heartbeat, From: me, To: it, Epoch: 1000, Question: 1, Configuration: mine})
	until(t, "it is not believed", func() bool {
		_, body := fetch(c.http["4"], "/status")
		return strings.Contains(body, `"unbelieved":["999"]`) && strings.Contains(body, `"membership":"waiting"`)
	})
	status, out, log := c.member("add", four)
	require.Equal(t, cli.OK, status, log)
	require.Contains(t, out, "settled")
	for _, at := range c.http {
		require.Less(t, leads(t, at), uint64(1000))
	}
}

// TestTakeOver: whoever reaches the nodes, and knows the name of their cluster, makes none of them adopt members of his own choice, nor
// an epoch that is the last.
func TestTakeOver(t *testing.T) {
	t.Parallel()
	c := newRoaming(t, "1", "2", "3")
	members := map[spec.NodeID]string{}
	var ids []spec.NodeID
	for i, id := range []string{"1", "2", "3"} {
		c.run(id)
		ids = append(ids, spec.IntegerID(uint64(i+1)))
		members[ids[i]] = c.address[id]
	}
	for _, at := range c.http {
		leads(t, at)
	}

	me := spec.IntegerID(999)
	links := intrudes(t, me, members)
	mine, err := spec.NewConfiguration(1000, 9, []spec.Member{{ID: me, Kind: spec.Voter, Address: "127.0.0.1:9"}})
	require.NoError(t, err)
	for _, kind := range []spec.MessageType{spec.ImBack, spec.Heartbeat, spec.Refuse, spec.Claim} {
		for _, to := range ids {
			links.Send(spec.Message{Type: kind, From: me, To: to, Epoch: spec.MaxEpoch, Question: 1, Configuration: mine})
		}
	}
	for id, at := range c.http {
		until(t, "node "+id+" does not believe it", func() bool {
			_, body := fetch(at, "/metrics")
			return regexp.MustCompile(`(?m)^bully_unbelieved_total 4$`).MatchString(body)
		})
		_, body := fetch(at, "/status")
		require.Contains(t, body, `"unbelieved":["999"]`)
		require.Contains(t, body, `"membership":"voter"`)
		require.Less(t, leads(t, at), uint64(1000))
		_, body = fetch(at, "/leader")
		require.NotContains(t, body, "999")
	}
	_, out, _ := bully(t, "status", "-http", c.urls())
	require.Contains(t, out, "node 999 says that there are other members, and is not believed")
}
