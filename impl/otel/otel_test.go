package otel

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	api "go.opentelemetry.io/otel"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	sdk "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"

	"github.com/seed-fdf591db/bully/impl/host"
	"github.com/seed-fdf591db/bully/impl/internal/bubbletest"
	"github.com/seed-fdf591db/bully/impl/storage"
	"github.com/seed-fdf591db/bully/impl/transport"
	"github.com/seed-fdf591db/bully/spec"
)

// node is a host whose spans are kept.
type node struct {
	*Spans
	host  *host.Host
	store *storage.Memory
	kept  *tracetest.InMemoryExporter
	stop  func()
}

var members = []spec.NodeID{spec.IntegerID(1), spec.IntegerID(2), spec.IntegerID(3)}

// begin starts a host. It goes on with what an earlier one has stored and told.
func begin(t *testing.T, network *transport.Network, id spec.NodeID, n *node) *node {
	t.Helper()
	if n == nil {
		n = &node{store: storage.NewMemory(), kept: tracetest.NewInMemoryExporter()}
	}
	n.Spans = New(Config{Provider: sdk.NewTracerProvider(sdk.WithSyncer(n.kept)), Cluster: "demo"})
	var err error
	n.host, err = host.New(host.Config{ID: id, Members: members, Storage: n.store, Transport: network.Join(id), Trace: n.Spans, Metrics: n.Spans})
	require.NoError(t, err)
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- n.host.Run(ctx) }()
	n.stop = func() {
		cancel()
		err := <-ended
		require.NoError(t, err)
		n.Close(err)
	}
	return n
}

// named returns the spans of a name.
func (n *node) named(name string) (all []tracetest.SpanStub) {
	for _, span := range n.kept.GetSpans() {
		if span.Name == name {
			all = append(all, span)
		}
	}
	return all
}

func valueOf(span tracetest.SpanStub, key string) string {
	for _, a := range span.Attributes {
		if string(a.Key) == key {
			return a.Value.String()
		}
	}
	return ""
}

// TestReigns: the highest leads, ends, and comes back, and the next hands over to it. Each span is where that was, and nowhere else.
func TestReigns(t *testing.T) {
	bubbletest.Run(t, func(t *testing.T) {
		network, began := transport.NewNetwork(nil), time.Now()
		nodes := map[int]*node{}
		for i, id := range members {
			nodes[i+1] = begin(t, network, id, nil)
		}
		time.Sleep(10 * time.Second)
		nodes[3].stop()
		time.Sleep(10 * time.Second)
		first := nodes[3].named("bully.reign")
		require.Len(t, first, 1)
		require.Equal(t, "Resign", valueOf(first[0], "bully.ended_by"))
		require.Equal(t, []string{"demo", "3"}, []string{valueOf(first[0], "bully.cluster"), valueOf(first[0], "bully.node")})
		require.WithinRange(t, first[0].EndTime, began.Add(10*time.Second), began.Add(11*time.Second))
		require.Empty(t, nodes[2].named("bully.reign"), "it is not over")

		nodes[3] = begin(t, network, members[2], nodes[3])
		time.Sleep(20 * time.Second)
		second := nodes[2].named("bully.reign")
		require.Len(t, second, 1)
		require.False(t, second[0].StartTime.Before(first[0].EndTime), "one after the other")
		handovers := nodes[2].named("bully.handover")
		require.Len(t, handovers, 1)
		require.Equal(t, []string{"3", "3"}, []string{valueOf(handovers[0], "bully.to"), valueOf(handovers[0], "bully.leader")})
		require.Equal(t, second[0].SpanContext.SpanID(), handovers[0].Links[0].SpanContext.SpanID())
		require.Equal(t, second[0].EndTime, handovers[0].StartTime)
		require.Less(t, handovers[0].EndTime.Sub(handovers[0].StartTime), time.Second)
		require.NotEqual(t, valueOf(second[0], "bully.epoch"), valueOf(handovers[0], "bully.epoch"), "it is the next one's")
		require.Empty(t, nodes[1].named("bully.handover"))
		require.Empty(t, nodes[1].named("bully.reign"))
		elections := nodes[1].named("bully.election")
		require.GreaterOrEqual(t, len(elections), 2)
		require.Equal(t, "3", valueOf(elections[0], "bully.leader"))
		for _, n := range nodes {
			n.stop()
		}
		require.Len(t, nodes[3].named("bully.reign"), 2)
	})
}

