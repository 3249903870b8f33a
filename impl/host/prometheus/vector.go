package prometheus

import (
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/seed-fdf591db/bully/impl/bully"
	"github.com/seed-fdf591db/bully/impl/host"
	"github.com/seed-fdf591db/bully/spec"
)

// vector is counters with one label, whose values are a closed set.
type vector[T ~string] struct {
	all   *prometheus.CounterVec
	known map[T]prometheus.Counter // found once, so that counting is one look into a small map
}

func newVector[T ~string](opts prometheus.CounterOpts, label string, values []T) vector[T] {
	v := vector[T]{prometheus.NewCounterVec(opts, []string{label}), make(map[T]prometheus.Counter, len(values))}
	for _, value := range values {
		v.known[value] = v.all.WithLabelValues(string(value))
	}
	return v
}

// inc counts one. A value that was not known when this module was built is counted too.
func (v vector[T]) inc(value T) {
	if counter, ok := v.known[value]; ok {
		counter.Inc()
		return
	}
	v.all.WithLabelValues(string(value)).Inc()
}

// steps returns the actions that a running node can take: a crash is seen by nobody.
func steps() []spec.Action {
	var actions []spec.Action
	for _, action := range spec.Actions() {
		if action.OfNode() && action != spec.CrashAction {
			actions = append(actions, action)
		}
	}
	return actions
}

// causes returns why an input can be ignored.
func causes() []string {
	var causes []string
	for _, cause := range bully.Causes() {
		causes = append(causes, string(cause))
	}
	return causes
}

// Stepped counts a step.
func (c *Collector) Stepped(a spec.Action) { c.steps.inc(a) }

// Ignored counts an input that was ignored.
func (c *Collector) Ignored(cause string) { c.ignored.inc(cause) }

// Sent counts a message that was handed to the transport.
func (c *Collector) Sent(t spec.MessageType) { c.sent.inc(t) }

// Received counts a message that the transport has delivered.
func (c *Collector) Received(t spec.MessageType) { c.received.inc(t) }

// Saved notes how long it took to make a promise durable.
func (c *Collector) Saved(took time.Duration) { c.saves.Observe(took.Seconds()) }

// Changed notes who leads. The epoch stays when there is no leader: it never goes back.
func (c *Collector) Changed(l host.Leadership) {
	c.changes.Inc()
	c.leader.Set(number(l.Leading))
	c.known.Set(number(!l.Leader.IsNone()))
	if !l.Leader.IsNone() {
		c.epoch.Set(float64(l.Epoch)) // exact: an epoch is below 2⁵³ (R2)
	}
	if !l.Since.IsZero() {
		c.since.Set(float64(l.Since.UnixMicro()) / 1e6)
	}
}

// Configured notes who the members are.
func (c *Collector) Configured(m host.Membership) {
	c.confEpoch.Set(float64(m.Configuration.Epoch))
	c.confVersion.Set(float64(m.Configuration.Version))
	c.settled.Set(number(m.Settled))
	kinds := map[spec.MemberKind]float64{}
	for _, member := range m.Configuration.Members() {
		kinds[member.Kind]++
	}
	for _, kind := range spec.MemberKinds() {
		c.members.WithLabelValues(string(kind)).Set(kinds[kind])
	}
}

func number(b bool) float64 {
	if b {
		return 1
	}
	return 0
}

// Describe says what Collect collects.
func (c *Collector) Describe(descriptions chan<- *prometheus.Desc) {
	for _, part := range c.parts() {
		part.Describe(descriptions)
	}
}

// Collect collects every metric of the package comment.
func (c *Collector) Collect(metrics chan<- prometheus.Metric) {
	for _, part := range c.parts() {
		part.Collect(metrics)
	}
}

func (c *Collector) parts() []prometheus.Collector {
	return []prometheus.Collector{
		c.steps.all, c.ignored.all, c.sent.all, c.received.all, c.saves,
		c.leader, c.known, c.epoch, c.changes, c.since,
		c.confEpoch, c.confVersion, c.settled, c.members,
	}
}
