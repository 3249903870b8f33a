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
	"time"

	"github.com/seed-fdf591db/bully/impl/groups"
	"github.com/seed-fdf591db/bully/impl/host"
	"github.com/seed-fdf591db/bully/impl/transport"
	"github.com/seed-fdf591db/bully/spec"
)

// metrics writes all metrics.
func (s *Server) metrics(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Type", metricsType)
	var all []Reading
	if g := s.config.Groups; g != nil {
		var own *host.Status
		if s.config.Node != nil {
			now := s.config.Node.Status()
			own = &now
		}
		all = ReadGroupMetrics(g.Status(), g.Placement().Members, own, s.config.Stats)
	} else {
		all = ReadMetrics(s.config.Node.Status(), s.config.Stats)
	}
	_ = writeMetrics(w, append(all, s.process().read()...)) // whoever asked may have gone
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

// metricPrefix begins the name of every metric.
const metricPrefix = "bully_"

// MetricKind is what can be done with the numbers of a metric.
type MetricKind string

// The kinds, in the words of Prometheus.
const (
	Counter   MetricKind = "counter"
	Gauge     MetricKind = "gauge"
	Histogram MetricKind = "histogram"
)

// Metric is a metric, without its numbers.
type Metric struct {
	Name  string // with the prefix
	Kind  MetricKind
	Label string // the only one; "" if there is none
	Help  string
}

// Sample is one number, and the value of the label.
type Sample struct {
	Value  string
	Number float64
}

// Times are the numbers of a histogram.
type Times struct {
	All    uint64
	Sum    float64            // in seconds
	Within map[float64]uint64 // how many took at most so many seconds
}

// Reading is a metric as it is now. It has Samples, or is a histogram and has Times.
type Reading struct {
	Metric
	Samples []Sample
	Times   *Times
}

// process is what only the command tells of itself; a program has metrics of its own for it.
type process struct {
	Expires    time.Time // when the certificate of the node ends; zero if it has none
	Dropped    uint64    // lines of the log
	Goroutines int
	Memory     uint64 // in bytes
}

// row is a metric, and how it is read. What cannot be said now has no samples.
type row[T any] struct {
	Metric
	read func(*T) Reading
}

// one reads a number that has no label.
func one[T any](name string, kind MetricKind, help string, read func(*T) float64) row[T] {
	return row[T]{Metric{metricPrefix + name, kind, "", help}, func(of *T) Reading { return Reading{Samples: []Sample{{Number: read(of)}}} }}
}

// labelled reads numbers by the value of a label, in the order of the values.
func labelled[T any, K ~string, N float64 | uint64](name string, kind MetricKind, label, help string, read func(*T) map[K]N) row[T] {
	return row[T]{Metric{metricPrefix + name, kind, label, help}, func(of *T) (r Reading) {
		numbers := read(of)
		for _, value := range slices.Sorted(maps.Keys(numbers)) {
			r.Samples = append(r.Samples, Sample{string(value), float64(numbers[value])})
		}
		return r
	}}
}

// where leaves out a metric of which nothing can be said.
func where[T any](said func(*T) bool, r row[T]) row[T] {
	return row[T]{r.Metric, func(of *T) Reading {
		if !said(of) {
			return Reading{}
		}
		return r.read(of)
	}}
}

func metricsOf[T any](rows []row[T]) (all []Metric) {
	for _, r := range rows {
		all = append(all, r.Metric)
	}
	return all
}

func read[T any](rows []row[T], of *T) (all []Reading) {
	for _, r := range rows {
		reading := r.read(of)
		reading.Metric = r.Metric
		if reading.Samples != nil || reading.Times != nil {
			all = append(all, reading)
		}
	}
	return all
}

// Metrics returns all that is told of a node and its links, wherever it runs.
func Metrics() []Metric { return append(metricsOf(ofNode), metricsOf(ofLinks)...) }

// GroupMetrics returns what is told of a node of many groups, and of no other.
func GroupMetrics() []Metric { return metricsOf(ofGroups) }

// ProcessMetrics returns what the command tells besides.
func ProcessMetrics() []Metric { return metricsOf(ofProcess) }

// ReadMetrics reads what is told of a node, and of its links, unless links is nil.
func ReadMetrics(node host.Status, links func() transport.Stats) []Reading {
	return append(read(ofNode, &node), readLinks(links)...)
}

// ReadGroupMetrics reads what is told of a node of many groups, which has these members; of the cluster's own election, if it has one, as of a node of one; and of its links,
// unless links is nil.
func ReadGroupMetrics(node groups.Status, members []spec.NodeID, own *host.Status, links func() transport.Stats) []Reading {
	var election []Reading
	if own != nil {
		both := *own
		both.Counters.Pauses += node.Counters.Pauses // each has a loop of its own
		election = read(ofNode, &both)
	} else {
		others := slices.DeleteFunc(slices.Clone(members), func(id spec.NodeID) bool { return id == node.ID })
		election = read([]row[host.Status]{linkUp, linkDead, pauses}, asHost(&node, others))
	}
	return slices.Concat(read(ofGroups, &node), election, readLinks(links))
}

func readLinks(links func() transport.Stats) []Reading {
	if links == nil {
		return nil
	}
	stats := links()
	return read(ofLinks, &stats)
}

// read reads what the command tells of itself.
func (p process) read() []Reading { return read(ofProcess, &p) }

func number(b bool) float64 {
	if b {
		return 1
	}
	return 0
}
