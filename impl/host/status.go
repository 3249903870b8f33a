package host

import (
	"expvar"
	"fmt"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"github.com/seed-fdf591db/bully/impl/internal/reigns"
	"github.com/seed-fdf591db/bully/spec"
)

// Status is a host as it is now, for people and for machines to see. It is written to JSON as it is.
type Status struct {
	ID            spec.NodeID         `json:"id"`
	Members       []spec.NodeID       `json:"members"`                 // ascending
	Role          spec.Role           `json:"role"`                    // "" before the node has started
	Leader        spec.NodeID         `json:"leader"`                  // as Watch tells it; null if the node knows of none (R39)
	Lease         spec.NodeID         `json:"lease"`                   // whose lease the node keeps, or null: it says less than Leader (R5)
	Epoch         spec.Epoch          `json:"epoch"`                   // the highest promised or learned: that of the leader, if there is one; 0 before the node has started
	Grantee       spec.NodeID         `json:"grantee"`                 // to whom it was promised, or null
	Numbers       Numbers             `json:"numbers"`                 // of questions (R50)
	Leading       bool                `json:"leading"`                 // this node leads
	Since         time.Time           `json:"since"`                   // when Leader became what it is; zero before the first change
	Exhausted     bool                `json:"epochs_exhausted"`        // the epochs are used up: see ErrExhausted
	Unbelieved    []spec.NodeID       `json:"unbelieved,omitempty"`    // nodes that are no members, and claim that there are newer ones: see Config.Believe
	Deadline      time.Time           `json:"deadline"`                // of the reign, if this node leads; else zero
	Links         []LinkStatus        `json:"links"`                   // to the other members, ascending
	Counters      Counters            `json:"counters"`                // since the host was made
	Membership    string              `json:"membership,omitempty"`    // what this node is among changing members: its kind, waiting if it was never told of any, or removed
	Configuration *spec.Configuration `json:"configuration,omitempty"` // who the members are; nil if they are fixed, or before the start
	Settled       bool                `json:"settled,omitempty"`       // as of Membership.Settled
	Quiet         *QuietStatus        `json:"quiet,omitempty"`         // the last time that work reported no progress, and the node resigned; nil if it never did
	Guard         *GuardStatus        `json:"guard,omitempty"`         // what its guard has told it; nil if it has none
	Waits         string              `json:"waits,omitempty"`         // what the first start of the node waits for; "" once it has started
	Stopped       bool                `json:"stopped"`                 // the host has ended, or not begun: nothing above changes any more
	Error         string              `json:"error"`                   // why it has ended, if not in good order
}

// Numbers are those of questions, for people who compare nodes: the lease of a follower that hears its leader is close behind the latest
// of that leader, and so is what its reign is dated from.
type Numbers struct {
	Latest spec.Question `json:"latest"` // that this node has used
	Lease  spec.Question `json:"lease"`  // the latest question that it has answered of the node whose lease it keeps; 0 if there is none, or it is its own
	Dated  spec.Question `json:"dated"`  // of its own, the one that its reign is dated from (R26); 0 if it does not lead
}

// numbers are Numbers that the loop changes at each step, and Status reads meanwhile.
type numbers struct{ latest, lease, dated atomic.Uint64 }

func (n *numbers) note(s *spec.State) {
	n.latest.Store(uint64(s.Latest))
	n.lease.Store(uint64(s.Lease))
	n.dated.Store(uint64(s.Dated))
}

func (n *numbers) read() Numbers {
	return Numbers{spec.Question(n.latest.Load()), spec.Question(n.lease.Load()), spec.Question(n.dated.Load())}
}

// LinkStatus is what a host knows of another member.
type LinkStatus struct {
	Node        spec.NodeID `json:"node"`
	Up          bool        `json:"up"`            // our connection to it is open
	Dead        bool        `json:"dead"`          // it is proved to have ended, and has not come back (R37)
	LostDisk    bool        `json:"lost_disk"`     // it does not remember what it has said: its disk is lost, or an old copy; it is not heeded
	LastHeardMS int64       `json:"last_heard_ms"` // how long ago a message of it came, in ms; -1 if none ever did
	Phi         float64     `json:"phi"`           // of the leader: how suspicious its silence is; 0 for all others
}

// Status returns the host as it is now. It never waits for the loop, nor the loop for it.
func (h *Host) Status() Status {
	seen := h.seen.Load()
	links := seen.links
	s := Status{
		ID: h.config.ID, Members: append([]spec.NodeID(nil), links.members...),
		Role: seen.state.Role, Lease: seen.state.Leader, Epoch: seen.state.Epoch, Grantee: seen.state.Grantee,
		Leader: seen.told.Leader, Leading: seen.told.Leading, Since: seen.told.Since,
		Numbers: h.numbers.read(), Exhausted: exhausted(&seen.state), Unbelieved: h.unbelieved.list(),
		Deadline: seen.reign.Deadline(), Counters: h.counters.read(), Waits: seen.waits, Stopped: seen.stopped, Guard: h.config.Guard.Status(), Quiet: h.quiet.Load(),
	}
	if seen.err != nil {
		s.Error = seen.err.Error()
	}
	s.describe(seen.membership)
	now := h.config.Clock.Now()
	for i, node := range links.members {
		if i == links.who.Me {
			continue
		}
		link := links.status(i, now)
		if node == s.Leader {
			link.Phi = h.detector.phi(now)
		}
		s.Links = append(s.Links, link)
	}
	return s
}

