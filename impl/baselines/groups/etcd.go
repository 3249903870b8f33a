package main

import (
	"context"
	"fmt"
	"net/url"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"go.etcd.io/etcd/api/v3/mvccpb"
	clientv3 "go.etcd.io/etcd/client/v3"
	"go.etcd.io/etcd/client/v3/concurrency"
	"go.etcd.io/etcd/server/v3/embed"
	"go.uber.org/zap"
)

const (
	// heartbeat and election are etcd's, in ms: the lowest that hold (peers/etcdnode, profile "fast"). A session lives for a second at least.
	heartbeat, election, sessionSeconds = 10, 100, 1
	prefix                              = "groups/"
)

// runEtcd starts a server of etcd in this process, and a candidate for each group. A node stands first for its share of them, and for the others once all have a leader, so
// that leaders are spread: etcd itself has whoever comes first lead all.
func runEtcd(n *node) error {
	config := embed.NewConfig()
	config.Name, config.Dir = strconv.Itoa(n.id), filepath.Join(n.dir, "etcd")
	config.ZapLoggerBuilder = embed.NewZapLoggerBuilder(zap.NewNop())
	config.TickMs, config.ElectionMs = heartbeat, election
	own := []url.URL{{Scheme: "http", Host: n.addresses[n.id-1]}}
	config.ListenPeerUrls, config.AdvertisePeerUrls = own, own
	clients := []url.URL{{Scheme: "http", Host: "127.0.0.1:0"}}
	config.ListenClientUrls, config.AdvertiseClientUrls = clients, clients
	var all []string
	for i, address := range n.addresses {
		all = append(all, fmt.Sprintf("%d=http://%s", i+1, address))
	}
	config.InitialCluster = strings.Join(all, ",")
	server, err := embed.StartEtcd(config)
	if err != nil {
		return err
	}
	// Over a connection, as its users have it: watches of the client that etcd has for its own process (v3client) lost what came when a session of a thousand keys ended.
	client, err := clientv3.New(clientv3.Config{Endpoints: []string{server.Clients[0].Addr().String()}, Logger: zap.NewNop()})
	if err != nil {
		return err
	}
	go n.watch(client)
	go n.stand(client)
	return nil
}

// stand stands for all groups, in one session after the other.
func (n *node) stand(client *clientv3.Client) {
	for ; ; time.Sleep(10 * time.Millisecond) {
		session, err := concurrency.NewSession(client, concurrency.WithTTL(sessionSeconds))
		if err != nil {
			continue
		}
		campaign := func(group int) {
			election := concurrency.NewElection(session, prefix+strconv.Itoa(group))
			for election.Campaign(session.Ctx(), strconv.Itoa(n.id)) != nil && session.Ctx().Err() == nil {
				time.Sleep(10 * time.Millisecond) // the cluster had no leader
			}
		}
		var others []int
		for group := range n.groups {
			if group%len(n.addresses)+1 == n.id {
				go campaign(group)
			} else {
				others = append(others, group)
			}
		}
		for began := time.Now(); !n.spread() && time.Since(began) < 10*time.Second && session.Ctx().Err() == nil; {
			time.Sleep(10 * time.Millisecond)
		}
		for _, group := range others {
			go campaign(group)
		}
		<-session.Done()
	}
}

// spread reports whether each group has had a leader.
func (n *node) spread() bool {
	n.mu.Lock()
	defer n.mu.Unlock()
	return len(n.known) == n.groups
}

// watch tells who leads each group: of its keys the one that was made first names it.
func (n *node) watch(client *clientv3.Client) {
	for ; ; time.Sleep(10 * time.Millisecond) {
		got, err := client.Get(context.Background(), prefix, clientv3.WithPrefix())
		if err != nil {
			continue
		}
		keys := map[int]map[string]candidate{}
		for _, kv := range got.Kvs {
			n.note(keys, kv, true)
		}
		for answer := range client.Watch(context.Background(), prefix, clientv3.WithPrefix(), clientv3.WithRev(got.Header.Revision+1)) {
			for _, event := range answer.Events {
				n.note(keys, event.Kv, event.Type == mvccpb.PUT)
			}
		}
	}
}

// candidate is a key of a group.
type candidate struct {
	made int64
	id   int
}

// note notes a key that is there, or there no more.
func (n *node) note(keys map[int]map[string]candidate, kv *mvccpb.KeyValue, there bool) {
	name, _, _ := strings.Cut(strings.TrimPrefix(string(kv.Key), prefix), "/")
	group, _ := strconv.Atoi(name)
	if keys[group] == nil {
		keys[group] = map[string]candidate{}
	}
	if there {
		id, _ := strconv.Atoi(string(kv.Value))
		keys[group][string(kv.Key)] = candidate{kv.CreateRevision, id}
	} else {
		delete(keys[group], string(kv.Key))
	}
	first := candidate{}
	for _, c := range keys[group] {
		if first.id == 0 || c.made < first.made {
			first = c
		}
	}
	n.tell(group, first.id)
	if len(keys[group]) == len(n.addresses) {
		n.mu.Lock()
		n.whole[group] = true
		n.mu.Unlock()
	}
}
