package bully_test

import (
	"bytes"
	"context"
	"log/slog"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	bully "github.com/seed-fdf591db/bully/impl"
	"github.com/seed-fdf591db/bully/impl/host"
	"github.com/seed-fdf591db/bully/impl/storage"
	"github.com/seed-fdf591db/bully/impl/transport"
	"github.com/seed-fdf591db/bully/spec"
)

// leads runs a node until it leads, and returns the epoch.
func leads(t *testing.T, node *bully.Node) (epoch spec.Epoch) {
	t.Helper()
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	ended := make(chan error)
	go func() { ended <- node.Run(ctx) }()
	for now := range node.Watch(ctx) {
		if now.Leading {
			epoch = now.Epoch
			stop()
		}
	}
	require.NoError(t, <-ended)
	require.NoError(t, node.Close(), "again")
	return epoch
}

// TestRestart opens a node, runs it, and opens it again: what it has promised is there.
func TestRestart(t *testing.T) {
	config := bully.Config{ID: "1", Cluster: "c", Folder: t.TempDir(), Members: map[string]string{"1": "127.0.0.1:0"}}
	for want := range spec.Epoch(2) {
		node, err := bully.Open(config)
		require.NoError(t, err)
		require.Equal(t, want+1, leads(t, node))
	}
}

// TestSpoiled warns of a record of which sectors were spoiled: once, as opening it heals them.
func TestSpoiled(t *testing.T) {
	var log bytes.Buffer
	config := bully.Config{ID: "1", Cluster: "c", Folder: t.TempDir(), Members: map[string]string{"1": "127.0.0.1:0"}, Logger: slog.New(slog.NewTextHandler(&log, nil))}
	open := func() {
		node, err := bully.Open(config)
		require.NoError(t, err)
		leads(t, node)
	}
	open()
	report, err := storage.Inspect(config.Folder)
	require.NoError(t, err)
	if len(report.Slots) == 0 {
		t.Skip("not drawn: saved ", report.Saves)
	}
	file, err := os.ReadFile(report.Path)
	require.NoError(t, err)
	file[4096+100]++
	require.NoError(t, os.WriteFile(report.Path, file, 0o600))
	require.NotContains(t, log.String(), "spoiled")
	open()
	require.Contains(t, log.String(), `level=WARN msg="sectors of the record were spoiled`)
	open()
	require.Equal(t, 1, strings.Count(log.String(), "sectors of the record were spoiled"))
}

// TestNoFolder: who gives no folder is told so, whoever the members are, and not that a folder without a name is not there.
func TestNoFolder(t *testing.T) {
	for _, members := range []map[string]string{nil, {"1": "127.0.0.1:0"}} {
		_, err := bully.Open(bully.Config{ID: "1", Cluster: "c", Members: members})
		require.EqualError(t, err, "bully: Folder is missing: give the data folder of this node, as in /var/lib/jobs, which survives restarts")
	}
}

// TestChanging opens a node whose members come and go: who it is, is in its record, and where it listens was kept, until its members say so.
func TestChanging(t *testing.T) {
	folder, one := t.TempDir(), spec.IntegerID(1)
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	address := l.Addr().String()
	require.NoError(t, l.Close())
	who := storage.Identity{ID: one, Cluster: "c", Incarnation: storage.NewIncarnation()}
	require.NoError(t, storage.Init(folder, who, spec.EmptyConfiguration()))
	_, err = bully.Open(bully.Config{Folder: folder})
	require.ErrorContains(t, err, "bully: Address is missing")
	require.NoError(t, bully.KeepAddress(folder, address))
	node, err := bully.Open(bully.Config{Folder: folder})
	require.NoError(t, err)
	require.Equal(t, address, node.Links().Addr().String())
	require.NoError(t, node.Close())
	node, err = bully.Open(bully.Config{Folder: folder, Address: "127.0.0.1:0"})
	require.NoError(t, err)
	require.NotEqual(t, address, node.Links().Addr().String(), "what is asked for goes before what was kept")
	require.NoError(t, node.Close())

	for want, config := range map[string]bully.Config{
		"bully: ID: the record in " + folder + " is that of node 1, not of 2":       {Folder: folder, ID: "2"},
		"bully: Cluster: the record in " + folder + " is of cluster c, not of jobs": {Folder: folder, Cluster: "jobs"},
	} {
		_, err := bully.Open(config)
		require.EqualError(t, err, want)
	}
	require.NoError(t, os.WriteFile(filepath.Join(folder, "address"), []byte("nowhere"), 0o600))
	_, err = bully.Open(bully.Config{Folder: folder})
	require.ErrorContains(t, err, `"nowhere" is no address`)
}