// describe says who the members are, if they come and go.
func (s *Status) describe(m Membership) {
	if m.Configuration.IsNone() {
		return
	}
	s.Configuration, s.Settled, s.Members = &m.Configuration, m.Settled, nil
	for _, member := range m.Configuration.Members() {
		s.Members = append(s.Members, member.ID)
	}
	switch kind := kindOfMember(m.Configuration, s.ID); {
	case m.Configuration.IsEmpty():
		s.Membership = "waiting"
	case kind == "":
		s.Membership = "removed"
	default:
		s.Membership = string(kind)
	}
}

// seen is what Status shows of a step's outcome. It is never changed: the loop makes another.
type seen struct {
	state   spec.State
	told    Leadership
	reign   *reigns.Reign
	stopped bool
	waits   string
	err     error

	links      *links
	membership Membership
}

// show lets Status see how things are, if they have changed.
func (h *Host) show() {
	last := h.seen.Load()
	s := seen{state: h.state, told: h.told, reign: h.reign, stopped: h.ended, waits: h.waits, err: h.err, links: h.links, membership: h.membership}
	if s.state.Role == last.state.Role && s.state.Leader == last.state.Leader && s.state.Durable() == last.state.Durable() &&
		s.told.same(last.told) && s.reign == last.reign && s.stopped == last.stopped && s.waits == last.waits && s.err == last.err &&
		s.links == last.links && s.membership == last.membership {
		return // most steps are for heartbeats
	}
	h.seen.Store(&s)
}

// judge is the detector, and whom it judges. Status asks it for phi while the loop uses it; the lock is held only for
// the few nanoseconds of a call.
type judge struct {
	Detector
	mu   sync.Mutex
	whom spec.NodeID
}

// forget makes whoever is heard next another one. A leader that is heard again before anybody else has led was suspected
// without need, and its detector learns from that; but if another has led meanwhile, this node too, the silence was real.
func (j *judge) forget() {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.whom = spec.NodeID{}
}

// heard notes an arrival from the leader, and returns how long to wait for the next.
func (j *judge) heard(from spec.NodeID, now time.Time) time.Duration {
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.whom != from {
		j.whom = from
		j.Reset()
	}
	j.Heard(now)
	return j.Patience(now)
}

// paused tells a detector that wants to know it that nothing is to be learned before a time.
func (j *judge) paused(until time.Time) {
	if d, ok := j.Detector.(interface{ Paused(until time.Time) }); ok {
		j.mu.Lock()
		defer j.mu.Unlock()
		d.Paused(until)
	}
}

func (j *judge) phi(now time.Time) float64 {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.Phi(now)
}

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

// expvarMetrics publishes metrics by package expvar.
type expvarMetrics struct {
	steps, ignored, sent, received          *expvar.Map
	saves, epoch, leading, changes, settled *expvar.Int
	seconds                                 *expvar.Float
	leader                                  *leaderVar
	configuration                           *configurationVar
}

var _ Metrics = (*expvarMetrics)(nil)

// NewExpvar publishes metrics by package expvar, as one map, under a name that nothing is published under yet, such as "bully". What is published
// stays for the life of the process.
//
//	steps, ignored, sent, received   maps from the action, cause or type to a count
//	saves, save_seconds              how many promises were saved, and how long that took in all
//	leader, epoch, leading           of the leadership; leader is null if there is none
//	changes                          how often the leadership has changed
//	configuration, settled           who the members are, in JSON, null if they are fixed; and whether a quorum is known to hold it
func NewExpvar(name string) (Metrics, error) {
	if expvar.Get(name) != nil {
		return nil, fmt.Errorf("host: expvar %q is published already: give another name", name)
	}
	e := &expvarMetrics{
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
func (e *expvarMetrics) Stepped(a spec.Action) { e.steps.Add(string(a), 1) }

// Ignored counts an input that was ignored.
func (e *expvarMetrics) Ignored(cause string) { e.ignored.Add(cause, 1) }

// Sent counts a message sent.
func (e *expvarMetrics) Sent(t spec.MessageType) { e.sent.Add(string(t), 1) }

// Received counts a message received.
func (e *expvarMetrics) Received(t spec.MessageType) { e.received.Add(string(t), 1) }

// Saved counts a promise saved.
func (e *expvarMetrics) Saved(took time.Duration) {
	e.saves.Add(1)
	e.seconds.Add(took.Seconds())
}

// Changed notes who leads.
func (e *expvarMetrics) Changed(l Leadership) {
	e.leader.Store(l.Leader)
	e.epoch.Set(int64(l.Epoch))
	e.leading.Set(0)
	if l.Leading {
		e.leading.Set(1)
	}
	e.changes.Add(1)
}

// Configured notes who the members are.
func (e *expvarMetrics) Configured(m Membership) {
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
