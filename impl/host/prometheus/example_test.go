package prometheus_test

import (
	"context"
	"fmt"
	"net/http/httptest"
	"strings"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"github.com/seed-fdf591db/bully/impl/host"
	bullymetrics "github.com/seed-fdf591db/bully/impl/host/prometheus"
	"github.com/seed-fdf591db/bully/impl/storage"
	"github.com/seed-fdf591db/bully/impl/transport"
	"github.com/seed-fdf591db/bully/spec"
)

// A node that is its whole cluster leads it soon, and says so.
func Example() {
	one := spec.IntegerID(1)
	h, err := host.New(host.Config{
		ID: one, Members: []spec.NodeID{one}, Timing: host.WAN(),
		Storage: storage.NewMemory(), Transport: transport.NewNetwork(nil).Join(one), // bully.Open has a folder and TCP
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	registry := prometheus.NewRegistry()
	registry.MustRegister(bullymetrics.New(bullymetrics.Config{Node: h, Labels: prometheus.Labels{"cluster": "demo"}}))

	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	ended := make(chan error)
	go func() { ended <- h.Run(ctx) }()
	page := ""
	for !strings.Contains(page, `bully_leading{cluster="demo"} 1`) { // Prometheus would look every 15 s
		time.Sleep(10 * time.Millisecond)
		recorder := httptest.NewRecorder()
		promhttp.HandlerFor(registry, promhttp.HandlerOpts{}).ServeHTTP(recorder, httptest.NewRequest("GET", "/metrics", nil))
		page = recorder.Body.String()
	}
	for line := range strings.Lines(page) {
		if strings.HasPrefix(line, "bully_leading{") || strings.HasPrefix(line, "bully_epoch{") {
			fmt.Print(line)
		}
	}
	cancel()
	if err := <-ended; err != nil {
		fmt.Println(err)
	}
	// Output:
	// bully_epoch{cluster="demo"} 1
	// bully_leading{cluster="demo"} 1
}
