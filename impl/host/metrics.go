package host

import (
	"expvar"
	"fmt"
	"strconv"
	"sync/atomic"
	"time"

	"github.com/seed-fdf591db/bully/spec"
)

// Metrics are told what happens in a host. The loop calls them: they must not block, nor call the host, but for Status.
type Metrics interface {
	// Stepped is called after each step.
	Stepped(a spec.Action)
	// Ignored is called for each input that was ignored (R33, R34, R35), with one of bully.Causes.
	Ignored(cause string)
	// Sent is called for each message that is handed to the transport.
	Sent(t spec.MessageType)
	// Received is called for each message that the transport has delivered, ignored or not.
	Received(t spec.MessageType)
	// Saved is called after each promise made durable, with how long that took.
	Saved(took time.Duration)
	// Changed is called when Watch has something new.
	Changed(l Leadership)
	// Configured is called when WatchMembers has something new; never if members are fixed.
	Configured(m Membership)
}

type noMetrics struct{}

func (noMetrics) Stepped(spec.Action)       {}
func (noMetrics) Ignored(string)            {}
func (noMetrics) Sent(spec.MessageType)     {}
func (noMetrics) Received(spec.MessageType) {}
func (noMetrics) Saved(time.Duration)       {}
func (noMetrics) Changed(Leadership)        {}
func (noMetrics) Configured(Membership)     {}

// Expvar publishes metrics by package expvar, as one map:
//
//	steps, ignored, sent, received   maps from the action, cause or type to a count
//	saves, save_seconds              how many promises were saved, and how long that took in all
//	leader, epoch, leading           of the leadership; leader is null if there is none
//	changes                          how often the leadership has changed
//	configuration, settled           who the members are, in JSON, null if they are fixed; and whether a quorum is known to hold it
type Expvar struct {
	steps, ignored, sent, received          *expvar.Map
	saves, epoch, leading, changes, settled *expvar.Int
	seconds                                 *expvar.Float
	leader                                  *leaderVar
	configuration                           *configurationVar
}

var _ Metrics = (*Expvar)(nil)

// NewExpvar publishes metrics under a name that nothing is published under yet, such as "bully". What is published
// stays for the life of the process.
func NewExpvar(name string) (*Expvar, error) {
	if expvar.Get(name) != nil {
		return nil, fmt.Errorf("host: expvar %q is published already: give another name", name)
	}
	e := &Expvar{
		steps: new(expvar.Map), ignored: new(expvar.Map), sent: new(expvar.Map), received: new(expvar.Map),
		saves: new(expvar.Int), epoch: new(expvar.Int), leading: new(expvar.Int), changes: new(expvar.Int),
		seconds: new(expvar.Float), leader: &leaderVar{}, settled: new(expvar.Int), configuration: &configurationVar{},
	}
	all := expvar.NewMap(name)
	for key, v := range map[string]expvar.Var{
		"steps": e.steps, "ignored": e.ignored, "sent": e.sent, "received": e.received, "saves": e.saves,
		"save_seconds": e.seconds, "leader": e.leader, "epoch": e.epoch, "leading": e.leading, "changes": e.changes,
		"configuration": e.configuration, "settled": e.settled,
	} {
		all.Set(key, v)
	}
	return e, nil
}

// Stepped counts a step.
func (e *Expvar) Stepped(a spec.Action) { e.steps.Add(string(a), 1) }

// Ignored counts an input that was ignored.
func (e *Expvar) Ignored(cause string) { e.ignored.Add(cause, 1) }

// Sent counts a message sent.
func (e *Expvar) Sent(t spec.MessageType) { e.sent.Add(string(t), 1) }

// Received counts a message received.
func (e *Expvar) Received(t spec.MessageType) { e.received.Add(string(t), 1) }

// Saved counts a promise saved.
func (e *Expvar) Saved(took time.Duration) {
	e.saves.Add(1)
	e.seconds.Add(took.Seconds())
}

// Changed notes who leads.
func (e *Expvar) Changed(l Leadership) {
	e.leader.Store(l.Leader)
	e.epoch.Set(int64(l.Epoch))
	e.leading.Set(0)
	if l.Leading {
		e.leading.Set(1)
	}
	e.changes.Add(1)
}

// Configured notes who the members are.
func (e *Expvar) Configured(m Membership) {
	e.configuration.now.Store(&m.Configuration)
	e.settled.Set(0)
	if m.Settled {
		e.settled.Set(1)
	}
}

// configurationVar is a configuration, or null.
type configurationVar struct {
	now atomic.Pointer[spec.Configuration]
}

// String returns the configuration in JSON, as package expvar wants it.
func (v *configurationVar) String() string {
	if now := v.now.Load(); now != nil {
		if text, err := now.MarshalJSON(); err == nil {
			return string(text)
		}
	}
	return "null"
}

// leaderVar is a node, or null.
type leaderVar struct {
	text atomic.Pointer[string]
}

// Store sets the node.
func (v *leaderVar) Store(id spec.NodeID) {
	text := "null"
	if !id.IsNone() {
		text = strconv.Quote(id.String())
	}
	v.text.Store(&text)
}

// String returns the node in JSON, as package expvar wants it.
func (v *leaderVar) String() string {
	if text := v.text.Load(); text != nil {
		return *text
	}
	return "null"
}
