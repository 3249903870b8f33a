package peers

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"time"
)

// Status is what /status says.
type Status struct {
	ID       string            `json:"id"`
	Members  map[string]string `json:"members"`
	Role     string            `json:"role"`
	Leader   *string           `json:"leader"`
	Epoch    uint64            `json:"epoch"`
	Leading  bool              `json:"leading"`
	Since    time.Time         `json:"since"` // of the view
	Profile  string            `json:"profile"`
	Etcd     *Etcd             `json:"etcd,omitempty"`
	Store    string            `json:"store,omitempty"`
	Counters map[string]uint64 `json:"counters"`
}

// Etcd is what a node says of its etcd server.
type Etcd struct {
	Leader bool   `json:"leader"` // it leads the others
	Term   uint64 `json:"term"`
}

// serve runs a node until the context ends.
func (s System) serve(ctx context.Context, o Options, log io.Writer) error {
	n, err := s.Start(o, log)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	failed := make(chan error, 1)
	if o.HTTP != "" {
		listener, err := net.Listen("tcp", o.HTTP)
		if err != nil {
			return errors.Join(err, n.Close())
		}
		server := &http.Server{
			Handler: handler(n, o), ReadHeaderTimeout: 5 * time.Second,
			BaseContext: func(net.Listener) context.Context { return ctx }, // so that streams end with the node
		}
		defer server.Close()
		go func() { failed <- server.Serve(listener) }()
	}
	elected := make(chan error, 1)
	go func() {
		defer close(elected)
		elected <- n.Elect(ctx)
	}()
	select {
	case <-ctx.Done():
	case err = <-failed:
	case err = <-elected:
	}
	cancel()
	return errors.Join(err, <-elected, n.Close())
}

// handler returns what a node serves.
func handler(n Node, o Options) http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /status", func(w http.ResponseWriter, _ *http.Request) {
		v, _ := n.Hub().Current()
		s := Status{
			ID: o.ID, Members: o.Members, Role: v.Role, Leader: v.Leader, Epoch: v.Epoch, Leading: v.Leading,
			Since: time.UnixMicro(v.At), Profile: o.Profile,
		}
		if err := n.Describe(&s); err != nil {
			http.Error(w, err.Error(), http.StatusInternalServerError)
			return
		}
		w.Header().Set("Content-Type", "application/json")
		_ = json.NewEncoder(w).Encode(s)
	})
	mux.HandleFunc("GET /healthz", func(w http.ResponseWriter, _ *http.Request) {
		if err := n.Healthy(); err != nil {
			http.Error(w, err.Error(), http.StatusServiceUnavailable)
			return
		}
		_, _ = fmt.Fprintln(w, "ok")
	})
	mux.HandleFunc("GET /events", func(w http.ResponseWriter, r *http.Request) { stream(w, r, n.Hub()) })
	return mux
}

// stream pushes views until whoever listens has gone. One who is slow misses views between, but never the latest.
func stream(w http.ResponseWriter, r *http.Request, h *Hub) {
	w.Header().Set("Content-Type", "text/event-stream")
	w.Header().Set("Cache-Control", "no-store")
	flusher := http.NewResponseController(w)
	for {
		v, changed := h.Current()
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
