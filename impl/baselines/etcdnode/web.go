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

	"github.com/prometheus/client_golang/prometheus"
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
	Etcd     bool              `json:"etcd_leader"`
	Term     uint64            `json:"etcd_term"`
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
	h := newHub(o.id)
	failed := make(chan error, 1)
	var server *http.Server
	if o.http != "" {
		listener, err := net.Listen("tcp", o.http)
		if err != nil {
			return errors.Join(err, n.close())
		}
		server = &http.Server{
			Handler: handler(n, o, h), ReadHeaderTimeout: 5 * time.Second,
			BaseContext: func(net.Listener) context.Context { return ctx }, // so that streams end with the node
		}
		go func() { failed <- server.Serve(listener) }()
	}
	campaigned := make(chan struct{})
	go func() {
		defer close(campaigned)
		n.campaign(ctx, h)
	}()
	select {
	case <-ctx.Done():
	case err = <-failed:
	case err = <-n.Err():
	case <-n.Server.StopNotify():
		err = errors.New("etcd has stopped by itself")
	}
	cancel()
	<-campaigned
	left := n.close()
	if server != nil {
		_ = server.Close()
	}
	return errors.Join(err, left)
}

// handler returns what the node serves.
func handler(n *node, o options, h *hub) http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /status", func(w http.ResponseWriter, _ *http.Request) {
		counters, err := count()
		if err != nil {
			http.Error(w, err.Error(), http.StatusInternalServerError)
			return
		}
		v, _ := h.current()
		w.Header().Set("Content-Type", "application/json")
		_ = json.NewEncoder(w).Encode(status{
			ID: o.id, Members: o.members, Role: v.Role, Leader: v.Leader, Epoch: v.Epoch, Leading: v.Leading,
			Since: time.UnixMicro(v.At), Profile: o.profile, Etcd: n.Server.Leader() == n.Server.MemberID(),
			Term: n.Server.Term(), Counters: counters,
		})
	})
	mux.HandleFunc("GET /healthz", func(w http.ResponseWriter, _ *http.Request) {
		if n.Server.Leader() == 0 {
			http.Error(w, "etcd has no leader", http.StatusServiceUnavailable)
			return
		}
		_, _ = fmt.Fprintln(w, "ok")
	})
	mux.HandleFunc("GET /events", func(w http.ResponseWriter, r *http.Request) { stream(w, r, h) })
	return mux
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