// TestListensAt prefers what the members know to what was kept.
func TestListensAt(t *testing.T) {
	folder, one := t.TempDir(), spec.IntegerID(1)
	who := storage.Identity{ID: one, Cluster: "c", Incarnation: storage.NewIncarnation()}
	first, err := spec.NewConfiguration(0, 1, []spec.Member{{ID: one, Kind: spec.Voter, Address: "10.0.0.1:7000"}})
	require.NoError(t, err)
	require.NoError(t, storage.Init(folder, who, first))
	require.NoError(t, bully.KeepAddress(folder, "127.0.0.1:7001"))
	address, err := bully.ListensAt(folder)
	require.NoError(t, err)
	require.Equal(t, "10.0.0.1:7000", address)

	_, err = bully.ListensAt(filepath.Join(folder, "none"))
	require.ErrorContains(t, err, "cannot inspect")
	for _, c := range []struct{ member, kept, want, err string }{
		{"", "127.0.0.1:7001", "127.0.0.1:7001", ""},
		{"10.0.0.1:7000#x", "127.0.0.1:7001", "", "10.0.0.1:7000#x"},
	} {
		folder := t.TempDir()
		first, err := spec.NewConfiguration(0, 1, []spec.Member{{ID: one, Kind: spec.Voter, Address: c.member}})
		require.NoError(t, err)
		require.NoError(t, storage.Init(folder, who, first))
		require.NoError(t, bully.KeepAddress(folder, c.kept))
		address, err := bully.ListensAt(folder)
		if c.err != "" {
			require.ErrorContains(t, err, c.err)
			continue
		}
		require.NoError(t, err)
		require.Equal(t, c.want, address)
	}
	for second, says := range map[string]string{
		"added by 2,3\n": "", "hello\n": `the second line is "hello": it should be added by the ids of members`, "added by 2,,3\n": `the second line names ""`,
	} {
		folder := t.TempDir()
		require.NoError(t, storage.Init(folder, who, spec.EmptyConfiguration()))
		require.NoError(t, os.WriteFile(filepath.Join(folder, bully.AddressFile), []byte("127.0.0.1:7001\n"+second), 0o600))
		address, err := bully.ListensAt(folder)
		if says != "" {
			require.ErrorContains(t, err, says)
			continue
		}
		require.NoError(t, err)
		require.Equal(t, "127.0.0.1:7001", address)
		other := t.TempDir()
		require.NoError(t, bully.KeepAddress(other, address, spec.IntegerID(2), spec.IntegerID(3)))
		kept, err := os.ReadFile(filepath.Join(other, bully.AddressFile))
		require.NoError(t, err)
		require.Equal(t, "127.0.0.1:7001\n"+second, string(kept))
	}
	folder = t.TempDir()
	require.NoError(t, storage.Init(folder, who, spec.EmptyConfiguration()))
	require.NoError(t, os.Mkdir(filepath.Join(folder, bully.AddressFile), 0o700))
	_, err = bully.ListensAt(folder)
	require.ErrorContains(t, err, "is a directory")
}

// TestAddedBy: whom a node that waits is to believe is kept beside its record.
func TestAddedBy(t *testing.T) {
	folder := t.TempDir()
	require.NoError(t, storage.Init(folder, storage.Identity{ID: spec.IntegerID(4), Cluster: "c", Incarnation: 7}, spec.EmptyConfiguration()))
	require.NoError(t, bully.KeepAddress(folder, "127.0.0.1:0", spec.IntegerID(1), spec.IntegerID(2)))
	var by []spec.NodeID
	node, err := bully.Open(bully.Config{Folder: folder, Host: func(c *host.Config) { by = c.AddedBy }})
	require.NoError(t, err)
	require.NoError(t, node.Close())
	require.Equal(t, []spec.NodeID{spec.IntegerID(1), spec.IntegerID(2)}, by)
}

