package web

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"sort"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/seed-fdf591db/bully/spec"
)

const (
	// keptTelling is how many steps are kept that are no upkeep: some elections.
	keptTelling = 256
	// keptUpkeep is how many steps are kept that only keep a reign alive: some seconds.
	keptUpkeep = 512
	// batch is how many steps a listener takes at once, while the loop of the node might wait.
	batch = 32
	// pace is how long a listener waits at least between two writes: a page draws no faster, and each write has its cost.
	pace = 50 * time.Millisecond
)

// steps keeps the last steps of a node, and lets listeners read them. Upkeep is kept apart: else a quiet minute would
// leave nothing of the last election. A step costs a copy, whoever listens: each listener reads, and encodes, by itself.
type steps struct {
	start uint64 // when the node started, in microseconds since 1970: it tells its steps from those of an earlier life
	done  chan struct{}

	mu              sync.Mutex
	seq             uint64     // of the last step: 1 for the first
	state           spec.State // after it, without Support and Answered
	telling, upkeep ring
	listeners       map[chan struct{}]struct{} // each is woken by a step
	closed          bool
}

// ring is the last events of a kind, in their order. The memory of what goes is used for what comes.
type ring struct {
	slots   []spec.Event
	size    int    // how many are kept
	first   int    // the oldest
	dropped uint64 // the last that is kept no more, 0 if all are
}

func newSteps() *steps {
	return &steps{start: micros(), done: make(chan struct{}), listeners: map[chan struct{}]struct{}{},
		telling: ring{size: keptTelling}, upkeep: ring{size: keptUpkeep}}
}

// next returns the slot for one event more.
func (r *ring) next() *spec.Event {
	if len(r.slots) < r.size {
		r.slots = append(r.slots, spec.Event{})
		return &r.slots[len(r.slots)-1]
	}
	slot := &r.slots[r.first]
	r.first = (r.first + 1) % r.size
	r.dropped = slot.Seq
	return slot
}

// at returns an event by its place in the order.
func (r *ring) at(i int) *spec.Event { return &r.slots[(r.first+i)%len(r.slots)] }

// after returns the place of the first event after seq.
func (r *ring) after(seq uint64) int {
	return sort.Search(len(r.slots), func(i int) bool { return r.at(i).Seq > seq })
}

// isUpkeep reports whether a step only keeps a reign alive: a heartbeat, or its answer.
func isUpkeep(e *spec.Event, before *spec.State) bool {
	if s := &e.State; s.Role != before.Role || s.Leader != before.Leader || s.Durable() != before.Durable() {
		return false
	}
	for i := range e.Sent {
		if t := e.Sent[i].Type; t != spec.Heartbeat && t != spec.Ack {
			return false
		}
	}
	switch e.Action {
	case spec.HeartbeatTimeout, spec.OnHeartbeat, spec.OnAck:
		return true
	}
	return false
}

// add keeps a copy of a step, and wakes who listens.
func (s *steps) add(e *spec.Event) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.seq++
	r := &s.telling
	if isUpkeep(e, &s.state) {
		r = &s.upkeep
	}
	slot := r.next()
	sent, support, answered := slot.Sent[:0], slot.State.Support[:0], slot.State.Answered[:0]
	*slot = *e
	slot.Sent, slot.State.Support, slot.State.Answered = append(sent, e.Sent...), append(support, e.State.Support...), append(answered, e.State.Answered...)
	slot.Input.Cut = slices.Clone(e.Input.Cut) // no node's step has any
	slot.Seq = s.seq
	if slot.At == 0 {
		slot.At = micros()
	}
	s.state = e.State
	s.state.Support, s.state.Answered = nil, nil
	for wake := range s.listeners {
		select {
		case wake <- struct{}{}:
		default: // it has not read yet that there is something
		}
	}
}

