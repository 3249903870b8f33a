// Package metrics says what a node tells Prometheus: each name, its help, its kind and its label, once. The command serves it as text, and
// package impl/host/prometheus gives it to a registry, so that one set of alerts and dashboards is good for both.
package metrics

import (
	"maps"
	"slices"
	"time"

	"github.com/seed-fdf591db/bully/impl/host"
	"github.com/seed-fdf591db/bully/impl/transport"
)

// Prefix begins the name of every metric.
const Prefix = "bully_"

// Kind is what can be done with the numbers of a metric.
type Kind string

// The kinds, in the words of Prometheus.
const (
	Counter   Kind = "counter"
	Gauge     Kind = "gauge"
	Histogram Kind = "histogram"
)

// Family is a metric, without its numbers.
type Family struct {
	Name  string // with the prefix
	Kind  Kind
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
	Family
	Samples []Sample
	Times   *Times
}

// Process is what only the command tells of itself; a program has metrics of its own for it.
type Process struct {
	Expires    time.Time // when the certificate of the node ends; zero if it has none
	Dropped    uint64    // lines of the log
	Goroutines int
	Memory     uint64 // in bytes
}

// row is a metric, and how it is read. What cannot be said now has no samples.
type row[T any] struct {
	Family
	read func(*T) Reading
}

// one reads a number that has no label.
func one[T any](name string, kind Kind, help string, read func(*T) float64) row[T] {
	return row[T]{Family{Prefix + name, kind, "", help}, func(of *T) Reading { return Reading{Samples: []Sample{{Number: read(of)}}} }}
}

// labelled reads numbers by the value of a label, in the order of the values.
func labelled[T any, K ~string, N float64 | uint64](name string, kind Kind, label, help string, read func(*T) map[K]N) row[T] {
	return row[T]{Family{Prefix + name, kind, label, help}, func(of *T) (r Reading) {
		numbers := read(of)
		for _, value := range slices.Sorted(maps.Keys(numbers)) {
			r.Samples = append(r.Samples, Sample{string(value), float64(numbers[value])})
		}
		return r
	}}
}

// where leaves out a metric of which nothing can be said.
func where[T any](said func(*T) bool, r row[T]) row[T] {
	return row[T]{r.Family, func(of *T) Reading {
		if !said(of) {
			return Reading{}
		}
		return r.read(of)
	}}
}

func families[T any](rows []row[T]) (all []Family) {
	for _, r := range rows {
		all = append(all, r.Family)
	}
	return all
}

func read[T any](rows []row[T], of *T) (all []Reading) {
	for _, r := range rows {
		reading := r.read(of)
		reading.Family = r.Family
		if reading.Samples != nil || reading.Times != nil {
			all = append(all, reading)
		}
	}
	return all
}

// Families returns all that is told of a node and its links, wherever it runs.
func Families() []Family { return append(families(ofNode), families(ofLinks)...) }

// OfProcess returns what the command tells besides.
func OfProcess() []Family { return families(ofProcess) }

// Of reads what is told of a node, and of its links, unless links is nil.
func Of(node host.Status, links func() transport.Stats) []Reading {
	all := read(ofNode, &node)
	if links != nil {
		stats := links()
		all = append(all, read(ofLinks, &stats)...)
	}
	return all
}

// Read reads what the command tells of itself.
func (p Process) Read() []Reading { return read(ofProcess, &p) }

func number(b bool) float64 {
	if b {
		return 1
	}
	return 0
}
