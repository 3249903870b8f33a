package groups_test

import (
	"context"
	"crypto/rand"
	"crypto/tls"
	"errors"
	"net"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	bully "github.com/seed-fdf591db/bully/impl"
	"github.com/seed-fdf591db/bully/impl/groups"
	"github.com/seed-fdf591db/bully/impl/host"
	"github.com/seed-fdf591db/bully/impl/storage"
	"github.com/seed-fdf591db/bully/spec"
)

// realCluster is nodes with folders, on loopback.
type realCluster struct {
	t         *testing.T
	cluster   string
	dir       string
	addresses map[spec.NodeID]string
	listeners map[spec.NodeID]net.Listener
	nodes     map[spec.NodeID]*groups.Groups
	tls       func(id spec.NodeID) *tls.Config // or nil
}

// newRealCluster returns a cluster of which no node runs yet.
func newRealCluster(t *testing.T, n int) *realCluster {
	c := &realCluster{t: t, cluster: rand.Text(), dir: t.TempDir(), addresses: map[spec.NodeID]string{}, listeners: map[spec.NodeID]net.Listener{}, nodes: map[spec.NodeID]*groups.Groups{}}
	for _, id := range ids(n) {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		require.NoError(t, err)
		c.addresses[id], c.listeners[id] = l.Addr().String(), l
	}
	t.Cleanup(func() {
		for _, node := range c.nodes {
			_ = node.Close()
		}
	})
	return c
}

func (c *realCluster) start(id spec.NodeID) *groups.Groups {
	config := groups.Config{ID: id, Cluster: c.cluster, Addresses: c.addresses, Listener: c.listeners[id], Dir: filepath.Join(c.dir, id.String()), Timing: host.Busy()}
	if c.tls != nil {
		config.TLS = c.tls(id)
	}
	node, err := groups.Open(config)
	require.NoError(c.t, err)
	delete(c.listeners, id)
	c.nodes[id] = node
	return node
}

// awaitAll waits until a node knows of a leader of every group, as is asked for.
func awaitAll(ctx context.Context, t *testing.T, node *groups.Groups, n int, is func(groups.Leadership) bool) {
	ctx, cancel := context.WithTimeout(ctx, 2*time.Minute)
	defer cancel()
	good := map[string]bool{}
	for l := range node.Watch(ctx) {
		if is(l) {
			good[l.Group] = true
		} else {
			delete(good, l.Group)
		}
		if len(good) == n {
			return
		}
	}
	require.FailNow(t, "not all groups are led as they are to be")
}

// Over real connections and a real disk: 200 groups come to be led, fail over when a node ends, and its disk remembers all when it comes back. A node that comes back with another disk
// is turned away.
func TestRealNodes(t *testing.T) {
	ctx := t.Context()
	all := names(200)
	c := newRealCluster(t, 3)
	for id := range c.addresses {
		require.NoError(t, c.start(id).Add(ctx, all...))
	}
	one, three := spec.IntegerID(1), spec.IntegerID(3)
	known := func(l groups.Leadership) bool { return !l.Leader.IsNone() }
	for _, node := range c.nodes {
		awaitAll(ctx, t, node, len(all), known)
	}
	require.NoError(t, c.nodes[three].Close())
	delete(c.nodes, three)
	awaitAll(ctx, t, c.nodes[one], len(all), func(l groups.Leadership) bool { return known(l) && l.Leader != three })
	require.NoError(t, c.start(three).Add(ctx, all...))
	awaitAll(ctx, t, c.nodes[three], len(all), known)

	require.NoError(t, c.nodes[three].Close())
	c.dir = t.TempDir()
	lost := c.start(three)
	_ = lost.Add(ctx, all...) // it may have been turned away already
	<-lost.Done()
	require.ErrorIs(t, lost.Close(), host.ErrLostDisk)
	_, err := storage.OpenGroups(filepath.Join(c.dir, three.String()), three, ids(3))
	bad, ok := errors.AsType[*storage.RecordError](err)
	require.True(t, ok, "%v", err)
	require.Equal(t, storage.Lost, bad.Kind, "its record is out of use")
}

