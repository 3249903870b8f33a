package host

import (
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/seed-fdf591db/bully/impl/transport"
	"github.com/seed-fdf591db/bully/spec"
)

// Promises returns what says which promise a step breaks, of all that nodes take; "" if none is broken. A test from outside
// this package gives it.
var Promises func(members []spec.NodeID) func(*spec.Event) string

// A witness is the trace of a node: it checks what every step must keep.
type witness struct{ c *cluster }

func (w *witness) Record(e *spec.Event) error {
	c := w.c
	c.mu.Lock()
	held := c.held[e.Node]
	c.mu.Unlock()
	if held != nil {
		<-held
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, m := range e.Sent {
		c.sent[m.Type]++
	}
	if verbose {
		c.t.Logf("%v %v", time.Now().Format("05.000000"), e)
	}
	problem := ""
	if err := e.Clone().Validate(); err != nil && e.Seq != 0 {
		problem = err.Error()
	}
	c.epochs[e.Node] = e.State.Epoch
	if why := c.promises(e); why != "" {
		problem = fmt.Sprintf("%s: %v", why, e)
	}
	// R4: the disk has what the step has promised before it is recorded, and so before anything is sent.
	if kept, _, err := c.disks[e.Node].Load(); err != nil || kept != e.State.Durable() {
		problem = fmt.Sprintf("R4: %v has %v on disk (%v)", e, kept, err)
	}
	if problem != "" {
		c.problems = append(c.problems, problem)
	}
	return nil
}

// A proofless transport tells of no death.
type proofless struct{ Transport }

func (p proofless) Next() (transport.Event, bool) {
	event, ok := p.Transport.Next()
	for ok && event.Kind == transport.Dead {
		event, ok = p.Transport.Next()
	}
	return event, ok
}

// A gate is a clock that can be stopped, and with it the loop that looks at it: as SIGSTOP does.
type gate struct {
	readings *readings // or nil

	mu   sync.Mutex
	shut chan struct{} // while it is
}

func (g *gate) Now() time.Time {
	g.readings.note()
	g.mu.Lock()
	shut := g.shut
	g.mu.Unlock()
	if shut != nil {
		<-shut
	}
	return time.Now()
}

func (g *gate) NewTimer(d time.Duration) Timer { return SystemClock{}.NewTimer(d) }

// hang stops the loop at the next look at the clock.
func (g *gate) hang() {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.shut == nil {
		g.shut = make(chan struct{})
	}
}

// open lets the loop go on.
func (g *gate) open() {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.shut != nil {
		close(g.shut)
		g.shut = nil
	}
}

// scripted is a transport that says what a test wants.
type scripted struct {
	mu     sync.Mutex
	events []transport.Event
	wake   chan struct{}
	sent   []spec.Message
	wait   time.Duration // how long it takes until an event has come
	asked  spec.Question // of the last question that was sent
}

// waits has each event take a time to come, after it has been asked for.
func (s *scripted) waits(d time.Duration) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.wait = d
}

func (s *scripted) give(all ...transport.Event) {
	s.mu.Lock()
	s.events = append(s.events, all...)
	s.mu.Unlock()
	select {
	case s.wake <- struct{}{}:
	default:
	}
}

func (s *scripted) Send(m spec.Message) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.sent = append(s.sent, m)
	switch m.Type {
	case spec.Election, spec.Claim, spec.Coordinator, spec.Heartbeat:
		s.asked = m.Question
	}
}

func (s *scripted) Wake() <-chan struct{} { return s.wake }

func (s *scripted) Next() (transport.Event, bool) {
	s.mu.Lock()
	if len(s.events) == 0 {
		s.mu.Unlock()
		return transport.Event{}, false
	}
	e, wait := s.events[0], s.wait
	s.events = s.events[1:]
	s.mu.Unlock()
	time.Sleep(wait)
	return e, true
}

func (s *scripted) Close() error { return nil }

// A roaming transport is a scripted one of a node of changing members.
type roaming struct{ *scripted }

func (roaming) SetMembers(map[spec.NodeID]string) {}

// forget makes has and sent begin anew.
func (s *scripted) forget() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.sent = nil
}

// has reports whether a message of type t has been sent.
func (s *scripted) has(t spec.MessageType) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.ContainsFunc(s.sent, func(m spec.Message) bool { return m.Type == t })
}

// lastAsked returns the number of the last question that was sent.
func (s *scripted) lastAsked() spec.Question {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.asked
}
