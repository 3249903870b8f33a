package main

import (
	"context"
	"time"

	"go.etcd.io/etcd/client/v3/concurrency"
	"go.uber.org/zap"
)

const (
	// prefix is where the keys of the candidates are.
	prefix = "leader"
	// pause is the time between two sessions of a node, so that one that cannot have any does not ask all the time.
	pause = 10 * time.Millisecond
)

// campaign lets a node be a candidate until the context ends, in one session after another.
func (n *node) campaign(ctx context.Context) {
	for ctx.Err() == nil {
		if err := n.session(ctx); err != nil && ctx.Err() == nil {
			n.log.Warn("session ended", zap.Error(err))
		}
		select {
		case <-time.After(pause):
		case <-ctx.Done():
		}
	}
}

// session lets a node be a candidate, and then a leader, as long as one session lasts.
func (n *node) session(ctx context.Context) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	client := n.newClient()
	defer client.Close()
	s, err := concurrency.NewSession(client, concurrency.WithTTL(n.ttl), concurrency.WithContext(ctx))
	if err != nil {
		return err
	}
	// What is to be done after the session, Campaign does without a bound, and may wait for a server that hangs. A time to
	// live later it is of no use any more.
	ttl := time.Duration(n.ttl) * time.Second
	context.AfterFunc(s.Ctx(), func() { time.AfterFunc(ttl, func() { _ = client.Close() }) })
	election := concurrency.NewElection(s, prefix)
	observed := make(chan struct{})
	go func() {
		defer close(observed)
		n.observe(s.Ctx(), election)
	}()
	if err = election.Campaign(s.Ctx(), n.id); err == nil {
		n.hub.leads(uint64(election.Rev()))
		<-s.Done()
	}
	n.hub.leadsNot()
	cancel()
	<-observed
	n.hub.knowsNobody()
	// What is left of the session goes, and with its lease its key.
	if _, revoked := client.Revoke(client.Ctx(), s.Lease()); revoked != nil {
		n.log.Info("session was not revoked", zap.Error(revoked))
	}
	return err
}

// observe tells whom the keys name, until the context ends.
func (n *node) observe(ctx context.Context, election *concurrency.Election) {
	for ctx.Err() == nil {
		for response := range election.Observe(ctx) {
			key := response.Kvs[0]
			n.hub.names(string(key.Value), uint64(key.CreateRevision))
		}
		select { // an observation that was cut short
		case <-time.After(pause):
		case <-ctx.Done():
		}
	}
}
