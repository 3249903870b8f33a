package host

import (
	"encoding/json"
	"expvar"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed-fdf591db/bully/impl/storage"
	"github.com/seed-fdf591db/bully/impl/transport"
	"github.com/seed-fdf591db/bully/spec"
)

func TestConfigErrors(t *testing.T) {
	good := func() Config {
		return Config{
			ID: id(1), Members: []spec.NodeID{id(2), id(1)}, Storage: storage.NewMemory(), Transport: transport.NewNetwork(nil).Join(id(1)),
		}
	}
	for _, test := range []struct {
		name   string
		change func(*Config)
		want   string
	}{
		{"no storage", func(c *Config) { c.Storage = nil }, "host: Storage is missing: give a storage.File, or a storage.Memory in tests (R4)"},
		{"no transport", func(c *Config) { c.Transport = nil }, "host: Transport is missing: give a transport.TCP, or a transport.Endpoint in tests"},
		{"no member", func(c *Config) { c.ID = id(3) }, "host: ID and Members make no node: bully: node 3 is no member: add it to the members, or correct its id (R40)"},
		{"no members", func(c *Config) { c.Members, c.Transport = nil, &scripted{} }, "host: Members are missing: give all nodes; or, if members are to come and go, a transport that has SetMembers (R40)"},
		{"no id", func(c *Config) { c.ID = spec.NodeID{} }, "host: ID is none: give an integer from 1 on or a UUID of version 4 (R1)"},
		{"timing", func(c *Config) { c.Timing.Heartbeat = time.Second }, "host: Timing.Delay is 0s, but must be at least 1ns"},
	} {
		config := good()
		test.change(&config)
		_, err := New(config)
		require.EqualError(t, err, test.want, test.name)
		var typed *ConfigError
		require.ErrorAs(t, err, &typed, test.name)
	}
	h, err := New(good())
	require.NoError(t, err)
	require.Equal(t, LAN(), h.config.Timing, "no timing is that of a LAN")
	require.Equal(t, []spec.NodeID{id(1), id(2)}, h.Status().Members)
	require.NoError(t, h.Close())
}

func TestStatus(t *testing.T) {
	bubble(t, 3, func(t *testing.T, c *cluster) {
		one := c.start(1)
		c.start(2)
		c.awaitLeader(2*time.Second, 2)
		c.start(3)
		c.awaitLeader(3*time.Second, 3)
		time.Sleep(20 * ms)
		c.kill(3)
		c.awaitLeader(time.Second, 2)
		time.Sleep(25 * ms)

		text, err := json.Marshal(one.Status())
		require.NoError(t, err)
		var s map[string]any
		require.NoError(t, json.Unmarshal(text, &s))
		for key, want := range map[string]any{
			"id": "1", "members": []any{"1", "2", "3"}, "role": "follower", "leader": "2", "lease": "2", "epoch": 3.0, "grantee": "2",
			"leading": false, "stopped": false, "error": "", "deadline": "0001-01-01T00:00:00Z",
		} {
			require.Equal(t, want, s[key], key)
		}
		links := s["links"].([]any)
		require.Len(t, links, 2)
		two, three := links[0].(map[string]any), links[1].(map[string]any)
		require.Equal(t, map[string]any{"node": "2", "up": true, "dead": false, "lost_disk": false, "last_heard_ms": 25.0, "phi": two["phi"]}, two)
		require.InDelta(t, 8*25.0/154, two["phi"], 0.1)
		require.Equal(t, map[string]any{"node": "3", "up": false, "dead": true, "lost_disk": false, "last_heard_ms": three["last_heard_ms"], "phi": 0.0}, three)
		counters := s["counters"].(map[string]any)
		require.Equal(t, 4.0, counters["saves"], "at the start, and each of three leaders")
		require.Equal(t, 5.0, counters["changes"], "2, nobody, 3, nobody, 2")
		require.Equal(t, 1.0, counters["actions"].(map[string]any)["Start"])
		require.Len(t, counters["sent"], len(spec.MessageTypes()))
		require.Len(t, counters["received"], len(spec.MessageTypes()))
		require.Equal(t, 3.0, counters["received"].(map[string]any)["CLAIM"])

		leader := c.host(2).Status()
		require.True(t, leader.Leading, "node 2 must lead")
		require.True(t, leader.Deadline.After(time.Now()), "the deadline of a leader lies ahead")
		require.WithinDuration(t, time.Now(), leader.Since, 50*ms)
		c.start(3)
		time.Sleep(200 * ms)
		require.True(t, one.Status().Links[1].Up, "the link to node 3 is up")
		require.False(t, one.Status().Links[1].Dead, "node 3 is not proved dead")
	})
}

