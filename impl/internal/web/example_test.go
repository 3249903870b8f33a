package web_test

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"

	"github.com/seed-fdf591db/bully/impl/host"
	"github.com/seed-fdf591db/bully/impl/internal/web"
	"github.com/seed-fdf591db/bully/impl/storage"
	"github.com/seed-fdf591db/bully/impl/transport"
	"github.com/seed-fdf591db/bully/spec"
)

// A node that is not running yet knows of no leader.
func Example() {
	id := spec.IntegerID(1)
	events := web.NewEvents(id, nil)
	h, err := host.New(host.Config{ID: id, Members: []spec.NodeID{id}, Storage: storage.NewMemory(),
		Transport: transport.NewNetwork(nil).Join(id), Trace: events, Metrics: events})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer func() { _ = h.Close() }()
	server, err := web.New(web.Config{Node: h, Events: events, Cluster: "demo"})
	if err != nil {
		fmt.Println(err)
		return
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		fmt.Println(err)
		return
	}
	go func() { _ = server.Serve(listener) }()
	defer func() { _ = server.Close() }()

	request, _ := http.NewRequestWithContext(context.Background(), http.MethodGet, "http://"+listener.Addr().String()+"/leader", nil)
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer func() { _ = response.Body.Close() }()
	body, _ := io.ReadAll(response.Body)
	fmt.Printf("%d %s", response.StatusCode, body)
	// Output:
	// 503 the node has not started yet
}
