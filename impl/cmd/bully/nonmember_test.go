//go:build unix

package main

import (
	"regexp"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed-fdf591db/bully/impl/transport"
	"github.com/seed-fdf591db/bully/spec"
)

// TestTakeOver: whoever reaches the nodes, and knows the name of their cluster, makes none of them adopt members of his own choice, nor
// an epoch that is the last.
func TestTakeOver(t *testing.T) {
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
	links, err := transport.NewTCP(transport.Config{ID: me, Cluster: "test", Members: members, Changing: &transport.Changing{Incarnation: 7, Address: "127.0.0.1:0"}})
	require.NoError(t, err)
	defer links.Close()
	for up := 0; up < len(ids); {
		<-links.Wake()
		for e, ok := links.Next(); ok; e, ok = links.Next() {
			if e.Kind == transport.Up {
				up++
			}
		}
	}
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