// TestChanges: a change is over when it is settled, and fails when the node leads no longer before that; who does not lead changes nothing.
func TestChanges(t *testing.T) {
	kept := tracetest.NewInMemoryExporter()
	s := New(Config{Provider: sdk.NewTracerProvider(sdk.WithSyncer(kept)), Trace: broken{}})
	members := func(version uint64, settled bool) host.Membership {
		c, err := spec.NewConfiguration(1, version, []spec.Member{{ID: spec.IntegerID(1), Kind: spec.Voter}, {ID: spec.IntegerID(2), Kind: spec.Voter}})
		require.NoError(t, err)
		return host.Membership{Configuration: c, Settled: settled}
	}
	is := func(role spec.Role, epoch spec.Epoch) {
		require.EqualError(t, s.Record(&spec.Event{Node: spec.IntegerID(1), Action: spec.OnAck, State: spec.State{Role: role, Epoch: epoch, Leader: spec.IntegerID(1)}}), "the disk is full")
	}
	s.Configured(members(1, false))
	is(spec.Leader, 4)
	s.Configured(members(1, true))
	require.Empty(t, kept.GetSpans())
	s.Configured(members(2, false))
	s.Configured(members(2, true))
	s.Configured(members(3, false))
	is(spec.Electing, 5)
	s.Close(errors.New("no disk"))

	spans := kept.GetSpans()
	require.Len(t, spans, 4)
	names := []string{"bully.change", "bully.reign", "bully.change", "bully.election"}
	for i, status := range []sdk.Status{{}, {}, {Code: codes.Error, Description: "the node does not lead any more"}, {Code: codes.Error, Description: "no disk"}} {
		require.Equal(t, names[i], spans[i].Name)
		require.Equal(t, status, spans[i].Status, names[i])
	}
	require.Contains(t, spans[0].Attributes, attribute.Int64("bully.version", 2))
	require.Contains(t, spans[0].Attributes, attribute.Int("bully.members", 2))
	require.Equal(t, "4", valueOf(spans[1], "bully.epoch"))
	s.Close(nil)
	require.Len(t, kept.GetSpans(), 4)
}

// TestGlobal: who says nothing of a provider means the global one.
func TestGlobal(t *testing.T) {
	kept, before := tracetest.NewInMemoryExporter(), api.GetTracerProvider()
	api.SetTracerProvider(sdk.NewTracerProvider(sdk.WithSyncer(kept)))
	defer api.SetTracerProvider(before)
	s := New(Config{})
	require.NoError(t, s.Record(&spec.Event{Node: spec.IntegerID(1), State: spec.State{Role: spec.Electing}}))
	s.Close(nil)
	require.Len(t, kept.GetSpans(), 1)
}

// broken is a trace that cannot be written.
type broken struct{}

func (broken) Record(*spec.Event) error { return errors.New("the disk is full") }

// TestChangeOfAHost: a host of members that come and go changes them, and what is seen of it is that.
func TestChangeOfAHost(t *testing.T) {
	bubbletest.Run(t, func(t *testing.T) {
		id := spec.IntegerID(1)
		first, err := spec.NewConfiguration(0, 1, []spec.Member{{ID: id, Kind: spec.Voter, Address: "a:1"}})
		require.NoError(t, err)
		store, err := storage.NewChangingMemory(storage.Identity{ID: id, Cluster: "demo", Incarnation: 7}, first)
		require.NoError(t, err)
		kept := tracetest.NewInMemoryExporter()
		s := New(Config{Provider: sdk.NewTracerProvider(sdk.WithSyncer(kept)), Cluster: "demo"})
		h, err := host.New(host.Config{ID: id, Storage: store, Transport: transport.NewNetwork(nil).JoinChanging(id, 7), Trace: s, Metrics: s})
		require.NoError(t, err)
		ctx, cancel := context.WithCancel(t.Context())
		ended := make(chan error, 1)
		go func() { ended <- h.Run(ctx) }()
		time.Sleep(10 * time.Second)
		for _, span := range kept.GetSpans() {
			require.NotEqual(t, "bully.change", span.Name, "it leads the members that there were")
		}
		_, err = h.AddMember(t.Context(), spec.Member{ID: spec.IntegerID(2), Kind: spec.Observer, Address: "b:1"}, 0)
		require.NoError(t, err)
		cancel()
		require.NoError(t, <-ended)
		s.Close(nil)
		changes := (&node{kept: kept}).named("bully.change")
		require.Len(t, changes, 1)
		require.Equal(t, []string{"2", "2"}, []string{valueOf(changes[0], "bully.version"), valueOf(changes[0], "bully.members")})
		require.Equal(t, codes.Unset, changes[0].Status.Code)
	})
}
