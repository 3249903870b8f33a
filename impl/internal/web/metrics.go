package web

import (
	"fmt"
	"io"
	"maps"
	"net/http"
	"runtime"
	"runtime/metrics"
	"slices"
	"strconv"
	"strings"
)

// metrics writes all metrics.
func (s *Server) metrics(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Type", metricsType)
	_ = writeMetrics(w, append(ReadMetrics(s.config.Node.Status(), s.config.Stats), s.process().read()...)) // whoever asked may have gone
}

// process returns what the metrics tell of this process.
func (s *Server) process() process {
	memory := []metrics.Sample{{Name: "/memory/classes/total:bytes"}}
	metrics.Read(memory)
	p := process{Goroutines: runtime.NumGoroutine(), Memory: memory[0].Value.Uint64()}
	if s.config.Dropped != nil {
		p.Dropped = s.config.Dropped()
	}
	if s.config.Own != nil {
		p.Expires = s.config.Own.Expires()
	}
	return p
}

// metricsType is what HTTP calls the text that writeMetrics writes.
const metricsType = "text/plain; version=0.0.4; charset=utf-8"

// writeMetrics writes metrics in the text format of Prometheus. Ids, causes and types need no escapes.
func writeMetrics(w io.Writer, all []Reading) error {
	var text strings.Builder
	for _, r := range all {
		fmt.Fprintf(&text, "# HELP %s %s\n# TYPE %s %s\n", r.Name, r.Help, r.Name, r.Kind)
		for _, s := range r.Samples {
			label := ""
			if r.Label != "" {
				label = fmt.Sprintf("{%s=%q}", r.Label, s.Value)
			}
			fmt.Fprintf(&text, "%s%s %v\n", r.Name, label, s.Number)
		}
		if t := r.Times; t != nil {
			for _, bound := range slices.Sorted(maps.Keys(t.Within)) {
				fmt.Fprintf(&text, "%s_bucket{le=%q} %d\n", r.Name, strconv.FormatFloat(bound, 'g', -1, 64), t.Within[bound])
			}
			fmt.Fprintf(&text, "%s_bucket{le=\"+Inf\"} %d\n%s_sum %v\n%s_count %d\n", r.Name, t.All, r.Name, t.Sum, r.Name, t.All)
		}
	}
	_, err := io.WriteString(w, text.String())
	return err
}
