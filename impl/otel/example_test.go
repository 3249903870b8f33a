package otel_test

import (
	"context"
	"fmt"

	sdk "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"

	"github.com/seed-fdf591db/bully/impl/host"
	bullyotel "github.com/seed-fdf591db/bully/impl/otel"
	"github.com/seed-fdf591db/bully/impl/storage"
	"github.com/seed-fdf591db/bully/impl/transport"
	"github.com/seed-fdf591db/bully/spec"
)

// A node that is its whole cluster is elected, and leads until it is stopped.
func Example() {
	kept := tracetest.NewInMemoryExporter() // otlptracegrpc and WithBatcher in earnest
	spans := bullyotel.New(bullyotel.Config{Provider: sdk.NewTracerProvider(sdk.WithSyncer(kept)), Cluster: "jobs"})
	one := spec.IntegerID(1)
	h, err := host.New(host.Config{
		ID: one, Members: []spec.NodeID{one}, Timing: host.WAN(), Trace: spans, Metrics: spans,
		Storage: storage.NewMemory(), Transport: transport.NewNetwork(nil).Join(one), // bully.Open has a folder and TCP
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	ctx, stop := context.WithCancel(context.Background())
	go func() {
		for leadership := range h.Watch(ctx) {
			if leadership.Leading {
				stop()
			}
		}
	}()
	spans.Close(h.Run(ctx))
	for _, span := range kept.GetSpans() {
		if span.Name == "bully.reign" {
			fmt.Println(span.Name, span.Attributes)
		}
	}
	// Output:
	// bully.reign [{"bully.cluster":"jobs"} {"bully.node":"1"} {"bully.epoch":1} {"bully.ended_by":"Resign"}]
}
