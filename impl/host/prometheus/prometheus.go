// Package prometheus exports the metrics of a node to Prometheus. It is a module of its own, so that a program that
// does not want Prometheus does not get it. This is all that a user writes:
//
//	import (
//		"github.com/prometheus/client_golang/prometheus/promhttp"
//		bullymetrics "github.com/seed-fdf591db/bully/impl/host/prometheus"
//	)
//
//	node, err := bully.Open(bully.Config{…})
//	prometheus.MustRegister(bullymetrics.New(bullymetrics.Config{Node: node, Stats: node.Links().Stats}))
//	http.Handle("/metrics", promhttp.Handler())
//
// The metrics are those of bully run -http, so the alerts and the dashboard of impl/deploy are good for both. Every series with a label of a closed
// set is there from the beginning, at 0, so that rate and absent say what they should; but a node that has not taken its first step says
// nothing of its epoch and its leader, and one whose members are fixed says nothing of a configuration.
//
//	bully_leading                                  gauge      Whether this node leads.
//	bully_has_leader                               gauge      Whether this node knows of a leader (R39).
//	bully_epoch                                    gauge      The highest epoch that this node has promised or learned.
//	bully_epochs_exhausted                         gauge      Whether the epochs are used up: when nobody leads, nobody ever will again.
//	bully_latest_question                          gauge      The latest number of a question that this node has used (R50).
//	bully_leadership_changes_total                 counter    How often who leads, or in which epoch, has changed.
//	bully_leadership_since_timestamp_seconds       gauge      When who leads has last changed, in seconds since 1970; 0 if it never has.
//	bully_stopped                                  gauge      Whether the node has stopped.
//	bully_role{role}                               gauge      1 for the role that the node has.
//	bully_link_up{node}                            gauge      Whether the connection to a member is open.
//	bully_link_dead{node}                          gauge      Whether a member is proved dead.
//	bully_link_lost_disk{node}                     gauge      Whether a member does not remember what it has said: its disk is lost, or an old copy.
//	bully_link_heard_seconds{node}                 gauge      How long ago a member was heard.
//	bully_leader_phi                               gauge      How suspicious the silence of the leader is.
//	bully_steps_total{action}                      counter    Steps taken, by action.
//	bully_ignored_total{cause}                     counter    Inputs ignored, by cause (R33, R34, R35).
//	bully_messages_sent_total{type}                counter    Messages given to the transport, by type.
//	bully_messages_received_total{type}            counter    Messages that the transport has delivered, ignored or not, by type.
//	bully_save_seconds                             histogram  How long it took to make a promise durable (R4).
//	bully_slow_saves_total                         counter    Promises that took the disk longer than it may.
//	bully_pauses_total                             counter    How often the node was held up for longer than it may be.
//	bully_quiet_total                              counter    How often work reported no progress, and the node resigned.
//	bully_guarded                                  gauge      Whether the node has a guard, and that is not stopped.
//	bully_guard_kills_total                        counter    How often its guard has killed the node, since the guard began.
//	bully_guard_restarts_total                     counter    How often its guard has started the node again, since the guard began.
//	bully_lost_disks_total                         counter    How often another node did not remember what it has said.
//	bully_unbelieved_total                         counter    Messages of nodes that are no members, and claim that there are newer ones.
//	bully_trace_errors_total                       counter    Steps that could not be recorded.
//	bully_configuration_epoch                      gauge      The epoch of the configuration of this node.
//	bully_configuration_version                    gauge      The version of the configuration of this node.
//	bully_configuration_settled                    gauge      Whether this node leads, and a quorum is known to hold its configuration (R47).
//	bully_members{kind}                            gauge      Members, by kind.
//	bully_member                                   gauge      Whether this node is a member.
//	bully_transport_sent_total                     counter    Messages written.
//	bully_transport_received_total                 counter    Messages read.
//	bully_transport_sent_bytes_total               counter    Bytes of frames written.
//	bully_transport_received_bytes_total           counter    Bytes of frames read.
//	bully_transport_lost_total                     counter    Messages sent while there was no connection.
//	bully_transport_dropped_total                  counter    Messages dropped from full queues.
//	bully_transport_accepted_total                 counter    Connections accepted.
//	bully_transport_pending                        gauge      Connections that have not shown yet of which member they are.
//	bully_transport_evicted_total                  counter    Connections closed before they could show it.
//	bully_transport_shed_total                     counter    TLS handshakes not begun, as too many had been lately.
//	bully_transport_refused_total{reason}          counter    Connections refused, by reason.
//	bully_transport_malformed_total                counter    Connections closed for a frame that is none (R33).
//	bully_transport_stalled_total                  counter    Connections closed because they were too slow.
//	bully_transport_unknown_total                  counter    Frames of unknown version or type, passed over.
//	bully_transport_spoofed_total                  counter    Connections closed for a message of another sender.
//	bully_transport_misaddressed_total             counter    Connections closed for a message to another node.
//
// A node of many groups (Config.Groups) tells instead, besides bully_link_up, bully_link_dead, bully_pauses_total and those of its transport, what is below. Where its members change, all
// of the above is told of the cluster's own election, too (Groups.Own).
//
//	bully_groups                                   gauge      Groups in which this node takes part.
//	bully_groups_led                               gauge      Groups that this node leads.
//	bully_groups_followed                          gauge      Groups that another leads, as far as this node knows.
//	bully_groups_without_leader                    gauge      Groups of which this node knows no leader.
//	bully_groups_elsewhere                         gauge      Groups that another node leads than the one that does while all run.
//	bully_groups_stuck                             gauge      Groups whose work hangs at this node, which takes no part in them meanwhile.
//	bully_groups_lagging                           gauge      Groups that have other members than the cluster, as this node has both: they have not followed its last change yet.
//	bully_groups_pending_changes                   gauge      Members that the groups which this node leads have otherwise than the cluster: each takes a change or two yet.
//	bully_groups_changes_total                     counter    How often who leads a group, or in which epoch, has changed: twice in each failover.
//	bully_groups_quiet_total                       counter    How often the work of a group reported no progress, and the node resigned in that group.
//	bully_groups_steps_total                       counter    Steps taken, in all groups.
//	bully_groups_messages_sent_total               counter    Messages said, in all groups.
//	bully_groups_frames_sent_total                 counter    Frames in which they were said: each has what one node says to another, in all groups.
//	bully_groups_frames_sent_bytes_total           counter    Bytes of these frames.
//	bully_groups_frames_received_total             counter    Frames heard.
//	bully_groups_saves_total                       counter    Waits for the disk: each has the promises of all groups that had any (R4).
//	bully_groups_unknown_total                     counter    Messages heard of groups in which this node takes no part.
package prometheus

