package groups_test

import (
	"bytes"
	"context"
	"crypto/rand"
	"crypto/tls"
	"errors"
	"net"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed-fdf591db/bully/conformance/check"
	bully "github.com/seed-fdf591db/bully/impl"
	"github.com/seed-fdf591db/bully/impl/groups"
	"github.com/seed-fdf591db/bully/impl/host"
	"github.com/seed-fdf591db/bully/impl/storage"
	"github.com/seed-fdf591db/bully/impl/trace"
	"github.com/seed-fdf591db/bully/impl/transport"
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

// newAuthority returns what issues certificates of one authority: for a node, in a cluster.
func newAuthority(t *testing.T) func(id spec.NodeID, cluster string) *tls.Config {
	dir := t.TempDir()
	authority, err := bully.NewAuthority(filepath.Join(dir, "authority"), "test", time.Hour)
	require.NoError(t, err)
	return func(id spec.NodeID, cluster string) *tls.Config {
		files := bully.CertificateFiles{Certificate: filepath.Join(dir, id.String()+".pem"), Key: filepath.Join(dir, id.String()+".key"), Authorities: filepath.Join(dir, "authority", "ca.crt")}
		_, err := authority.Issue(files.Certificate, files.Key, cluster, id, time.Hour, false)
		require.NoError(t, err)
		certificate, err := bully.LoadCertificate(files, cluster, id)
		require.NoError(t, err)
		return certificate.TLS()
	}
}

// With TLS groups are led by nodes whose certificates are of the cluster: one of another authority leads nothing, though it is to, until it has a good one.
func TestTLS(t *testing.T) {
	ctx, all := t.Context(), names(20)
	c := newRealCluster(t, 3)
	ours, others := newAuthority(t), newAuthority(t)
	c.tls = func(id spec.NodeID) *tls.Config {
		if id == three {
			return others(id, c.cluster)
		}
		return ours(id, c.cluster)
	}
	for id := range c.addresses {
		require.NoError(t, c.start(id).Add(ctx, all...))
	}
	one := c.nodes[spec.IntegerID(1)]
	awaitAll(ctx, t, one, len(all), func(l groups.Leadership) bool { return !l.Leader.IsNone() })
	require.Zero(t, c.nodes[three].Status().Leading)
	require.NotContains(t, one.Status().Up, three)
	require.NoError(t, c.nodes[three].Close())
	c.tls = func(id spec.NodeID) *tls.Config { return ours(id, c.cluster) }
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
		"groups: Dir is missing: ": func(c *groups.Config) { c.Dir = "" },
	} {
		bad := good
		bad.Dir = t.TempDir()
		change(&bad)
		_, err := groups.Open(bad)
		require.Error(t, err, name)
		if bad.Dir == "" {
			require.ErrorContains(t, err, name)
		}
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

// Over TLS members come and go: a node with a certificate of the cluster is added at run time, and one is removed, and ends by itself. One whose certificate is of another authority, or of another cluster, is refused though the cluster
// has it as a member: nothing of a group is heard from it. What all of them did in a group, as each has recorded it, is what the rules say, and so is what the cluster's own election did.
func TestMembersOverTLS(t *testing.T) {
	ctx, all := t.Context(), names(20)
	c := newRealCluster(t, 3)
	ours, others := newAuthority(t), newAuthority(t)
	traces := t.TempDir()
	var recorders []*trace.Recorder
	record := func(id spec.NodeID, of string) host.Trace {
		r, err := trace.NewRecorder(trace.Options{Dir: filepath.Join(traces, of), Node: id, Members: []spec.NodeID{id}, Changing: true})
		require.NoError(t, err)
		recorders = append(recorders, r)
		return r
	}
	start := func(id spec.NodeID, first spec.Configuration, certificate *tls.Config) *groups.Groups {
		dir := filepath.Join(c.dir, id.String())
		require.NoError(t, storage.Init(dir, storage.Identity{ID: id, Cluster: c.cluster, Incarnation: storage.NewIncarnation()}, first))
		require.NoError(t, bully.KeepAddress(dir, c.addresses[id], one, two, three))
		node, err := groups.Open(groups.Config{Dir: dir, Listener: c.listeners[id], Timing: host.Busy(), TLS: certificate, Trace: func(group string) host.Trace { return record(id, group) },
			Host: func(h *host.Config) { h.Trace = record(id, "own") }})
		require.NoError(t, err)
		c.nodes[id] = node
		require.NoError(t, node.Add(ctx, all...))
		return node
	}
	var members []spec.Member
	for _, id := range ids(3) {
		members = append(members, spec.Member{ID: id, Kind: spec.Voter, Address: c.addresses[id]})
	}
	first, err := spec.NewConfiguration(0, 1, members)
	require.NoError(t, err)
	for _, m := range members {
		start(m.ID, first, ours(m.ID, c.cluster))
	}
	known := func(l groups.Leadership) bool { return !l.Leader.IsNone() }
	for _, node := range c.nodes {
		awaitAll(ctx, t, node, len(all), known)
	}
	// change has whoever leads the cluster change its members, and the next one if that leads no longer, be it in the midst of the change.
	change := func(call func(ctx context.Context, h *host.Host) error) {
		for err := error(host.ErrNotLeader); err != nil; {
			require.NoError(t, ctx.Err())
			for l := range c.nodes[one].Own.Watch(ctx) {
				if node := c.nodes[l.Leader]; node != nil {
					err = call(ctx, node.Own)
					if !errors.Is(err, host.ErrNotLeader) && !errors.Is(err, host.ErrHandedOver) && !errors.Is(err, host.ErrOutcomeUnknown) {
						require.NoError(t, err)
						return
					}
				}
			}
		}
	}
	join := func(m spec.NodeID) {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		require.NoError(t, err)
		c.addresses[m], c.listeners[m] = l.Addr().String(), l
	}
	add := func(id spec.NodeID, kind spec.MemberKind) {
		change(func(ctx context.Context, h *host.Host) error {
			_, err := h.AddMember(ctx, spec.Member{ID: id, Kind: kind, Address: c.addresses[id]}, 0)
			return err
		})
	}
	join(four)
	start(four, spec.EmptyConfiguration(), ours(four, c.cluster))
	add(four, spec.Voter)
	plan := (groups.Placement{Members: ids(4)}).Plan(all)
	require.NotEmpty(t, plan[four])
	awaitAll(ctx, t, c.nodes[one], len(plan[four]), func(l groups.Leadership) bool { return l.Leader == four })

	unknown := false
	change(func(ctx context.Context, h *host.Host) error {
		_, err := h.RemoveMember(ctx, three, 0)
		if unknown && err != nil && strings.Contains(err.Error(), "node 3 is no member") {
			return nil // it was removed by the leader before
		}
		unknown = unknown || errors.Is(err, host.ErrOutcomeUnknown)
		return err
	})
	<-c.nodes[three].Done()
	require.ErrorIs(t, c.nodes[three].Close(), host.ErrRemoved)
	delete(c.nodes, three)

	for id, certificate := range map[spec.NodeID]*tls.Config{five: others(five, c.cluster), six: ours(six, "another")} {
		join(id)
		other := start(id, spec.EmptyConfiguration(), certificate)
		add(id, spec.Observer)
		refused := func() bool {
			for _, node := range []*groups.Groups{c.nodes[one], c.nodes[two], c.nodes[four]} {
				at := slices.IndexFunc(node.Links.Stats().Links, func(l transport.LinkStats) bool { return l.Node == id })
				if at < 0 || !strings.Contains(node.Links.Stats().Links[at].LastError, "certificate") {
					return false
				}
				require.Zero(t, node.Links.Stats().Links[at].Received)
				require.NotContains(t, node.Status().Up, id)
			}
			return true
		}
		for !refused() {
			runtime.Gosched()
		}
		require.Zero(t, other.Status().Leading)
		for _, one := range other.Status().Groups {
			require.True(t, one.Leader.IsNone(), "a node that is no member must not name a leader of group %s", one.Name)
		}
		require.NoError(t, other.Close())
		delete(c.nodes, id)
	}

	for _, node := range c.nodes {
		require.NoError(t, node.Close())
	}
	for _, r := range recorders {
		require.NoError(t, errors.Join(r.Stopped(), r.Close()))
	}
	for _, of := range append(all, "own") {
		files, err := filepath.Glob(filepath.Join(traces, of, "*"))
		require.NoError(t, err)
		var merged bytes.Buffer
		_, err = trace.Merge(&merged, files...)
		require.NoError(t, err, of)
		report, err := check.Trace(&merged, check.Options{Strict: true})
		require.NoError(t, err, of)
		require.NotZero(t, report.Actions[spec.ChangeAction], of)
	}
}
