package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"go.etcd.io/etcd/client/pkg/v3/fileutil"
	clientv3 "go.etcd.io/etcd/client/v3"
	"go.etcd.io/etcd/server/v3/embed"
	"go.etcd.io/etcd/server/v3/etcdserver/api/v3client"
	"go.etcd.io/etcd/server/v3/etcdserver/api/v3rpc"
	"go.etcd.io/etcd/server/v3/proxy/grpcproxy/adapter"
	"go.uber.org/zap"
	"go.uber.org/zap/zapcore"

	"github.com/seed-fdf591db/bully/impl/baselines/peers"
)

// levels are etcd's words for those of -log.
var levels = map[slog.Level]zapcore.Level{
	slog.LevelDebug: zapcore.DebugLevel, slog.LevelInfo: zapcore.InfoLevel, slog.LevelWarn: zapcore.WarnLevel,
	slog.LevelError: zapcore.ErrorLevel, peers.Off: zapcore.InvalidLevel, // above all others
}

// profile says how etcd is configured, and the session of a candidate.
type profile struct {
	heartbeat, election uint // etcd's --heartbeat-interval and --election-timeout, in milliseconds
	ttl                 int  // of a session, in seconds
}

// profiles are those there are.
//
// "fast" is the lowest of etcd's own timeouts that held: with an election timeout of 50 ms, five idle nodes beside four
// busy loops on two processors went through 2 terms in 20 s once, with 100 ms through none, in 50 s with eight loops too.
// It is the session that takes the time.
//
// A session is an etcd lease. Its time to live is in whole seconds, and etcd raises what is shorter than one and a half
// election timeouts (etcdserver.NewServer: MinLeaseTTL): so 2 s is the least with etcd's defaults, and 1 s the least at
// all. It is looked every half second which leases are over (lease.lessor, runLoop), and a new leader of the etcd servers
// gives each lease its whole time again and an election timeout more (Promote).
var profiles = map[string]profile{
	"default": {100, 1000, 2},
	"fast":    {10, 100, 1},
}

// node is an etcd server and a client of it in the same process.
type node struct {
	*embed.Etcd
	lock *fileutil.LockedFile
	id   string
	ttl  int
	log  *zap.Logger
	hub  hub
}

// newNode starts an etcd server. On the first start it has the members for its cluster, as all others do. It does not
// wait for them.
func newNode(o peers.Options, log io.Writer) (*node, error) {
	p := profiles[o.Profile]
	n := &node{id: o.ID, ttl: p.ttl, log: logger(levels[o.Log], log).Named("etcd-" + o.ID), hub: hub{peers.NewHub(o.ID)}}
	if err := os.MkdirAll(o.Data, 0o700); err != nil {
		return nil, err
	}
	config := embed.NewConfig()
	config.Name = o.ID
	config.Dir = filepath.Join(o.Data, "etcd")
	config.ZapLoggerBuilder = embed.NewZapLoggerBuilder(n.log)
	config.TickMs, config.ElectionMs = p.heartbeat, p.election
	own := []url.URL{{Scheme: "http", Host: o.Members[o.ID]}}
	config.ListenPeerUrls, config.AdvertisePeerUrls = own, own
	config.ListenClientUrls, config.AdvertiseClientUrls = nil, nil // the only client is in this process
	config.InitialCluster = initial(o.Members)
	// Etcd would wait for ever for a folder that another process has.
	var err error
	name := filepath.Join(o.Data, "lock")
	if n.lock, err = fileutil.TryLockFile(name, os.O_CREATE|os.O_WRONLY, 0o600); err != nil {
		return nil, fmt.Errorf("%s: %w; is another process using it?", name, err)
	}
	if n.Etcd, err = embed.StartEtcd(config); err != nil {
		return nil, errors.Join(err, n.lock.Close())
	}
	return n, nil
}

// newClient returns a client in this process, for one session.
//
// The client of an earlier session would not do. A server that follows passes renewals on to the one that leads, those of
// a client one after the other, and when that one hangs, so do they, until a request is given up after 5 s and two
// election timeouts (EtcdServer.LeaseRenew). And a client takes a new lease for kept until its first renewal is answered,
// for 5 s if it is not told otherwise, however short the lease is (clientv3.NewLeaseFromLeaseClient). Together that let
// two nodes lead for 3 s and more, neither of which was held up, after a SIGSTOP of one that led both them and the
// servers. So each session has a client of its own, which waits for the first answer as long as the lease lives, less the
// half second after which it looks.
func (n *node) newClient() *clientv3.Client {
	client := v3client.New(n.Server)
	first := time.Duration(n.ttl)*time.Second - 500*time.Millisecond
	server := adapter.LeaseServerToLeaseClient(v3rpc.NewQuotaLeaseServer(n.Server))
	_ = client.Lease.Close()
	client.Lease = clientv3.NewLeaseFromLeaseClient(server, client, first)
	return client
}

// initial returns the members in etcd's way, in the order of their ids.
func initial(members map[string]string) string {
	var all []string
	for _, id := range slices.Sorted(maps.Keys(members)) {
		all = append(all, id+"=http://"+members[id])
	}
	return strings.Join(all, ",")
}

// logger returns what etcd logs with.
func logger(least zapcore.Level, out io.Writer) *zap.Logger {
	encoder := zapcore.NewConsoleEncoder(zap.NewProductionEncoderConfig())
	return zap.New(zapcore.NewCore(encoder, zapcore.AddSync(out), least))
}

// Close stops the server. One that leads the others hands that over.
func (n *node) Close() error {
	n.Etcd.Close()
	var err error
	for failed := range n.Err() {
		err = errors.Join(err, failed)
	}
	return errors.Join(err, n.lock.Close())
}

// Hub has what the node says of the leader.
func (n *node) Hub() *peers.Hub { return n.hub.Hub }

// Elect lets the node campaign until the context ends, or etcd does.
func (n *node) Elect(ctx context.Context) error {
	ctx, cancel := context.WithCancel(ctx)
	campaigned := make(chan struct{})
	go func() {
		defer close(campaigned)
		n.campaign(ctx)
	}()
	var err error
	select {
	case <-ctx.Done():
	case err = <-n.Err():
	case <-n.Server.StopNotify():
		err = errors.New("etcd has stopped by itself")
	}
	cancel()
	<-campaigned
	return err
}

// Healthy returns an error while etcd has no leader.
func (n *node) Healthy() error {
	if n.Server.Leader() == 0 {
		return errors.New("etcd has no leader")
	}
	return nil
}

// Describe adds what etcd says of its server, and has counted.
func (n *node) Describe(s *peers.Status) (err error) {
	s.Etcd = &peers.Etcd{Leader: n.Server.Leader() == n.Server.MemberID(), Term: n.Server.Term()}
	s.Counters, err = count()
	return err
}

// count returns what etcd has counted of itself since the process was started.
func count() (map[string]uint64, error) {
	families, err := prometheus.DefaultGatherer.Gather()
	if err != nil {
		return nil, err
	}
	counters := map[string]uint64{"bytes_sent": 0, "saves": 0}
	for _, family := range families {
		for _, metric := range family.GetMetric() {
			switch family.GetName() {
			case "etcd_network_peer_sent_bytes_total": // one for each other member
				counters["bytes_sent"] += uint64(metric.GetCounter().GetValue())
			case "etcd_disk_wal_fsync_duration_seconds":
				counters["saves"] += metric.GetHistogram().GetSampleCount()
			}
		}
	}
	return counters, nil
}