// TestClosed opens a node, and closes it before it runs: its record and its address are free again, and were not before.
func TestClosed(t *testing.T) {
	config := bully.Config{ID: "1", Cluster: "c", Folder: t.TempDir(), Members: map[string]string{"1": "127.0.0.1:0"}}
	node, err := bully.Open(config)
	require.NoError(t, err)
	_, err = bully.Open(config)
	require.ErrorIs(t, err, storage.ErrLocked)
	address := node.Links().Addr().String()
	require.NoError(t, node.Close())
	l, err := net.Listen("tcp", address)
	require.NoError(t, err)
	require.NoError(t, l.Close())
	node, err = bully.Open(config)
	require.NoError(t, err)
	require.NoError(t, node.Close())

	config.Members["1"], config.Timing = address, host.Timing{Delay: 1}
	_, err = bully.Open(config)
	require.ErrorContains(t, err, "Timing.", "its links were open by then")
	l, err = net.Listen("tcp", address)
	require.NoError(t, err)
	require.NoError(t, l.Close())
}

// TestRefused says what is wrong, and leaves nothing open: the folder can be opened at once.
func TestRefused(t *testing.T) {
	folder := t.TempDir()
	one := map[string]string{"1": "127.0.0.1:0"}
	for _, c := range []struct {
		config bully.Config
		want   string
	}{
		{bully.Config{ID: "x", Cluster: "c", Folder: folder, Members: one}, "bully: ID: node id"},
		{bully.Config{ID: "2", Cluster: "c", Folder: folder, Members: one}, "bully: ID: node 2 is not one of Members"},
		{bully.Config{ID: "1", Cluster: "c", Folder: folder, Members: map[string]string{"x": "a:1"}}, "bully: Members: "},
		{bully.Config{ID: "1", Cluster: "c", Folder: folder, Members: map[string]string{"1": "127.0.0.1:0", "01": "127.0.0.1:1"}}, "bully: Members: "},
		{bully.Config{ID: "1", Folder: folder, Members: one}, "luster"},
		{bully.Config{ID: "1", Cluster: "c", Folder: folder, Members: map[string]string{"1": "192.0.2.1:7000"}}, "192.0.2.1:7000"},
		{bully.Config{ID: "1", Cluster: "c", Folder: folder, Members: one, Timing: host.Timing{Delay: 1}}, "Timing."},
		{bully.Config{Folder: filepath.Join(folder, "none")}, "none"},
	} {
		_, err := bully.Open(c.config)
		require.ErrorContains(t, err, c.want)
	}
	var links transport.Config
	var of host.Config
	node, err := bully.Open(bully.Config{ID: "1", Cluster: "c", Folder: folder, Members: one,
		Links: func(c *transport.Config) { c.NoProof, links = true, *c }, Host: func(c *host.Config) { c.Timing, of = host.Local(), *c }})
	require.NoError(t, err)
	require.Equal(t, "c", links.Cluster)
	require.Equal(t, spec.IntegerID(1), of.ID)
	require.Equal(t, spec.Epoch(1), leads(t, node))
}

// TestLogNamesNodeOnce: each line of a log says which node it is of, and says it once.
func TestLogNamesNodeOnce(t *testing.T) {
	var log bytes.Buffer // read once the node is closed
	node, err := bully.Open(bully.Config{ID: "1", Cluster: "c", Folder: t.TempDir(), Members: map[string]string{"1": "127.0.0.1:0"},
		Logger: slog.New(slog.NewTextHandler(&log, &slog.HandlerOptions{Level: slog.LevelDebug}))})
	require.NoError(t, err)
	leads(t, node)
	require.Contains(t, log.String(), "msg=leadership")
	for line := range strings.Lines(log.String()) {
		require.Equal(t, 1, strings.Count(line, " node="), line)
	}
}
