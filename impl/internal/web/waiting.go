package web

import (
	"net"
	"net/http"
	"sync"
	"sync/atomic"

	"github.com/seed-fdf591db/bully/impl/host"
)

// Waiting answers for a node that does not run yet, as it does not know its members, or that waits for a program. It is well, and says what it
// waits for.
type Waiting struct {
	handler http.Handler
	why     atomic.Pointer[string]
	server  *http.Server
	serving sync.WaitGroup
}

// NewWaiting returns what answers for a node: of tells its status, but for what it waits for.
func NewWaiting(of func() host.Status, cluster, version string) *Waiting {
	w := &Waiting{}
	w.Says("members")
	mux := http.NewServeMux()
	mux.HandleFunc("GET /status", func(answered http.ResponseWriter, _ *http.Request) {
		now := status{Status: of(), Cluster: cluster, Version: version}
		now.Waits = *w.why.Load()
		answer(answered, http.StatusOK, now)
	})
	mux.HandleFunc("GET /healthz", func(answered http.ResponseWriter, _ *http.Request) { _, _ = answered.Write([]byte("ok\n")) })
	mux.HandleFunc("/", func(answered http.ResponseWriter, _ *http.Request) {
		http.Error(answered, "the node does not run yet: "+*w.why.Load(), http.StatusServiceUnavailable)
	})
	w.handler = mux
	w.server = &http.Server{Handler: mux, ReadHeaderTimeout: patience, ReadTimeout: patience, MaxHeaderBytes: 8 << 10}
	return w
}

// Serve serves on a listener, until Close. It returns at once.
func (w *Waiting) Serve(l net.Listener) {
	w.serving.Go(func() { _ = w.server.Serve(l) }) // it ends with Close
}

// Says sets what the node waits for.
func (w *Waiting) Says(why string) { w.why.Store(&why) }

// Close ends all connections, and the listener.
func (w *Waiting) Close() {
	_ = w.server.Close()
	w.serving.Wait()
}
