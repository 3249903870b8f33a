package web

import (
	"net"
	"net/http"
	"sync/atomic"

	"github.com/seed-fdf591db/bully/impl/host"
)

// Waiting answers for a node that is not there yet, as it does not know its members. It is well, and says what it waits for.
type Waiting struct {
	status status
	why    atomic.Pointer[string]
	server *http.Server
	done   chan struct{}
}

// NewWaiting serves on a listener, until Close. The status says which node waits.
func NewWaiting(l net.Listener, of host.Status, cluster, version string) *Waiting {
	w := &Waiting{status: status{Status: of, Cluster: cluster, Version: version}, done: make(chan struct{})}
	w.Says("members")
	mux := http.NewServeMux()
	mux.HandleFunc("GET /status", func(answered http.ResponseWriter, _ *http.Request) {
		now := w.status
		now.Waits = *w.why.Load()
		answer(answered, http.StatusOK, now)
	})
	mux.HandleFunc("GET /healthz", func(answered http.ResponseWriter, _ *http.Request) { _, _ = answered.Write([]byte("ok\n")) })
	mux.HandleFunc("/", func(answered http.ResponseWriter, _ *http.Request) {
		http.Error(answered, "the node has not started yet: "+*w.why.Load(), http.StatusServiceUnavailable)
	})
	w.server = &http.Server{Handler: mux, ReadHeaderTimeout: patience, ReadTimeout: patience, MaxHeaderBytes: 8 << 10}
	go func() {
		defer close(w.done)
		_ = w.server.Serve(l) // it ends with Close
	}()
	return w
}

// Says sets what the node waits for.
func (w *Waiting) Says(why string) { w.why.Store(&why) }

// Close ends all connections, and the listener.
func (w *Waiting) Close() {
	_ = w.server.Close()
	<-w.done
}
