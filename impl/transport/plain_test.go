package transport

import (
	"net"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed-fdf591db/bully/spec"
)

// TestPlainLinksStay: without TLS, and unless it is said that this is meant, nobody listens or dials beyond this host.
func TestPlainLinksStay(t *testing.T) {
	everywhere := func() net.Listener {
		listener, err := net.Listen("tcp", "0.0.0.0:0")
		require.NoError(t, err)
		t.Cleanup(func() { listener.Close() })
		return listener
	}
	a := newAuthority(t)
	here := func(c *Config) {
		c.Members = map[spec.NodeID]string{one: "127.0.0.1:0", two: "localhost:1", three: "[::1]:2"}
	}
	for _, c := range []struct {
		name, problem string
		change        func(*Config)
	}{
		{"all here", "", here},
		{"a member elsewhere", "Config.TLS: none, and node 2 is at 192.0.2.2:1, which is no loopback address", func(c *Config) { c.Members[two] = "192.0.2.2:1" }},
		{"a name", "node 2 is at localhost.example:1", func(c *Config) { c.Members[two] = "localhost.example:1" }},
		{"listening everywhere", "node 1 listens on", func(c *Config) { c.Members[one] = ":0" }},
		{"a listener for all", "which is no loopback address: links are plain", func(c *Config) { c.Listener = everywhere() }},
		{"so it is meant", "", func(c *Config) { c.Members[one], c.Members[two], c.Insecure = ":0", "192.0.2.2:1", true }},
		{"with TLS", "", func(c *Config) {
			c.Members[one], c.Members[two], c.TLS = ":0", "192.0.2.2:1", a.config(t, dnsName("1"))
		}},
		{"both", "Config.Insecure: TLS is given too", func(c *Config) { c.Insecure, c.TLS = true, a.config(t, dnsName("1")) }},
		{"a dial of its own", "", func(c *Config) { c.Members[two], c.Dial = "192.0.2.2:1", neverDial }},
		{"changing, elsewhere", "listens on", func(c *Config) { c.Members, c.Changing = nil, &Changing{Incarnation: 1, Address: ":0"} }},
		{"changing, a member elsewhere", "node 2 is at 192.0.2.2:1", func(c *Config) {
			c.Changing, c.Members = &Changing{Incarnation: 1, Address: "127.0.0.1:0"}, map[spec.NodeID]string{two: "192.0.2.2:1#00000000000000aa"}
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			config := Config{ID: one, Cluster: "test", BackoffMin: never, BackoffMax: never}
			here(&config)
			c.change(&config)
			node, err := NewTCP(config)
			if c.problem != "" {
				require.ErrorContains(t, err, c.problem)
				return
			}
			require.NoError(t, err)
			require.NoError(t, node.Close())
		})
	}
}

// TestPlainDialsStay: nor is a member dialled there that a configuration, or a non-member, has brought.
func TestPlainDialsStay(t *testing.T) {
	node := startTCP(t, Config{ID: one, Cluster: "test", Changing: &Changing{Incarnation: 1, Address: "127.0.0.1:0"}})
	node.SetMembers(map[spec.NodeID]string{one: node.Addr().String(), two: "192.0.2.2:1"})
	eventually(t, "it says why", func() bool { return node.Stats().Links[0].LastError != "" })
	require.Contains(t, node.Stats().Links[0].LastError, "no loopback address: links are plain")

	nonMember := offerOf(three)
	nonMember.address, nonMember.to = "192.0.2.3:1", one
	conn := connect(t, node)
	require.Equal(t, welcome, greetAs(t, conn, nonMember).code)
	eventually(t, "it is known", func() bool { return len(node.Stats().NonMembers) == 1 })
	node.Send(claim(one, three, 1))
	eventually(t, "it is not dialled", func() bool { return node.Stats().NonMembers[0].LastError != "" })
	require.Contains(t, node.Stats().NonMembers[0].LastError, "192.0.2.3:1, which is no loopback address")
}

func TestIsLoopback(t *testing.T) {
	for address, is := range map[string]bool{
		"127.0.0.1:1": true, "127.9.9.9:1": true, "[::1]:1": true, "[::ffff:127.0.0.1]:1": true, "localhost:1": true,
		"0.0.0.0:1": false, ":1": false, "[::]:1": false, "10.0.0.1:1": false, "localhost.:1": false, "xlocalhost:1": false, "127.0.0.1": false, "": false,
		"127.0.0.1.example:1": false,
	} {
		require.Equal(t, is, IsLoopback(address), address)
	}
}
