// Package otel makes OpenTelemetry spans of what a node does. It is a module of its own, so that a program that does not want OpenTelemetry does
// not get it. This is all that a user writes:
//
//	spans := bullyotel.New(bullyotel.Config{Cluster: "jobs"})
//	node, err := bully.Open(bully.Config{…, Host: func(c *host.Config) { c.Trace, c.Metrics = spans, spans }})
//	err = node.Run(ctx)
//	spans.Close(err)
//
// These are the spans. Each has the attributes bully.cluster and bully.node, and the epoch that it is about as bully.epoch.
//
//	bully.reign     this node leads: bully.ended_by says by which action it does no longer
//	bully.handover  this node hands over: from the end of its reign until it knows who leads next; bully.to is whom it has granted, bully.leader who leads
//	bully.election  this node knows of no leader: until it does, who is bully.leader
//	bully.change    this node leads, and changes who the members are: from when it has the new configuration until a quorum has; bully.version and bully.members
//
// A hand-over is linked to the reign that it ends. A span that is not over when the node stops, or a change that the node can settle no longer as it does not lead any more, has the status of
// an error. Spans begin and end in the loop of the node, which waits for no exporter: give the provider one that works in batches.
package otel

import (
	"context"
	"sync"
	"time"

	api "go.opentelemetry.io/otel"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/trace"

	"github.com/seed-fdf591db/bully/impl/host"
	"github.com/seed-fdf591db/bully/spec"
)

// Config says what Spans are made with.
type Config struct {
	Provider trace.TracerProvider // default: the global one
	Cluster  string               // the name of the cluster
	Trace    host.Trace           // is given every step, and first, as of a trace.Recorder; default: none
}

// Spans makes spans of what one host does. It is both the Trace and the Metrics of that host.
type Spans struct {
	config Config
	tracer trace.Tracer

	mu                                sync.Mutex
	node                              spec.NodeID
	epoch                             spec.Epoch // of the reign
	reign, handover, election, change trace.Span // nil if there is none
	version                           uint64     // of the configuration
}

var (
	_ host.Trace   = (*Spans)(nil)
	_ host.Metrics = (*Spans)(nil)
)

// New returns Spans for one host.
func New(config Config) *Spans {
	if config.Provider == nil {
		config.Provider = api.GetTracerProvider()
	}
	return &Spans{config: config, tracer: config.Provider.Tracer("github.com/seed-fdf591db/bully/impl/otel")}
}

// Record implements host.Trace.
func (s *Spans) Record(step *spec.Event) error {
	var err error
	if s.config.Trace != nil {
		err = s.config.Trace.Record(step)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.node = step.Node
	now := &step.State
	if s.reign != nil && now.Role != spec.Leader {
		s.endReign(step)
	}
	leader := host.LeaderOf(now)
	if !leader.IsNone() {
		s.elected(leader, now.Epoch)
	} else if s.election == nil {
		s.election = s.begin("bully.election", now.Epoch)
	}
	if now.Role == spec.Leader && s.reign == nil {
		s.epoch, s.reign = now.Epoch, s.begin("bully.reign", now.Epoch)
	}
	return err
}

// endReign ends the reign by a step, and begins to hand over if the step does.
func (s *Spans) endReign(step *spec.Event) {
	for i := range step.Sent {
		granted := &step.Sent[i].Granted // of a RESIGN
		if !granted.By.IsNone() && s.handover == nil {
			s.handover = s.begin("bully.handover", s.epoch, trace.WithLinks(trace.Link{SpanContext: s.reign.SpanContext()}))
			s.handover.SetAttributes(attribute.String("bully.to", granted.By.String()))
		}
	}
	s.reign.SetAttributes(attribute.String("bully.ended_by", string(step.Action)))
	s.reign.End()
	s.reign = nil
	s.fail(&s.change, "the node does not lead any more")
}

// elected ends what waits for a leader.
func (s *Spans) elected(leader spec.NodeID, epoch spec.Epoch) {
	for _, waiting := range []*trace.Span{&s.election, &s.handover} {
		if *waiting != nil {
			(*waiting).SetAttributes(attribute.String("bully.leader", leader.String()), epochOf(epoch))
			(*waiting).End()
			*waiting = nil
		}
	}
}

// Configured implements host.Metrics.
func (s *Spans) Configured(m host.Membership) {
	s.mu.Lock()
	defer s.mu.Unlock()
	anew := m.Configuration.Version != s.version // a new leader puts its epoch to the members that there are
	s.version = m.Configuration.Version
	if anew && s.reign != nil && s.change == nil {
		s.change = s.begin("bully.change", s.epoch)
	}
	if s.change == nil {
		return
	}
	s.change.SetAttributes(attribute.Int64("bully.version", int64(s.version)), attribute.Int("bully.members", m.Configuration.Len()))
	if m.Settled {
		s.change.End()
		s.change = nil
	}
}

// Close ends what is not over, as the node has stopped: with the error of Run, or nil.
func (s *Spans) Close(err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	why := "the node has stopped"
	if err != nil {
		why = err.Error()
	}
	for _, span := range []*trace.Span{&s.change, &s.handover, &s.election, &s.reign} {
		s.fail(span, why)
	}
}

// fail ends a span that has not come to its end, if there is one.
func (*Spans) fail(span *trace.Span, why string) {
	if *span != nil {
		(*span).SetStatus(codes.Error, why)
		(*span).End()
		*span = nil
	}
}

func (s *Spans) begin(name string, epoch spec.Epoch, options ...trace.SpanStartOption) trace.Span {
	options = append(options, trace.WithAttributes(attribute.String("bully.cluster", s.config.Cluster), attribute.String("bully.node", s.node.String()), epochOf(epoch)))
	_, span := s.tracer.Start(context.Background(), name, options...)
	return span
}

func epochOf(epoch spec.Epoch) attribute.KeyValue {
	return attribute.Int64("bully.epoch", int64(epoch))
}

// Changed implements host.Metrics.
func (*Spans) Changed(host.Leadership) {}

// Stepped implements host.Metrics.
func (*Spans) Stepped(spec.Action) {}

// Ignored implements host.Metrics.
func (*Spans) Ignored(string) {}

// Sent implements host.Metrics.
func (*Spans) Sent(spec.MessageType) {}

// Received implements host.Metrics.
func (*Spans) Received(spec.MessageType) {}

// Saved implements host.Metrics.
func (*Spans) Saved(time.Duration) {}