// With TLS groups are led by nodes whose certificates are of the cluster: one of another authority leads nothing, though it is to, until it has a good one.
func TestTLS(t *testing.T) {
	ctx, all := t.Context(), names(20)
	c := newRealCluster(t, 3)
	issue := func() func(id spec.NodeID) *tls.Config {
		dir := t.TempDir()
		authority, err := bully.NewAuthority(filepath.Join(dir, "authority"), "test", time.Hour)
		require.NoError(t, err)
		return func(id spec.NodeID) *tls.Config {
			files := bully.CertificateFiles{Certificate: filepath.Join(dir, id.String()+".pem"), Key: filepath.Join(dir, id.String()+".key"), Authorities: filepath.Join(dir, "authority", "ca.crt")}
			_, err := authority.Issue(files.Certificate, files.Key, c.cluster, id, time.Hour, false)
			require.NoError(t, err)
			certificate, err := bully.LoadCertificate(files, c.cluster, id)
			require.NoError(t, err)
			return certificate.TLS()
		}
	}
	ours, others, three := issue(), issue(), spec.IntegerID(3)
	c.tls = func(id spec.NodeID) *tls.Config {
		if id == three {
			return others(id)
		}
		return ours(id)
	}
	for id := range c.addresses {
		require.NoError(t, c.start(id).Add(ctx, all...))
	}
	one := c.nodes[spec.IntegerID(1)]
	awaitAll(ctx, t, one, len(all), func(l groups.Leadership) bool { return !l.Leader.IsNone() })
	require.Zero(t, c.nodes[three].Status().Leading)
	require.NotContains(t, one.Status().Up, three)
	require.NoError(t, c.nodes[three].Close())
	c.tls = ours
	require.NoError(t, c.start(three).Add(ctx, all...))
	plan := one.Placement().Plan(all)
	require.NotEmpty(t, plan[three])
	awaitAll(ctx, t, one, len(plan[three]), func(l groups.Leadership) bool { return l.Leader == three })
}

// What cannot be is refused.
func TestOpenRefuses(t *testing.T) {
	one := spec.IntegerID(1)
	good := groups.Config{ID: one, Cluster: "test", Addresses: map[spec.NodeID]string{one: "127.0.0.1:0"}}
	for name, change := range map[string]func(*groups.Config){
		"a node that is no member": func(c *groups.Config) { c.ID = spec.IntegerID(2) },
		"a timing that breaks R37": func(c *groups.Config) { c.Timing = host.LAN(); c.Timing.Patience = time.Millisecond },
		"progress":                 func(c *groups.Config) { c.Progress = -1 },
		"preemptions":              func(c *groups.Config) { c.Preemptions = -1 },
		"a pin to nobody":          func(c *groups.Config) { c.Pins = map[string]spec.NodeID{"a": spec.IntegerID(2)} },
		"no cluster":               func(c *groups.Config) { c.Cluster = "" },
	} {
		bad := good
		bad.Dir = t.TempDir()
		change(&bad)
		_, err := groups.Open(bad)
		require.Error(t, err, name)
	}
	good.Dir = t.TempDir()
	node, err := groups.Open(good)
	require.NoError(t, err)
	require.Error(t, node.Add(t.Context(), ""))
	require.NoError(t, node.Lead(t.Context(), "alone", func(context.Context, groups.Reign) error { return nil }))
	require.NoError(t, node.Close())
	good.Addresses = map[spec.NodeID]string{one: "127.0.0.1:0", spec.IntegerID(2): "127.0.0.1:1"}
	_, err = groups.Open(good)
	bad, ok := errors.AsType[*storage.RecordError](err)
	require.True(t, ok, "%v", err)
	require.Equal(t, storage.WrongMembers, bad.Kind)
	require.ErrorContains(t, err, "the members of all groups are those that the cluster began with")
}
