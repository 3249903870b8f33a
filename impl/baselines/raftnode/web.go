package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"time"

	"github.com/hashicorp/raft"
)

// status is what /status says.
type status struct {
	ID       string            `json:"id"`
	Members  map[string]string `json:"members"`
	Role     string            `json:"role"`
	Leader   *string           `json:"leader"`
	Epoch    uint64            `json:"epoch"`
	Leading  bool              `json:"leading"`
	Since    time.Time         `json:"since"` // of the view
	Profile  string            `json:"profile"`
	Counters map[string]uint64 `json:"counters"`
}

// serve runs a node until the context ends.
func serve(ctx context.Context, o options, log io.Writer) error {
	n, err := newNode(o, log)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	h := newHub(look(n.Raft, o.id))
	watched := make(chan struct{})
	go func() {
		defer close(watched)
		watch(ctx, n.Raft, o.id, h, termEvery)
	}()
	failed := make(chan error, 1)
	var server *http.Server
	if o.http != "" {
		listener, err := net.Listen("tcp", o.http)
		if err != nil {
			cancel()
			<-watched
			return errors.Join(err, n.leave())
		}
		server = &http.Server{
			Handler: handler(n, o, h), ReadHeaderTimeout: 5 * time.Second,
			BaseContext: func(net.Listener) context.Context { return ctx }, // so that streams end with the node
		}
		go func() { failed <- server.Serve(listener) }()
	}
	select {
	case <-ctx.Done():
	case err = <-failed:
	}
	left := n.leave()
	cancel()
	<-watched
	if server != nil {
		_ = server.Close()
	}
	return errors.Join(err, left)
}

// handler returns what the node serves.
func handler(n *node, o options, h *hub) http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /status", func(w http.ResponseWriter, _ *http.Request) {
		v, _ := h.current()
		w.Header().Set("Content-Type", "application/json")
		_ = json.NewEncoder(w).Encode(status{
			ID: o.id, Members: o.members, Role: v.Role, Leader: v.Leader, Epoch: v.Epoch, Leading: v.Leading,
			Since: time.UnixMicro(v.At), Profile: o.profile,
			Counters: map[string]uint64{
				"bytes_sent": n.layer.sent.bytes.Load(), "writes": n.layer.sent.writes.Load(),
			},
		})
	})
	mux.HandleFunc("GET /healthz", func(w http.ResponseWriter, _ *http.Request) {
		if n.State() == raft.Shutdown {
			http.Error(w, "raft has stopped", http.StatusServiceUnavailable)
			return
		}
		_, _ = fmt.Fprintln(w, "ok")
	})
	mux.HandleFunc("GET /events", func(w http.ResponseWriter, r *http.Request) { stream(w, r, h) })
	return mux
}

// stream pushes views until whoever listens has gone. One who is slow misses views between, but never the latest.
func stream(w http.ResponseWriter, r *http.Request, h *hub) {
	w.Header().Set("Content-Type", "text/event-stream")
	w.Header().Set("Cache-Control", "no-store")
	flusher := http.NewResponseController(w)
	for {
		v, changed := h.current()
		data, err := json.Marshal(v)
		if err != nil {
			return
		}
		if _, err := fmt.Fprintf(w, "data: %s\n\n", data); err != nil {
			return
		}
		if err := flusher.Flush(); err != nil {
			return
		}
		select {
		case <-changed:
		case <-r.Context().Done():
			return
		}
	}
}
