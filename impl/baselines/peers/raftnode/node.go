package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/hashicorp/go-hclog"
	"github.com/hashicorp/raft"
	raftboltdb "github.com/hashicorp/raft-boltdb/v2"
	"go.etcd.io/bbolt"

	"github.com/seed-fdf591db/bully/impl/baselines/peers"
)

// levels are raft's words for those of -log.
var levels = map[slog.Level]hclog.Level{
	slog.LevelDebug: hclog.Debug, slog.LevelInfo: hclog.Info, slog.LevelWarn: hclog.Warn, slog.LevelError: hclog.Error,
	peers.Off: hclog.Off,
}

// profiles says how raft is configured, and what its transport waits for at most.
var profiles = map[string]func() (*raft.Config, time.Duration){
	"default": func() (*raft.Config, time.Duration) { return raft.DefaultConfig(), 10 * time.Second },
	"fast":    fast,
}

// fast returns the fastest settings that are sane. Raft would take 5 ms for each timeout. But a follower waits for one to
// two HeartbeatTimeouts and not longer, whatever holds up the leader, and a leader sends one every tenth to fifth of one. On
// two processors with other work to do, where a sleeper was woken up to 0.1 s late, five idle nodes went through 25 terms
// in 25 s with 20 ms, through 3 with 30 ms, and through none with 50 ms.
func fast() (*raft.Config, time.Duration) {
	config := raft.DefaultConfig()
	config.HeartbeatTimeout = 50 * time.Millisecond
	config.ElectionTimeout = 50 * time.Millisecond
	config.LeaderLeaseTimeout = 50 * time.Millisecond
	config.CommitTimeout = 5 * time.Millisecond
	return config, time.Second
}

// node is raft with its store and its transport.
type node struct {
	*raft.Raft
	store     *raftboltdb.BoltStore
	transport *raft.NetworkTransport
	layer     *layer
	hub       *peers.Hub
	id        string
}

// start starts raft. On the first start it has the members for its configuration, as all others do.
func start(o peers.Options, log io.Writer) (peers.Node, error) {
	logger := hclog.New(&hclog.LoggerOptions{Name: "raft-" + o.ID, Output: log, Level: levels[o.Log]})
	config, timeout := profiles[o.Profile]()
	config.LocalID = raft.ServerID(o.ID)
	config.Logger = logger
	if err := os.MkdirAll(o.Data, 0o755); err != nil {
		return nil, err
	}
	n := &node{hub: peers.NewHub(o.ID), id: o.ID}
	var err error
	if n.layer, err = listen(o.Members[o.ID]); err != nil {
		return nil, err
	}
	n.transport = raft.NewNetworkTransportWithConfig(&raft.NetworkTransportConfig{
		Stream: n.layer, MaxPool: 3, Timeout: timeout, Logger: logger,
	})
	if n.store, err = openStore(filepath.Join(o.Data, "raft.db")); err != nil {
		return nil, errors.Join(err, n.release())
	}
	snapshots := raft.NewDiscardSnapshotStore() // the log is too short ever to need one
	known, err := raft.HasExistingState(n.store, n.store, snapshots)
	if err == nil && !known {
		err = raft.BootstrapCluster(config, n.store, n.store, snapshots, n.transport, configuration(o.Members))
	}
	if err == nil {
		n.Raft, err = raft.NewRaft(config, nothing{}, n.store, n.store, snapshots, n.transport)
	}
	if err != nil {
		return nil, errors.Join(err, n.release())
	}
	set(n.hub, look(n.Raft, n.id))
	return n, nil
}

// openStore opens the durable store. Raft-boltdb would wait for ever for one that another process has open.
func openStore(path string) (*raftboltdb.BoltStore, error) {
	options := *bbolt.DefaultOptions
	options.Timeout = time.Second
	store, err := raftboltdb.New(raftboltdb.Options{Path: path, BoltOptions: &options})
	if err != nil {
		return nil, fmt.Errorf("%s: %w; is another process using it?", path, err)
	}
	return store, nil
}

// configuration returns the members as voters, in the order of their ids.
func configuration(members map[string]string) raft.Configuration {
	var c raft.Configuration
	for _, id := range slices.Sorted(maps.Keys(members)) {
		c.Servers = append(c.Servers, raft.Server{ID: raft.ServerID(id), Address: raft.ServerAddress(members[id])})
	}
	return c
}

// Close hands over if the node leads, and stops raft.
func (n *node) Close() error {
	if n.State() == raft.Leader && len(n.GetConfiguration().Configuration().Servers) > 1 {
		// Nobody to hand over to is no failure: the others will elect without.
		_ = n.LeadershipTransfer().Error()
	}
	return errors.Join(n.Shutdown().Error(), n.release())
}

// release closes what raft leaves open.
func (n *node) release() error {
	err := n.transport.Close()
	if n.store != nil {
		err = errors.Join(err, n.store.Close())
	}
	return err
}

// Hub has what raft says of the leader.
func (n *node) Hub() *peers.Hub { return n.hub }

// Elect only looks on: raft elects by itself.
func (n *node) Elect(ctx context.Context) error {
	watch(ctx, n.Raft, n.id, n.hub, termEvery)
	return nil
}

// Healthy returns an error once raft has stopped.
func (n *node) Healthy() error {
	if n.State() == raft.Shutdown {
		return errors.New("raft has stopped")
	}
	return nil
}

// Describe adds what was sent.
func (n *node) Describe(s *peers.Status) error {
	s.Counters = map[string]uint64{"bytes_sent": n.layer.sent.bytes.Load(), "writes": n.layer.sent.writes.Load()}
	return nil
}

// nothing is a state machine without state: all that is wanted of raft is a leader.
type nothing struct{}

func (nothing) Apply(*raft.Log) any                  { return nil }
func (nothing) Snapshot() (raft.FSMSnapshot, error)  { return nothing{}, nil }
func (nothing) Restore(r io.ReadCloser) error        { return r.Close() }
func (nothing) Persist(sink raft.SnapshotSink) error { return sink.Close() }
func (nothing) Release()                             {}
