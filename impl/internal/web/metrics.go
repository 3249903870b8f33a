package web

import (
	"net/http"
	"runtime"
	runtimemetrics "runtime/metrics"

	"github.com/seed-fdf591db/bully/impl/internal/metrics"
)

// metrics writes all metrics.
func (s *Server) metrics(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Type", metrics.ContentType)
	_ = metrics.Write(w, append(metrics.Of(s.config.Node.Status(), s.config.Stats), s.process().Read()...)) // whoever asked may have gone
}

// process returns what the metrics tell of this process.
func (s *Server) process() metrics.Process {
	memory := []runtimemetrics.Sample{{Name: "/memory/classes/total:bytes"}}
	runtimemetrics.Read(memory)
	p := metrics.Process{Goroutines: runtime.NumGoroutine(), Memory: memory[0].Value.Uint64()}
	if s.config.Dropped != nil {
		p.Dropped = s.config.Dropped()
	}
	if s.config.Own != nil {
		p.Expires = s.config.Own.Expires()
	}
	return p
}
