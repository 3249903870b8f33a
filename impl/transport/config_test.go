package transport

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed-fdf591db/bully/spec"
)

func TestConfigIsChecked(t *testing.T) {
	for _, c := range []struct {
		problem string
		change  func(*Config)
	}{
		{"Config.ID: none is no node id", func(c *Config) { c.ID = spec.NodeID{} }},
		{"Config.Members: node 9 itself is missing", func(c *Config) { c.ID = nine }},
		{"Config.Members: node 1 itself is missing", func(c *Config) { c.Members = nil }},
		{"Config.Members: none is no node id", func(c *Config) { c.Members[spec.NodeID{}] = "127.0.0.1:4" }},
		{`Config.Members: node 2: "127.0.0.1" is not host:port`, func(c *Config) { c.Members[two] = "127.0.0.1" }},
		{`Config.Members: node 2: "" is not host:port`, func(c *Config) { c.Members[two] = "" }},
		{`Config.Members: node 1: "127.0.0.1:" is not host:port`, func(c *Config) { c.Members[one] = "127.0.0.1:" }},
		{"Config.Members: nodes 1 and 2 have the same address 127.0.0.1:1", func(c *Config) { c.Members[two] = "127.0.0.1:1" }},
		{"Config.Members: 65 members are more than 64", func(c *Config) {
			for i := range 63 {
				c.Members[spec.IntegerID(uint64(100+i))] = "x"
			}
		}},
		{`Config.Cluster: "" is not 1 to 64 characters`, func(c *Config) { c.Cluster = "" }},
		{`Config.Cluster: "a/b" is not 1 to 64 characters`, func(c *Config) { c.Cluster = "a/b" }},
		{"Config.DialTimeout: below zero", func(c *Config) { c.DialTimeout = -1 }},
		{"Config.MaxPending: below zero", func(c *Config) { c.MaxPending = -1 }},
		{"Config.BackoffMin: 2s is above BackoffMax, 1s", func(c *Config) { c.BackoffMin, c.BackoffMax = 2*time.Second, time.Second }},
		{"node 1 cannot listen", func(c *Config) { c.Members[one] = "127.0.0.1:99999" }},
	} {
		config := Config{ID: one, Cluster: "test", Members: map[spec.NodeID]string{one: "127.0.0.1:1", two: "127.0.0.1:2"}}
		c.change(&config)
		_, err := NewTCP(config)
		require.ErrorContains(t, err, "transport: ")
		require.ErrorContains(t, err, c.problem)
	}
}

func TestConfigDefaults(t *testing.T) {
	c, err := Config{ID: one, Cluster: "test", Members: map[spec.NodeID]string{one: "127.0.0.1:1"}, BackoffMin: time.Second}.complete()
	require.NoError(t, err)
	require.Equal(t, []time.Duration{time.Second, time.Second, time.Second, 2 * time.Second, 2 * time.Second, time.Second, time.Second},
		[]time.Duration{c.DialTimeout, c.HandshakeTimeout, c.FrameTimeout, c.WriteTimeout, c.UserTimeout, c.BackoffMin, c.BackoffMax})
	require.Equal(t, []int{256, 256, 64}, []int{c.Queue, c.Inbox, c.MaxPending})
	c, err = Config{ID: one, Cluster: "test", Members: map[spec.NodeID]string{one: "127.0.0.1:1"}, BackoffMax: time.Millisecond}.complete()
	require.NoError(t, err)
	require.Equal(t, time.Millisecond, c.BackoffMin)
}

// A cluster of one has nobody to talk to; without a Listener it listens on its own address.
func TestAlone(t *testing.T) {
	node := startTCP(t, Config{ID: one, Cluster: "test", Members: map[spec.NodeID]string{one: "127.0.0.1:0"}})
	require.NotContains(t, node.Addr().String(), ":0")
	connect(t, node)
	node.Send(claim(one, two, 1))
	require.Equal(t, uint64(1), node.Stats().Unsendable)
	require.Empty(t, node.Stats().Links)
}
