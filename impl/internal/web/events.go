package web

import (
	"encoding/json"
	"fmt"
	"net/http"
	"sync"
	"time"

	"github.com/seed-fdf591db/bully/impl/host"
	"github.com/seed-fdf591db/bully/spec"
)

// Event is what a node is, from some moment on.
type Event struct {
	At      uint64      `json:"at"` // when it became so, in microseconds since 1970
	Node    spec.NodeID `json:"node"`
	Role    spec.Role   `json:"role"`   // "" before the node has started
	Leader  spec.NodeID `json:"leader"` // as users are told it (R39), or null
	Epoch   spec.Epoch  `json:"epoch"`
	Leading bool        `json:"leading"`
}

// Events hears from the loop of a host what its node is, and tells all who listen, at once. The loop never waits for a
// listener: one who falls far behind is cut off, and may begin anew. It keeps the last steps too.
type Events struct {
	trace host.Trace // or nil
	steps *steps

	mu        sync.Mutex
	now       Event
	listeners map[chan Event]struct{}
	closed    bool
}

var (
	_ host.Metrics = (*Events)(nil)
	_ host.Trace   = (*Events)(nil)
)

const (
	// backlog is how many changes a listener may be behind.
	backlog = 256
	// maxListeners is how many may listen.
	maxListeners = 128
	// keepAlive is how long a stream is silent at most: so the end of a listener is noticed.
	keepAlive = 15 * time.Second
	// patience is how long a listener, or any other client, may take to read what is written to it.
	patience = 5 * time.Second
)

// NewEvents returns the Events of a node. The trace is given every step too, and first; nil is none.
func NewEvents(node spec.NodeID, trace host.Trace) *Events {
	return &Events{trace: trace, steps: newSteps(), now: Event{At: micros(), Node: node}, listeners: map[chan Event]struct{}{}}
}

func micros() uint64 { return uint64(time.Now().UnixMicro()) }

// Record implements host.Trace: the promise of the step is on disk, and the user has heard if a reign has ended.
func (e *Events) Record(step *spec.Event) error {
	var err error
	if e.trace != nil {
		err = e.trace.Record(step)
	}
	e.steps.add(step)
	s := &step.State
	e.change(func(now *Event) {
		now.Role, now.Epoch, now.Leader = s.Role, s.Epoch, host.LeaderOf(s)
		now.Leading = s.Role == spec.Leader
	})
	return err
}

// Changed implements host.Metrics: the end of a reign comes before its step is recorded, and the end of the host without.
func (e *Events) Changed(l host.Leadership) {
	if l.Leader.IsNone() {
		e.change(func(now *Event) { now.Leader, now.Leading = spec.NodeID{}, false })
	}
}

// Configured implements host.Metrics.
func (*Events) Configured(host.Membership) {}

// Stepped implements host.Metrics.
func (*Events) Stepped(spec.Action) {}

// Ignored implements host.Metrics.
func (*Events) Ignored(string) {}

// Sent implements host.Metrics.
func (*Events) Sent(spec.MessageType) {}

// Received implements host.Metrics.
func (*Events) Received(spec.MessageType) {}

// Saved implements host.Metrics.
func (*Events) Saved(time.Duration) {}

// change makes a change, and tells all listeners if it is one.
func (e *Events) change(make func(now *Event)) {
	e.mu.Lock()
	defer e.mu.Unlock()
	before := e.now
	if make(&e.now); e.now == before {
		return
	}
	e.now.At = micros()
	for c := range e.listeners {
		select {
		case c <- e.now:
		default:
			e.remove(c)
		}
	}
}

// remove cuts a listener off.
func (e *Events) remove(c chan Event) {
	if _, there := e.listeners[c]; there {
		delete(e.listeners, c)
		close(c)
	}
}

// listen returns a channel that has the event of now, and gets all that follow until stop is called. It is closed when
// the listener falls behind, and by close. There is none if there are too many.
func (e *Events) listen() (events <-chan Event, stop func(), ok bool) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.closed || len(e.listeners) >= maxListeners {
		return nil, nil, false
	}
	c := make(chan Event, backlog)
	c <- e.now
	e.listeners[c] = struct{}{}
	return c, func() {
		e.mu.Lock()
		defer e.mu.Unlock()
		e.remove(c)
	}, true
}

// close cuts all listeners off.
func (e *Events) close() {
	e.steps.close()
	e.mu.Lock()
	defer e.mu.Unlock()
	e.closed = true
	for c := range e.listeners {
		e.remove(c)
	}
}

// serve writes events to a listener until either end has enough.
func (e *Events) serve(w http.ResponseWriter, r *http.Request) {
	if isHead(w, r) {
		return
	}
	events, stop, ok := e.listen()
	if !ok {
		refuse(w)
		return
	}
	defer stop()
	out := http.NewResponseController(w)
	alive := time.NewTicker(keepAlive)
	defer alive.Stop()
	text := "retry: 1000\n"
	for {
		select {
		case event, ok := <-events:
			if !ok {
				return
			}
			line, err := json.Marshal(event)
			if err != nil {
				return
			}
			text += fmt.Sprintf("data: %s\n\n", line)
		case <-alive.C:
			text += ":\n\n"
		case <-r.Context().Done():
			return
		}
		if out.SetWriteDeadline(time.Now().Add(patience)) != nil {
			return
		}
		if _, err := w.Write([]byte(text)); err != nil || out.Flush() != nil {
			return
		}
		text = ""
	}
}

// isHead sets what the head of a stream says, and reports whether that is all that was asked for: who asks for it does not
// listen.
func isHead(w http.ResponseWriter, r *http.Request) bool {
	w.Header().Set("Content-Type", "text/event-stream")
	w.Header().Set("X-Accel-Buffering", "no")
	return r.Method == http.MethodHead
}

// refuse refuses to let one more listen.
func refuse(w http.ResponseWriter) {
	w.Header().Set("Retry-After", "1")
	w.Header().Set("Connection", "close")
	http.Error(w, "too many listen already, or the node stops", http.StatusServiceUnavailable)
}