// read returns copies of the oldest steps after seq that are kept, as many as make a batch; and whether some after seq are
// kept no more.
func (s *steps) read(seq uint64) (found []spec.Event, lost bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	i, j := s.telling.after(seq), s.upkeep.after(seq)
	for len(found) < batch && (i < len(s.telling.slots) || j < len(s.upkeep.slots)) {
		if j == len(s.upkeep.slots) || i < len(s.telling.slots) && s.telling.at(i).Seq < s.upkeep.at(j).Seq {
			found = append(found, s.telling.at(i).Clone())
			i++
		} else {
			found = append(found, s.upkeep.at(j).Clone())
			j++
		}
	}
	return found, max(s.telling.dropped, s.upkeep.dropped) > seq
}

// listen returns a channel that has something in it when there are steps to read, until stop is called. There is none if
// there are too many.
func (s *steps) listen() (wake <-chan struct{}, stop func(), ok bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed || len(s.listeners) >= maxListeners {
		return nil, nil, false
	}
	c := make(chan struct{}, 1)
	c <- struct{}{}
	s.listeners[c] = struct{}{}
	return c, func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		delete(s.listeners, c)
	}, true
}

// close cuts all listeners off.
func (s *steps) close() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.closed {
		s.closed = true
		close(s.done)
	}
}

// from returns the step after which a listener wants to go on: the one whose id it has read last, if that is of this life.
func (s *steps) from(r *http.Request) uint64 {
	id := r.Header.Get("Last-Event-ID")
	if id == "" {
		id = r.URL.Query().Get("after") // a page that connects anew by itself cannot set the header
	}
	start, seq, _ := strings.Cut(id, "-")
	if start != strconv.FormatUint(s.start, 10) {
		return 0
	}
	n, err := strconv.ParseUint(seq, 10, 64)
	if err != nil {
		return 0
	}
	return n
}

// serve writes steps to a listener until either end has enough.
func (s *steps) serve(w http.ResponseWriter, r *http.Request) {
	if isHead(w, r) {
		return
	}
	wake, stop, ok := s.listen()
	if !ok {
		refuse(w)
		return
	}
	defer stop()
	l := listener{steps: s, out: w, seq: s.from(r)}
	alive := time.NewTicker(keepAlive)
	defer alive.Stop()
	for goesOn := l.write([]byte("retry: 1000\n\n")); goesOn; {
		select {
		case <-wake:
			if goesOn = l.catchUp(); goesOn {
				goesOn = sleep(r.Context(), pace)
			}
		case <-alive.C:
			goesOn = l.write([]byte(":\n\n"))
		case <-s.done:
			return
		case <-r.Context().Done():
			return
		}
	}
}

// sleep reports whether a time has passed before the context has ended.
func sleep(ctx context.Context, d time.Duration) bool {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return true
	case <-ctx.Done():
		return false
	}
}

// listener is one who reads steps.
type listener struct {
	steps *steps
	out   http.ResponseWriter
	seq   uint64 // of the step that it was given last
	even  bool   // it has had all that was kept when it came
}

// catchUp writes what the listener has not had yet. It reports false if the listener is gone, or so slow that steps which it
// should have had are kept no more: it may come back, and is told what there is. What comes while it writes the last of it
// waits for the next pause: to look for more would write at any pace.
func (l *listener) catchUp() bool {
	for {
		events, lost := l.steps.read(l.seq)
		if lost && l.even {
			return false
		}
		l.even = l.even || len(events) < batch
		if len(events) == 0 {
			return true
		}
		l.seq = events[len(events)-1].Seq
		if !l.write(l.steps.encode(events)) {
			return false
		}
		if len(events) < batch {
			return true
		}
	}
}

// write writes text, at once, and reports whether the listener takes it.
func (l *listener) write(text []byte) bool {
	out := http.NewResponseController(l.out)
	if out.SetWriteDeadline(time.Now().Add(patience)) != nil {
		return false
	}
	_, err := l.out.Write(text)
	return err == nil && out.Flush() == nil
}

// encode returns events as text of a stream.
func (s *steps) encode(events []spec.Event) (text []byte) {
	for i := range events {
		line, err := events[i].MarshalJSON()
		if err != nil {
			text = fmt.Appendf(text, ": step %d cannot be written: %q\n\n", events[i].Seq, err)
			continue
		}
		text = fmt.Appendf(text, "id: %d-%d\ndata: %s\n\n", s.start, events[i].Seq, line)
	}
	return text
}
