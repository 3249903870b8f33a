package groups

import (
	"errors"
	"maps"
	"sync"

	"github.com/seed-fdf591db/bully/impl/host"
	"github.com/seed-fdf591db/bully/impl/transport"
	"github.com/seed-fdf591db/bully/spec"
)

// carrier is a Transport of changing members.
type carrier interface {
	Transport
	host.ChangingTransport
}

// shared is the transport of a node whose members change, as two have it: the cluster's own election, which says messages, and the groups, which say bundles. Both hear of the links. It is
// closed when both have closed their sides.
type shared struct {
	carrier
	record spec.Durable // of the own election, as it was when this life began

	mu     sync.Mutex
	own    ownSide
	groups groupSide
	open   int // sides
	over   chan struct{}

	wanted map[spec.NodeID]string   // the members of the cluster, and where they are
	also   map[spec.NodeID]struct{} // … of a group
	last   map[spec.NodeID]string   // where each was when it was known
}

// side is what is there for one of the two.
type side struct {
	of     *shared
	events []transport.Event
	wake   chan struct{}
	closed bool
}

// mostShared is how much may wait for one side while the other takes what has come. What is more is lost, as a network may lose any message; what is told of links is not.
const mostShared = 4096

// share makes a transport that of both. The record is that of the own election.
func share(c carrier, record spec.Durable) *shared {
	s := &shared{carrier: c, record: record, open: 2, over: make(chan struct{}), last: map[spec.NodeID]string{}}
	for _, one := range []*side{&s.own.side, &s.groups.side} {
		one.of, one.wake = s, make(chan struct{}, 1)
	}
	go s.pump()
	return s
}

// pump has both sides look when something has come.
func (s *shared) pump() {
	for {
		select {
		case <-s.carrier.Wake():
			s.own.rouse()
			s.groups.rouse()
		case <-s.over:
			return
		}
	}
}

func (s *side) rouse() {
	select {
	case s.wake <- struct{}{}:
	default:
	}
}

// Wake returns a channel that has a value when Next may have something.
func (s *side) Wake() <-chan struct{} { return s.wake }

// Next returns the next event for this side.
func (s *side) Next() (transport.Event, bool) {
	s.of.mu.Lock()
	defer s.of.mu.Unlock()
	for len(s.events) == 0 {
		event, ok := s.of.carrier.Next()
		if !ok || s.closed {
			return transport.Event{}, false
		}
		s.of.route(&event)
	}
	event := s.events[0]
	if s.events = s.events[1:]; len(s.events) == 0 {
		s.events = nil
	}
	return event, true
}

// route gives an event to whom it is for.
func (s *shared) route(event *transport.Event) {
	if event.Kind != transport.Bundle {
		s.own.take(event)
	}
	if event.Kind != transport.Received && event.Kind != transport.Disowned { // that ends the own election, and with it this node
		s.groups.take(event)
	}
}

func (s *side) take(event *transport.Event) {
	said := event.Kind == transport.Received || event.Kind == transport.Bundle
	if s.closed || said && len(s.events) >= mostShared {
		return
	}
	s.events = append(s.events, *event)
	s.rouse()
}

// Close closes this side, and the transport if the other is closed too.
func (s *side) Close() error {
	s.of.mu.Lock()
	if s.closed {
		s.of.mu.Unlock()
		return nil
	}
	s.closed, s.events = true, nil
	s.of.open--
	last := s.of.open == 0
	s.of.mu.Unlock()
	if !last {
		return nil
	}
	close(s.of.over)
	return s.of.carrier.Close()
}

// all returns all to whom there are to be links: the members of the cluster, and those that a group has yet, or already.
func (s *shared) all() map[spec.NodeID]string {
	all := map[spec.NodeID]string{}
	for id := range s.also {
		all[id] = s.last[id]
	}
	maps.Copy(all, s.wanted)
	return all
}

// groupSide is the Transport of the groups.
type groupSide struct{ side }

// SendBundle sends a bundle.
func (s *groupSide) SendBundle(to spec.NodeID, saves uint64, bundle []byte) {
	s.of.carrier.SendBundle(to, saves, bundle)
}

// alsoMembers says whom groups have as members, and returns to whom there are links then.
func (s *groupSide) alsoMembers(ids map[spec.NodeID]struct{}) map[spec.NodeID]string {
	s.of.mu.Lock()
	defer s.of.mu.Unlock()
	if !maps.Equal(ids, s.of.also) {
		s.of.also = ids
		s.of.carrier.SetMembers(s.of.all())
	}
	return s.of.all()
}

// ownSide is the Transport of the cluster's own election.
type ownSide struct{ side }

var (
	_ Transport              = (*groupSide)(nil)
	_ host.ChangingTransport = (*ownSide)(nil)
)

// Send sends a message.
func (s *ownSide) Send(m spec.Message) { s.of.carrier.Send(m) }

// SetMembers says who the members of the cluster are.
func (s *ownSide) SetMembers(addresses map[spec.NodeID]string) {
	s.of.mu.Lock()
	defer s.of.mu.Unlock()
	s.of.wanted = addresses
	maps.Copy(s.of.last, addresses)
	s.of.carrier.SetMembers(s.of.all())
}

// Record returns the record of the own election.
func (s *ownSide) Record() spec.Durable { return s.of.record }

// Begun tells the others that this node has taken its first step: in its own election, and the groups have a record by then.
func (s *ownSide) Begun() {
	if c, ok := s.of.carrier.(interface{ Begun() }); ok {
		c.Begun()
	}
}

// Remembers tells which disk a node had.
func (s *ownSide) Remembers(node spec.NodeID) (incarnation uint64, remembers bool) {
	if c, ok := s.of.carrier.(interface {
		Remembers(node spec.NodeID) (uint64, bool)
	}); ok {
		return c.Remembers(node)
	}
	return 0, false
}

var errNoCarrier = errors.New("groups: Transport: members change, so it has to be a host.ChangingTransport too: give a transport.TCP with Changing and Bundles, or in tests an Endpoint of JoinChanging")
