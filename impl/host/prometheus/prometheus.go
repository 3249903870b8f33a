// Package prometheus exports the metrics of a host to Prometheus. It is a module of its own, so that a program that
// does not want Prometheus does not get it. This is all that a user writes:
//
//	import (
//		"github.com/prometheus/client_golang/prometheus/promhttp"
//		bullymetrics "github.com/seed-fdf591db/bully/impl/host/prometheus"
//	)
//
//	metrics := bullymetrics.New(nil)
//	prometheus.MustRegister(metrics)
//	h, err := host.New(host.Config{…, Metrics: metrics})
//	http.Handle("/metrics", promhttp.Handler())
//
// These are the metrics. Every series with a label of a closed set is there from the beginning, at 0, so that rate and
// absent say what they should.
//
//	bully_steps_total{action}                 counter    steps taken, by spec.Action
//	bully_ignored_total{cause}                counter    inputs ignored (R33, R34, R35), by bully.Cause
//	bully_messages_sent_total{type}           counter    messages handed to the transport, by spec.MessageType
//	bully_messages_received_total{type}       counter    messages that the transport has delivered, ignored or not
//	bully_save_seconds                        histogram  how long it took to make a promise durable (R4)
//	bully_leader                              gauge      1 if this node leads, else 0
//	bully_leader_known                        gauge      1 if this node is told of a leader (R39), else 0
//	bully_epoch                               gauge      the epoch of that leader, or of the last one; 0 before the first
//	bully_leadership_changes_total            counter    how often who leads, or in which epoch, has changed
//	bully_leadership_since_timestamp_seconds  gauge      when it last did, in seconds since 1970; 0 if it never has
//	bully_configuration_epoch                 gauge      of the configuration (R42); 0 if members are fixed, like the next three
//	bully_configuration_version               gauge      of the configuration
//	bully_configuration_settled               gauge      1 if this node leads, and a quorum is known to hold it (R47), else 0
//	bully_members{kind}                       gauge      how many members there are, by spec.MemberKind
//
// Alerts that are worth having:
//
//	sum(bully_leader) == 0                                                  for 10 s: nobody leads
//	sum(bully_leader) > 1                                                   for 10 s: a node does not run, or its timers are wrong (R37)
//	rate(bully_leadership_changes_total[10m]) > 0.05                        leaders come and go
//	histogram_quantile(0.99, rate(bully_save_seconds_bucket[5m])) > 0.01    the disk is slower than Timing.Delay allows
package prometheus

import (
	"github.com/prometheus/client_golang/prometheus"

	"github.com/seed-fdf591db/bully/impl/host"
	"github.com/seed-fdf591db/bully/spec"
)

// Collector counts what happens in one host, and gives it to Prometheus. It is made by New; one Collector belongs to one
// host. Its methods are safe for concurrent use, and never block.
type Collector struct {
	steps    vector[spec.Action]
	ignored  vector[string]
	sent     vector[spec.MessageType]
	received vector[spec.MessageType]
	changes  prometheus.Counter
	saves    prometheus.Histogram

	leader, known, epoch, since prometheus.Gauge

	confEpoch, confVersion, settled prometheus.Gauge
	members                         *prometheus.GaugeVec
}

var (
	_ host.Metrics         = (*Collector)(nil)
	_ prometheus.Collector = (*Collector)(nil)
)

// saveBuckets are the upper bounds of bully_save_seconds: from 50 µs, which only memory is faster than, by doubling, to
// 1.6 s, which no profile waits for.
var saveBuckets = prometheus.ExponentialBuckets(50e-6, 2, 16)

// New returns a Collector whose metrics all have these labels, such as cluster="demo"; nil means none. They are needed if
// several hosts of one program are registered with one registry. A label name that Prometheus does not allow, or that
// a metric has already, is told by Register.
func New(labels map[string]string) *Collector {
	counter := func(name, help string) prometheus.CounterOpts {
		return prometheus.CounterOpts{Namespace: "bully", Name: name, Help: help, ConstLabels: labels}
	}
	gauge := func(name, help string) prometheus.Gauge {
		return prometheus.NewGauge(prometheus.GaugeOpts{Namespace: "bully", Name: name, Help: help, ConstLabels: labels})
	}
	members := prometheus.NewGaugeVec(prometheus.GaugeOpts{
		Namespace: "bully", Name: "members", Help: "Members, by kind; 0 if they are fixed.", ConstLabels: labels,
	}, []string{"kind"})
	for _, kind := range spec.MemberKinds() {
		members.WithLabelValues(string(kind)) // there from the beginning, at 0
	}
	return &Collector{
		steps:    newVector(counter("steps_total", "Steps taken."), "action", steps()),
		ignored:  newVector(counter("ignored_total", "Inputs ignored."), "cause", causes()),
		sent:     newVector(counter("messages_sent_total", "Messages handed to the transport."), "type", spec.MessageTypes()),
		received: newVector(counter("messages_received_total", "Messages delivered by the transport."), "type", spec.MessageTypes()),
		changes: prometheus.NewCounter(counter("leadership_changes_total",
			"How often who leads, or in which epoch, has changed.")),
		saves: prometheus.NewHistogram(prometheus.HistogramOpts{
			Namespace: "bully", Name: "save_seconds", Help: "Time to make a promise durable.",
			Buckets: saveBuckets, ConstLabels: labels,
		}),
		leader: gauge("leader", "1 if this node leads, else 0."),
		known:  gauge("leader_known", "1 if this node is told of a leader, else 0."),
		epoch:  gauge("epoch", "The epoch of the leader that this node is told of, or of the last one."),
		since:  gauge("leadership_since_timestamp_seconds", "When who leads has last changed, in seconds since 1970."),

		confEpoch:   gauge("configuration_epoch", "The epoch of the configuration; 0 if members are fixed."),
		confVersion: gauge("configuration_version", "The version of the configuration; 0 if members are fixed."),
		settled:     gauge("configuration_settled", "1 if this node leads, and a quorum is known to hold its configuration, else 0."),
		members:     members,
	}
}