import (
	"errors"
	"maps"
	"slices"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/seed-fdf591db/bully/impl/groups"
	"github.com/seed-fdf591db/bully/impl/host"
	"github.com/seed-fdf591db/bully/impl/internal/web"
	"github.com/seed-fdf591db/bully/impl/transport"
)

// Config says of what a Collector tells. Node must be given, or Groups.
type Config struct {
	// Node is a bully.Node, or a host.Host. It is not asked if Groups are given: they have that of the cluster's own election.
	Node interface{ Status() host.Status }
	// Groups is a node of many groups: a groups.Groups.
	Groups interface {
		Status() groups.Status
		Placement() groups.Placement
	}
	// Stats are those of its links: the method of a transport.TCP. Default: nothing is told of them.
	Stats func() transport.Stats
	// Labels are those of all metrics, such as cluster="jobs". They are needed if several nodes of one program are registered with one
	// registry. A name that Prometheus does not allow, or that a metric has already, is told by Register. Default: none.
	Labels map[string]string
}

// Collector gives Prometheus what a node is, each time that it is asked. It is made by New. Its methods are safe for concurrent use.
type Collector struct {
	config Config
	all    map[string]*prometheus.Desc // by name
}

var _ prometheus.Collector = (*Collector)(nil)

// New returns a Collector. That it has no node is told by Register.
func New(config Config) *Collector {
	c := &Collector{config, map[string]*prometheus.Desc{}}
	for _, f := range slices.Concat(web.Metrics(), web.GroupMetrics()) {
		c.all[f.Name] = prometheus.NewDesc(f.Name, f.Help, labelOf(f), config.Labels)
	}
	return c
}

// labelOf returns the labels that a metric has of its own: one, or none.
func labelOf(f web.Metric) []string {
	if f.Label == "" {
		return nil
	}
	return []string{f.Label}
}

// Describe implements prometheus.Collector.
func (c *Collector) Describe(descriptions chan<- *prometheus.Desc) {
	if c.config.Node == nil && c.config.Groups == nil {
		descriptions <- prometheus.NewInvalidDesc(errors.New("bully: the Config of the metrics has no Node: give it the bully.Node or host.Host that they are of, or as Groups the groups.Groups"))
		return
	}
	for _, name := range slices.Sorted(maps.Keys(c.all)) {
		descriptions <- c.all[name]
	}
}

// Collect implements prometheus.Collector.
func (c *Collector) Collect(collected chan<- prometheus.Metric) {
	for _, reading := range c.read() {
		if t := reading.Times; t != nil {
			collected <- prometheus.MustNewConstHistogram(c.all[reading.Name], t.All, t.Sum, t.Within)
		}
		for _, s := range reading.Samples {
			var value []string
			if reading.Label != "" {
				value = []string{s.Value}
			}
			collected <- prometheus.MustNewConstMetric(c.all[reading.Name], kinds[reading.Kind], s.Number, value...)
		}
	}
}

// read reads all that is told.
func (c *Collector) read() []web.Reading {
	if g := c.config.Groups; g != nil {
		var own *host.Status
		if node, is := g.(*groups.Groups); is && node.Own != nil {
			now := node.Own.Status()
			own = &now
		}
		return web.ReadGroupMetrics(g.Status(), g.Placement().Members, own, c.config.Stats)
	}
	return web.ReadMetrics(c.config.Node.Status(), c.config.Stats)
}

var kinds = map[web.MetricKind]prometheus.ValueType{web.Counter: prometheus.CounterValue, web.Gauge: prometheus.GaugeValue}