// TestStatusNeverWaits: of a host that has not begun, that hangs, and that has ended.
func TestStatusNeverWaits(t *testing.T) {
	bubble(t, 1, func(t *testing.T, c *cluster) {
		config := c.config(id(1))
		h, err := New(config)
		require.NoError(t, err)
		s := h.Status()
		require.True(t, s.Stopped, "a node that has not run yet counts as stopped")
		require.Empty(t, s.Role)
		require.NoError(t, h.Close())
		m := c.start(1)
		c.awaitLeader(time.Second, 1)
		c.stuck(1, true)
		time.Sleep(time.Second)
		require.Equal(t, spec.Leader, m.Status().Role)
		c.stuck(1, false)
		c.quit(1)
		s = m.Status()
		require.True(t, s.Stopped, "the node has stopped")
		require.False(t, s.Leading, "a node that has stopped must not lead")
		require.True(t, s.Leader.IsNone(), "a node that has stopped names no leader")
	})
}

func TestExpvar(t *testing.T) {
	metrics, err := NewExpvar("bully-test")
	require.NoError(t, err)
	_, err = NewExpvar("bully-test")
	require.EqualError(t, err, `host: expvar "bully-test" is published already: give another name`)
	require.Contains(t, expvar.Get("bully-test").String(), `"leader": null`)
	bubble(t, 1, func(t *testing.T, c *cluster) {
		config := c.config(id(1))
		config.Metrics = metrics
		h := c.startWith(config)
		c.awaitLeader(time.Second, 1)
		require.NoError(t, h.Resign(t.Context()))
		c.awaitLeader(time.Second, 1)
		metrics.Ignored("non-member")
		metrics.Sent(spec.Election)
		metrics.Received(spec.Assent)
		var all map[string]any
		require.NoError(t, json.Unmarshal([]byte(expvar.Get("bully-test").String()), &all))
		require.Equal(t, "1", all["leader"])
		require.Equal(t, 2.0, all["epoch"])
		require.Equal(t, 1.0, all["leading"])
		require.Equal(t, 3.0, all["changes"])
		require.Equal(t, 3.0, all["saves"])
		require.InDelta(t, 0.0015, all["save_seconds"], 0.0001)
		require.Equal(t, 1.0, all["steps"].(map[string]any)["Resign"])
		require.Equal(t, 1.0, all["ignored"].(map[string]any)["non-member"])
		require.Equal(t, 1.0, all["sent"].(map[string]any)["ELECTION"])
		require.Equal(t, 1.0, all["received"].(map[string]any)["ASSENT"])
		require.Nil(t, all["configuration"], "members are fixed")
		c.quit(1)
	})
	metrics.Configured(Membership{})
	require.Contains(t, expvar.Get("bully-test").String(), `"configuration": null`)
	require.Contains(t, expvar.Get("bully-test").String(), `"settled": 0`)
	metrics.Configured(Membership{Configuration: voters(3, 4, 1, 2), Settled: true})
	require.Contains(t, expvar.Get("bully-test").String(), `"configuration": {"epoch":3,"version":4,"members":[{`)
	require.Contains(t, expvar.Get("bully-test").String(), `"settled": 1`)
	require.Contains(t, expvar.Get("bully-test").String(), `"leader": null`)
}

// BenchmarkStatus is what a scrape costs.
func BenchmarkStatus(b *testing.B) {
	h, err := New(Config{
		ID: id(1), Members: []spec.NodeID{id(1), id(2), id(3), id(4), id(5)}, Storage: storage.NewMemory(), Transport: transport.NewNetwork(nil).Join(id(1)),
	})
	require.NoError(b, err)
	defer h.Close()
	b.ReportAllocs()
	for b.Loop() {
		h.Status()
	}
}

// TestSaveTimes: a save is counted at its bound, and at all above; the slowest at none.
func TestSaveTimes(t *testing.T) {
	var s saveTimes
	for _, took := range []time.Duration{0, 40 * time.Microsecond, 50 * time.Microsecond, 51 * time.Microsecond, time.Minute} {
		s.add(took)
	}
	all, within, took := s.read()
	require.EqualValues(t, 5, all)
	require.Equal(t, time.Minute+141*time.Microsecond, took)
	require.Len(t, within, saveBounds)
	require.EqualValues(t, 3, within[50*time.Microsecond])
	require.EqualValues(t, 4, within[100*time.Microsecond])
	require.EqualValues(t, 4, within[50*time.Microsecond<<15])
}
